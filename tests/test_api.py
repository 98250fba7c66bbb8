"""The Python API: what a researcher types in a notebook, beside what the commands do."""

import importlib
import os
import subprocess
import sys
import threading
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import captured
from joblib.externals.loky import get_reusable_executor
from matplotlib.figure import Figure
from refusals import message_of
from sweeps import own_algorithm, write
from tiers import first

import dpbandits as dp
from dpbandits.authoring import arms, laplace_mean, pull_sum, rounds_left, until_horizon
from dpbandits.cli import audit, bounds, run, stop
from dpbandits.cli.words import read_request
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.results.formats import csv_of
from dpbandits.results.metrics import METRICS
from dpbandits.settings.groups import names_in

QUICK = {"horizon": 500, "runs": 2, "jobs": 1}
QUICK_STOP = {"env": "sign", "rel_error": 0.5, "cap": 10_000, "runs": 2, "jobs": 1}


pytestmark = pytest.mark.usefixtures("here")


def in_turn(game, rng, m=1):
    """Plays the arms in turn, ``m`` rounds at a time."""
    a = 0
    while rounds_left(game) > 0:
        pull_sum(game, a % arms(game), until_horizon(game, m))
        a += 1


def means_first(game, rng, eps, m=20):
    """Explores each arm ``m`` times, then commits to the largest private mean."""
    mean = np.zeros(arms(game))
    for a in range(arms(game)):
        n = until_horizon(game, m)
        if n > 0:
            mean[a] = laplace_mean(rng, pull_sum(game, a, n), n, eps)
    pull_sum(game, np.argmax(mean), rounds_left(game))


def without_answer(game, rng):
    pull_sum(game, 0, 10)


def keyword_only(game, rng, *, m=1):
    pull_sum(game, m, rounds_left(game))


def sample(game, rng, n):
    """A stopping rule that halts after ``n`` samples."""
    return pull_sum(game, 0, int(n)) / n


