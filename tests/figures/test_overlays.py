"""Bounds drawn beside measured regret: which ones, at what height, and how legends name them."""

import json
import math
from dataclasses import replace

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest
from legends import legend_of
from matplotlib.figure import Figure
from refusals import message_of
from sweeps import report, requested
from tiers import first

import dpbandits as dp
from dpbandits.environments.populations import levels
from dpbandits.figures.bounds import MAX_PANEL_CURVES, curves
from dpbandits.figures.experiments import experiment_figure
from dpbandits.figures.overlays import SLOPE, draw_bounds, draw_references, lines_of, references_in
from dpbandits.results.table import Table
from dpbandits.theory import azize2022, azize2023, azize2025, ren2020

C1_GAPS = [0, 0.05, 0.05, 0.05, 0.05]
THM_7 = "upper bound: Azize & Basu 2022, Thm. 7"
THM_3 = "lower bound, asymptotic: Azize & Basu 2022, Thm. 3"  # equals Thm. 1 of 2025 on C1
THM_1 = "lower bound, asymptotic: Azize et al. 2025, Thm. 1"
THM_8 = "upper bound, slope only: Azize & Basu 2022, Thm. 8"


def lines(ax, label):
    """The drawn lines of a bound, which look like the empty one that the legend shows."""
    (shown,) = [x for x in ax.lines if x.get_label() == label]
    looks = shown.get_marker(), shown.get_linestyle(), shown.get_linewidth()
    same = [x for x in ax.lines if (x.get_marker(), x.get_linestyle(), x.get_linewidth()) == looks]
    return [x for x in same if len(x.get_xdata()) > 0]


@pytest.mark.slow
def test_bounds_on_regret_over_time(tmp_path):
    """AdaP on C1 at alpha 3.1, where the theorems hold, and 1, where they do not."""
    table = dp.load(report(requested(tmp_path, experiment="azize2022_fig8", horizon=1e6, runs=3)))
    _, figure = experiment_figure("azize2022_fig8", tmp_path, bounds=True)
    (ax,) = figure.axes
    labels = legend_of(figure)
    assert {THM_7, THM_3, THM_8} < set(labels) and len(labels) == 7
    (upper,), (lower,), (slope,) = (lines(ax, x) for x in (THM_7, THM_3, THM_8))
    assert upper.get_ydata()[-1] == pytest.approx(azize2022.adap_ucb(C1_GAPS, 1, 1e6, 3.1))
    middle = np.interp(5e5, upper.get_xdata(), upper.get_ydata())
    assert middle == pytest.approx(azize2022.adap_ucb(C1_GAPS, 1, 5e5, 3.1), rel=1e-3)
    assert matplotlib.colors.to_hex(lower.get_color()) == "#000000"
    means = [0.75, 0.7, 0.7, 0.7, 0.7]
    assert lower.get_ydata()[-1] == pytest.approx(azize2025.bernoulli_lower(means, 1, 1e6))
    last = table[(table["t"] == 1e6) & (table["alpha"] == 3.1)].groupby("algo")["regret"].mean()
    assert slope.get_ydata()[-1] == pytest.approx(last["adap_klucb"])
    assert slope.get_ydata()[0] < 0.1 * slope.get_ydata()[-1]
    (own,) = [x for x in ax.lines if x.get_label() == "AdaP-UCB, $\\alpha$ = 3.1"]
    assert upper.get_color() == own.get_color() and slope.get_color() == SLOPE
    bottom, top = ax.get_ylim()
    assert bottom < lower.get_ydata()[-1] < upper.get_ydata()[-1] < top


@pytest.mark.slow
def test_bounds_on_regret_against_the_budget():
    table = dp.run(["heldp_ucb_b", "dp_se"], eps=[0.2, 0.5, 1, 2, 3], horizon=3000, runs=2)
    (ax,) = dp.plot(table, bounds=True).axes
    (upper,) = lines(ax, "upper bound: Ren et al. 2020, Cor. 11")
    gaps = [0, 0.125, 0.25, 0.375, 0.5]
    for eps in (0.2, 3.0):
        found = np.interp(eps, upper.get_xdata(), upper.get_ydata())
        assert found == pytest.approx(ren2020.holdp_ucb_b(gaps, eps, 3000))
    (slope,) = lines(ax, "upper bound, slope only: Sajed & Sheffet 2019, Thm. 4.3")
    x, y = slope.get_xdata(), slope.get_ydata()
    term = (1 / np.array(gaps[1:])).sum()
    assert y[0] / y[-1] == pytest.approx((term + 5 / x[0]) / (term + 5 / x[-1]))
    of_se = table[(table["algo"] == "dp_se") & (table["t"] == 3000)]
    means = of_se.groupby("eps")["regret"].mean()
    ratios = np.log(means.to_numpy() / np.interp(means.index, x, y))
    assert abs(ratios.mean()) < 0.02


