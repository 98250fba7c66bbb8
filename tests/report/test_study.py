"""What the report makes of tables: means, tails, places, lines, aggregation, ratios."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from report_tables import regrets, stopping_times

import dpbandits as dp
from dpbandits.cli.words import read_requests
from dpbandits.figures.style import PALETTE
from dpbandits.report import build
from dpbandits.report import study as module
from dpbandits.report.charts import chart_of
from dpbandits.report.sources import source_of, sources_in
from dpbandits.report.study import AT_END, OVER_TIME, TAILS, Best, Study, map_of, tails
from dpbandits.results.report import write_report
from dpbandits.results.table import Table, join, thinned
from dpbandits.results.tables import write_table
from dpbandits.running.monte_carlo import play_request


def study_of(table, metric="regret"):
    return Study(source_of("table", Table.of_frame(table), metric))


def view(study, name, bound=False):
    """The points of a view, without or with bounds only."""
    points = study.points()
    return points[(points["view"] == name) & ((points["bound"] != "") == bound)]


def options_of(study):
    place, *_ = study.chart()["params"]
    return place["bind"]["options"]


def test_statistics_of_curves_are_those_of_the_runs():
    """Controls: runs mixed between settings, the wrong round."""
    table = regrets(envs=("bernoulli_c1", "bernoulli_c2"))
    study = study_of(table)
    curves = view(study, OVER_TIME)
    row = curves[(curves["place"] == "C2 | eps = 0.1") & (curves["line"] == "DP-SE")].iloc[9]
    own = table[(table["env"] == "bernoulli_c2") & (table["eps"] == 0.1)]
    own = own[(own["algo"] == "dp_se") & (own["t"] == row["x"])]["regret"]
    assert row["y"] == pytest.approx(own.mean())
    assert row["low"] < own.mean() < row["high"] < own.max()
    assert options_of(study) == [f"{env} | eps = {eps}" for env in ("C1", "C2") for eps in (0.1, 1)]


def test_last_values_are_those_of_the_summary_in_whatever_order_rows_stand():
    table = regrets()
    mixed, summary = table.sort_values(["run", "t"], ignore_index=True), dp.summary(table)
    for own in (table, mixed):
        ends = view(study_of(own), AT_END).sort_values(["line", "x"])
        for here, there in (("y", "mean"), ("low", "ci_low"), ("high", "ci_high")):
            assert ends[here].tolist() == pytest.approx(summary[there].tolist())


def test_lines_have_the_colours_that_algorithms_declare():
    study = study_of(regrets(("adap_ucb", "dp_se", "mine")))
    encoding = study.chart()["concat"][0]["layer"][1]["encoding"]
    colour, dash = (encoding[channel]["scale"] for channel in ("color", "strokeDash"))
    assert colour["domain"] == dash["domain"] == ["AdaP-UCB", "DP-SE", "mine"]
    assert colour["range"][1] == PALETTE["blue"].lower()
    assert len({(x, *y) for x, y in zip(colour["range"], dash["range"], strict=True)}) == 3


def test_a_chart_without_points_is_none():
    study = study_of(regrets())
    assert chart_of(study.points().head(0), study.places, {}) is None and study.chart()


def test_an_algorithm_without_privacy_is_on_every_level():
    table = pd.concat([regrets(), regrets(("ucb",), (np.inf,))], ignore_index=True)
    study = study_of(table)
    assert study.places["x"].fillna(-1).tolist() == [0.1, 1.0, 0.1, 1.0, -1]
    assert options_of(study) == ["C1 | eps = 0.1", "C1 | eps = 1"]
    assert set(study.places["place"]) == {*options_of(study), "C1"}
    ends = view(study, AT_END)
    assert ends[ends["line"] == "UCB"]["x"].tolist() == [0.1, 1.0]
    assert "not private" in study.numbers()


def test_an_algorithm_that_is_also_played_without_privacy_has_two_lines():
    table = pd.concat([regrets(("dp_se",)), regrets(("dp_se",), (np.inf,))], ignore_index=True)
    lines = ["DP-SE", "DP-SE", "DP-SE, without privacy"]
    assert study_of(table).places["line"].tolist() == lines


def test_algorithms_of_two_budgets_share_a_chart():
    """Mutation that it catches: another budget is a panel, and one that lacks eps not private."""
    own = [regrets(("adap_ucb",)), regrets(("adac_ucb",)).rename(columns={"eps": "rho"})]
    own += [regrets(("ucb",), (np.inf,)).assign(rho=np.inf)]
    study = study_of(pd.concat(own, ignore_index=True))
    assert study.axis == "eps" and set(study.places["panel"]) == {"C1"}
    rhos = [f"AdaC-UCB, rho = {x:g}" for x in own[1]["rho"].unique()]
    assert list(study.places["line"].unique()) == ["AdaP-UCB", *rhos, "UCB"]
    assert study.numbers().count("not private") == 2  # of UCB


@pytest.mark.slow
def test_nash_regret_has_no_tails():
    """The control is the pseudo-regret of the same table."""
    table = dp.run("ncb", "bernoulli_c2", horizon=100, runs=5)
    for metric, shown in (("regret", True), ("nash", False)):
        study = study_of(table, metric)
        assert view(study, TAILS).empty != shown and len(view(study, OVER_TIME))


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
    study = study_of(regrets(runs=2, times=2, **more))
    found = study.places[["panel", "line"]].nunique().tolist()
    assert (study.axis, *found) == (axis, panels, lines)


def test_curves_are_thinned_between_their_ends():
    """The control has no more checkpoints than are shown."""
    table = regrets(("dp_se",), (1.0,), runs=2, times=90)
    some = thinned(table, table["horizon"], 40)["t"].unique()
    assert len(some) == 40 < table["t"].nunique() and set(some) < set(table["t"])
    assert (some.min(), some.max()) == (table["t"].min(), table["t"].max())
    assert len(thinned(table, table["horizon"], 90)) == len(table)


def test_tails_are_shares_of_runs_down_to_the_worst():
    runs = pd.DataFrame({"setting": "a", "value": np.arange(1.0, 101.0)})
    tail = tails(runs)
    assert len(tail) <= module.RANKS + len(module.SHARES)
    for x, share in zip(tail["x"], tail["y"], strict=True):
        assert share == pytest.approx((runs["value"] >= x).mean())
    assert tail["x"].agg(["min", "max"]).tolist() == [1.0, 100.0] and tail["y"].min() == 0.01


def test_steps_of_tails_are_near_the_shares_between_their_points():
    """Control: without the shares in the body, the steps are far from the truth there."""
    values = np.random.default_rng(1).normal(100, 10, 1000)
    tail = tails(pd.DataFrame({"setting": "a", "value": values})).sort_values(["x", "y"])
    found = np.quantile(values, np.linspace(0.01, 0.999, 99))
    shares = np.mean(values >= found[:, np.newaxis], axis=1)

    def far(tail):
        steps = tail["y"].to_numpy()[np.searchsorted(tail["x"], found)]
        return np.max(shares - steps), np.max(np.log(shares / steps))

    absolute, factor = far(tail)
    assert 0 <= absolute < 0.1 and factor < np.log(1.6)
    assert far(tail[(tail["y"] < 0.3) | (tail["y"] == 1)])[0] > 0.3
    study = study_of(regrets())
    lines = [x for x in study.chart()["concat"] if x["title"] == TAILS]
    assert len(lines) == 1 and "step-before" in json.dumps(lines[0]["layer"])


def test_stopping_times_have_shares_of_correct_answers():
    study = study_of(stopping_times())
    assert view(study, OVER_TIME).empty and len(view(study, AT_END)) == 4
    assert study.numbers().count(">95 %</td>") == 4 and "stopping time" in study.numbers()


@pytest.mark.parametrize("table", [regrets(runs=3, times=3), stopping_times(runs=3)])
def test_many_settings_are_aggregated_and_it_is_said(monkeypatch, table):
    """The control has as many settings as are shown one by one."""
    gaps = pd.concat([table.assign(**{"env.gap": x}) for x in (0.1, 0.2, 0.3)], ignore_index=True)
    gaps.loc[gaps["env.gap"] == 0.3, "eps"] *= 1.01  # one digit remains
    study = study_of(gaps)
    assert len(study.places) == 12 and study.note == ""
    summary = study.source.summary
    monkeypatch.setitem(module.MAX_SHOWN, "setting", 11)
    study = study_of(gaps)
    assert study.note.startswith("12 settings") and len(study.places) == 4
    assert study.source.summary["runs"].tolist() == [3] * 4
    means = summary["mean"].groupby([summary.iloc[:, 0], summary["eps"].round(1)], sort=False)
    assert study.source.summary["mean"].tolist() == pytest.approx(means.mean().tolist())
    assert view(study, OVER_TIME).empty and len(view(study, TAILS)) and study.numbers()
    assert study.comparison() == ""  # settings are no runs of one law


@pytest.mark.slow
def test_a_summary_is_read_back_as_it_was_written(tmp_path):
    rows = pd.concat([regrets(), regrets(("ucb",), (np.inf,))], ignore_index=True)
    write_table(tmp_path / "hu2022.summary.csv", Table.of_frame(rows).summary())
    ((source,), notes) = sources_in(tmp_path, "regret")
    study, own = Study(source), study_of(rows)
    assert (source.name, source.command) == ("hu2022", "bandit-run experiment=hu2022")
    assert notes == [] and study.places.equals(own.places) and study.numbers() == own.numbers()
    assert set(study.points()["view"]) == {AT_END} and "bind" not in study.chart()["params"][0]
    assert study.comparison() == "" != own.comparison()
    refused = message_of(sources_in, tmp_path, "nash")
    assert "but only a summary exists" in refused


def test_what_is_no_table_is_left_out(tmp_path):
    write_table(tmp_path / "a.csv", regrets())
    (tmp_path / "b.csv").write_text("x,y\n1,2\n")
    (tmp_path / "hu2022.summary.csv").write_text("x,y\n1,2\n")
    sources, notes = sources_in(tmp_path, "regret")
    assert [source.name for source in sources] == ["a"] and len(notes) == 2
    assert "not a summary" in notes[0] and "b.csv" in notes[1]
    (tmp_path / "a.csv").unlink()
    assert "b.csv" in message_of(sources_in, tmp_path, "regret")


@pytest.mark.slow
def test_tables_of_several_seeds_have_bounds():
    """Each seed is a panel. The control: a single seed has the same bounds."""
    given = {"eps": [0.5, 1], "horizon": 2000, "runs": 2, "checkpoints": 8}
    tables = [dp.run("adap_ucb", "bernoulli_c2", seed=seed, **given) for seed in (0, 1)]
    study = study_of(join([Table.of_frame(x) for x in tables]).frame())
    found = pd.concat([view(study, name, bound=True) for name in (OVER_TIME, AT_END)])
    alone = study_of(tables[0])
    own = pd.concat([view(alone, name, bound=True) for name in (OVER_TIME, AT_END)])
    assert study.places["panel"].nunique() == 2 and own["bound"].nunique() > 1
    for panel in study.places["panel"].unique():
        here = found[found["place"].str.startswith(panel)]
        assert set(here["view"]) == {OVER_TIME, AT_END}
        assert set(here["bound"]) == set(own["bound"])


def test_ratios_are_averaged_over_budgets_of_one_digit():
    """The control is a budget that is alone, and not rounded."""
    rows = [("C1", "A", "a", "eps", x, ratio) for x, ratio in [(0.1, 2), (0.101, 8), (0.25, 3)]]
    found = map_of(pd.DataFrame(rows, columns=module.RATIOS))
    assert found["value"].tolist() == [0.1, 0.25]
    assert found["ratio"].tolist() == pytest.approx([4, 3])


def test_a_missing_package_is_named(unchanged, monkeypatch):
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    expected = "a report needs jinja2: pip install 'dpbandits[report]'"
    assert message_of(dp.report, regrets()) == expected


def test_tied_runs_have_the_ends_of_their_step():
    runs = pd.DataFrame({"setting": "a", "value": [1.0] * 60 + [3.0] * 40})
    tail = tails(runs).sort_values("y", ascending=False)
    assert tail["x"].tolist() == [1, 3, 3]
    assert tail["y"].tolist() == [1, 0.4, 0.01]


@pytest.mark.slow
@pytest.mark.extra("vl_convert")
def test_the_drawn_line_of_tied_runs_never_rises():
    import vl_convert

    table = stopping_times(("nas",), (1.0,))
    table["stopping_time"] = [500] * 9 + [100] * 8 + [700] * 3
    picture = vl_convert.vegalite_to_svg(study_of(table).chart())
    path = re.findall(r'"line mark container"><path d="M([^"]*)"', picture)[-1]
    x, down = np.array([point.split(",") for point in path.split("L")], dtype=float).T
    assert len(x) > 4 and (np.diff(x) >= 0).all() and (np.diff(down) >= 0).all()


def test_what_a_command_needs_of_a_user_is_named(tmp_path):
    write_table(tmp_path / "a.csv", regrets(("mine", "dp_se"), runs=2, times=3))
    own = {"config": {"algo": "mine", "experiment": "trial"}, "settings": {}}
    own["changed"] = ["--config-name=all", "runs=2"]
    manifest = own | {"versions": {}, "commit": None}
    (tmp_path / "a.json").write_text(json.dumps(manifest))
    ((source,), _) = sources_in(tmp_path, "regret")
    assert source.command == "bandit-run experiment=trial --config-name=all runs=2"
    assert source.own == ["all", "trial", "mine"]


def test_tables_of_one_name_in_two_formats_are_both_shown(tmp_path):
    for name, algo in (("a.csv", "dp_se"), ("a.csv.gz", "ucb"), ("b.csv", "dp_ucb")):
        write_table(tmp_path / name, regrets((algo,), runs=2, times=3))
    sources, _ = sources_in(tmp_path, "regret")
    shown = {source.name: source.summary["algo"][0] for source in sources}
    assert shown == {"a.csv": "dp_se", "a.csv.gz": "ucb", "b": "dp_ucb"}


def test_a_lower_bound_of_0_gives_no_ratio():
    """At the horizon 1, ln T is 0. The control is a longer horizon."""
    tables = [dp.run(algo="dp_se", eps=1, horizon=T, runs=2, jobs=1) for T in (1, 100)]
    assert [len(study_of(table).ratios) for table in tables] == [0, 1]


def test_the_seeds_are_the_seeds_of_the_runs_also_if_a_sweep_varies_them(tmp_path):
    words = ["algo=dp_se", "seed=3,5", "horizon=300", "runs=2", "eps=1"]
    (request,) = read_requests([*words, f"results={tmp_path}"], (), multirun=True)
    write_report(request, play_request(request), 0.0)
    ((source,), _) = sources_in(tmp_path, "regret")
    assert source.made.startswith("seed 3 and 5, dpbandits ")


def standing_of(*tables):
    page = build.report_of_tables(list(tables))
    return re.findall(r"<h1>.*</h1>\s*<p>(.*?)</p>", page)


@pytest.mark.slow
@pytest.mark.extra("jinja2")
def test_the_first_sentence_says_which_algorithm_is_best_where_and_what_ties():
    table = regrets()  # DP-SE and AdaP-UCB at two budgets, on one environment
    first = table["eps"].min()
    table.loc[:, "regret"] = table["run"] + np.where(table["algo"] == "dp_se", 0.0, 100.0)
    (said,) = standing_of(table)
    low, high = (f"on C1 at eps = {eps:g}" for eps in sorted(table["eps"].unique()))
    assert said == f"DP-SE has the smallest mean {low} and {high}."
    table.loc[table["eps"] == first, "regret"] = table["run"]
    (said,) = standing_of(table)
    tied = "AdaP-UCB and DP-SE have the smallest mean, and are tied,"
    assert f"{tied} {low}" in said and f"DP-SE has the smallest mean {high}" in said
    (said,) = standing_of(table[table["eps"] == first])
    assert said == f"{tied} on C1."
    (said,) = standing_of(table[table["eps"] == first], table[table["eps"] > first])
    assert f"{tied} on C1 (table 1)" in said and "on C1 (table 2)" in said


def test_the_sentence_about_many_games_names_what_ties_most():
    """The control has no ties."""
    both, third = frozenset({"dp_se", "adap_ucb"}), frozenset({"dp_se", "dp_ucb"})
    games = [both] * 6 + [third] * 2 + [frozenset({"ucb"})] * 4
    said = build.standing([Best(f"C{i}", names) for i, names in enumerate(games)], 0)
    assert "belongs to DP-SE in 8, AdaP-UCB in 6" in said and said.startswith("Of 12 games (")
    assert said.endswith("; in 8 several algorithms tie, most often AdaP-UCB and DP-SE, in 6.")
    said = build.standing([Best(f"C{i}", frozenset({"dp_se"})) for i in range(12)], 3)
    assert "tie," not in said and "belongs to DP-SE in 12; 3 have no runs" in said


@pytest.mark.slow
def test_a_table_whose_settings_another_has_with_as_many_runs_does_not_count():
    """The controls are other settings, and tables whose settings are known by columns only."""
    given = {"horizon": 100, "jobs": 1}
    few, many, other = (
        study_of(dp.run(["adap_ucb", "dp_se"], "bernoulli_c1", seed=seed, runs=runs, **given))
        for seed, runs in ((0, 2), (0, 3), (1, 2))
    )
    assert build.counted_once([few, many, other, few]) == [many, other]
    by_hand = [study_of(regrets()), study_of(regrets())]
    assert build.counted_once(by_hand) == by_hand


@pytest.mark.slow
@pytest.mark.extra("jinja2")
def test_the_heading_of_an_unnamed_table_is_in_words():
    """The control is a table that the user named."""
    of_one, of_two = regrets(), regrets(algos=("dp_se",))
    pages = [build.report_of_tables(x) for x in ([of_one], [of_one, of_two], {"mine": of_one})]
    one, two, named = (re.findall("<h2>(.*?)</h2>", page) for page in pages)
    words = next(x for x in one if " on C1, T = " in x)
    assert words.startswith("2 algorithms on C1") and f"Table 1: {words}" in two and "mine" in named


@pytest.mark.extra("jinja2")
def test_nothing_is_best_among_one():
    """Control."""
    assert standing_of(regrets(algos=("dp_se",))) == []


@pytest.mark.extra("jinja2")
def test_without_runs_ties_are_unknown(tmp_path):
    rows = regrets()
    write_table(tmp_path / "hu2022.summary.csv", Table.of_frame(rows).summary())
    page = build.report_of_folder(tmp_path)
    assert "2 of these 2 games have no runs in this folder, so that ties are unknown." in page


def test_the_numbers_of_a_point_are_those_of_the_summary():
    """What is drawn of a band ends near its line; what is shown as a number does not."""
    table = regrets()
    table["regret"] *= np.where(table["run"] == 0, 1.0, 1e-4)
    ends = view(study_of(table), AT_END)
    assert sorted(ends["low"]) == pytest.approx(sorted(dp.summary(table)["ci_low"]))
    assert (ends["low"] < ends["y"] / 10).any()


@pytest.mark.extra("jinja2", "vl_convert")
def test_tables_of_any_name_have_their_charts():
    named = {"map": regrets(), "privacy": regrets(envs=("bernoulli_c2",))}
    page = build.report_of_tables(named)
    (text,) = re.findall(r'<script type="application/json" id="specs">(.*?)</script>', page, re.S)
    specs = json.loads(text)
    assert specs["table-map"] and specs["table-privacy"]
    ids = re.findall(r' id="(.*?)"', page)
    assert len(set(ids)) == len(ids)
    message = message_of(build.report_of_tables, {1: regrets(), "1": regrets()})
    assert "two tables have one name" in message


def test_a_mean_of_0_is_said_to_have_no_place():
    table = regrets()
    table.loc[table["algo"] == "dp_se", "regret"] = 0.0
    assert study_of(table).below_axis() == ["DP-SE"] and study_of(regrets()).below_axis() == []