# A sweep as a call, and as words of the command
SWEEPS = {
    "algorithms and budgets": ({"algo": ["adap_ucb", "dp_se"], "eps": [0.5, 1]},
     "'sweep={algo:[adap_ucb,dp_se],eps:[0.5,1]}'"),
    "one setting": ({"algo": "adap_ucb", "eps": 0.5}, "algo=adap_ucb eps=0.5"),
    "a list of one": ({"algo": ["adap_ucb"], "eps": [0.5]}, "'sweep={algo:[adap_ucb],eps:[0.5]}'"),
    "not private": ({"algo": ["ucb", "adap_ucb"], "eps": [0.5, 1]},
     "'sweep={algo:[ucb,adap_ucb],eps:[0.5,1]}'"),
    "a parameter": ({"algo": "adap_ucb", "alpha": [1, 3.1]},
     "algo=adap_ucb 'sweep={alpha:[1,3.1]}'"),
    "a budget of zCDP": ({"algo": ["adac_ucb", "adap_ucb", "ucb"], "rho": [0.1, 1], "eps": [2]},
     "'sweep={algo:[adac_ucb,adap_ucb,ucb],rho:[0.1,1],eps:[2]}'"),
    "a fixed parameter": ({"algo": "adap_ucb", "alpha": 2}, "algo=adap_ucb algo.alpha=2"),
    "a parameter of an algorithm": ({"algo": dp.algorithm("adap_ucb", alpha=[1, 3.1]),
     "eps": [0.5, 1]}, "'sweep={algo:[adap_ucb],alpha:[1,3.1],eps:[0.5,1]}'"),
    "parameters of each algorithm": ({"algo": [dp.algorithm("adap_ucb", alpha=[1, 3.1]), "dp_se"]},
     "'sweep=[{algo:[adap_ucb],alpha:[1,3.1]},{algo:[dp_se]}]'"),
    "a parameter that one algorithm has": ({"algo": ["adap_ucb", dp.algorithm("dp_se", beta=0.1)],
     "env": ["bernoulli_c1"]},
     "'sweep=[{algo:[adap_ucb],env:[bernoulli_c1]},{algo:[dp_se],beta:[0.1],env:[bernoulli_c1]}]'"),
    "environments": ({"algo": "adap_ucb", "env": ["bernoulli_c1", "bernoulli_c2"]},
     "algo=adap_ucb 'sweep={env:[bernoulli_c1,bernoulli_c2]}'"),
    "an environment's means": ({"algo": "adap_ucb", "env": dp.bernoulli([0.9, 0.8])},
     "algo=adap_ucb env=bernoulli env.means=[0.9,0.8]"),
    "means that vary": ({"algo": "adap_ucb",
     "env": [dp.bernoulli([0.9, 0.8]), dp.bernoulli([0.5, 0.4])]},
     "algo=adap_ucb env=bernoulli 'sweep={env.means:[[0.9,0.8],[0.5,0.4]]}'"),
    "a changed environment beside itself": ({"algo": "adap_ucb",
     "env": [dp.environment("bernoulli_c2", arms=3), "bernoulli_c2"]},
     "algo=adap_ucb 'sweep={env:[bernoulli_c2],env.arms:[3,5]}'"),
    "horizons": ({"algo": "adap_ucb", "horizon": [100, 300]},
     "algo=adap_ucb 'sweep={horizon:[100,300]}'"),
    "users": ({"algo": "heldp_ucb_l", "population": dp.levels([0.5, 2]), "eps_min": [0.5, "auto"]},
     "algo=heldp_ucb_l population=levels population.levels=[0.5,2] 'sweep={eps_min:[0.5,auto]}'"),
    "populations": ({"algo": ["heldp_ucb_l", "dp_se"], "population": ["uniform_levels", "levels"],
     "eps_min": [0.5]},
     "'sweep={algo:[heldp_ucb_l,dp_se],population:[uniform_levels,levels],eps_min:[0.5]}'"),
    "everything else": ({"algo": "adap_ucb", "seed": 3, "checkpoints": 7, "shuffle_arms": False},
     "algo=adap_ucb seed=3 checkpoints=7 shuffle_arms=false"),
    "numbers of NumPy": ({"algo": "adap_ucb", "eps": np.array([0.5, 1]), "seed": np.int64(3)},
     "algo=adap_ucb seed=3 'sweep={eps:[0.5,1.0]}'"),
    "an experiment": ({"experiment": "azize2022_fig8"}, "experiment=azize2022_fig8"),
}  # fmt: skip
RULES = {
    "rules": ({"rule": ["nas", "dp_nas"]}, "'sweep={rule:[nas,dp_nas]}'"),
    "one setting": ({"rule": "dp_nas", "eps": 2}, "rule=dp_nas eps=2"),
    "goals": ({"rule": "dp_nas", "rel_error": [0.5, 0.6], "beta": [0.1, 0.2]},
     "rule=dp_nas 'sweep={rel_error:[0.5,0.6],beta:[0.1,0.2]}'"),
    "arms": ({"rule": "nas", "env": dp.bernoulli([0.9, 0.8]), "arm": [0, 1]},
     "rule=nas env=bernoulli env.means=[0.9,0.8] 'sweep={arm:[0,1]}'"),
    "means": ({"rule": "nas", "env": [dp.sign(0.5), dp.sign(-0.7)]},
     "rule=nas env=sign 'sweep={env.mean:[0.5,-0.7]}'"),
    "caps": ({"rule": "nas", "cap": [50, 10_000]}, "rule=nas 'sweep={cap:[50,10000]}'"),
}  # fmt: skip


def written(folder="results"):
    """When each file of a folder was written."""
    return {file: file.stat().st_mtime_ns for file in Path(folder).rglob("*") if file.is_file()}


def words(quick, line):
    """A command line with the keys of a quick run that it does not set."""
    return " ".join([line, *(f"{k}={v}" for k, v in quick.items() if f"{k}=" not in line)])


SHARED = [
    *first(((dp.run, run, QUICK, *x) for x in SWEEPS.values()), 3),
    *first((dp.stop, stop, QUICK_STOP, *x) for x in RULES.values()),
]
NAMES = [*SWEEPS, *(f"rules: {name}" for name in RULES)]


@pytest.mark.parametrize(("function", "command", "quick", "call", "line"), SHARED, ids=NAMES)
def test_a_call_gives_the_table_of_the_command(bandit, function, command, quick, call, line):
    """And each plays nothing that the other has played."""
    keys = {k: v for k, v in quick.items() if f"{k}:[" not in line}
    table = function(**{**quick, **call}, results="shared")
    played = written("shared/runs")
    path = bandit(command, words(keys, f"{line} results=shared"))[-1]
    assert dp.save(table, "saved.csv").read_bytes() == Path(path).read_bytes()
    assert written("shared/runs") == played
    again = function(**{**quick, **call}, results="shared")
    assert written("shared/runs") == played
    assert csv_of(again) == csv_of(table)


@pytest.mark.long
def test_nothing_is_written_without_a_folder_of_results(here):
    dp.run("adap_ucb", **QUICK)
    dp.stop("nas", **QUICK_STOP)
    dp.bounds("adap_ucb", eps=1)
    dp.audit("adap_ucb", eps=1, horizon=16, runs=200, jobs=1)
    dp.plot(dp.run(in_turn, **QUICK))
    assert list(here.iterdir()) == []


