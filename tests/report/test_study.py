"""What the report makes of tables: means, quantiles, tails, panels, lines, aggregation."""

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from report_tables import regrets, stopping_times

import dpbandits as dp
from dpbandits.figures.style import PALETTE
from dpbandits.report import build
from dpbandits.report import study as module
from dpbandits.report.sources import SEPARATE, read_summary, sources_in, without_parts
from dpbandits.report.study import (
    arranged,
    binned,
    exceedance,
    study_of_summary,
    study_of_table,
    thinned,
)
from dpbandits.report.theorems import bound_curves
from dpbandits.report.words import number, power, unicode_of
from dpbandits.results.concat import concat_tables
from dpbandits.results.reading import checked
from dpbandits.results.summary import summarize
from dpbandits.results.tables import at_end, write_table
from dpbandits.results.varying import settings_of


def settings(table):
    return table[settings_of(table)].drop_duplicates(ignore_index=True)


def test_statistics_of_curves_are_those_of_the_runs():
    """Controls: median for mean, runs mixed between settings, the wrong round."""
    table = regrets(envs=("bernoulli_c1", "bernoulli_c2"))
    study = study_of_table(table)
    assert study.panels == ["C1", "C2"] and study.levels == [0.1, 1.0] and study.axis == "eps"
    row = study.curves[(study.curves["panel"] == "C2") & (study.curves["level"] == 0.1)]
    row = row[row["line"] == "DP-SE"].iloc[len(row) // 4]
    own = table[(table["env"] == "bernoulli_c2") & (table["eps"] == 0.1)]
    own = own[(own["algo"] == "dp_se") & (own["t"] == row["t"])]["regret"]
    assert row["mean"] == pytest.approx(own.mean())
    assert row[["q10", "median", "q90"]].tolist() == pytest.approx(
        np.quantile(own, [0.1, 0.5, 0.9]).tolist()
    )
    assert row["low"] < own.mean() < row["high"] < own.max()


@pytest.mark.extra("jinja2")
def test_the_level_that_is_shown_first_is_one_of_the_first_panel():
    from dpbandits.report.page import usual_level

    table = regrets(envs=("bernoulli_c1", "bernoulli_c2"))
    assert usual_level(study_of_table(table)) == 1.0
    missing = (table["env"] == "bernoulli_c1") & (table["eps"] == 1.0)
    assert usual_level(study_of_table(table[~missing])) == 0.1


def test_last_values_are_those_of_the_summary_in_whatever_order_rows_stand():
    table = regrets()
    study, summary = study_of_table(table), dp.summary(table)
    assert study.ends["mean"].tolist() == pytest.approx(summary["mean"].tolist())
    assert study.ends["low"].tolist() == pytest.approx(summary["ci_low"].tolist())
    assert study.means.tolist() == pytest.approx(summary["mean"].tolist())
    mixed = study_of_table(table.sort_values(["run", "t"], ignore_index=True))
    one, other = (x.ends.sort_values(["panel", "level", "line"]) for x in (study, mixed))
    assert one["mean"].tolist() == pytest.approx(other["mean"].tolist())


@pytest.mark.extra("jinja2", "vl_convert")
def test_lines_have_the_colours_that_algorithms_declare():
    from dpbandits.report.page import lines_of

    lines = lines_of(study_of_table(regrets(("adap_ucb", "dp_se", "mine"))))
    assert list(lines) == ["AdaP-UCB", "DP-SE", "mine"]
    assert lines["DP-SE"][0] == PALETTE["blue"].lower()
    assert len({(colour, *dash) for colour, dash in lines.values()}) == 3


def test_an_algorithm_without_privacy_is_on_every_level():
    table = pd.concat([regrets(), regrets(("ucb",), (np.inf,))], ignore_index=True)
    study = study_of_table(table)
    assert study.places["level"].fillna(-1).tolist() == [0.1, 1.0, 0.1, 1.0, -1]
    assert study.panels == ["C1"] and study.levels == [0.1, 1.0] and study.without == "not private"


def test_an_algorithm_that_is_also_played_without_privacy_has_two_lines(monkeypatch):
    table = pd.concat([regrets(("dp_se",)), regrets(("dp_se",), (np.inf,))], ignore_index=True)
    study = study_of_table(table)
    assert list(study.algorithms) == ["DP-SE", "DP-SE, without privacy"]
    assert study.places["line"].tolist() == ["DP-SE", "DP-SE", "DP-SE, without privacy"]
    monkeypatch.setattr(module, "MOST_SETTINGS", 2)
    assert study_of_table(table).algorithms == study.algorithms


def test_algorithms_of_two_budgets_share_a_chart():
    """Mutation that it catches: another budget is a panel, and one that lacks eps not private."""
    own = [regrets(("adap_ucb",)), regrets(("adac_ucb",)).rename(columns={"eps": "rho"})]
    own += [regrets(("ucb",), (np.inf,)).assign(rho=np.inf)]
    study = study_of_table(pd.concat(own, ignore_index=True))
    assert (study.axis, study.panels, study.without) == ("eps", ["C1"], "none")
    rhos = [f"AdaC-UCB, ρ = {x:g}" for x in own[1]["rho"].unique()]
    assert list(study.algorithms) == ["AdaP-UCB", *rhos, "UCB"]


def test_nash_regret_has_no_spread():
    """The control is the pseudo-regret of the same table."""
    table = dp.run("ncb", "bernoulli_c2", horizon=100, runs=5)
    usual, nash = (study_of_table(dp.measured(table, metric)) for metric in ("regret", "nash"))
    for study, shown in ((usual, True), (nash, False)):
        assert len(study.tails) > 0 if shown else study.tails.empty
        assert study.ends["median"].notna().all() == study.curves["q10"].notna().all() == shown
        assert study.ends["mean"].notna().all()


@pytest.mark.parametrize(
    ("more", "axis", "panels", "lines"),
    [
        ({"alpha": (1.0, 2.0, 3.0)}, "alpha", 2, 2),  # more values than budgets: it is the axis
        ({"env.gap": (0.1, 0.2)}, "eps", 2, 2),  # the game varies: panels
        ({"tree": ("binary", "honaker")}, "eps", 1, 4),  # the algorithm varies: lines
        ({"env.instance": (0, 1, 2, 3)}, "eps", 4, 2),  # numbers that are no quantity
    ],
)
def test_what_varies_is_axis_panel_or_line(more, axis, panels, lines):
    found, places, algorithms = arranged(settings(regrets(runs=1, times=2, **more)))
    assert (found, places["panel"].nunique(), len(algorithms)) == (axis, panels, lines)


def test_curves_are_thinned_between_their_ends_and_it_is_said():
    table = regrets(times=90)
    slim = pd.DataFrame({"setting": 0, "value": 1.0, "t": np.unique(table["t"])})
    kept, said = thinned(slim, 4)
    times = kept["t"].unique()
    assert len(times) <= module.POINTS < slim["t"].nunique() and said.startswith("Curves show ")
    assert times[0] == slim["t"].min() and times[-1] == slim["t"].max()
    few, nothing = thinned(slim[slim["t"] < 10], 4)
    assert nothing == "" and len(few) == len(slim[slim["t"] < 10])


def test_tails_are_shares_of_runs_down_to_the_worst():
    last = pd.DataFrame({"setting": 0, "value": np.arange(1.0, 101.0)})
    tail = exceedance(last)
    assert len(tail) <= module.TAIL
    for x, p in zip(tail["x"], tail["p"], strict=True):
        assert p == pytest.approx((last["value"] >= x).mean())
    assert tail["x"].max() == 100.0 and tail["p"].min() == pytest.approx(0.01)


def test_stopping_times_have_shares_of_correct_answers():
    study = study_of_table(stopping_times())
    assert study.statistic == "stopping time" and study.curves.empty
    assert set(study.ends["correct"]) == {"95 %"}
    assert study.ends["mean"].iloc[0] > 5 * study.ends["mean"].iloc[1]


def test_many_settings_are_aggregated_and_it_is_said(monkeypatch):
    table = regrets(envs=("bernoulli_c1", "bernoulli_c2"), **{"env.gap": (0.1, 0.2, 0.3)})
    monkeypatch.setattr(module, "MOST_SETTINGS", 20)
    study = study_of_table(table)
    assert study.aggregated and "24 settings" in study.notes[0]
    assert len(study.ends) == 4 and study.ends["runs"].tolist() == [6] * 4
    means = at_end(table).groupby(["algo", "eps", "env", "env.gap"])["regret"].mean()
    of = means["adap_ucb", 0.1]
    low = study.ends[study.ends["level"] == 0.1].set_index("line")
    row = low.loc["AdaP-UCB"]
    assert row["mean"] == pytest.approx(of.mean())
    assert row["q90"] == pytest.approx(of.quantile(0.9))
    ratio = (means["dp_se", 0.1] / np.minimum(of, means["dp_se", 0.1])).to_numpy()
    worse = low.loc["DP-SE"]
    assert worse["to_smallest"] == pytest.approx(np.exp(np.log(ratio).mean()))
    assert worse["worst"] == pytest.approx(ratio.max())


def test_many_budgets_are_grouped_in_order():
    x = np.geomspace(0.01, 10, 1000)
    level = binned(np.append(x, np.inf))
    assert len(set(level[:-1])) <= module.MOST["level"]
    assert np.isnan(level[-1]) and (np.diff(level[:-1]) >= 0).all()
    ratios = level[:-1] / x
    assert ratios.max() < 1.2 and ratios.min() > 1 / 1.2


def test_a_summary_is_read_back_as_it_was_written(tmp_path):
    rows = pd.concat([regrets(), regrets(("ucb",), (np.inf,))], ignore_index=True)
    table, file = checked("table", rows), tmp_path / "hu2022.summary.csv"
    summary = summarize(table, settings_of(table))
    write_table(file, summary)
    found = read_summary(file)
    assert found["algo"].tolist() == summary["algo"].tolist()
    for here, there in (("eps", "eps"), ("mean", "mean"), ("low", "ci_low")):
        assert found[here].tolist() == pytest.approx(summary[there].tolist(), rel=1e-9)
    assert [source.name for source in sources_in(tmp_path)[0]] == ["hu2022"]
    study, own = study_of_summary(found, "regret"), study_of_table(table)
    assert study.curves.empty and study.tails.empty and "summary" in study.notes[0]
    assert study.ends["mean"].tolist() == pytest.approx(own.ends["mean"].tolist())
    assert (study.panels, study.levels) == (own.panels, own.levels)


def test_tables_whose_settings_are_in_another_are_left_out(tmp_path):
    write_table(tmp_path / "a.csv", regrets())
    (tmp_path / "b.csv").write_text("x,y\n1,2\n")
    sources, notes = sources_in(tmp_path)
    assert [source.name for source in sources] == ["a"]
    assert len(notes) == 1 and "b.csv" in notes[0]
    table, found = regrets(), []
    for name, ids in (("part", "a"), ("whole", "ab"), ("other", "bc"), ("ours", "b")):
        table.attrs["settings"] = dict.fromkeys(ids)
        found.append(sources[0].__class__(name, name, table=table.copy()))
    kept, dropped = without_parts(found, ["ours"])
    assert {source.name for source in kept} == {"whole", "other", "ours"} and dropped == 1


@pytest.mark.slow
def test_many_tables_of_ones_own_share_a_section(tmp_path):
    """The control: one table less, and each has its own."""
    for i in range(SEPARATE + 1):
        table = regrets(eps=(0.5 + i,), runs=3, times=4)
        write_table(tmp_path / f"mine{i:02}.csv", table)
    write_table(tmp_path / "stops.csv", stopping_times())
    write_table(tmp_path / "hu2022.csv", regrets(runs=3, times=4))
    sources, notes = sources_in(tmp_path)
    assert [source.title for source in sources[1:]] == ["Runs of your own", "stops"]
    assert sources[0].name == "hu2022" and len(notes) == 1 and "13 tables share" in notes[0]
    shared = sources[1].table
    assert len(settings(shared)) == 2 * (SEPARATE + 1)
    assert at_end(shared)["regret"].sum() == pytest.approx(
        sum(at_end(dp.load(f))["regret"].sum() for f in tmp_path.glob("mine*.csv"))
    )
    (tmp_path / "mine00.csv").unlink()
    assert len(sources_in(tmp_path)[0]) == SEPARATE + 2
    table = regrets(eps=(1.5,), runs=3, times=4).assign(regret=1.0)
    write_table(tmp_path / "mine00.csv", table)  # looks like mine01, and no manifest says why
    sources, notes = sources_in(tmp_path)
    assert len(sources) == SEPARATE + 3 and "a section each" in notes[0]


@pytest.mark.slow
def test_tables_of_several_seeds_have_bounds():
    """Each seed is a panel. The control: curves without a seed have no column to be found by."""
    given = {"eps": [0.5, 1], "horizon": 2000, "runs": 2, "checkpoints": 8}
    tables = [dp.run("adap_ucb", "bernoulli_c2", seed=seed, **given) for seed in (0, 1)]
    both = concat_tables(tables)
    points = bound_curves(study_of_table(both), both)
    alone = bound_curves(study_of_table(tables[0]), tables[0])
    places = ["level", "line", "axis", "label", "kind"]
    expected = alone[places].fillna(-1).value_counts().sort_index()
    assert points["panel"].nunique() == 2 and len(expected) > 2
    for _, own in points.groupby("panel"):
        assert own[places].fillna(-1).value_counts().sort_index().equals(expected)


@pytest.mark.parametrize(
    ("T", "text"), [(1e7, "10⁷"), (5e6, "5 × 10⁶"), (1234, "1,234"), (1234567, "1,234,567")]
)
def test_rounds_in_words(T, text):
    assert power(T) == text


def test_mathematics_becomes_unicode():
    assert unicode_of(r"at $\epsilon = 1$, $\epsilon_{\min}$") == "at ε = 1, ε_min"
    assert [number(x) for x in (np.nan, np.inf, 12345.6, 0.12345)] == ["", "∞", "12,346", "0.1235"]


def test_a_missing_package_is_named(unchanged, monkeypatch):
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    expected = "a report needs jinja2: pip install 'dpbandits[report]'"
    assert message_of(dp.report, regrets()) == expected