@pytest.mark.slow
def test_bounds_on_regret_against_rho():
    """Beside an algorithm with another budget, whose settings are left out."""
    table = dp.run(["adac_ucb", "adap_ucb"], rho=[0.2, 0.5, 1, 2, 5], eps=[1], horizon=3000, runs=2)
    (ax,) = dp.plot(table, bounds=True).axes
    assert "rho" in ax.get_xlabel()
    (upper,) = lines(ax, "upper bound: Azize's thesis, Thm. 5.6")
    gaps = [0, 0.125, 0.25, 0.375, 0.5]
    for rho in (0.2, 5.0):
        found = np.interp(rho, upper.get_xdata(), upper.get_ydata())
        assert found == pytest.approx(azize2023.adac_ucb(gaps, rho, 3000, 3.1))
    _, lower = lines(ax, "lower bound, worst case: Azize's thesis, Thm. 4.20")  # both are dashed
    assert lower.get_xdata().max() <= 1  # where the theorem holds
    assert not any("AdaP" in line.get_label() for line in ax.lines)
    panels = dp.plot(table, x="t", bounds=True).axes
    assert [ax.get_title() for ax in panels] == [
        r"$\epsilon$ = 1",
        *(rf"$\rho$ = {rho:g}" for rho in (0.2, 0.5, 1, 2, 5)),
    ]
    message = message_of(dp.plot, table[table["algo"] == "adac_ucb"].drop(columns="eps"), x="eps")
    assert message.endswith("a finite privacy budget eps; the table has values of rho")


@pytest.mark.slow
def test_bounds_for_users_with_levels_of_their_own(tmp_path):
    request = requested(tmp_path, experiment="ren2020_fig1f", horizon=2000, runs=2)
    report(request)
    _, figure = experiment_figure("ren2020_fig1f", tmp_path, bounds=True)
    (ax,) = figure.axes
    uppers = lines(ax, "upper bound: Ren et al. 2020, Thm. 10")
    gaps, crowd = request.settings[0].instance.gaps, levels([0, 0.2, 1, 2, 100], None)
    expected = [ren2020.heldp_ucb_b(gaps, crowd, e, 2000) for e in (0.2, 1, 2, 100)]
    assert sorted(x.get_ydata()[-1] for x in uppers) == pytest.approx(sorted(expected))
    assert len({x.get_color() for x in uppers}) == 4 and ax.get_yscale() == "log"


def test_curves_of_bounds_are_theorems_and_slopes_go_through_the_means():
    """Over time, a slope ends at the mean; against the budget, it passes amid the means."""
    budgets, T = [0.5, 1.0, 4.0], 500
    table = Table.of_frame(dp.run("dp_se", "bernoulli_c2", eps=budgets, horizon=T, runs=2, jobs=1))
    found, means = curves(table), table.summary()["mean"].to_numpy()
    slopes = found[found["label"] == "upper bound, slope only: Sajed & Sheffet 2019, Thm. 4.3"]
    over_time, by_budget = (slopes[slopes["axis"] == axis] for axis in ("t", "eps"))
    ends = over_time.groupby("setting", sort=False).tail(1)
    assert ends["x"].tolist() == [T] * 3 and ends["value"].tolist() == pytest.approx([*means])
    assert 1.0 <= over_time["x"].min() < 1.2 and len(over_time) > 3 * 60
    x, y = by_budget["x"].to_numpy(), by_budget["value"].to_numpy()
    assert (x[0], x[-1], len(x)) == pytest.approx((0.5, 4.0, 60)) and (np.diff(y) < 0).all()
    assert np.log(np.interp(budgets, x, y) / means).mean() == pytest.approx(0.0, abs=0.01)
    lower = found[(found["axis"] == "eps") & (found["side"] == "lower")]
    gaps = [0, 0.125, 0.25, 0.375, 0.5]
    assert set(lower["kind"]) == {"asymptotic"}
    one = azize2025.bernoulli_lower([0.75 - gap for gap in gaps], 0.5, T)
    assert lower["value"].iloc[0] == pytest.approx(one)


def test_an_asymptotic_upper_bound_is_drawn():
    table = dp.run("dp_imed", "bernoulli_c2", eps=0.5, horizon=1e6, runs=2)
    (ax,) = dp.plot(table, bounds=True).axes
    (upper,), (lower,) = (
        lines(ax, f"{side} bound, asymptotic: Azize et al. 2025, Thm. {n}")
        for side, n in (("upper", 2), ("lower", 1))
    )
    assert upper.get_ydata()[-1] == pytest.approx(2 * lower.get_ydata()[-1])