@pytest.mark.slow
def test_workers_do_not_change_the_table():
    functions = [in_turn, dp.kernel(means_first), "adap_ucb"]
    one, two = (
        dp.run(functions, m=[1, 5], **{**QUICK, "jobs": jobs}, backend=backend)
        for jobs, backend in ((1, None), (2, "processes"))
    )
    pd.testing.assert_frame_equal(one, two, check_exact=True)


@pytest.mark.slow
def test_a_plain_function_and_a_compiled_one_give_the_same_regret():
    call = {"eps": [0.5, 2], "m": [5, 20], **QUICK}
    plain, compiled = (dp.run(f, **call) for f in (means_first, dp.kernel(means_first)))
    assert set(plain["algo"]) == {"means_first"}
    pd.testing.assert_frame_equal(plain, compiled)
    assert len(plain[["eps", "m"]].drop_duplicates()) == 4


@pytest.mark.slow
def test_functions_stand_beside_names_with_values_of_their_own():
    table = dp.run(
        [dp.algorithm(in_turn, m=[1, 5]), dp.algorithm(means_first, m=7), "adap_ucb"], **QUICK
    )
    found = table[["algo", "m"]].drop_duplicates().fillna(-1).to_numpy().tolist()
    assert found == [["in_turn", 1], ["in_turn", 5], ["means_first", 7], ["adap_ucb", -1]]


@pytest.mark.slow
def test_a_function_may_have_defaults_and_is_run_again_when_it_is_edited():
    def committed(game, rng, a=0):
        pull_sum(game, int(a), rounds_left(game))

    call = {"env": dp.bernoulli([0.9, 0.4]), **QUICK, "shuffle_arms": False, "results": "results"}
    first = dp.run(committed, **call)
    assert set(first["regret"]) == {0}

    def committed(game, rng, a=0):
        pull_sum(game, 1 - int(a), rounds_left(game))

    edited = dp.run(committed, **call)
    assert edited["regret"].max() == pytest.approx(250)


def test_an_algorithm_has_a_budget_of_its_own():
    values = [dp.algorithm("adap_ucb", eps=0.1), "dp_se"]
    found = dp.summary(dp.run(values, "bernoulli_c2", eps=1, horizon=100, runs=1))
    assert found["eps"].tolist() == [0.1, 1.0]
    assert dp.summary(dp.run(values[0], horizon=100, runs=1))["eps"].tolist() == [0.1]


def test_values_of_pandas_are_those_of_numpy():
    means, budgets = pd.Series([0.9, 0.6]), pd.Index([0.5, 1])
    given = {"horizon": 100, "runs": 1}
    table = dp.run("adap_ucb", dp.bernoulli(means), eps=budgets, **given)
    assert table.equals(dp.run("adap_ucb", dp.bernoulli([0.9, 0.6]), eps=[0.5, 1.0], **given))
    assert "be compared with this baseline" in message_of(dp.compare, table, float("inf"))


def test_threads_may_run_at_once():
    """Mutation that it catches: each takes away a variable of the environment that it has set."""
    failed = []

    def play():
        try:
            dp.run("ucb", horizon=100, runs=1)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=play) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and "PYTHONSAFEPATH" not in os.environ


@pytest.mark.slow
def test_workers_play_a_module_that_was_loaded_again(tmp_path, monkeypatch):
    """Mutation that it catches: workers keep what they have imported."""
    file = tmp_path / "mine_again.py"
    text = "from dpbandits.authoring import *\n\ndef again(game, rng):\n"
    text += "    while rounds_left(game) > 0:\n        pull(game, {})\n"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # of workers: it is dated by the second
    get_reusable_executor(reuse=True).shutdown(kill_workers=True)  # whose path is another
    regrets = []
    for arm in (0, 1):
        file.write_text(text.format(arm))
        module = importlib.import_module("mine_again")
        module = importlib.reload(module)
        table = dp.run(module.again, horizon=100, runs=1, jobs=1)
        regrets.append(table["regret"].max())
    assert regrets[0] != regrets[1]


@pytest.mark.slow
def test_a_rule_can_be_a_function():
    table = dp.stop(sample, n=[10, 20], **QUICK_STOP)
    assert table["stopping_time"].tolist() == [10, 10, 20, 20]
    assert set(table["rule"]) == {"sample"} and table["halted"].all()


@pytest.mark.long
def test_what_a_function_declares_is_checked_and_can_be_audited():
    private = dp.algorithm(means_first, rewards=(0, 0.5))
    message = message_of(dp.run, private, env=dp.bernoulli([0.9, 0.1]), **QUICK)
    assert "[0, 1]" in message and "means_first assumes rewards in [0, 0.5]" in message
    found = dp.audit(means_first, eps=[0.5, 2], m=3, horizon=16, runs=200, jobs=1)
    assert found["eps"].tolist() == [0.5, 2] and set(found["name"]) == {"means_first"}


