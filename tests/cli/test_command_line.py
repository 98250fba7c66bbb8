"""What bandit-run and bandit-stop print, write and store."""

import hashlib
import json
import os
import platform
import shlex
import sys
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
import yaml
from commands import captured, command
from sweeps import own_algorithm, write

from dpbandits.cli import run, stop
from dpbandits.cli.words import read_request
from dpbandits.contracts.algorithm import HOMES, load
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.running.play import loop_of

COLUMNS = ["algo", "env", "eps", "horizon", "seed", "setting", "run", "t", "regret"]
TIMES = [*STOPPING.columns, "seed", "run", *STOPPING.measured]
TIMES.insert(TIMES.index("run"), "setting")
SMALL = "horizon=1e3 runs=2 jobs=1 checkpoints=10"
SMALL_STOP = "env=sign env.mean=0.5 runs=2 jobs=1"
QUICK_RUNS = "runs=2 jobs=1"

# For each question: its command, and a quick line of a private algorithm
LINES = {REGRET: (run, f"algo=adap_ucb {SMALL}"), STOPPING: (stop, f"rule=dp_nas {SMALL_STOP}")}
each_question = pytest.mark.parametrize("question", LINES, ids=lambda q: q.name)


@pytest.fixture
def table(bandit):
    """A function that runs settings of bandit-run and returns their table."""
    return lambda line: pd.read_csv(bandit(run, f"{SMALL} {line}")[-1])


@pytest.fixture
def times(bandit):
    """A function that runs settings of bandit-stop and returns their table."""
    return lambda line: pd.read_csv(bandit(stop, line, errors="")[-1])