BOUND = {"label": "a bound", "kind": "exact", "side": "upper", "mark": "v"}


def drawn(*bounds):
    """The colours of bounds on the regret of the lines a and b, and the upper end of the axis.

    Each bound is a line, a value at its end, and what differs from BOUND.
    """
    rows = [
        {**BOUND, **more, "line": line, "x": x, "value": x * value}
        for line, value, more in bounds
        for x in (0.5, 1.0)
    ]
    ax = Figure().add_subplot()
    ax.plot([0.0, 1.0], [0.0, 1.0])
    draw_bounds(ax, pd.DataFrame(rows), {"a": {"color": "#aa0000"}, "b": {"color": "#00aa00"}})
    curves = [x for x in ax.get_lines()[1:] if len(x.get_xdata())]
    return [x.get_color() for x in curves], ax.get_ylim()[1]


LOWER, ORDER = {"side": "lower", "mark": "^"}, {"kind": "order"}


@pytest.mark.parametrize(
    ("bounds", "colours", "stretches"),
    [
        ([("a", 90.0, {}), ("b", 80.0, {})], ["#aa0000", "#00aa00"], True),
        ([("a", 90.0, {}), ("b", 90.0, {})], ["#000000"], True),
        ([("a", 90.0, {})], ["#aa0000"], True),
        ([("a", 90.0, LOWER)], ["#000000"], True),
        ([("a", 90.0, LOWER), ("b", 80.0, LOWER)], ["#aa0000", "#00aa00"], True),
        ([("a", 90.0, ORDER), ("b", 80.0, ORDER)], [SLOPE, SLOPE], False),
    ],
)
def test_a_bound_has_the_colour_of_its_line_unless_it_belongs_to_all(bounds, colours, stretches):
    """Slopes are grey, and do not stretch the axis."""
    found, top = drawn(*bounds)
    assert found == colours and (top > 50) == stretches


def test_each_of_several_bounds_of_a_kind_and_side_has_a_mark_of_its_own():
    """The mark is the same along a curve, and for all lines that share the bound."""
    table = Table.of_frame(pd.DataFrame({"algo": ["a", "b"], "t": 9, "regret": 1.0}))
    ids, kinds = table.settings.index, ["exact", "order", "refuted"]
    rows = [
        {"setting": own, "axis": axis, "x": x, "value": 1.0, "kind": kind, "side": side}
        | {"label": f"{kind} {side} {i}"}
        for own in ids for kind in kinds for side in ("upper", "lower") for i in range(2)
        for axis in ("t", "eps") for x in (1.0, 2.0)
    ]  # fmt: skip
    found = lines_of(pd.DataFrame(rows), table, "t")
    assert len(found) == len(rows) / 2 and set(found["axis"]) == {"t"}
    assert (found.groupby("label")["mark"].nunique() == 1).all()
    marks = found.drop_duplicates("label").set_index("label")["mark"]
    assert marks["refuted upper 0"] == "x"
    assert marks["exact upper 0"] != marks["exact upper 1"]
    assert marks["order lower 0"] != marks["order lower 1"]
    assert marks["exact upper 0"] != marks["exact lower 0"]
    assert lines_of(None, table, "t").empty


@pytest.mark.slow
@pytest.mark.parametrize("horizon", first([1, 2, 50]))
def test_bounds_are_drawn_at_short_horizons(horizon):
    """Mutation that it catches: curves begin before the first round, where ln t is negative."""
    for algo, own in (("adap_ucb", {}), ("dpr_ucb", {"v": 0.9}), ("adac_ucb", {})):
        env = "twopoint_heavy" if own else "bernoulli_c2"
        table = dp.run(algo, env, horizon=horizon, runs=2, **own)
        found = curves(Table.of_frame(table))
        assert (found["x"] >= 1).all() and np.isfinite(found["value"]).all()
        dp.plot(table, bounds=True)


@pytest.mark.slow
def test_bounds_of_one_kind_and_side_have_different_marks():
    table = dp.run(["ucb", "dp_imed"], "bernoulli_c2", eps=[0.1, 10], horizon=1e5, runs=2)
    legend = dp.plot(table, bounds=True).legends[1]
    looks = [
        (text.get_text().split(":")[0], handle.get_linestyle(), handle.get_marker())
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    ]
    assert len(set(looks)) == len(looks) > len({side for side, _, _ in looks})