# The same mistake in a call and in a command, whose messages are the same; one for each way that
# values take. What else is refused is in refusals.txt.
MISTAKES = [
    (dp.run, run, {"eps": 0}, "eps=0"),
    (dp.run, run, {"algo": "adap_klucbb"}, "algo=adap_klucbb"),
    (dp.run, run, {"env": "bernouli_c2"}, "env=bernouli_c2"),
    (dp.run, run, {"env": dp.bernoulli([0.5])}, "env=bernoulli env.means=[0.5]"),
    (dp.run, run, {"algo": "adap_ucb", "alpha": 0}, "algo=adap_ucb algo.alpha=0"),
    (dp.run, run, {"jobs": 0}, "jobs=0"),
    (dp.run, run, {"backend": "foo"}, "backend=foo"),
    (dp.run, run, {"results": "/dev/null/x"}, "results=/dev/null/x"),
    (dp.run, run, {"experiment": "azize2022_fig44"}, "experiment=azize2022_fig44"),
    (dp.run, run, {"eps": [0.5, 0]}, "'sweep={eps:[0.5,0]}'"),
    (dp.run, run, {"algo": ["ucb"], "eps": [1, 2]}, "'sweep={algo:[ucb],eps:[1,2]}'"),
    (dp.run, run, {"population": dp.levels([1])}, "population=levels"),
    (dp.stop, stop, {"rel_error": 2}, "rel_error=2"),
    (dp.stop, stop, {"rule": "dp_naz"}, "rule=dp_naz"),
    (dp.stop, stop, {"env": dp.sign(2)}, "env=sign env.mean=2"),
    (dp.bounds, bounds, {"eps": 0}, "eps=0"),
    (dp.audit, audit, {"algo": "adap_ucb", "eps": 0}, "algo=adap_ucb eps=0"),
    (dp.audit, audit, {"algo": "adap_ucb", "runs": 5}, "algo=adap_ucb runs=5"),
    (dp.audit, audit, {"mechanism": "noise"}, "mechanism=noise"),
]


@pytest.mark.parametrize(
    ("function", "command", "call", "line"),
    MISTAKES,
    ids=[f"{f.__name__} {line}" for f, _, _, line in MISTAKES],
)
def test_a_mistake_has_the_message_of_the_command(function, command, call, line):
    if command is audit:  # it reads its words in its own way
        expected = message_of(audit.main.__wrapped__, line.split())
    else:
        question = STOPPING if command is stop else REGRET
        expected = message_of(read_request, [w.strip("'") for w in line.split()], (), question)
    assert message_of(function, **call) == expected


MISTAKES_OF_CALLS = [
    (dp.run, {"alfa": 2}, "unknown key or parameter 'alfa': did you mean alpha?"),
    (dp.run, {"horizn": 100}, "did you mean horizon?"),
    (dp.run, {"sweep": {"eps": [1]}}, "unknown key or parameter 'sweep'"),
    (dp.run, {"algo": []}, "algo=[]: at least one value is needed"),
    (dp.run, {"env": 5}, "unknown env '5'"),
    (dp.run, {"algo": lambda game, rng: None}, "a function is needed that has a name"),
    (dp.run, {"algo": sample}, "n is missing: sample needs it"),
    (dp.run, {"algo": test_workers_do_not_change_the_table}, "must start"),
    (dp.run, {"algo": Exception}, "policy=Exception: a policy has the method choose, act,"),
    (dp.run, {"policy": "ucb"}, "policy=ucb: a class, or a list of classes, is needed"),
    (dp.run, {"policy": []}, "algo=[]: at least one value is needed"),
    (dp.run, {"policy": lambda arms: None}, "a function is needed that has a name"),
    (dp.stop, {"rule": without_answer}, "a rule must return its answer, such as the best arm"),
    (dp.stop, {"rule": Counter}, "rule=Counter: a function f(game, rng, ...) is needed, not"),
    (dp.run, {"experiment": "sajed2019_stopping"}, "use dp.stop"),
    (dp.stop, {"experiment": "azize2022_fig8"}, "use dp.run"),
    (dp.run, {"experiment": "azize2022_fig4", "runs": [1, 2]}, "runs=[1,2]"),
    (dp.run, {"config_dir": "nowhere"}, "config_dir=nowhere: there is no such folder"),
    (dp.bounds, {"eps": [0.5, 1]}, "dp.bounds takes one setting"),
    (dp.audit, {}, "nothing to audit: one of algo, rule, mechanism is needed"),
    (dp.algorithm, {"algo": "adap_ucb", "rewards": (0, 1)}, "only a function"),
    (dp.run, {"algo": keyword_only}, "must have no * and no /"),
    (dp.run, {"algo": dp.algorithm("adap_ucb", eps=1), "eps": 2}, "adap_ucb(eps=1) sets eps, too"),
    (
        dp.run,
        {"algo": dp.algorithm("adap_ucb", alpha=2), "alpha": 3},
        "adap_ucb(alpha=2) sets alpha",
    ),
    (
        dp.run,
        {"algo": [dp.algorithm("dp_se", eps=1), "ucb"], "eps": [2]},
        "dp_se(eps=[1]) sets eps",
    ),
    (
        dp.budget,
        {"algo": [], "env": "bernoulli_c2", "regret": 1},
        "algo=[]: at least one is needed",
    ),
    (dp.summary, {"table": "a.csv"}, "a tidy table is needed, such as dp.run returns, not str"),
    (dp.plot, {"table": None}, "a tidy table is needed, such as dp.run returns, not NoneType"),
    (dp.compare, {"table": []}, "table=[]: at least one table is needed"),
    (dp.load, {"path": "missing.csv"}, "missing.csv: no such file"),
    (dp.reproduce, {"experiment": "azize2022_fig44"}, "did you mean azize2022_fig4?"),
]