def shell(line: str, folder: Path) -> list[str]:
    """The lines that a command prints when it runs in a process of its own."""
    done = command(*shlex.split(line), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def stored(line: str, ended) -> list[str]:
    """The lines that a command prints about stored runs."""
    code, out, err = ended(run, *line.split())
    assert code == 0 and "stored" not in out
    return [said for said in err.splitlines() if "stored" in said]


def tables(printed: list[str]) -> list[Path]:
    return [Path(line) for line in printed if line.endswith(".csv")]


def test_a_command_says_how_many_runs_were_stored(ended):
    line = "-m algo=ucb,ts horizon=100 jobs=1 checkpoints=2"
    assert stored(f"{line} runs=2", ended) == []
    assert stored(f"{line} runs=5", ended) == ["4 of 10 runs were stored; 6 were played"]
    assert stored(f"{line} runs=5", ended) == ["10 of 10 runs were stored; 0 were played"]


@pytest.mark.parametrize(
    ("module", "line", "start", "promise", "name"),
    [
        (run, f"algo=adap_ucb env=bernoulli_c1 eps=0.5 {SMALL}",
         ["adap_ucb", "bernoulli_c1", "0.5", "1000"], "adap_ucb: 0.5-global DP of all actions",
         "adap_ucb-bernoulli_c1-eps0.5-T1000-"),
        (stop, f"rule=dp_nas_exp eps=0.5 rel_error=0.5 {SMALL_STOP}",
         ["dp_nas_exp", "sign", "0.5", "0.5", "0.5"],
         "dp_nas_exp: 0.5-global DP of stopping time and estimate", "dp_nas_exp-sign-eps0.5-a0.5-"),
    ],
    ids=["regret", "stopping"],
)  # fmt: skip
def test_a_setting_prints_its_summary_and_last_the_path_of_its_table(
    bandit, module, line, start, promise, name
):
    printed = bandit(module, line)
    assert ("final regret" if module is run else "stopping time") in printed[0]
    assert "95 % interval" in printed[0]
    assert printed[2].split()[: len(start)] == start
    assert printed[3].endswith("about 100 would do" if module is run else "at most 84 %")
    assert printed[4].startswith(promise) and len(printed) == 6
    path = Path(printed[-1])
    assert path.is_file() and path.parent == Path("results") and path.name.startswith(name)


def test_a_table_of_regret_is_tidy(table):
    found = table("algo=adap_ucb eps=0.5 seed=3 runs=3")
    assert list(found.columns) == COLUMNS
    assert set(found["algo"]) == {"adap_ucb"} and set(found["env"]) == {"bernoulli_c2"}
    assert set(found["eps"]) == {0.5} and set(found["seed"]) == {3}
    assert set(found["horizon"]) == {1000} and found["horizon"].dtype == found["t"].dtype == int
    checkpoints = found.loc[found["run"] == 0, "t"].to_list()
    assert checkpoints == sorted(set(checkpoints)) and checkpoints[-1] == 1000
    assert found["run"].to_list() == [r for r in range(3) for _ in checkpoints]
    assert found["t"].to_list() == checkpoints * 3
    assert (found.groupby("run")["regret"].diff().dropna() >= 0).all()
    assert found["regret"].between(0, 500).all() and found["regret"].max() > 0


def test_a_table_of_stopping_times_is_tidy(times):
    found = times("rule=dp_nas eps=0.5 beta=0.1 seed=3 cap=1e6 env.mean=0.5 runs=3 jobs=1")
    assert list(found.columns) == TIMES
    setting = ["dp_nas", "sign", 0, 0.5, 0.5, 0.25, 0.1, 1, 1_000_000, 3]
    assert found.iloc[0, :10].tolist() == setting
    assert found["run"].tolist() == [0, 1, 2]
    assert found["halted"].tolist() == found["correct"].tolist() == [1, 1, 1]
    assert found["stopping_time"].between(1000, 100_000).all()
    assert (abs(found["estimate"] - 0.5) <= 0.125).all()


@pytest.mark.parametrize(
    ("module", "line"), [(run, f"algo=ucb {SMALL}"), (stop, f"rule=nas {SMALL_STOP}")]
)
def test_the_budget_of_what_is_not_private_is_infinite(bandit, module, line):
    printed = bandit(module, line)
    assert "not private" in printed[2]
    assert np.isposinf(pd.read_csv(printed[-1])["eps"]).all()


@pytest.mark.slow
def test_a_request_whose_runs_are_finished_imports_neither_numba_nor_scipy(tmp_path):
    words = ["algo=adap_ucb", "horizon=300", "runs=2", f"results={tmp_path}"]
    code = f"import sys; from dpbandits.cli.run import main; sys.argv = ['bandit-run', *{words}]\n"
    code += "try:\n main()\nfinally:\n print('with', *sorted({'numba', 'scipy'} & {*sys.modules}))"
    first, again = (captured(sys.executable, "-c", code).stdout.splitlines() for _ in range(2))
    assert first[-1] == "with numba scipy" and again[-1] == "with"
    assert again[:-1] == first[:-1]


@each_question
def test_a_manifest_and_summaries_lie_beside_the_table(bandit, question):
    module, line = LINES[question]
    path = Path(bandit(module, f"{line} eps=2 seed=5")[-1])
    manifest = json.loads(path.with_suffix(".json").read_text())
    keys = "config changed settings sha256 sources versions played_with commit"
    assert manifest.keys() == {*keys.split(), "wall_time_seconds"}
    assert all(list(Path("results/runs").rglob(f"*-{one}.npz")) for one in manifest["settings"])
    assert set(pd.read_csv(path)["setting"]) == set(manifest["settings"])
    assert manifest["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    (setting,) = manifest["settings"].values()
    assert manifest["config"]["eps"] == 2 and setting["seed"] == manifest["config"]["seed"] == 5
    assert setting["question"] == question.name
    if question is REGRET:
        assert setting["parameters"] == {"eps": 2, "alpha": 3.1} and setting["horizon"] == 1000
        assert setting["env_spec"] == {"law": "bernoulli_family", "family": "c2", "arms": 5}
    else:
        assert setting["parameters"] == {"eps": 2, "rel_error": 0.25, "beta": 0.05, "R": 1}
        assert setting["env_spec"] == {"law": "sign", "mean": 0.5, "scale": 1.0}
        assert setting["horizon"] == manifest["config"]["cap"] == 10**9
    assert manifest["wall_time_seconds"] >= 0
    versions = {"numpy": np.__version__, "numba": numba.__version__}
    versions["python"] = platform.python_version()
    assert manifest["versions"].items() >= versions.items()
    assert manifest["played_with"] == [f"numpy {np.__version__}, numba {numba.__version__}"]
    markdown = path.with_suffix(".md").read_text().splitlines()
    assert all(line.startswith("|") and line.endswith("|") for line in markdown)
    assert manifest["config"][question.group] in markdown[-1]
    assert r"\begin{tabular}" in path.with_suffix(".tex").read_text()
    assert "_" not in path.with_suffix(".tex").read_text()  # names for people


@pytest.mark.long
def test_a_manifest_describes_the_table_beside_it(bandit):
    """Also when the table is made of finished runs alone; these keep the time that they took."""
    line = "experiment=azize2022_fig8 jobs=1"
    taken, file = [], Path("results/azize2022_fig8.json")
    for scale in ("horizon=2000 runs=3", "horizon=3000 runs=2", "horizon=2000 runs=3"):
        for suffix in (".json", ".md"):  # the table and its page may be replaced
            file.with_suffix(suffix).unlink(missing_ok=True)
        path = Path(bandit(run, f"{line} {scale}")[-1])
        manifest = json.loads(file.read_text())
        assert f"runs={manifest['config']['runs']}" == scale.split()[1]
        settings = manifest["settings"].values()
        assert {setting["horizon"] for setting in settings} == {int(scale[8:12])}
        assert {setting["parameters"]["alpha"] for setting in settings} == {1.0, 3.1}
        taken.append(manifest["wall_time_seconds"])
    bandit(run, f"{line} {scale}")
    assert path.with_suffix(".json") == file
    assert json.loads(file.read_text())["wall_time_seconds"] == taken[-1]


@pytest.mark.slow
def test_shuffled_arms_give_other_runs(table):
    regrets = [tuple(table(f"algo=adap_ucb {way}")["regret"]) for way in ("", "shuffle_arms=false")]
    assert len(set(regrets)) == 2


def test_a_table_of_rewards_can_be_read_from_a_file(table):
    Path("rewards.csv").write_text("a,b\n" + "1,0\n" * 20)
    found = table("env=table env.file=rewards.csv horizon=20")
    assert found["regret"].max() <= 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "names", "settings"),
    [
        ("'sweep={algo:[ucb,adap_ucb],eps:[0.5,1]}'", ["algo", "eps"],
         [("ucb", np.inf), ("adap_ucb", 0.5), ("adap_ucb", 1)]),
        ("'sweep={algo:[adap_ucb,dp_se],alpha:[1,3.1]}'", ["algo", "alpha"],
         [("adap_ucb", 1), ("adap_ucb", 3.1), ("dp_se", None)]),
        ("'sweep=[{algo:[ucb]},{algo:[adap_ucb],env:[bernoulli_c1,bernoulli_c3]}]'",
         ["algo", "env"],
         [("ucb", "bernoulli_c2"), ("adap_ucb", "bernoulli_c1"), ("adap_ucb", "bernoulli_c3")]),
        ("'sweep={env:[contaminated,bernoulli_c2],env.alpha:[0,.2]}' algo=adap_ucb assume=true",
         ["env", "env.alpha"],
         [("contaminated", 0), ("contaminated", 0.2), ("bernoulli_c2", None)]),
        ("algo=adap_ucb env=contaminated assume=true "
         "'sweep={env.outlier:[0,[0,1,1,1,1],{law: bernoulli, mean: .5}]}'", ["env.outlier"],
         [("0",), ("[0,1,1,1,1]",), ("{law:bernoulli,mean:0.5}",)]),
        ("algo=heldp_ucb_l population=levels eps_min=1 'sweep={population.levels:[[1],[1,2]]}'",
         ["population.levels", "eps"], [("[1]", 1), ("[1,2]", 2)]),
    ],
    ids=["budgets", "a parameter", "a list of sweeps", "a parameter of the environment",
         "lists and laws", "a parameter of a population"],
)  # fmt: skip
def test_a_sweep_gives_each_setting_once_and_what_varies_a_column(table, line, names, settings):
    found = table(line)
    rows = found[names].drop_duplicates().astype(object).replace(np.nan, None)
    assert list(map(tuple, rows.to_numpy())) == settings
    more = [name for name in names if name not in COLUMNS]
    if "population" not in line:
        assert list(found.columns) == [*COLUMNS[:5], *more, *COLUMNS[5:]]
    assert len(found) == len(settings) * 2 * found["t"].nunique()