@pytest.mark.slow
def test_a_refuted_bound_is_marked():
    table = dp.run("ldpr_se", "twopoint_heavy", v=0.9, eps=1, horizon=1e12, runs=2)
    figure = dp.plot(table, bounds=True)
    labels = legend_of(figure)
    wrong = "refuted, slope only: Tao et al. 2022, Thm. 7, any gaps"
    assert wrong in labels and "lower bound, slope only: Zhou & Zhang 2024, App. C.3" in labels
    (cross,) = lines(figure.axes[0], wrong)
    assert cross.get_marker() == "x"
    x, y = cross.get_xdata(), cross.get_ydata()
    rise = math.log(y[-1] / y[-10]) / math.log(x[-1] / x[-10])
    assert rise == pytest.approx(1 / 1.9, abs=0.03)


def test_few_bounds_are_drawn_in_a_panel_of_many_lines():
    """Of twenty lines in one panel: the lower bound that they share, and a few slopes."""
    one = Table.of_frame(dp.run("dp_se", eps=0.5, horizon=500, runs=2))
    (record,) = one.records.values()
    ids = [f"id{i}" for i in range(20)]
    ends = [one.ends.assign(setting=x, regret=one.ends["regret"] + i) for i, x in enumerate(ids)]
    settings = pd.concat([one.settings] * 20).set_axis(ids).assign(shift=range(20))
    records = dict.fromkeys(ids, record)
    found = curves(replace(one, settings=settings, ends=pd.concat(ends), records=records))
    shared, slopes = (found[found["side"] == side] for side in ("lower", "upper"))
    assert shared["setting"].nunique() == 20
    assert slopes["setting"].nunique() == MAX_PANEL_CURVES - 1


def test_a_manifest_of_other_settings_is_refused(tmp_path):
    file = report(requested(tmp_path, algo="adap_ucb", eps=[0.5, 1], horizon=100, runs=1))
    table = Table.of_file(file)
    assert len(curves(table)) > 0
    manifest, (one, other) = file.with_suffix(".json"), table.records.items()
    changed = one[0], {**one[1], "horizon": 200}
    mixed = {one[0]: other[1], other[0]: one[1]}
    for records in (mixed, dict([one]), dict([changed, other])):
        manifest.write_text(json.dumps({"settings": records}))
        assert "the .json file beside" in message_of(curves, Table.of_file(file))
    for text in ("{", "[]", '{"settings": [3]}', '{"settings": {"a": {"algo": "adap_ucb"}}}'):
        manifest.write_text(text)
        assert "the .json file beside" in message_of(curves, Table.of_file(file))


@pytest.mark.slow
def test_a_table_that_is_loaded_has_bounds_if_it_has_a_manifest(tmp_path):
    file = report(requested(tmp_path, algo="adap_ucb", horizon=100, runs=1))
    (ax,) = dp.plot(dp.load(file), bounds=True).axes
    assert THM_1 in [line.get_label() for line in ax.lines]
    file.with_suffix(".json").unlink()
    for table in (dp.load(file), pd.read_csv(file).assign(setting="unknown")):
        needed = "bounds=True needs the settings: load the table of a command with dp.load"
        assert message_of(dp.plot, table, bounds=True).startswith(needed)


# lines of reference of labelled data


def of_references(figure):
    """The ends of the lines of reference in each panel, by their labels."""
    drawn = [[x for x in ax.lines if x.get_label() in LINES] for ax in figure.axes]
    return [{x.get_label(): x.get_ydata()[-1] for x in own} for own in drawn]


LINES = "uniform play", "best constant action"
IRIS = {"algo": ["bpo", "lin_ucb"], "env": dp.labelled("sklearn:iris"), "runs": 2, "jobs": 1}


@pytest.mark.slow
def test_labelled_data_have_lines_of_reference_that_nothing_plays(tmp_path):
    """Mutations that it catches: mistakes in place of a share with metric=error, and lines that
    the table plays drawn twice.
    """
    file = report(requested(tmp_path, eps=[1, 8], **IRIS))
    table = dp.load(file)
    expected = dict.fromkeys(LINES, 100.0)  # of three classes of 50
    figure = dp.plot(table)
    assert of_references(figure) == [expected] * 2
    assert [x.get_text() for x in figure.legends[1].get_texts()] == [*LINES]
    (line,) = [x for x in figure.axes[0].lines if x.get_label() == LINES[0]]
    assert line.get_xdata()[0] == 1 and line.get_ydata()[0] == pytest.approx(2 / 3)
    assert line.get_color() == SLOPE and line.get_marker() == "None"
    assert of_references(dp.plot(table, x="eps")) == [expected]
    errors = dp.plot(table, x="eps", metric="error")
    assert of_references(errors) == [pytest.approx(dict.fromkeys(LINES, 2 / 3))]
    assert of_references(dp.plot(table, hue="algo", col="eps")) == [expected] * 3  # and inf
    assert of_references(dp.plot(table, x="eps", hue="algo")) == [expected]
    assert of_references(dp.plot(table, x="algo", hue="eps", metric="error")) == [
        pytest.approx(dict.fromkeys(LINES, 2 / 3))
    ]
    played = dp.run(**(IRIS | {"algo": ["bpo", "best_constant"]}))
    assert [*of_references(dp.plot(played))[0]] == [LINES[0]]