@pytest.mark.parametrize(
    ("function", "call", "reason"),
    MISTAKES_OF_CALLS,
    ids=[f"{f.__name__} {list(call)}" for f, call, _ in MISTAKES_OF_CALLS],
)
def test_mistakes_that_only_a_call_can_make(function, call, reason):
    assert reason in message_of(function, **call)


def test_two_functions_of_one_name_are_refused():
    def twin(game, rng):
        pull_sum(game, 0, rounds_left(game))

    first = twin

    def twin(game, rng):
        pull_sum(game, 1, rounds_left(game))

    assert "two functions have this name" in message_of(dp.run, [first, twin], **QUICK)

    def adap_ucb(game, rng):
        pull_sum(game, 0, rounds_left(game))

    assert "algo=adap_ucb: the package uses this name" in message_of(dp.run, adap_ucb, **QUICK)


@pytest.mark.slow
def test_an_algorithm_that_fails_raises_its_reason():
    def lost(game, rng):
        raise ValueError("lost")

    with pytest.raises(dp.RunsFailed, match=r"2 runs failed; lost on bernoulli_c2.*: lost"):
        dp.run([lost, "adap_ucb"], **QUICK, results="results")
    stored = [file.name for file in Path("results").rglob("*.npz")]
    assert len(stored) == 1 and stored[0].startswith("adap_ucb")


@pytest.mark.slow
def test_files_of_a_folder_of_the_users():
    source = "from dpbandits.authoring import pull_sum, rounds_left\n"
    source += "def mine(game, rng, a):\n    pull_sum(game, int(a), rounds_left(game))\n"
    own_algorithm(Path("files"), "mine", source, "a: 1\n")
    both = "# @package _global_\nsweep: {algo: [mine, ucb], env: [two]}\n"
    two = "law: bernoulli\nmeans: [0.9, 0.4]\n"
    write(Path("files"), {"env/two.yaml": two, "experiment/both.yaml": both})
    call = {"config_dir": "files", "shuffle_arms": False, **QUICK}
    assert dp.run("mine", "two", **call)["regret"].max() == pytest.approx(250)
    assert dp.run(dp.algorithm("mine", a=0), "two", **call)["regret"].max() == 0
    assert list(dp.run(experiment="both", **call)["algo"].unique()) == ["mine", "ucb"]


@pytest.mark.slow
def test_a_saved_table_is_loaded_as_it_was(bandit):
    tables = [dp.run("adap_ucb", eps=[0.5, 1], **QUICK), dp.run("adac_ucb", rho=[0.5, 1], **QUICK)]
    for table in (*tables, dp.stop("nas", **QUICK_STOP)):
        found = dp.load(dp.save(table, "folder/table.csv"))
        assert csv_of(found) == csv_of(table) and list(found.columns) == list(table.columns)
        pd.testing.assert_frame_equal(dp.summary(found), dp.summary(table), check_dtype=False)
    of_command = dp.load(bandit(run, words(QUICK, "algo=adap_ucb"))[-1])
    assert isinstance(dp.plot(of_command, bounds=True), Figure)  # from its manifest