@pytest.mark.slow
def test_a_sweep_of_rules_gives_each_setting_once_and_a_column(times):
    found = times("'sweep={rule:[nas,dp_nas],eps:[.5,2],env.mean:[.5,-.7]}' runs=2")
    assert list(found.columns) == [*TIMES[:10], "env.mean", *TIMES[10:]]
    settings = found[["rule", "eps", "env.mean"]].drop_duplicates()
    assert len(settings) == 6 and len(found) == 12
    assert set(found.loc[found["rule"] == "nas", "eps"]) == {np.inf}
    assert (found["env.mean"] == found["true_mean"]).all()
    alone = times("rule=dp_nas eps=2 env.mean=-.7 runs=2")
    chosen = found[(found["eps"] == 2) & (found["env.mean"] == -0.7)]
    assert chosen["stopping_time"].tolist() == alone["stopping_time"].tolist()


@pytest.mark.slow
def test_a_swept_setting_has_the_runs_that_it_has_alone(table):
    alone = table("algo=adap_ucb eps=0.5")
    swept = table("'sweep={algo:[ucb,adap_ucb],eps:[1,0.5]}'")
    swept = swept[(swept["algo"] == "adap_ucb") & (swept["eps"] == 0.5)].reset_index(drop=True)
    pd.testing.assert_frame_equal(swept, alone, check_exact=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "columns", "settings"),
    [
        (f"bandit-run -m algo=adap_ucb,adap_klucb eps=0.5,1 {SMALL}", ["algo", "eps"],
         [(algo, eps) for algo in ("adap_ucb", "adap_klucb") for eps in (0.5, 1.0)]),
        (f"bandit-stop -m rule=nas,dp_nas rel_error=.5,.9 {SMALL_STOP}", ["rule", "rel_error"],
         [(rule, a) for rule in ("nas", "dp_nas") for a in (0.5, 0.9)]),
        (f"bandit-run {SMALL} algo=ucb,adap_ucb -m", ["algo"], [("ucb",), ("adap_ucb",)]),
    ],
    ids=["regret", "stopping", "the option last"],
)  # fmt: skip
def test_a_multirun_makes_one_table_of_every_combination(tmp_path, line, columns, settings):
    """Mutation that it catches: a combination whose rows are missing."""
    printed = shell(line, tmp_path)
    (path,) = tables(printed)
    rows = pd.read_csv(tmp_path / path)[columns].drop_duplicates().replace(np.inf, None)
    assert list(map(tuple, rows.to_numpy().tolist())) == settings
    assert sum("---" in line for line in printed) == 1 and printed[-1] == str(path)
    assert [path.name for path in tmp_path.iterdir()] == ["results"]
    manifest = json.loads((tmp_path / path).with_suffix(".json").read_text())
    assert manifest["changed"][0] == "-m" and len(manifest["settings"]) == len(settings)
    again = shell(shlex.join([line.split()[0], *manifest["changed"], "jobs=1"]), tmp_path)
    assert again[-1] == str(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("choices", "column", "values"),
    [
        ("algo=adap_ucb seed=4,2", "seed", [4, 2]),
        ("algo=adap_ucb algo.alpha=3,1", "alpha", [3, 1]),
        ("algo=adap_ucb,ucb algo.alpha=3,1", "alpha", [3, 1, None]),
        ("algo=adap_ucb checkpoints=4,6", "checkpoints", [4, 6]),
        ("algo=adap_ucb shuffle_arms=true,false", "shuffle_arms", [True, False]),
        ("algo=adap_ucb env=bernoulli env.means=[0.9,0.8],[0.5,0.4,0.3]", "env.means",
         ["[0.9,0.8]", "[0.5,0.4,0.3]"]),
        ("algo=adap_ucb env=bernoulli,bernoulli_c2 env.means=[0.9,0.8]", "env.means",
         ["[0.9,0.8]", None]),
        ("algo=adap_ucb env=contaminated env.outlier=1 assume=true env.inlier=bernoulli "
         "env.inlier.means=[0.9,0.1],[0.5,0.4]", "env.inlier.means", ["[0.9,0.1]", "[0.5,0.4]"]),
        ("algo=adap_ucb env=contaminated assume=true env.inlier=bernoulli_c1,bernoulli_c3",
         "env.inlier", ["bernoulli_c1", "bernoulli_c3"]),
        ("algo=heldp_ucb_b population=uniform_levels,clipped_normal eps_min=1", "population",
         ["uniform_levels", "clipped_normal"]),
        ("algo=glob(adap_*)", "algo", ["adap_klucb", "adap_ucb"]),
    ],
)  # fmt: skip
def test_a_multirun_varies_any_key(tmp_path, choices, column, values):
    """The table has a column for what varies, so that each run is in it once."""
    printed = shell(f"bandit-run -m {SMALL} {choices}", tmp_path)
    (path,) = tables(printed)
    found = pd.read_csv(tmp_path / path)
    assert list(found[column].astype(object).replace(np.nan, None).unique()) == values
    assert not found.duplicated([*dict.fromkeys([column, "run", "t"])]).any()


