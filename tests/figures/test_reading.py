"""What keeps a figure from misleading its reader: scales, slopes, legends, ticks, facets."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from legends import legend_of, note_of
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from refusals import message_of
from tiers import first

import dpbandits as dp
from dpbandits.figures import final_regret
from dpbandits.figures.draw import figure_of_table, from_file
from dpbandits.figures.final_regret import contamination_panels, order, regret_vs
from dpbandits.figures.labels import labelled
from dpbandits.figures.overlays import SLOPE
from dpbandits.figures.regret_vs_time import time_panels
from dpbandits.figures.style import BOUND, Prefixed, label_logarithms, styles_of
from dpbandits.results import table as tables
from dpbandits.results.table import Table, curve_of


@pytest.fixture(scope="module")
def measured():
    algorithms = ["adap_ucb", "dp_se", "dp_klucb", "lazy_dp_ts"]
    return dp.run(algorithms, "bernoulli_c2", eps=[0.5, 1], horizon=1e4, runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("x", ["t", "eps"])
def test_bounds_have_a_legend_below_that_is_less_than_a_third(measured, x):
    """Mutations that it catches: one legend above for all; a figure that does not grow."""
    figure = dp.plot(measured, x=x, bounds=True, title="four")
    figure.draw_without_rendering()
    above, below = figure.legends
    heights = [legend.get_window_extent().height for legend in figure.legends]
    assert max(heights) < figure.bbox.height / 3
    panel = figure.axes[0].get_window_extent()
    assert below.get_window_extent().y1 < panel.y0 < panel.y1 < above.get_window_extent().y0
    names = [text.get_text() for text in below.get_texts()]
    assert names and all("bound" in name for name in names)
    assert any("lower bound" in name for name in names) and len(above.get_texts()) == 4


@pytest.mark.slow
def test_slopes_are_grey_named_so_and_do_not_stretch_the_axes(measured):
    figure = dp.plot(measured, x="eps", bounds=True)
    below = figure.legends[1]
    for text, handle in zip(below.get_texts(), below.legend_handles, strict=True):
        grey = to_hex(handle.get_color()) == SLOPE
        assert grey == ("slope only" in text.get_text())
    ax = Figure().subplots()
    ax.plot([1, 2], [10, 20])
    before = ax.get_ylim()
    order(ax, np.array([1, 2]), np.array([1, 1e6]), 1e9, "slope")
    assert ax.get_ylim() == before and ax.get_lines()[-1].get_gid() == BOUND
    ax.plot([1, 2], [1, 1e9])
    assert ax.get_ylim() != before  # the control


@pytest.mark.parametrize("order", [[0.5, 1], [1, 0.5]])
@pytest.mark.parametrize("described", [{"kind": "time_panels"}, {"kind": "time", "scale": "log"}])
def test_nothing_is_cut_off_whichever_panel_is_the_highest(order, described):
    """Panels of a row share their axis. Mutations: the first panel fixes the highest value for all;
    the last one fixes the lowest, so that lines of others lie below it.
    """
    ends = {0.5: (10, 20), 1: (1000, 4000)}  # at the first and the last round
    rows = [("mine", eps, t, ends[eps][k]) for eps in order for k, t in enumerate((100, 1000))]
    table = pd.DataFrame(rows, columns=["algo", "eps", "t", "regret"])
    table = table.assign(env="", horizon=1000, seed=0, run=0)
    figure = from_file("mine", described, Table.of_frame(table))(Table.of_frame(table))
    for ax in figure.axes:
        low, high = ax.get_ylim()
        assert low <= 10 and 4000 < high < 1e4


def of_shape(early):
    """A table whose lines have a share ``early`` of their regret after 1 % of the rounds."""
    rows = [("ucb", 1, 0), ("ucb", 100, early), ("ucb", 10_000, 1.0)]
    table = pd.DataFrame(rows, columns=["algo", "t", "regret"]).assign(run=0)
    return table.assign(regret=100 * table["regret"] + 1)


@pytest.mark.parametrize(("early", "scale"), [(0.9, "log"), (0.01, "linear")])
def test_time_is_logarithmic_where_learning_is_early(early, scale):
    figure = dp.plot(of_shape(early), x="t")
    assert [ax.get_xscale() for ax in figure.axes] == [scale]
    other = {"log": "linear", "linear": "log"}[scale]
    table = of_shape(early).assign(env="", eps=np.inf, horizon=10_000, seed=0)
    assert time_panels(Table.of_frame(table), "", time=other).axes[0].get_xscale() == other


def test_an_experiment_can_choose_its_scales(measured):
    described = {"kind": "time", "scale": "log", "time": "linear"}
    ax = from_file("mine", described, Table.of_frame(measured))(Table.of_frame(measured)).axes[0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert "figure.time=lin: log or linear is needed" in message_of(
        from_file, "mine", {"kind": "time", "time": "lin"}, Table.of_frame(measured)
    )


@pytest.mark.slow
def test_tails_are_below_each_panel(measured):
    figure = time_panels(Table.of_frame(measured), "", band="quantiles", tails=True)
    above, below = figure.axes[:2], figure.axes[2:]
    assert [ax.get_ylabel() for ax in (above[0], below[0])] == [
        "pseudo-regret",
        "$P($regret$ > x)$",
    ]
    assert all(ax.get_ylim()[1] > 1 for ax in below) and len(below) == 2
    assert [ax.get_title() for ax in below] == ["", ""] and all(ax.get_title() for ax in above)


@pytest.mark.parametrize(("limits", "labelled_minor"), [((2e6, 9e6), True), ((1, 1e4), False)])
def test_every_logarithmic_axis_has_labels(limits, labelled_minor):
    ax = Figure().subplots()
    ax.plot([1, 2], limits)
    ax.set(yscale="log", ylim=limits)
    ax.yaxis.set_minor_formatter(NullFormatter())
    label_logarithms(ax)
    ax.figure.draw_without_rendering()
    found = [t for t in ax.yaxis.get_minorticklabels() if t.get_text()]
    assert bool(found) == labelled_minor


@pytest.mark.slow
def test_contamination_has_a_panel_for_each_budget():
    rows = [
        {"algo": algo, "env": "wu_raw", "eps": eps, "horizon": 9, "seed": 0, "run": run, "t": 9,
         "regret": 1 + run + share, "env.alpha": share, "c": c}
        for algo, constants in (("prae_r", ["a", "b"]), ("dpr_se", ["a"]))
        for c in constants for eps in (0.5, 1) for share in (0, 0.1) for run in (0, 1)
    ]  # fmt: skip
    figure = contamination_panels(Table.of_frame(pd.DataFrame(rows)), "")
    assert [ax.get_title() for ax in figure.axes] == [rf"$\epsilon$ = {x}" for x in ("0.5", "1")]
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    shown = [len([x for x in ax.get_lines() if x.get_gid() != BOUND]) for ax in figure.axes]
    assert shown == [3, 3]


@pytest.mark.slow
def test_means_without_bands_need_no_intervals(measured, monkeypatch):
    """Mutation that it catches: intervals that are computed and not drawn."""

    def fails(*_):
        raise AssertionError("an interval was computed")

    labels = labelled(Table.of_frame(measured))
    table, styles = labels.runs, styles_of(labels.settings)
    expected = curve_of(table, "eps", "ci")["mean"]
    monkeypatch.setattr(tables, "mean_of", fails)
    for band in (None, "std", "quantiles"):
        regret_vs(Figure().subplots(), table, "eps", styles, band)
        assert curve_of(table, "eps", band)["mean"].tolist() == pytest.approx(expected)
    with pytest.raises(AssertionError, match="computed"):
        regret_vs(Figure().subplots(), table, "eps", styles, "ci")


@pytest.mark.slow
def test_several_horizons_are_told_apart():
    table = dp.run("adap_ucb", "bernoulli_c2", eps=[0.5, 1], horizon=[1e3, 1e4], runs=2)
    both = Table.of_frame(table)
    names = legend_of(figure_of_table(both, "", x="eps"))
    assert names == ["AdaP-UCB, $T$ = 1000", "AdaP-UCB, $T$ = $10^{4}$"]
    figure = figure_of_table(both, "", x="horizon")
    assert figure.axes[0].get_xlabel() == "$T$" and figure.axes[0].get_xscale() == "log"
    assert final_regret.regret_label(both) == "pseudo-regret at $T$"
    plt.close("all")


@pytest.mark.slow
def test_lines_that_coincide_are_named_below_the_figure():
    """Mutation: a line that differs by a fifth at some of its points, in both panels or in one."""
    x = np.geomspace(1, 1e4, 200)

    def note(*factors):
        rows = []
        for env, factor in zip(("bernoulli_c1", "bernoulli_c2"), factors, strict=True):
            for algo, y in {"ucb": x, "mine": x * 1.001, "other": x**0.5}.items():
                values = np.where(x > 5e3, factor, 1.0) * y if algo == "mine" else y
                for run in range(3):
                    own = {"algo": algo, "env": env, "t": np.round(x), "regret": values, "run": run}
                    rows.append(pd.DataFrame(own).drop_duplicates("t"))
        return note_of(dp.plot(pd.concat(rows)))

    assert "These lines coincide: UCB and mine." in note(1.0, 1.0)
    assert "These lines coincide: UCB and mine (C2)." in note(1.2, 1.0)
    assert "coincide" not in note(1.2, 1.2)


@pytest.mark.slow
def test_the_points_of_lines_have_marks_of_their_own():
    """Means beside medians, which stand off their lines. The control are lines of means."""
    table = dp.run(["ucb", "dp_se", "adap_ucb"], eps=[0.1, 1], horizon=200, runs=4, jobs=1)
    for band, several in {"quantiles": True, "ci": False}.items():
        (ax, *_) = dp.plot(table, x="eps", band=band).axes
        marks = {line.get_marker() for line in ax.get_lines() if line.get_linestyle() == "None"}
        assert (len(marks) > 1) is several


@pytest.mark.slow
def test_a_line_may_coincide_with_different_lines_in_different_panels():
    """Mutation: a line that coincides with some line is not looked at again."""
    rows = [
        {"algo": algo, "eps": eps, "run": run, "t": t, "regret": t * (1.0 + run)}
        for algo, eps in {"one": 0.1, "mine": 1.0, "ucb": np.inf}.items()
        for run in range(3)
        for t in (1, 10, 100)
    ]
    note = note_of(dp.plot(pd.DataFrame(rows), x="t"))
    budgets = [rf"($\epsilon$ = {eps})" for eps in ("0.1", "1")]
    assert note.endswith(f"coincide: one and UCB {budgets[0]}; mine and UCB {budgets[1]}.")


@pytest.mark.slow
def test_no_line_leaves_through_the_floor_of_a_logarithmic_axis():
    t = np.unique(np.geomspace(1, 1e6, 100).round())
    rows = [
        pd.DataFrame({"algo": algo, "t": t, "regret": slope * t**0.7, "run": run})
        for algo, slope in {"one": 1.0, "other": 0.01}.items()
        for run in range(3)
    ]
    for time in ("log", "linear"):
        (ax,) = dp.plot(pd.concat(rows), xscale=time, yscale="log").axes
        for line in ax.get_lines():
            assert line.get_ydata().min() > ax.get_ylim()[0]


@pytest.mark.parametrize("flat", [0.5, 1.0])  # the first panel, and the last
def test_a_panel_of_one_value_leaves_the_lines_of_the_others_in_view(flat):
    """Mutation that it catches: such a panel sets the range of the axis that all share."""
    rows = [
        {"algo": "prae_c", "env": "wu_raw", "eps": eps, "horizon": 9, "seed": 0, "run": run, "t": 9}
        | {"env.alpha": alpha, "regret": 2e6 if eps == flat else 1e4 + 1e6 * alpha}
        for eps in (0.5, 1.0)
        for alpha in (0.0, 0.1)
        for run in range(2)
    ]
    for ax in contamination_panels(Table.of_frame(pd.DataFrame(rows)), "").axes:
        (line,) = (x for x in ax.get_lines() if x.get_gid() != BOUND)
        low, high = ax.get_ylim()
        assert low < line.get_ydata().min() <= line.get_ydata().max() < high


@pytest.mark.slow
def test_an_environment_that_is_only_a_law_is_titled_with_its_means():
    table = dp.run("ucb", dp.bernoulli([0.9, 0.25]), horizon=100, runs=2, jobs=1)
    figure = dp.plot(table)
    assert "Bernoulli 0.9, 0.25" in figure.heading.get_text() and not figure.axes[0].get_title()
    assert dp.plot(table, title="").axes[0].get_title() == "Bernoulli 0.9, 0.25"
    two = dp.bernoulli([0.9, 0.25]), dp.bernoulli([0.9, 0.5])
    table = dp.run("ucb", list(two), horizon=100, runs=2, jobs=1)
    assert "0.5" not in dp.plot(table, kind="tail").axes[0].get_title()


@pytest.mark.slow
def test_algorithms_of_one_label_are_refused():
    """Their runs would be averaged."""
    table = dp.run(["dp_se", "adap_ucb"], "bernoulli_c2", eps=0.5, horizon=1e3, runs=3, jobs=1)
    for labels in ({"dp_se": "X", "adap_ucb": "X"}, {"dp_se": "AdaP-UCB"}):
        message = message_of(dp.plot, table, labels=labels)
        assert message.startswith("dp_se and adap_ucb have the same label, ")
        assert message.endswith("; choose labels={adap_ucb: TEXT}")
    other = table.assign(algo=table["algo"].replace("adap_ucb", "DP-SE"))
    assert "dp_se and DP-SE have the same label, DP-SE" in message_of(dp.plot, other)
    assert dp.plot(table, labels={"dp_se": "AdaP-UCB"}, only=["dp_se"]).axes


def test_lines_of_one_label_are_refused(measured):
    """One of the two lines had no entry in the legend."""
    first, second = "DP-SE, eps = 0.5", "DP-SE, eps = 1"
    for labels in ({first: "X", second: "X"}, {first: r"DP-SE, $\epsilon$ = 1"}):
        message = message_of(dp.plot, measured, x="algo", labels=labels)
        assert message.startswith(f"labels: the lines {first} and {second} have the same label, ")
    assert "X" in legend_of(dp.plot(measured, x="algo", labels={first: "X"}))


def test_a_setting_with_the_default_of_a_parameter_has_a_line_of_its_own():
    algos = [dp.algorithm("dp_imed", alpha=8.0), dp.algorithm("dp_imed")]
    table = dp.run(algos, "bernoulli_c2", eps=1, horizon=1e3, runs=3, jobs=1)
    for x in ("t", "eps"):
        (ax,) = dp.plot(table, x=x).axes
        labels = sorted(ax.get_legend_handles_labels()[1])
        assert labels == ["DP-IMED", r"DP-IMED, $\alpha$ = 8"]


@pytest.mark.parametrize("name", first(["low", "high", "middle"]))
def test_a_column_may_have_the_name_of_one_of_curves(name):
    table = dp.run("dp_se", "bernoulli_c2", eps=0.5, horizon=1e3, runs=2, jobs=1)
    table = table.drop(columns="setting")
    both = pd.concat([table.assign(**{name: 1.0}), table.assign(**{name: 2.0})])
    assert len(dp.plot(both, x="t").axes[0].lines) == 2


def test_equal_runs_are_drawn_without_a_warning():
    rows = [
        {"algo": "one", "eps": eps, "t": 9, "regret": np.nextafter(100.0, 101.0), "run": run}
        for eps in (0.1, 1.0)
        for run in range(2)
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Attempting to set identical", UserWarning)
        (ax,) = dp.plot(pd.DataFrame(rows), x="eps").axes
    low, high = ax.get_ylim()
    assert low < 99 and high > 101


def test_small_numbers_of_a_linear_axis_stand_as_they_are():
    assert [Prefixed()(x) for x in (0.2, 0.05, 1.0, 2000.0, 3e6, 0.0)] == [
        "0.2", "0.05", "1", "2k", "3M", "0",
    ]  # fmt: skip


def test_a_mean_over_time_is_over_the_same_runs_at_each_round():
    """A line went up and down between the means of different runs."""
    rows = [(r, t, (1 + 9 * r) * t) for r in range(2) for t in ((2, 5, 10), (3, 10))[r]]
    table = pd.DataFrame(rows, columns=["run", "t", "regret"]).assign(algo="mine")
    for band in ("ci", "std", "quantiles"):
        message = message_of(dp.plot, table, band=band)
        assert message.startswith("the table: some runs of mine have no row of t = 2, but others")
    assert dp.summary(table)["mean"].tolist() == [55.0]
    assert dp.plot(table[table["t"] == 10]).axes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["time", "time_per_algorithm", "contamination"])
def test_a_line_is_no_mean_over_several_games(kind):
    """A line of an experiment's figure was the mean over environments and horizons."""
    rows = [
        (algo, env, horizon, alpha, run, horizon, len(env) * horizon + run + alpha)
        for algo in ("a", "b") for env in ("x", "yy") for horizon in (10, 20)
        for alpha in (0.0, 0.1) for run in range(2)
    ]  # fmt: skip
    columns = ["algo", "env", "horizon", "env.alpha", "run", "t", "regret"]
    frame = pd.DataFrame(rows, columns=columns).assign(eps=1.0, seed=0)
    table = Table.of_frame(frame)
    figure = from_file("mine", {"kind": kind}, table)(table)
    lines = [x for ax in figure.axes for x in ax.lines if x.get_gid() != BOUND]
    drawn = [y for line in lines for y in line.get_ydata()]
    means = frame.groupby(["algo", "env", "horizon", "env.alpha"])["regret"].mean()
    assert sorted(drawn) == pytest.approx(sorted(means))
    assert any("x" in x and "$T$ = 20" in x for x in (line.get_label() for line in lines))