def test_of_a_folder_one_table_is_loaded(here):
    assert "path=.: the folder has no tables" in message_of(dp.load, ".")
    (here / "runs.csv").write_text("")
    (here / "runs.parquet").write_text("")
    assert "one of its tables is needed: runs.csv, runs.parquet" in message_of(dp.load, here)


def test_a_file_of_another_format_is_not_written(unchanged):
    table = dp.run("ucb", **QUICK)
    assert message_of(dp.save, table, "a.csv.xz") == (
        "path=a.csv.xz: a table is written as .csv, .csv.gz or .parquet"
    )


def test_a_summary_has_a_row_for_each_setting():
    table = dp.run(["adap_ucb", "dp_se"], eps=[0.5, 1], **QUICK)
    found = dp.summary(table)
    settings = [["adap_ucb", 0.5], ["dp_se", 0.5], ["adap_ucb", 1], ["dp_se", 1]]
    assert sorted(found[["algo", "eps"]].to_numpy().tolist()) == sorted(settings)
    final = table[table["t"] == table["horizon"]]
    assert found["mean"].sum() == pytest.approx(final["regret"].sum() / 2)


@pytest.fixture(scope="module")
def regrets():
    return dp.run(["adap_ucb", "dp_se"], eps=[0.5, 1], **QUICK)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"x": "t"}, {"x": "eps"}, {"bounds": True}, {"x": "eps", "bounds": True}, {"band": "std"}],
    ids=str,
)
def test_figures_of_regret(regrets, options):
    figure = dp.plot(regrets, title="A title", **options)
    assert isinstance(figure, Figure)
    labels = " ".join(axes.get_xlabel() for axes in figure.axes) + str(figure.get_supxlabel())
    budget = options.get("x") == "eps"
    assert ("eps" in labels or "epsilon" in labels or "budget" in labels) == budget, labels
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.slow
def test_curves_of_bounds_are_added_to_a_figure(regrets):
    def lines(figure):
        return sum(len(axes.get_lines()) for axes in figure.axes)

    assert lines(dp.plot(regrets, bounds=True)) > lines(dp.plot(regrets))


def test_answers_that_cannot_be_judged_are_no_wrong_ones(bandit):
    """Mutation that it catches: blanks count as wrong."""
    given = {"mu0": 0.3, "mu1": 0.7, "eps": 1, "runs": 3}
    found = dp.summary(dp.stop("dp_sprt", env=dp.bernoulli([0.5]), **given))
    assert found[["correct", "correct_low", "correct_high"]].isna().all(axis=None)
    sure = dp.summary(dp.stop("dp_sprt", env=dp.bernoulli([0.7]), **given))
    assert sure["correct"].tolist() == [1.0]
    words = "rule=dp_sprt env=bernoulli mu0=.3 mu1=.7 eps=1 runs=3 env.means"
    for mean, is_sure in ((0.5, False), (0.7, True)):
        printed = " ".join(bandit(stop, f"{words}=[{mean}]"))
        assert ("both answers" not in printed) == ("not judged" not in printed) == is_sure


@pytest.mark.slow
def test_a_figure_of_stopping_times():
    figure = dp.plot(dp.stop(["nas", "dp_nas"], **QUICK_STOP))
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_figures_that_a_table_does_not_have_are_refused(regrets):
    times, public = dp.stop("nas", **QUICK_STOP), dp.run("ucb", **QUICK)
    without_settings = pd.DataFrame(regrets.to_dict("list")).drop(columns="setting")
    for table, options, reason in (
        (regrets, {"x": "horizon"}, "unknown x 'horizon': choose from eps, t"),
        (regrets, {"band": "wide"}, "band=wide: "),
        (
            regrets,
            {"kind": "tails"},
            "or leave kind out; did you mean tail?",
        ),
        (times, {"x": "t"}, "x=t: a figure of stopping times takes no x"),
        (times, {"bounds": True}, "not beside stopping times"),
        (public, {"x": "eps"}, "no algorithm in the table has a finite privacy budget"),
        (
            without_settings,
            {"bounds": True},
            "bounds=True needs the settings: load the",
        ),
    ):
        assert reason in message_of(dp.plot, table, **options)


def test_bounds():
    found = dp.bounds("adap_ucb", "bernoulli_gap", eps=0.5, horizon=1e5)
    values = found.set_index("bound")["value"]
    assert values["Azize & Basu 2022, Theorem 7"] == pytest.approx(4940, abs=1)
    assert found.loc[0, ["side", "kind"]].tolist() == ["upper", "exact"]
    assert dp.bounds(in_turn).empty or (dp.bounds(in_turn)["side"] == "lower").all()