@pytest.mark.long
def test_an_algorithm_without_privacy_is_run_once_in_a_multirun(tmp_path):
    """Mutation that it catches: the points of one algorithm that differ in eps are all run."""
    printed = shell(f"bandit-run -m algo=ucb,adap_ucb,adac_ucb eps=0.5,1 {SMALL}", tmp_path)
    (path,) = tables(printed)
    found = pd.read_csv(tmp_path / path).groupby(["algo", "eps", "rho"], dropna=False).ngroups
    assert found == 4
    shell(f"bandit-run -m algo=ucb,adap_ucb eps=1 {SMALL}", tmp_path)
    found = shell(f"bandit-status -m algo=ucb,adap_ucb eps=0.5,1 {SMALL}", tmp_path)
    assert found[-1] == "nothing is left to run"


@pytest.mark.parametrize(
    ("module", "line", "budget"),
    [
        (run, f"algo=adap_ucb {SMALL}", "eps"),
        (stop, f"rule=dp_nas {SMALL_STOP}", "eps"),
        pytest.param(run, f"algo=adac_ucb {SMALL}", "rho", marks=pytest.mark.slow),
        (run, f"algo=adap_ucb eps=1 {SMALL}", None),
        pytest.param(run, f"'sweep={{algo:[ucb,adap_ucb],eps:[1]}}' {SMALL}", None,
         marks=pytest.mark.slow),
        (run, f"algo=ucb {SMALL}", None),
    ],
)  # fmt: skip
def test_the_default_budget_is_one_and_printed_if_none_was_given(bandit, module, line, budget):
    printed = bandit(module, line)
    said = [x for x in printed if "the default" in x]
    assert said == (
        [f"{budget}=1 is the default budget; {budget}=NUMBER sets another budget"] if budget else []
    )
    assert budget is None or set(pd.read_csv(printed[-1])[budget]) == {1.0}


