"""The figure of a table, and the kinds of figures that the files of experiments describe."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from legends import legend_of, note_of
from matplotlib.figure import Figure
from refusals import message_of
from report_tables import regrets, stopping_times

import dpbandits as dp
from dpbandits.figures import draw, placement, stopping
from dpbandits.figures.draw import KINDS, figure_of_experiment
from dpbandits.figures.labels import labelled
from dpbandits.figures.style import Chart
from dpbandits.results.table import Table, curve_of

REGRETS = regrets(runs=2, times=3)


@pytest.mark.parametrize(
    ("figure", "parts"),
    [
        ("{kind: tme, title: x}", ["figure.kind of experiment mine: 'tme'", "did you mean time?"]),
        ("{title: x}", ["figure={title:x} of experiment mine: a kind is needed", "time_panels"]),
        ("{kind: [time]}", ["figure.kind of experiment mine: '[time]'", "did you mean time?"]),
        ("{kind: time, bnad: ci}", ["figure.kind=time of experiment mine: 'bnad'", "mean band?"]),
        ("{kind: budget, terms: x}", ["'terms'", "title"]),
        ("{kind: contamination, theorems: true}", ["'theorems'"]),
        ("{kind: contamination, k: much}", ["figure.k=much: a finite number"]),
        ("{kind: stopping, theorems: 3}", ["figure.theorems=3: true or false"]),
        ("{kind: time, band: wide}", ["figure.band=wide: ci, std or quantiles"]),
        ("{kind: time, title: 3}", ["figure.title=3: text"]),
        ("{kind: stopping}", ["figure.kind=stopping of experiment mine", "cannot draw regret"]),
        ("time", ["figure=time of experiment mine", "{kind: time, title: TITLE}"]),
        ("{kind: time", ["mine.yaml: not a readable YAML file"]),
    ],
)
def test_a_bad_figure_is_refused_in_one_line(tmp_path, figure, parts):
    (tmp_path / "experiment").mkdir()
    contents = f"# @package _global_\nfigure: {figure}\n"
    (tmp_path / "experiment" / "mine.yaml").write_text(contents)
    message = message_of(figure_of_experiment, "mine", Table.of_frame(REGRETS), [str(tmp_path)])
    assert all(part in message for part in parts), message


def test_a_table_without_contamination_is_refused():
    assert "no column env.alpha" in message_of(
        KINDS["contamination"], Table.of_frame(REGRETS), "title"
    )


def test_jupyter_displays_a_figure():
    assert Chart(figsize=(1, 1))._repr_png_().startswith(b"\x89PNG")


def test_bands():
    rows = pd.DataFrame({"t": [1] * 4 + [2] * 4, "value": [0, 2, 4, 6, 1, 1, 1, 1]})
    std = curve_of(rows, "t", "std")
    assert std["middle"].tolist() == [3, 1]
    assert std["high"][0] == pytest.approx(3 + np.sqrt(20 / 3))
    ci = curve_of(rows, "t", "ci")
    assert 0 <= ci["low"][0] < 3 < ci["high"][0] < 15
    assert ci[["low", "high"]].isna().loc[1].all()  # equal runs have no interval
    quantiles = curve_of(rows, "t", "quantiles")
    assert quantiles.iloc[0].tolist() == pytest.approx([1, 3, 3, 0.6, 5.4, 4])  # ..., ends, runs


NAMES = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]


def made(settings, regret=lambda t, run: t * (1 + run)):
    """A table with three runs of each algorithm and budget, or as many as a third number says."""
    rows = [
        (algo, "e", eps, 100, 0, run, t, regret(t, run))
        for algo, eps, *runs in settings
        for run in range(*runs or [3])
        for t in (1, 10, 100)
    ]
    return pd.DataFrame(rows, columns=NAMES)


@pytest.mark.slow
def test_a_reference_is_drawn_in_the_panel_of_every_budget():
    figure = dp.plot(made([("mine", 0.1), ("mine", 1.0), ("ucb", np.inf)]))
    assert [len(ax.lines) for ax in figure.axes] == [2, 2]


def test_a_private_algorithm_that_was_only_played_without_privacy_is_labelled_so():
    """In the panel of a budget it would look private. The control has no private setting."""
    given = {"env": "bernoulli_c2", "horizon": 50, "runs": 2, "checkpoints": 3, "jobs": 1}
    bare, free = dp.run("adap_ucb", eps=np.inf, **given), dp.run("ucb", **given)
    for tables, label in (
        ([bare, free, dp.run("dp_se", eps=1, **given)], "AdaP-UCB, without privacy"),
        ([bare, free], "AdaP-UCB"),
    ):
        (ax,) = dp.plot(tables).axes
        assert [line.get_label() for line in ax.lines][:2] == [label, "UCB"]


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"x": "t"}, {"x": "eps"}, {"kind": "tail"}], ids=str)
def test_what_is_also_played_without_privacy_has_a_line_of_its_own(given):
    """Not the mean of both, and in the darker shade; the private line looks as it always does."""
    alone = dp.plot(made([("dp_se", 0.1), ("dp_se", 1.0)]), **given).axes[0].lines[0]
    several = made([("dp_se", 0.1), ("dp_se", 1.0), ("dp_se", np.inf)])
    several.loc[np.isinf(several["eps"]), "regret"] *= 50
    first, *others = dp.plot(several, **given).axes
    for ax in [first, *others]:
        assert [line.get_label() for line in ax.lines] == ["DP-SE", "DP-SE, without privacy"]
        private, free = ax.lines
        assert max(private.get_ydata()) < 300
        assert private.get_color() == alone.get_color() != free.get_color()
        assert private.get_linestyle() == alone.get_linestyle()
    if "x" in given:
        assert max(first.lines[1].get_ydata()) == 50 * 200


@pytest.mark.slow
def test_what_is_also_played_without_privacy_is_not_drawn_beside_other_algorithms():
    table = made([("dp_se", 1.0), ("dp_se", np.inf), ("mine", 1.0), ("ucb", np.inf)])
    figure = KINDS["time_per_algorithm"](Table.of_frame(table), "title")
    assert [len(ax.lines) for ax in figure.axes] == [3, 2]


@pytest.mark.slow
def test_regret_of_zero_is_drawn_on_a_linear_axis():
    nothing = made([("dp_se", 1.0)], lambda t, run: 0)
    figure = dp.plot(nothing)
    (ax,) = figure.axes
    assert ax.get_yscale() == ax.get_xscale() == "linear" and ax.get_ylim()[0] < 0
    assert note_of(figure).endswith("narrower than its line; equal runs have no interval.")
    assert dp.plot(nothing, x="eps").axes[0].get_yscale() == "linear"
    assert dp.plot(nothing, kind="tail").axes[0].get_xscale() == "linear"
    both = pd.concat([made([("adap_ucb", 1.0)]), nothing])
    for table in (both, both[::-1]):  # panels that share the axis
        figure = KINDS["time_per_algorithm"](Table.of_frame(table), "title")
        assert all(ax.get_ylim()[1] > 300 for ax in figure.axes)


@pytest.mark.slow
def test_algorithms_of_another_budget_are_named_if_they_are_not_drawn():
    budgets = {"eps": [0.5, 1], "rho": [0.1, 1], "horizon": 100, "runs": 2, "jobs": 1}
    table = dp.run(["adap_ucb", "adac_ucb", "ucb"], **budgets)
    for x, name in (("eps", "AdaC-UCB"), ("rho", "AdaP-UCB")):
        note = note_of(dp.plot(table, x=x)).split(". ")
        (said,) = [line for line in note if "are left out" in line]
        assert said.rstrip(".").endswith(name)
    assert "left out" not in note_of(dp.plot(table[table["rho"].isna()], x="eps"))


@pytest.mark.slow
def test_a_curve_of_few_points_does_not_begin_at_zero():
    """Mutation that it catches: on a logarithmic axis a line from 0 is a wall."""
    table = dp.run("ucb", horizon=1000, runs=3, checkpoints=2, jobs=1)
    (line,) = [x for x in dp.plot(table, x="t").axes[0].lines if len(x.get_xdata())]
    assert line.get_marker() == "o" and (line.get_ydata() > 0).all()
    many = dp.run("ucb", horizon=1000, runs=3, jobs=1)
    assert dp.plot(many, x="t").axes[0].lines[0].get_marker() != "o"


@pytest.mark.slow
@pytest.mark.parametrize("checkpoints", [(100,), (50, 100)])
def test_lines_of_few_points_that_coincide_are_named(checkpoints):
    """Catches: lines of one or two points are taken for no lines."""
    table = made([("dp_se", 1.0), ("adap_ucb", 1.0)])
    table = pd.concat(table[table["t"] == table["t"].max()].assign(t=t) for t in checkpoints)
    assert "These lines coincide: " in note_of(dp.plot(table.assign(horizon=100), x="t"))


@pytest.mark.slow
def test_columns_may_have_any_name():
    """Also those of the statistics that are computed."""
    table = made([("mine", 1.0), ("mine", 2.0)]).assign(max=3.0, count=2.0)
    table.loc[table["eps"] == 2.0, "max"] = 4.0
    assert len(dp.plot(table, x="t").axes) == 2


def test_a_table_without_budgets_has_labels():
    table = made([("mine", 1.0)]).drop(columns="eps").assign(m=1.0)
    table.loc[table["run"] == 0, "m"] = 2.0
    assert set(labelled(Table.of_frame(table)).settings["line"]) == {"mine, m = 1", "mine, m = 2"}


@pytest.mark.slow
def test_the_note_counts_the_runs_of_each_setting_and_says_what_a_missing_band_is():
    different = made([("mine", 1.0, 2), ("mine", 2.0, 5), ("ucb", np.inf, 3)])
    note = note_of(dp.plot(different))
    assert "mean of 2 to 5 runs" in note
    assert note.endswith("A band that cannot be seen is narrower than its line.")
    mixed = note_of(dp.plot(made([("mine", 1.0, 1), ("mine", 2.0, 5)])))
    assert mixed.endswith("; single and equal runs have no interval.")
    assert note_of(dp.plot(made([("dp_se", 1.0, 1)]))) == "Lines show a single run of each setting."


@pytest.mark.slow
def test_lines_of_small_nash_regret_go_on_until_the_horizon():
    table = dp.run(["ucb", "ncb"], "bernoulli_c2", horizon=20_000, runs=2)
    for ax in dp.plot(table, metric="nash").axes:
        assert [line.get_xdata()[-1] for line in ax.lines] == [20_000, 20_000]


@pytest.mark.slow
def test_lines_across_and_single_points_have_bands():
    table = made([("mine", 0.1), ("mine", 1.0), ("ucb", np.inf), ("dp_se", 1.0)])
    (ax,) = dp.plot(table, x="eps", band="std").axes
    assert not any(line.get_marker() == "_" for line in ax.lines)
    (medians,) = dp.plot(table, x="eps", band="quantiles").axes
    [line] = [line for line in medians.lines if line.get_marker() == "_"]
    assert line.get_ydata() == [200]
    (point,) = [bar for bar in ax.collections if hasattr(bar, "get_segments")]
    assert point.get_segments()[0][:, 1].tolist() == [100, 300]
    (across,) = ax.patches
    assert (across.get_y(), across.get_y() + across.get_height()) == (100, 300)


@pytest.mark.slow
def test_a_panel_of_what_was_not_played_is_hidden():
    table = pd.concat([made([("mine", 1.0), ("mine", 2.0)]), made([("mine", 2.0)])])
    table["env"] = ["e"] * 18 + ["f"] * 9
    table["m"] = np.where(table["run"] == 0, 1.0, 2.0)
    for given in ({"x": "m"}, {"kind": "tail"}):
        axes = dp.plot(table, **given).axes
        assert [ax.get_visible() for ax in axes] == [True, True, False, True]
        assert bool(axes[0].get_ylabel()) and bool(axes[3].get_ylabel())


@pytest.mark.slow
def test_a_game_has_no_panel_at_a_budget_at_which_it_was_not_played():
    other = dp.bernoulli([0.9, 0.1])
    given = {"horizon": 300, "runs": 2}
    parts = dp.run(["adap_ucb", "ucb"], "bernoulli_c1", eps=[0.5, 1], **given)
    table = pd.concat([parts, dp.run(["adap_ucb", "ucb"], other, eps=[1], **given)])
    figure = dp.plot(table)
    assert [ax.get_visible() for ax in figure.axes] == [True, True, False, True]
    labels = [(bool(ax.get_xlabel()), bool(ax.get_ylabel())) for ax in figure.axes]
    assert labels == [(True, True), (False, False), (False, False), (True, True)]


@pytest.mark.slow
def test_a_game_without_private_algorithms_is_drawn_beside_the_only_budget():
    private = dp.run("dp_se", "bernoulli_c1", eps=1, horizon=300, runs=2)
    free = [dp.run("ucb", env, horizon=300, runs=2) for env in ("bernoulli_c1", "bernoulli_c3")]
    figure = dp.plot(pd.concat([private, *free]), x="t")
    assert [(ax.get_visible(), len(ax.lines)) for ax in figure.axes] == [(True, 2), (True, 1)]


@pytest.mark.slow
def test_bands_that_reach_zero_do_not_stretch_the_axis():
    table = dp.run("ucb", "bernoulli_c2", horizon=1000, runs=5, shuffle_arms=False)
    assert table.loc[table["t"] == 1, "regret"].min() == 0
    (ax,) = dp.plot(table).axes
    assert ax.get_ylim()[1] < 10 * table["regret"].max()


@pytest.mark.slow
def test_a_parameter_that_varies_in_one_panel_only_is_drawn():
    varied = dp.run(dp.algorithm("adap_ucb", alpha=[1, 2]), "bernoulli_c1", horizon=500, runs=2)
    other = dp.run(dp.algorithm("adap_ucb", alpha=[3.0]), "bernoulli_c2", horizon=500, runs=2)
    figure = dp.plot(pd.concat([varied, other], ignore_index=True))
    assert [len(ax.lines) for ax in figure.axes] == [2, 1]
    colours = {line.get_color() for ax in figure.axes for line in ax.lines}
    assert len(colours) == 3


FEW = {"horizon": 500, "runs": 3, "checkpoints": 5}


@pytest.mark.slow
def test_figures_of_another_metric_name_it():
    """Axes and note, also of tails; the control is of pseudo-regret."""
    table = dp.run("dp_se", "bernoulli_c2", eps=1, **FEW)
    for kind in (None, "tail"):
        for metric, name in (("average", "average regret"), ("regret", "regret")):
            figure = dp.plot(table, metric=metric, kind=kind)
            texts = [figure.get_supxlabel(), *(ax.get_ylabel() for ax in figure.axes)]
            assert any(name in text for text in texts)
            assert any("pseudo-regret" in text for text in texts) == (metric == "regret")
            assert ("average regret" in texts[1]) == (metric == "average")


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"kind": "tail"}, {"band": "std"}, {"band": "quantiles"}])
def test_nash_regret_has_no_spread(given):
    """It is one number of all runs; the control is the average regret."""
    table = dp.run("ucb", "bernoulli_c2", **FEW)
    ((key, value),) = given.items()
    for drawn in ({"table": table, "metric": "nash"}, {"table": dp.measured(table, "nash")}):
        assert f"{key}={value}: Nash regret is one number" in message_of(dp.plot, **drawn, **given)
    assert "band=std: Nash regret" in message_of(
        draw.from_file,
        "mine",
        {"kind": "time", "metric": "nash", "band": "std"},
        Table.of_frame(table),
    )
    assert dp.plot(table, metric="average", **given).axes


def test_a_single_run_is_no_mean_and_has_no_tail():
    table = dp.run("ucb", "bernoulli_c2", **FEW | {"runs": 1})
    assert dp.plot(table).get_supxlabel() == "Lines show a single run of each setting."
    (line,) = dp.plot(table, kind="tail").axes[0].lines
    assert line.get_marker() == "o"


@pytest.mark.slow
def test_bands_are_refused_where_none_is_drawn():
    stopped = dp.stop("nas", "sign", cap=1e5, runs=2)
    for table, given in ((stopped, {}), (dp.run("ucb", "bernoulli_c2", **FEW), {"kind": "tail"})):
        assert dp.plot(table, **given).axes
        assert "band" in message_of(dp.plot, table, band="std", **given)


@pytest.mark.slow
def test_long_titles_of_panels_are_broken_and_do_not_meet(monkeypatch):
    """With the control, which breaks none."""
    env = {"law": "bernoulli", "means": [0.9, 0.7, 0.55, 0.35, 0.15]}
    table = dp.run("dp_se", env=env, eps=[0.5, 1, 2], horizon=100, runs=2)

    def gaps():
        figure = dp.plot(table, title="")
        figure.draw_without_rendering()
        titles = [ax.title for ax in figure.axes]
        assert "0.15" in titles[0].get_text()
        boxes = [title.get_window_extent() for title in titles]
        return min(b.x0 - a.x1 for a, b in itertools.pairwise(boxes)), figure.get_figheight()

    gap, height = gaps()
    monkeypatch.setattr(placement, "_wrap_titles", lambda figure: None)
    control, before = gaps()
    assert gap > 0 > control and height > before


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 1])
def test_a_panel_has_the_horizon_of_its_own_game(first):
    """Also in a row of panels with different games."""
    long = dp.run("dp_se", env="bernoulli_c1", eps=[0.5, 1, 2], horizon=1000, runs=2)
    short = dp.run("dp_se", env="bernoulli_c2", eps=1, horizon=100, runs=2)
    figure = dp.plot(pd.concat([[long, short][first], [short, long][first]]))
    for ax in figure.axes:
        assert ax.get_xlim()[1] == (1000 if ax.get_title().startswith("C1") else 100)
        assert max(ax.get_lines()[0].get_xdata()) == ax.get_xlim()[1]
    assert len(figure.axes) == 4


@pytest.mark.slow
def test_a_game_without_private_runs_has_one_panel_and_panels_follow_their_horizons():
    """Both figures that have a panel for each budget. The control is a game with private runs."""
    games = [("adap_ucb", 1, 10_000), ("ucb", 1, 10_000), ("ucb", 2, 2000), ("ucb", 2, 300)]
    table = pd.concat(
        regrets((algo,), (0.1, 1.0) if algo == "adap_ucb" else (np.inf,), runs=2, times=1).assign(
            env=f"bernoulli_c{i}", t=horizon, horizon=horizon
        )
        for algo, i, horizon in games
    )
    private, free = [f"C1, $\\epsilon$ = {eps}" for eps in (0.1, 1)], "C2"
    horizons = ["$10^{4}$", "$10^{4}$", "300", "2000"]
    wanted = zip([*private, free, free], horizons, strict=True)
    assert titles_of(dp.plot(table)) == [f"{where}, $T$ = {T}" for where, T in wanted]
    assert titles_of(dp.plot(table, kind="tail")) == [*private, free]


def titles_of(figure):
    return [ax.get_title().replace("\n", " ") for ax in figure.axes if ax.get_visible()]


@pytest.mark.slow
@pytest.mark.parametrize("x", ["t", "eps"])
def test_equal_runs_have_no_band(x):
    """Mutations: a band that narrows to the line at equal runs; a note without them over time."""
    rows = [
        ("mine", eps, run, t, t * (1 + (eps > 0.1) * run)) for eps in (0.1, 1.0, 2.0, 10.0)
        for run in range(3) for t in (10, 100)
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["algo", "eps", "run", "t", "regret"])
    figure = dp.plot(table, x=x)
    assert "; equal runs have no interval" in figure.get_supxlabel()
    bands = [path for ax in figure.axes for y in ax.collections for path in y.get_paths()]
    at = {x for path in bands for x in path.vertices[:, 0].tolist()}
    assert at == {"t": {10.0, 100.0}, "eps": {1.0, 2.0, 10.0}}[x]
    assert len(bands) == {"t": 4, "eps": 1}[x]  # over time, one has no width
    table["regret"] += table["run"]
    assert "equal runs" not in dp.plot(table, x=x).get_supxlabel()


@pytest.mark.slow
def test_the_title_names_a_budget_that_varies_for_some_algorithm():
    table = REGRETS[REGRETS["eps"] == REGRETS["eps"].min()]
    free = table[table["algo"] == table["algo"].iloc[0]].assign(eps=np.inf)
    for algo, is_named in {"ucb": False, free["algo"].iloc[0]: True}.items():
        title = dp.plot(pd.concat([table, free.assign(algo=algo)])).heading.get_text()
        assert (", by " in title) == is_named, title


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rules", [["dp_nas_exp"], ["dp_nas_exp", "nas"]])
def test_stopping_times_of_a_single_mean_are_in_their_panels(rules):
    """Catches: limits of an axis of one value left to matplotlib, which gives them no width."""
    found = dp.stop(rules, "sign", eps=[0.5, 1.0], rel_error=0.3, runs=3)
    for single in (found, found.assign(stopping_time=65536)):
        figure = dp.plot(single)
        figure.canvas.draw()
        for ax in figure.axes[:2]:
            (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
            points = np.concatenate([line.get_xydata() for line in ax.get_lines()])
            assert right > 1.5 * left > 0 and high > 1.05 * low > 0
            assert ((points > [left, low]) & (points < [right, high])).all()
            assert left * right == pytest.approx(0.01), "the mean, 0.1, is in the middle"


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x", ["t", "eps"])
@pytest.mark.parametrize("low", [0, -1])
def test_values_at_or_below_zero_are_drawn(low, x):
    """Catches: a logarithmic axis although some means are at or below 0; a linear one from 0."""
    nothing = made([("dp_se", 0.5), ("dp_se", 1.0)], lambda t, run: low * t * (run + 1.0))
    both = pd.concat([nothing, made([("adap_ucb", 0.5), ("adap_ucb", 1.0)])])
    for table, scale in itertools.product((nothing, both), (None, "linear")):
        figure = dp.plot(table, x=x, yscale=scale)
        figure.canvas.draw()
        for ax in figure.axes:
            bottom, top = ax.get_ylim()
            values = np.concatenate([line.get_ydata() for line in ax.get_lines()])
            assert ax.get_yscale() == "linear" and bottom <= values.min() <= values.max() < top
    figure = dp.plot(both, x=x, yscale="log")
    figure.canvas.draw()
    assert "values at or below 0, which these lines have: DP-SE." in note_of(figure)
    assert "no mean is above 0" in message_of(dp.plot, nothing, x=x, yscale="log")


def test_rules_with_several_caps_have_a_line_for_each_cap():
    """It was a traceback, and two medians stood at one budget of one line."""
    rows = [
        (rule, cap, eps, run, min(cap, 900 * (run + 1)), int(900 * (run + 1) < cap))
        for rule, budgets in {"adap_tt": (0.5, 1.0), "tt_ucb": (np.inf,)}.items()
        for cap in (1000, 5000) for eps in budgets for run in range(3)
    ]  # fmt: skip
    columns = ["rule", "cap", "eps", "run", "stopping_time", "halted"]
    table = pd.DataFrame(rows, columns=columns).assign(env="bernoulli_c1", delta=0.1, seed=0)
    right = table["halted"].where(table["halted"] > 0)
    figure = dp.plot(table.assign(answer=right, correct=right))
    drawn = {
        x.get_label(): [*x.get_ydata()] for x in figure.axes[0].lines if "cap" in x.get_label()
    }
    low, high = [1000, 1000], [1800, 1800]
    assert drawn == {
        "AdaP-TT, cap = 1000": low, "AdaP-TT, cap = 5000": high,
        "TT-UCB, cap = 1000": low, "TT-UCB, cap = 5000": high,
    }  # fmt: skip
    one = dp.plot(table.assign(answer=right, correct=right)[table["cap"] == 5000])
    assert legend_of(one)[:2] == ["AdaP-TT", "TT-UCB"]


MEANS = stopping_times(rules=("nas",), eps=(1.0,), runs=2).assign(eps=np.inf)
ARMS = MEANS.drop(columns=["true_mean", "rel_error", "beta", "R", "estimate", "arm"]).assign(
    rule="adap_tt", env="bernoulli_c1", delta=0.1, answer=1
)


def differing(table, columns):
    """The table once for each value in the lists of some columns."""
    each = pd.DataFrame(columns or {"seed": [0]}).to_dict("records")
    return Table.of_frame(pd.concat([table.assign(**own) for own in each]))


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ({}, ["NAS"]),
        ({"env": ["sign", "gaussian"]}, ["NAS, sign", "NAS, gaussian"]),
        ({"beta": [0.1, 0.05]}, ["NAS, beta = 0.1", "NAS, beta = 0.05"]),
        ({"cap": [10, 10**9]}, ["NAS, cap = 10", "NAS, cap = 1e9"]),
        ({"true_mean": [0.1, 0.2], "env.mean": [0.1, 0.2]}, ["NAS"]),
        ({"env.scale": [1.0, 2.0]}, ["NAS, scale = 1", "NAS, scale = 2"]),
        ({"c": [1.0, 2.0, np.nan]}, ["NAS, $c$ = 1", "NAS, $c$ = 2", "NAS"]),
        ({"eps": [1.0, np.inf]}, ["NAS", "NAS, without privacy"]),
    ],
)
def test_lines_of_stopping_times_are_named_by_what_differs(columns, lines):
    """The mean is on the axis."""
    table = stopping.with_lines(differing(MEANS, columns))
    assert [*dict.fromkeys(table.settings["line"])] == lines


@pytest.mark.parametrize(
    ("columns", "lines", "instances"),
    [
        ({}, ["AdaP-TT"], ["C1"]),
        ({"delta": [0.1, 0.2]}, ["AdaP-TT, $\\delta$ = 0.1", "AdaP-TT, $\\delta$ = 0.2"], ["C1"]),
        (
            {"delta": [0.1, 0.2], "env": ["bernoulli_c1", "bernoulli_c2"]},
            ["AdaP-TT"],
            ["C1\n$\\delta$ = 0.1", "C2\n$\\delta$ = 0.2"],
        ),
        ({"cap": [10, 30_000]}, ["AdaP-TT, cap = 10", "AdaP-TT, cap = $3 \\times 10^{4}$"], ["C1"]),
        ({"env.means": ["[0.9,0.5]", "[0.8,0.5]"]}, ["AdaP-TT"], ["C1 0.9, 0.5", "C1 0.8, 0.5"]),
        ({"variant": ["printed", "coded"]}, ["AdaP-TT, printed", "AdaP-TT, coded"], ["C1"]),
        ({"c": [1.0, 2.0, np.nan]}, ["AdaP-TT, $c$ = 1", "AdaP-TT, $c$ = 2", "AdaP-TT"], ["C1"]),
        ({"eps": [1.0, np.inf]}, ["AdaP-TT, without privacy", "AdaP-TT"], ["C1"]),
    ],
)
def test_a_requirement_is_named_with_its_instance_or_else_with_its_line(columns, lines, instances):
    """Catches: numbers of parameters without the name of the parameter."""
    settings = stopping.with_instances(differing(ARMS, columns)).settings
    assert [*dict.fromkeys(settings["line"])] == lines
    assert [*dict.fromkeys(settings["instance"])] == instances


@pytest.mark.parametrize(("rules", "places"), [(1, [1.0]), (2, [-0.5, 0.5]), (3, [-1.0, 0.0, 1.0])])
def test_marks_of_lines_at_one_budget_stand_beside_each_other(rules, places):
    """Around the budget. A line that has a budget alone stands there."""
    names = ["adap_tt", "dp_se_bai", "ctb_tt"][:rules]
    columns = {"rule": [*names, "adap_tt"], "eps": [1.0] * rules + [4.0]}
    table = stopping.with_instances(differing(ARMS, columns))
    found = dict(stopping.beside(table.runs))
    steps = [math.log(rows["beside"].iloc[0], 1.1) for rows in found.values()]
    assert sorted(steps) == pytest.approx(places if rules > 1 else [0.0])
    assert found["AdaP-TT"]["beside"].tolist()[1:] == [4.0]


@pytest.mark.parametrize(
    ("values", "limits"), [([0.5, 2.0, np.inf], (0.5, 2.0)), ([3.0, np.inf], (1.5, 6.0))]
)
def test_limits_of_an_axis_are_around_a_single_value(values, limits):
    assert stopping.limits_of(pd.Series(values)) == limits
    ax = Figure().add_subplot()
    ax.set(yscale="log", ylim=limits)
    stopping.widen(ax)
    assert ax.get_ylim() == limits  # which a range of some length keeps
    ax.set_ylim(3.0, 3.0 + 1e-7)
    stopping.widen(ax)
    assert ax.get_ylim() == pytest.approx((1.5, 6.0))


def test_shares_of_correct_estimates_stand_beside_each_other_at_their_error():
    errors, beta = [0.1, 0.5], 0.05
    columns = {"rule": ["nas", "dp_nas", "nas", "dp_nas"], "rel_error": [0.1, 0.1, 0.5, 0.5]}
    table = stopping.with_lines(differing(MEANS, columns))
    ax, looks = Figure().add_subplot(), {"color": "#000000", "marker": "o"}
    styles = {"NAS": looks, "DP-NAS": looks}
    stopping.draw_correct(ax, table.runs, errors, styles)
    places = [bar[0].get_xdata().tolist() for bar in ax.containers]
    assert places == [pytest.approx([-0.08, 0.92]), pytest.approx([0.08, 1.08])]
    assert all(bar[0].get_ydata().tolist() == [0.5, 0.5] for bar in ax.containers)
    (required,) = [x for x in ax.get_lines() if "required" in str(x.get_label())]
    assert set(required.get_ydata()) == {1 - beta} and ax.get_xlim() == (-0.5, 1.5)


def test_each_row_of_stopping_times_is_of_its_error():
    columns = {"rel_error": [0.1, 0.5], "stopping_time": [400, 100]}
    figure = KINDS["stopping"](differing(MEANS, columns), "title")
    assert [[*ax.get_lines()[0].get_ydata()] for ax in figure.axes[:2]] == [[400.0], [100.0]]
    assert [ax.get_title().split("$a$ = ")[1] for ax in figure.axes[:2]] == ["0.1", "0.5"]


@pytest.mark.parametrize(
    ("caps", "said"), [([300, 300], "met the cap, 300,"), ([300, 9000], "met their cap,")]
)
def test_the_note_names_the_cap_that_rules_met(caps, said):
    columns = {"eps": [1.0, 2.0], "cap": caps, "halted": [0, 1], "stopping_time": [300, 200]}
    columns |= {"answer": [np.nan, 1], "correct": [np.nan, 1]}
    figure = KINDS["identification"](differing(ARMS, columns), "title")
    assert said in note_of(figure)
    low, high = figure.axes[1].get_ylim()
    assert -0.2 * high < low < 0 < high <= 1.1


@pytest.mark.parametrize("k", [2.0, 4.0])
def test_the_slope_of_contamination_is_the_order_that_it_names(k):
    rows = made([("dp_se", 1.0)])
    table = Table.of_frame(pd.concat([rows.assign(**{"env.alpha": x}) for x in (0.0, 0.1, 0.2)]))
    (ax,) = KINDS["contamination"](table, "title", k=k).axes
    slope = ax.get_lines()[-1]
    assert f"^{{{1 - 1 / k:g}}}$" in slope.get_label()
    x, y = slope.get_data()
    assert np.log(y[-1] / y[0]) / np.log(x[-1] / x[0]) == pytest.approx(1 - 1 / k)
    assert y[-1] == pytest.approx(200 / 3)


def test_horizons_are_named_if_there_are_several():
    rows = made([("dp_se", 1.0)])
    last = rows[rows["t"] == 100]
    for horizons, lines in (
        ([100], ["DP-SE"]),
        ([100, 50], ["DP-SE, $T$ = 100", "DP-SE, $T$ = 50"]),
    ):
        table = Table.of_frame(pd.concat([last.assign(t=T, horizon=T) for T in horizons]))
        assert [*labelled(table, horizons=True).settings["line"]] == lines
        assert {*labelled(table).settings["line"]} == {"DP-SE"}