@pytest.mark.slow
def test_an_audit():
    found = dp.audit("adap_ucb", eps=[0.5, 2], horizon=16, runs=200, jobs=1)
    assert found["eps"].tolist() == [0.5, 2] and (found["measured"] <= found["promised"]).all()
    of_a_rule = dp.audit(rule="dp_nas", eps=1, rel_error=0.5, horizon=64, runs=200, jobs=1)
    assert of_a_rule["kind"].tolist()
    assert dp.audit(mechanism="tree", eps=1, runs=200, jobs=1)["name"].tolist() == ["tree"]


@pytest.mark.slow
def test_findings_of_audits_are_stored_in_a_folder():
    first = dp.audit("adap_ucb", eps=1, horizon=16, runs=200, jobs=1, results="results")
    before = written()
    again = dp.audit("adap_ucb", eps=1, horizon=16, runs=200, jobs=1, results="results")
    assert before and written() == before
    pd.testing.assert_frame_equal(first, again)


@pytest.mark.parametrize(
    ("function", "group", "name", "column", "value"),
    [
        (dp.algorithms, "algo", "adap_klucb", "parameters", "alpha=3.1"),
        (dp.algorithms, "algo", "ucb", "privacy", "not private"),
        (dp.rules, "rule", "dp_nas", "parameters", ""),
        (dp.environments, "env", "bernoulli_c2", "parameters", "family=c2, arms=5"),
        (dp.experiments, "experiment", "azize2022_fig4", None, None),
    ],
)
def test_listings(function, group, name, column, value):
    found = function()
    assert list(found.index) == names_in(group)
    assert found["about"].str.len().gt(0).all()
    if column is not None:
        assert found.loc[name, column] == value


@pytest.mark.slow
def test_an_experiment_is_reproduced_and_left_alone():
    first = dp.reproduce("azize2022_fig8", horizon=300, runs=2, jobs=1)
    assert first == [Path(f"results/figures/azize2022_fig8{s}") for s in (".pdf", ".png")]
    before = written()
    assert dp.reproduce("azize2022_fig8", horizon=300, runs=2, jobs=1) == first
    assert written() == before


def test_the_version_and_the_names():
    assert dp.__version__ == version("dpbandits")
    assert set(dp.__all__) == set(dir(dp))
    assert all(getattr(dp, name) is not None for name in dp.__all__)
    with pytest.raises(AttributeError, match="'ran'"):
        _ = dp.ran


def test_importing_the_package_is_quick():
    heavy = ["numba", "pandas", "matplotlib", "scipy", "hydra", "sklearn", "joblib"]
    code = f"import sys, dpbandits; print([m for m in {heavy} if m in sys.modules])"
    assert captured(sys.executable, "-c", code).stdout.strip() == "[]"


def test_an_audit_whose_results_are_a_file_is_refused(tmp_path):
    write(tmp_path, {"results": ""})
    line = message_of(dp.audit, mechanism="laplace", results=tmp_path / "results")
    assert line.startswith("results=") and "is not a folder" in line


def lines_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def two_games(*algorithms):
    """Tables of two games of one environment's name, concatenated."""
    games = dp.bernoulli([0.9, 0.5]), dp.bernoulli([0.9, 0.85])
    played = (dp.run(algo, env, **QUICK) for algo, env in zip(algorithms, games, strict=True))
    return pd.concat(played, ignore_index=True)


def test_concatenated_tables_work_by_their_columns():
    """What each setting was run with is unknown then; settings that look alike are refused."""
    table = two_games("dp_se", "adap_klucb")
    assert not table.attrs
    assert dp.compare(table)["against"].nunique() == 1
    assert lines_of(dp.plot(table)) == ["DP-SE", "AdaP-KLUCB"]
    needed = "bounds=True needs the settings: load the table of a command with dp.load"
    assert message_of(dp.plot, table, bounds=True).startswith(needed)
    assert "appears twice" in message_of(dp.summary, two_games("dp_se", "dp_se"))
    told = table.assign(gap=np.where(table["algo"] == "dp_se", 0.4, 0.05))
    assert dp.plot(told).axes


def test_a_column_says_which_metric_a_table_holds():
    """Also after it was saved and loaded: no column called regret holds something else."""
    table = dp.run("dp_se", "bernoulli_c2", **QUICK)
    for metric in ("average", "nash"):
        found = dp.measured(table, metric)
        assert f"{metric}_regret" in found and "regret" not in found
        again = dp.load(dp.save(found, "found.csv"))
        assert dp.summary(again)["mean"].tolist() == pytest.approx(dp.summary(found)["mean"])
        (ax,) = dp.plot(again).axes
        assert ax.get_ylabel() == METRICS[metric]
        assert "holds" in message_of(
            dp.summary, again, metric={"average": "nash"}.get(metric, "average")
        )