@pytest.mark.slow
def test_several_experiments_are_run_one_after_the_other(tmp_path):
    names = "azize2022_fig8,sajed2019_stopping"
    with pytest.raises(AssertionError, match="unknown key"):
        shell(f"bandit-run -m experiment={names} horizon=100 {QUICK_RUNS}", tmp_path)
    assert list(tmp_path.iterdir()) == []
    printed = shell(f"bandit-run -m experiment={names} runs=1 jobs=1", tmp_path)
    assert tables(printed) == [Path(f"results/{name}.csv") for name in names.split(",")]


@pytest.mark.slow
def test_a_multirun_of_an_experiment_is_one_table_of_its_sweep_and_the_keys(tmp_path):
    printed = shell(
        f"bandit-run -m experiment=azize2022_fig8 horizon=100,200 {QUICK_RUNS}", tmp_path
    )
    (path,) = tables(printed)
    found = pd.read_csv(tmp_path / path)
    assert set(found["horizon"]) == {100, 200} and set(found["alpha"]) == {1, 3.1}


@pytest.mark.slow
def test_an_experiment_runs_under_either_command(bandit):
    line = "experiment=sajed2019_stopping runs=1 jobs=1 sweep.rel_error=[.5] sweep.env.mean=[.5]"
    first = Path(bandit(stop, line)[-1])
    assert first == Path("results/sajed2019_stopping.csv")
    before = first.read_bytes()
    assert bandit(run, line)[-1] == str(first) and first.read_bytes() == before
    assert read_request(["experiment=azize2022_fig8"], (), STOPPING).question is REGRET


