"""Lines of reference for labelled users: what is printed, metric=error, and what beats a line."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from commands import command
from refusals import message_of
from sweeps import report, requested

import dpbandits as dp
from dpbandits.environments.catalogue import build
from dpbandits.report.build import report_of_folder
from dpbandits.results.manifest import refuse_to_replace
from dpbandits.results.references import References, lines_of_references
from dpbandits.results.table import Table
from dpbandits.results.tables import settings_table

ALGOS = "bpo", "lin_ucb"


def said(highs, **given):
    """What is printed of these upper ends of intervals of ALGOS."""
    request = requested(algo=ALGOS, env=dp.labelled("sklearn:iris"), **given)
    ids = [setting.id for setting in request.settings]
    summary = pd.DataFrame({"setting": ids, "ci_high": highs})
    return [*lines_of_references(summary, request.records, request.question)]


def test_the_lines_are_expected_mistakes():
    rows = build({"law": "labels", "source": "sklearn:breast_cancer"})
    uniform, constant, name = rows.references(569)
    assert np.allclose([uniform, constant], [569 / 2, 212]) and name == "benign"
    assert rows.references(100)[1] == pytest.approx(21200 / 569)


def test_a_run_says_whether_something_private_beats_the_best_constant_action():
    lines = said([100.0, 40.0])  # lin_ucb, which is not private, does
    assert lines[0].startswith("labels: in 150 rounds uniform play makes 100 mistakes, and playing")
    assert "always setosa, the best constant action, 100" in lines[0]
    assert lines[1].startswith("labels: no private algorithm here is seen (with 95 %)")
    assert len(said([99.0, 40.0])) == 1
    assert len(said([99.0, 40.0], eps=math.inf)) == 1  # nothing is private


def test_the_lines_of_several_data_sets_name_what_varies():
    """Mutation that it catches: the name of the environment alone, which all data sets share."""
    sets = [dp.labelled("sklearn:iris", bound=bound) for bound in (1, 2)]
    request = requested(algo="bpo", env=sets)
    summary = settings_table(request.settings).assign(ci_high=200.0)
    lines = lines_of_references(summary, request.records, request.question)
    assert [line.partition(":")[0] for line in lines] == [
        f"labels env.bound={bound}" for bound in (1, 1, 2, 2)
    ]


def test_pages_say_below_the_table_what_a_run_prints(tmp_path):
    """Mutations that it catches: the page has only one of the lines, names are HTML there."""
    rows = pd.DataFrame({"x": np.linspace(0, 1, 40), "label": ["<b>", "c"] * 20})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    env = {"law": "labels", "source": str(tmp_path / "rows.csv"), "bound": 1}
    path = report(requested(tmp_path / "results", algo=["bpo", "lin_ucb"], env=env, runs=2))
    page = path.with_suffix(".md").read_text()
    table, line, sentence = page.split("\n\n")
    assert table.startswith("| algorithm") and line.startswith("labels: in 40 rounds uniform play")
    assert "playing always &lt;b&gt;, the best constant action, 20" in line
    assert sentence == (
        "labels: no private algorithm here is seen (with 95 %) to make fewer mistakes than playing "
        "always &lt;b&gt;\n"
    )
    assert "always" not in path.with_suffix(".tex").read_text()
    found = dp.load(path)
    known = Table.of_frame(found)
    lines = [*lines_of_references(dp.summary(found), known.records, known.question)]
    assert [x.replace("<b>", "&lt;b&gt;") for x in lines] == [line, sentence.strip()]


@pytest.mark.slow
@pytest.mark.extra("jinja2", "vl_convert")
def test_the_page_of_a_folder_says_it_too(tmp_path):
    report(requested(tmp_path, algo="bpo", env=dp.labelled("sklearn:iris"), runs=2))
    page = report_of_folder(tmp_path)
    assert "no private algorithm here is seen (with 95 %) to make fewer mistakes than" in page
    assert "no private algorithm" not in report_of_folder(tmp_path, "average")


@pytest.mark.slow
def test_an_experiment_on_users_takes_more_runs(tmp_path):
    """Its manifest has lines of reference, which are no key: mutation that it catches."""
    (tmp_path / "experiment").mkdir()
    text = "# @package _global_\ndefaults: [override /env: labels, override /algo: bpo]\n"
    (tmp_path / "experiment/mine.yaml").write_text(f"{text}env: {{source: 'sklearn:iris'}}\n")
    for runs in (2, 3):
        keys = {"experiment": "mine", "runs": runs}
        request = requested(tmp_path / "results", folders=(str(tmp_path),), **keys)
        refuse_to_replace(replace(request, changed=(f"runs={runs}",)))
        path = report(replace(request, changed=(f"runs={runs}",)))
        written = pd.read_csv(path.with_suffix(".summary.csv"))
        found = dp.summary(dp.load(path))["of_constant"]
        assert written["of_constant"].tolist() == pytest.approx(found.tolist())


def test_a_manifest_that_was_edited_has_no_lines():
    for found in (3, {}, {"uniform": "x"}, None):
        record = {"references": found, "env_spec": {"law": "labels"}}
        assert References.of(record) is None


def test_error_is_mistakes_per_round(tmp_path):
    env = dp.labelled("sklearn:iris")
    given = {"algo": "best_constant", "runs": 3, "checkpoints": 2, "jobs": 1, "results": tmp_path}
    table = dp.run(env=env, **given)
    errors = dp.measured(table, "error")
    assert (errors["error"] == table["regret"] / table["t"]).all()
    assert (errors.loc[errors["t"] == 150, "error"] == 2 / 3).all()
    for metric in ("regret", "error", "average"):
        assert dp.summary(table, metric=metric)["of_constant"].tolist() == [pytest.approx(1)]
    other = dp.run(algo="ucb", env="bernoulli_c2", horizon=100, runs=2, jobs=1, results=tmp_path)
    assert "of_constant" not in dp.summary(other)
    line = message_of(dp.measured, other, "error")
    assert line == "metric=error: a table of env=labels or env=log is needed"


def test_a_saved_table_keeps_its_records(tmp_path):
    """The control is a table without the file beside it."""
    table = dp.run(algo="best_constant", env=dp.labelled("sklearn:iris"), runs=2, jobs=1)
    file = dp.save(table, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(
        dp.measured(dp.load(file), "error"), dp.measured(table, "error"), check_dtype=False
    )
    file.with_name("t.csv.records.json").unlink()
    assert "metric=error" in message_of(dp.measured, dp.load(file), "error")
    dp.save(dp.load(file), tmp_path / "u.csv")
    assert not (tmp_path / "u.csv.records.json").exists()


@pytest.mark.slow
def test_sets_in_one_table_keep_their_records(tmp_path):
    """Sets are files and frames, which a sweep names by their paths, and records with hashes."""
    rng = np.random.default_rng(0)
    rows = [pd.DataFrame({"x": rng.random(40), "label": ["a", "b"] * 20}) for _ in range(2)]
    rows[0].to_csv(tmp_path / "a.csv", index=False)
    sets = [dp.labelled(tmp_path / "a.csv"), dp.labelled(rows[1])]
    table = dp.run(["best_constant", "uniform_play"], sets, runs=2, jobs=1)
    assert dp.compare(table, metric="error")["env.source"].nunique() == 2
    assert dp.summary(table)["of_constant"].notna().all()
    edited = table.assign(**{"env.source": table["env.source"].str.replace("a.csv", "b.csv")})
    assert "needs the settings" in message_of(dp.compare, edited, metric="error")
    rows[1].to_csv(tmp_path / "b.csv", index=False)
    words = "-m algo=uniform_play,best_constant env=labels env.source=a.csv,b.csv runs=2 jobs=1"
    command("bandit-run", *words.split(), "horizon=rows", cwd=tmp_path)
    compared = command("bandit-compare", "results", "metric=error", cwd=tmp_path)
    assert "mean loss per round" in compared.stdout
    (file,) = tmp_path.glob("results/*-*.csv")
    assert "of_constant" in dp.summary(dp.load(file))


@pytest.mark.slow
def test_a_comparison_of_errors_does_not_speak_of_regret(tmp_path):
    """Mutation that it catches: mistakes as the name of what is a mean loss on a log."""
    words = "-m algo=uniform_play,supervised env=labels env.source=sklearn:iris runs=3 jobs=1"
    command("bandit-run", *words.split(), "horizon=rows", cwd=tmp_path)
    (file,) = tmp_path.glob("results/*-*.csv")
    compared = command("bandit-compare", file, "metric=error", cwd=tmp_path).stdout
    assert "(mean loss per round " in compared and "regret" not in compared
    assert "final" not in compared
    assert "final regret" in command("bandit-compare", file, cwd=tmp_path).stdout  # control


@pytest.mark.slow
def test_the_budget_that_beats_a_line(tmp_path):
    """All rows are shown, so that the best constant action makes the same mistakes in every run.

    Mutation that it catches: the answer is the crossing of the means, at which no run shows it.
    """
    given = {"precision": 4, "jobs": 1, "results": tmp_path}
    env = dp.labelled("sklearn:breast_cancer")
    [row] = dp.budget("bpo", env, beats="constant", least=1, **given).to_dict("records")
    assert row["goal"] == 212 and 1 < row["low"] < row["high"] < 100
    assert row["budget"] == row["high"] == min(x["budget"] for x in row["tried"] if x["side"] < 0)
    at = {look["budget"]: look for look in row["tried"]}
    assert at[row["budget"]]["high"] <= 212 < at[row["low"]]["low"]
    said = "tried whose runs show (with 95 %) that regret is below the 212 of best_constant is"
    assert f"{said} {row['high']:g}; at eps={row['low']:g} regret is above (mean" in row["answer"]
    [other] = dp.budget("bpo", env, regret=212, least=1, most=100, **given).to_dict("records")
    assert other["low"] < other["budget"] < other["high"] == row["high"]  # control: the crossing
    assert "regret crosses 212 between eps=" in other["answer"]
    few = {"least": 0.1, "most": 1}
    env = dp.labelled("sklearn:wine")
    [row] = dp.budget("square_cb", env, beats="uniform", **few, **given).to_dict("records")
    assert math.isclose(row["goal"], 178 * 2 / 3) and "uniform_play" in row["answer"]
    [row] = dp.budget("square_cb", env, beats="constant", **few, **given).to_dict("records")
    assert not row["reached"] and row["goal"] == 178 - 71
    end = "of best_constant at none of the budgets tried, from eps=0.1 to 1; there it is"
    assert end in row["answer"]


def test_a_line_that_is_no_line_is_refused():
    env = dp.labelled("sklearn:iris")
    for name in ("constnt", "best_constant"):
        line = message_of(dp.budget, "bpo", env, beats=name)
        assert line == f"beats={name}: did you mean constant?"
    line = message_of(dp.budget, "bpo", env, beats=3)
    assert line == "beats=3: choose from constant, uniform"
    line = message_of(dp.budget, "bpo", env, beats="supervised")
    assert line.endswith("which has to be played; write ratio=1 baseline=supervised")
    line = message_of(dp.budget, "dp_se", "bernoulli_c2", 100, beats="constant")
    assert "beats=constant: env=bernoulli_c2 has no reference results" in line
    line = message_of(dp.budget, "bpo", env, beats="constant", ratio=2)
    assert line == "beats: leave regret, ratio and baseline out"


def test_a_saved_table_leaves_other_files_alone(tmp_path):
    """These are a user's file of its name, and a table of another format."""
    env, given = dp.labelled("sklearn:iris"), {"runs": 2, "jobs": 1}
    tables = [dp.run(algo=name, env=env, **given) for name in ("best_constant", "uniform_play")]
    (tmp_path / "t.json").write_text('{"mine": 1}')
    dp.save(tables[0], tmp_path / "t.csv")
    dp.save(tables[1], tmp_path / "t.csv.gz")
    assert (tmp_path / "t.json").read_text() == '{"mine": 1}' and (tmp_path / "t.csv").is_file()
    for name in ("t.csv", "t.csv.gz"):
        assert len(dp.measured(dp.load(tmp_path / name), "error"))