def test_endings_of_any_case_name_a_format():
    table = dp.run("dp_se", "bernoulli_c2", **QUICK)
    assert dp.save(table, "s.CSV.GZ").read_bytes()[:2] == b"\x1f\x8b"
    for name in ("s.CSV.GZ", "s.CSV"):
        assert csv_of(dp.load(dp.save(table, name))) == csv_of(table)
    assert ".csv.gz or .parquet" in message_of(dp.save, table, "s.csv.ZIP")


@pytest.mark.slow
def test_a_list_of_numpy_or_pandas_is_a_list_of_algorithms():
    names = ["dp_se", "ucb"]
    right = csv_of(dp.run(names, ["bernoulli_c1", "bernoulli_c2"], **QUICK))
    for kind in (np.array, pd.Series, pd.Index, tuple):
        assert csv_of(dp.run(kind(names), kind(["bernoulli_c1", "bernoulli_c2"]), **QUICK)) == right
    assert csv_of(dp.run(np.str_("ucb"), **QUICK)) == csv_of(dp.run("ucb", **QUICK))


@pytest.mark.filterwarnings("error")
def test_a_table_of_float32_has_the_summary_of_float64():
    table = dp.run("dp_se", "bernoulli_c2", **QUICK)
    single = table.astype({"regret": np.float32, "eps": np.float32})
    assert dp.summary(single)["mean"][0] == pytest.approx(dp.summary(table)["mean"][0], rel=1e-6)


def test_a_range_of_very_many_numbers_is_refused_at_once():
    for call in (lambda x: dp.reproduce(x), lambda x: dp.run("ucb", horizon=x)):
        assert "a range has more than 1,000,000 numbers" in message_of(call, range(10**12))


def test_a_mistake_is_one_line_in_a_notebook():
    """IPython calls this method instead of printing the traceback."""
    for call in (
        lambda: dp.run("ucbb"),
        lambda: dp.run(fails_at_once, horizon=5, runs=1, backend="threads"),
    ):
        with pytest.raises((dp.BadInput, dp.RunsFailed)) as raised:
            call()
        [line] = raised.value._render_traceback_()
        assert line == f"{type(raised.value).__name__}: {raised.value}" and "\n" not in line


def fails_at_once(game, rng):
    raise ValueError("lost")


def test_a_report_is_a_link_in_a_notebook(monkeypatch):
    build = importlib.import_module("dpbandits.report.build")
    monkeypatch.setattr(build, "report_of_tables", lambda tables, metric: "<p>")
    page = dp.report(dp.run("ucb", **QUICK), "a & b.html")
    assert isinstance(page, Path) and page.read_text() == "<p>"
    assert page._repr_html_() == '<a href="a%20%26%20b.html" target="_blank">a &amp; b.html</a>'


def test_an_interrupt_is_one_line_that_says_what_keeps_finished_runs(monkeypatch):
    """Control: the signal that ends a command stays what it is."""

    def play(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpbandits.running.monte_carlo.run_settings", play)
    kept = {
        None: "results=DIR would keep finished runs", "mine": "finished runs are stored in mine",
    }  # fmt: skip
    for folder, words in kept.items():
        with pytest.raises(KeyboardInterrupt) as raised:
            dp.run("ucb", results=folder, **QUICK)
        assert raised.value._render_traceback_() == [f"Interrupted: {words}"]
    for given, kind in (((), "Interrupted"), ((15,), "KeyboardInterrupt")):
        stopped = KeyboardInterrupt(*given)
        monkeypatch.setattr("dpbandits.results.table.load", lambda path, x=stopped: raise_(x))
        with pytest.raises(KeyboardInterrupt) as raised:
            dp.load("a.csv")
        assert type(raised.value).__name__ == kind


def raise_(error):
    raise error


INTERRUPTED = """
import sys
import dpbandits as dp
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.typing" and not stopped:
            stopped.append(name)
            raise KeyboardInterrupt
stopped = []
sys.meta_path.insert(0, Stop())
try:
    dp.run("ucb", horizon=100, runs=2, jobs=1)
except KeyboardInterrupt:
    table = dp.run("ucb", horizon=100, runs=2, jobs=1)
    print(table["run"].nunique())
"""


@pytest.mark.slow
def test_a_library_whose_import_was_interrupted_is_imported_again():
    """The control leaves the half-imported library, whose second import then fails."""
    nothing = "sys.modules['dpbandits.calls'].forget_half_imported = lambda: None\n"
    control = INTERRUPTED.replace("class", f"{nothing}class", 1)
    for code, word in ((INTERRUPTED, "2"), (control, "")):
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert ended.stdout.strip() == word, ended.stderr
    assert "has no attribute" in ended.stderr