@pytest.mark.slow
@each_question
def test_an_option_prints_every_key_and_runs_nothing(tmp_path, question):
    limit, group = question.limit, question.group
    name = {"algo": "adap_ucb", "rule": "nas"}[group]
    printed = shell(f"{question.command} --cfg job {group}={name} {limit}=500", tmp_path)
    config = yaml.safe_load("\n".join(printed))
    assert config[limit] == 500 and {f"override /{group}": name} in config["defaults"]
    assert config[group] == {"algo": {"alpha": 3.1}, "rule": {}}[group]
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_the_package(bandit):
    [line] = bandit(run, "--version")
    name, version = line.split()
    assert name == "dpbandits" and version[0].isdigit()


@pytest.mark.slow
def test_the_kernel_that_is_compiled_is_the_one_that_is_played(bandit):
    for env in ("bernoulli_c2", "twopoint_heavy env.g=1 env.means=[.5,.4]"):
        bandit(run, f"algo=dp_ucb_bound env={env} {SMALL}")
    algorithm = load(HOMES["algo"] / "dp_ucb_bound.py")
    assert len(loop_of(algorithm).dispatcher.signatures) == 1


def test_a_horizon_that_no_float_holds(bandit):
    path = bandit(run, "algo=adap_ucb horizon=9007199254740993 runs=1")[-1]
    assert pd.read_csv(path)["t"].iloc[-1] == 9007199254740993


IDLE = """
import numpy as np

from dpbandits.authoring import kernel, skip_rounds, rounds_left


@kernel
def idle(game, rng):  # little to compile
    skip_rounds(game, np.arange(1), rounds_left(game))
"""