@pytest.mark.parametrize(("metric", "at_end"), [("regret", 80.0), ("error", 0.8)])
@pytest.mark.parametrize("over_time", [True, False])
def test_a_line_of_reference_is_a_total_of_regret_and_a_mean_of_other_metrics(
    metric, at_end, over_time
):
    rows = pd.DataFrame({"algo": ["bpo", "best_constant"], "t": 100, "regret": 1.0})
    table = Table.of_frame(rows.assign(env="data", horizon=100))
    numbers = {"uniform": 80.0, "constant": 50.0, "action": "a", "words": "", "better": ""}
    record = {"env_spec": {"law": "labels"}, "references": numbers}
    records = dict.fromkeys(table.settings.index, record)
    ax = Figure().add_subplot()
    draw_references(ax, references_in(replace(table, records=records, metric=metric)), over_time)
    (line,) = ax.get_lines()  # the best constant action is played
    assert line.get_label() == LINES[0]
    assert line.get_ydata()[-1] == pytest.approx(at_end)
    assert line.get_ydata()[0] == pytest.approx(0.8 if over_time else at_end)
    if over_time:
        assert line.get_xdata()[[0, -1]].tolist() == [1.0, 100.0]


@pytest.mark.slow
def test_logs_have_lines_of_reference_too():
    """The control is a table of the arms of the same log, which has no lines."""
    x = np.random.default_rng(0).random(400)
    log = pd.DataFrame({"x": x, "action": [*"abab"] * 100, "reward": [1, 0, 0.5, 0.5] * 100})
    env, given = dp.logged(log, ranges={"x": [0, 1]}), {"runs": 2, "jobs": 1}
    expected = dict(zip(LINES, (200.0, 100.0), strict=True))  # the mean reward of a is .75
    table = dp.run("bpo", env, eps=[1, 8], **given)
    assert of_references(dp.plot(table)) == [expected] * 2
    assert of_references(dp.plot(table, x="eps", metric="error")) == [
        {line: x / 400 for line, x in expected.items()}
    ]
    played = dp.run(["bpo", "uniform_play"], env, **given)
    assert of_references(dp.plot(played)) == [{LINES[1]: 100.0}]
    columns = log.drop(columns="x").rename(columns={"action": "arm"})
    arms = dp.run("ucb", dp.empirical(columns), horizon=400, **given)
    assert of_references(dp.plot(arms)) == [{}]


@pytest.mark.slow
def test_only_records_know_lines_of_reference(tmp_path):
    file = report(requested(tmp_path, **IRIS))
    file.with_suffix(".json").unlink()
    assert of_references(dp.plot(dp.load(file))) == [{}]
    arms = dp.run("ucb", "bernoulli_c2", horizon=100, runs=2)
    assert of_references(dp.plot(arms)) == [{}]


@pytest.mark.slow
def test_a_panel_of_several_data_sets_has_no_lines_of_reference():
    sets = [dp.labelled(f"sklearn:{name}", scale="standard") for name in ("iris", "wine")]
    table = dp.run("bpo", sets, eps=[1, 8], horizon=100, runs=2, jobs=1)
    for hue in ("env.source", None):
        assert of_references(dp.plot(table, x="eps", hue=hue)) == [{}]
    assert of_references(dp.plot(table, eps=[1])) == [{}]
    iris, wine = of_references(dp.plot(table, x="eps", col="env.source"))
    assert iris[LINES[1]] == pytest.approx(100 * 2 / 3) and wine[LINES[1]] == pytest.approx(
        60.11, abs=0.01
    )
    both = dp.run("lin_ucb", [sets[0], "contextual"], horizon=100, runs=2, jobs=1)
    assert of_references(dp.plot(both, hue="env")) == [{}]  # of which one game alone has such lines
    drawn = dp.plot(dp.run(["lin_ucb", "best_constant"], sets[0], runs=2, jobs=1), col="algo")
    assert [[*own] for own in of_references(drawn)] == [[LINES[0]]] * 2  # the other one is played