@pytest.mark.long
def test_compiling_is_reported_once(tmp_path):
    own_algorithm(tmp_path / "mine", "idle", IDLE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = "from dpbandits.cli.run import main; main()"
    reported = []
    (tmp_path / "pickle.py").write_text("print('imported')")  # the compiler's process needs one
    for _ in range(2):
        words = ["algo=idle", "horizon=100", "runs=1", f"--config-dir={tmp_path / 'mine'}"]
        python = [sys.executable, "-P", "-c", code]
        done = captured(*python, *words, cwd=tmp_path, env=environment)
        assert done.returncode == 0
        reported.append(done.stderr)
        assert "imported" not in done.stdout
    # and no progress bar: there is no terminal
    first = "compiling idle, the first time only: about 6 s ...\n"
    assert reported == [first, "1 of 1 runs were stored; 0 were played\n"]


def test_a_run_that_reaches_its_cap_has_no_estimate(bandit):
    printed = bandit(stop, f"'sweep={{cap:[50,1e6]}}' rule=nas {SMALL_STOP}")
    assert "at least 50" in printed[2] and "none halted" in printed[2]
    assert "at least" not in printed[3]
    found = pd.read_csv(printed[-1])
    capped = found[found["cap"] == 50]
    assert (capped["stopping_time"] == 50).all() and (capped["halted"] == 0).all()
    assert capped[["estimate", "correct"]].isna().all(axis=None)
    assert (found.loc[found["cap"] == 10**6, "halted"] == 1).all()


@pytest.mark.slow
def test_a_mean_of_zero_is_reported_and_runs_to_the_cap(bandit):
    warning = (
        "env=sign: the mean of arm 0 is 0, and no estimate has a relative error below 1; "
        "rules run to their cap"
    )
    line = "'sweep={rule:[nas,dp_nas,dp_nas_exp]}' env.mean=0 runs=3"
    found = pd.read_csv(bandit(stop, line, errors=warning)[-1])
    assert (found["stopping_time"] == 10**9).all() and found["correct"].isna().all()


@pytest.mark.parametrize(
    ("line", "mean"),
    [
        ("env=bernoulli env.means=[.9,.8] arm=1", 0.8),
        ("env=ren_mixed arm=5", 0.8),  # Beta(4, 1)
        ("env=sign env.mean=-4 env.scale=8 R=8", -4),
        ("env=twopoint_heavy R=1.2 arm=0", 0.9),
    ],
)
def test_any_arm_of_any_bounded_environment(times, line, mean):
    found = times(f"rule=dp_nas {line} rel_error=.5 runs=3")
    assert found["true_mean"].iloc[0] == pytest.approx(mean)
    assert (found["correct"] == 1).all()
    assert found["arm"].iloc[0] == (int(line.split("arm=")[1]) if "arm=" in line else 0)


@pytest.mark.slow
def test_behind_a_sigmoid_the_mean_is_that_of_what_is_seen(times):
    found = times("env=ren_gaussian_sigmoid rel_error=.1 eps=10 runs=3")
    x = 1 / (1 + np.exp(-np.random.default_rng(0).normal(0.9, 1, 10**6)))
    assert found["true_mean"].iloc[0] == pytest.approx(x.mean(), abs=1e-3)
    assert (found["correct"] == 1).all()


MINE = '''
"""Stop after a number of samples."""

import numpy as np

from dpbandits.authoring import laplace, pull_sum, rounds_left


def fixed(game, rng, eps, R, n):
    """eps-DP."""
    if n > rounds_left(game):
        return np.nan
    return (pull_sum(game, 0, int(n)) + laplace(rng, 2 * R / eps)) / n
'''


@pytest.mark.slow
def test_a_rule_of_the_users_runs_beside_those_of_the_package(bandit):
    write(Path("mine/rule"), {"fixed.py": MINE, "fixed.yaml": "# Mine.\nn: 100\n"})
    line = f"--config-dir mine 'sweep={{rule:[fixed,dp_nas],n:[100,200]}}' {SMALL_STOP}"
    found = pd.read_csv(bandit(stop, line)[-1])
    assert list(found.columns) == [*TIMES[:10], "n", *TIMES[10:]]
    mine = found[found["rule"] == "fixed"]
    assert mine["stopping_time"].tolist() == mine["n"].tolist() == [100] * 2 + [200] * 2
    assert found.loc[found["rule"] == "dp_nas", "n"].isna().all()


@pytest.mark.slow
def test_one_line_names_the_setting_whose_runs_are_too_few(bandit):
    """The control: enough runs of a light tail, and a single run, of which there is no interval."""
    words = "algo=adap_klucb env=bernoulli_c2 horizon=2000 jobs=1"
    printed = [x for x in bandit(run, f"{words} runs=5") if "too few" in x]
    assert printed == [
        "algo=adap_klucb env=bernoulli_c2 eps=1 horizon=2000: 5 runs are too few for its tail, and "
        "the interval may be too narrow; about 100 would do"
    ]
    several = [x for x in bandit(run, f"{words} runs=5 'sweep={{eps:[1,2]}}'") if "too few" in x]
    assert len(several) == 1 and several[0].endswith("(2 of 2 settings have too few)")
    for enough in ("runs=300", "runs=1"):
        assert not [x for x in bandit(run, f"{words} {enough}") if "too few" in x]
