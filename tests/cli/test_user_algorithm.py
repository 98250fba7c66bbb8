"""A user's own algorithm, environment and experiment, outside the repository."""

import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from commands import command
from refusals import message_of
from sweeps import own_algorithm, write

import dpbandits as dp
from dpbandits.cli import run
from dpbandits.cli.words import read_request
from dpbandits.contracts.display import declare_own
from dpbandits.contracts.question import COMPARED, STATISTICS
from dpbandits.figures.labels import plain_text
from dpbandits.results.summary import QUANTILES
from dpbandits.settings.request import COLUMNS
from dpbandits.settings.user_files import user_folders

GREEDY = '''
"""Explore each arm, then play the one that looked best through noise."""

import numpy as np

from dpbandits.authoring import arms, kernel, pull, rounds_left


def greedy(game, rng, eps, explore):
    """Private because the sums are noisy."""
    sums = np.zeros(arms(game))
    for a in range(arms(game)):
        for _ in range(min(int(explore), rounds_left(game))):
            sums[a] += pull(game, a)
        sums[a] += rng.laplace(0.0, 1.0 / eps)
    best = np.argmax(sums)
    while rounds_left(game) > 0:
        pull(game, best)
'''
FAST_GREEDY = GREEDY.replace("def greedy", "@kernel\ndef fast_greedy")
EXPLORE = "# Explore, then commit. eps-global DP.\nexplore: 20\n"
EXPERIMENT = """\
# @package _global_
# Greedy, twice, against AdaP-UCB.
horizon: 2000
runs: 3
sweep:
  env: [my_env]
  eps: [0.5]
  algo: [adap_ucb, greedy, fast_greedy]
"""
MINE = Path("mine")
QUICK = ["horizon=60", "runs=2", "jobs=1", "env=bernoulli"]


def bandit_run(*given: str) -> subprocess.CompletedProcess:
    return command("bandit-run", "--config-dir", "mine", *given)


pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.slow
def test_an_experiment_mixes_the_packages_algorithms_with_the_users():
    """One job and two give the same bytes, compiled and plain code the same runs."""
    own_algorithm(MINE, "greedy", GREEDY, EXPLORE)
    own_algorithm(MINE, "fast_greedy", FAST_GREEDY, EXPLORE)
    write(MINE, {"env/my_env.yaml": "# Mine.\nlaw: bernoulli\nmeans: [0.6, 0.5, 0.3]\n"})
    write(MINE, {"experiment/my_exp.yaml": EXPERIMENT})
    for jobs in (1, 2):
        done = bandit_run("experiment=my_exp", f"jobs={jobs}", f"results=jobs{jobs}")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == f"jobs{jobs}/my_exp.csv"
    one, two = (Path(f"jobs{jobs}/my_exp.csv") for jobs in (1, 2))
    assert one.read_bytes() == two.read_bytes()
    table = pd.read_csv(one)
    assert list(table["algo"].unique()) == ["adap_ucb", "greedy", "fast_greedy"]
    assert set(table["env"]) == {"my_env"} and set(table["eps"]) == {0.5}
    assert set(table["run"]) == {0, 1, 2} and set(table["horizon"]) == {2000}
    assert table["t"].max() == 2000
    assert (table.loc[table["t"] == 2000, "regret"] > 0).all()
    plain, compiled = (
        table[table["algo"] == algo].drop(columns=["algo", "setting"]).reset_index(drop=True)
        for algo in ("greedy", "fast_greedy")
    )
    pd.testing.assert_frame_equal(plain, compiled, check_exact=True)
    done = bandit_run("-m", "algo=greedy", "algo.explore=1,2", *QUICK, "env=my_env")
    assert done.returncode == 0, done.stderr
    assert len([line for line in done.stdout.splitlines() if line.endswith(".csv")]) == 1


@pytest.mark.long
def test_an_edited_algorithm_is_run_again():
    regrets = []
    for code in (GREEDY, GREEDY.replace("argmax", "argmin")):
        own_algorithm(MINE, "greedy", code, EXPLORE)
        path = bandit_run("algo=greedy", *QUICK).stdout.splitlines()[-1]
        regrets.append(pd.read_csv(path)["regret"].tolist())
    assert regrets[0] != regrets[1]


@pytest.mark.slow
def test_a_table_of_another_version_is_replaced_with_a_line(ended):
    """Without one if no version has changed."""
    own_algorithm(MINE, "greedy", GREEDY, EXPLORE)
    words = ["--config-dir=mine", "algo=greedy", "backend=threads", *QUICK]
    code, out, err = ended(run, *words)
    assert code == 0 and "replaces" not in err
    table = Path(out.splitlines()[-1])
    assert "replaces" not in ended(run, *words)[2]
    manifest = table.with_suffix(".json")
    [setting] = json.loads(manifest.read_text())["settings"].values()
    manifest.write_text(manifest.read_text().replace(setting["version"], "older"))
    other = "the new table replaces the table made by another version of greedy; results=DIR"
    assert f"{table}: {other}" in ended(run, *words)[2]
    assert "replaces" not in ended(run, *words)[2]


def test_a_table_of_another_version_of_a_reward_law_is_replaced_with_a_line(ended):
    words = ["--config-dir=mine", "algo=dp_se", "eps=1", "horizon=100", "runs=2", "env=coin"]
    Path(MINE, "env").mkdir(parents=True)
    Path(MINE, "env", "coin.yaml").write_text(
        "law: mixed\narms: [{law: coin}, {law: bernoulli, mean: .1}]"
    )
    Path(MINE, "law").mkdir()
    said = []
    for reward in ("u", "u", "u**2"):
        Path(MINE, "law", "coin.py").write_text(f"def coin(u):\n    return {reward}\n")
        said.append("replaces the table made by another version of coin;" in ended(run, *words)[2])
    assert said == [False, False, True]


@pytest.mark.slow
def test_a_table_of_other_settings_is_replaced_with_a_line(ended, monkeypatch):
    """An experiment's file may refer to a variable of the environment."""
    Path(MINE, "experiment").mkdir(parents=True)
    seed = "# @package _global_\nseed: ${oc.decode:${oc.env:SEED}}\n"
    Path(MINE, "experiment", "mine.yaml").write_text(seed)
    words = ["--config-dir=mine", "experiment=mine", *QUICK]
    said = []
    for number in "112":
        monkeypatch.setenv("SEED", number)
        code, _, err = ended(run, *words)
        assert code == 0
        said.append("the new table replaces a table with other settings" in err)
    assert said == [False, False, True]


BROKEN = {
    "syntax error": ("def greedy(game, rng:", EXPLORE, "SyntaxError"),
    "no such module": ("import nothing_like_it", EXPLORE, "nothing_like_it"),
    "leaves while it is imported": ("import sys\nsys.exit(0)", EXPLORE, "greedy.py"),
    "no function": ("def greed(game, rng): ...", EXPLORE, "no function greedy(game, rng, ...)"),
    "two classes": (
        "class One: ...\nclass Two: ...\nclass _Three: ...",
        EXPLORE,
        "defines 2 classes, One and Two, and nothing named greedy: give the class that chooses "
        "arms the name greedy, or begin the names of the other classes with _",
    ),
    "not a function": ("greedy = 3", EXPLORE, "no function greedy(game, rng, ...)"),
    "wrong first arguments": (
        GREEDY.replace("game, rng", "rng, game"),
        EXPLORE,
        "must start greedy(game, rng, ...",
    ),
    "unknown annotation": (GREEDY.replace("eps,", "eps: 'Bugdet',"), EXPLORE, "Bugdet"),
    "parameter without a value": (GREEDY, "{}", "algo.explore is missing"),
    "value without a parameter": (GREEDY, EXPLORE + "explroe: 3", "'algo.explroe'"),
    "value that is text": (GREEDY, "explore: much", "algo.explore=much: a number is needed"),
    "YAML that is a list": (GREEDY, "[1, 2]", "greedy"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_algorithm_is_refused(broken):
    """Before anything is written."""
    source, values, reason = BROKEN[broken]
    own_algorithm(MINE, "greedy", source, values)
    before = sorted(Path.cwd().rglob("*"))
    assert reason in message_of(lambda: read_request(["algo=greedy", *QUICK], user_folders("mine")))
    after = [x for x in sorted(Path.cwd().rglob("*")) if "__pycache__" not in x.parts]
    assert after == before


CLASS = '''
"""Explore, then commit."""
import numpy as np

NAME = "my ETC"
LINE = "wine", "dotted"


class _Sums:
    """A helper, which is no algorithm."""

    def __init__(self, K):
        self.sums = np.zeros(K)


class MyETC:
    def __init__(self, K, eps, m=5, rng=None):
        self.K, self.m, self.t, self.seen = K, m, 0, _Sums(K)
        self.noise = rng.laplace(0, 1 / eps, K)

    def choice(self):
        committed = self.t >= self.m * self.K
        return int(np.argmax(self.seen.sums + self.noise)) if committed else self.t % self.K

    def getReward(self, arm, reward):
        self.t += 1
        self.seen.sums[arm] += reward
'''


@pytest.mark.slow
@pytest.mark.parametrize("source", [CLASS, CLASS.replace("MyETC", "my_etc")])
def test_a_file_with_a_class_and_without_yaml_is_an_algorithm(ended, source):
    """Its defaults are those of the signature; its name and line are those of figures, tables."""
    write(MINE / "algo", {"my_etc.py": source, "helper.py": "x = 1\n"})
    words = ["--config-dir=mine", "-m", "algo=my_etc,ucb", "algo.m=5,7", "eps=0.5,2", *QUICK]
    code, out, err = ended(run, *words, "runner=local", "jobs=2")
    assert code == 0, err
    path = Path(out.splitlines()[-1])
    found = dp.load(path)
    assert set(found["m"].dropna()) == {5, 7} and "m" in found
    assert "my ETC" in path.with_suffix(".tex").read_text()
    lines = {x.get_label(): x for ax in dp.plot(found).axes for x in ax.get_lines()}
    assert any(label.startswith("my ETC, m = 5") for label in map(plain_text, lines))
    table = dp.run(["my_etc", "ucb"], "bernoulli", horizon=60, runs=2, jobs=1, config_dir="mine")
    usual = dp.algorithm("my_etc", m=5)
    same = dp.run([usual, "ucb"], "bernoulli", horizon=60, runs=2, jobs=1, config_dir="mine")
    assert table["regret"].equals(same["regret"])
    assert (
        ended(run, "--config-dir=mine", "--help", "algo")[1].splitlines()[-1].split()[0] == "my_etc"
    )


LABELLED = """
from typing import Literal

NAME = "ours"
labels = {"m": "explorations", "kind": "start", "b": "second arm"}


class MyETC:
    def __init__(self, K, m=5, kind: Literal["a", "b"] = "a"):
        self.first = int(kind == "b")

    def act(self):
        return self.first

    def update(self, arm, reward): ...
"""


@pytest.mark.slow
@pytest.mark.extra("jinja2")
def test_labels_of_a_file_are_those_of_figures_tables_and_report(ended, tmp_path):
    """``labels=`` has precedence, and other algorithms keep the name of the parameter."""
    other = LABELLED.replace("labels =", "others =").replace("ours", "other")
    write(MINE / "algo", {"my_etc.py": LABELLED, "other.py": other})
    words = ["--config-dir=mine", "-m", "algo=my_etc,other", "algo.m=5,7", "algo.kind=a,b", *QUICK]
    code, out, err = ended(run, *words)
    assert code == 0, err
    path = Path(out.splitlines()[-1])
    assert "explorations" in path.with_suffix(".tex").read_text()
    assert "explorations" not in path.with_suffix(".md").read_text()  # it has names to type
    declare_own("my_etc", {})
    found = dp.load(path)  # the labels are in the records

    def legend(**given):
        texts = (x for own in dp.plot(found, **given).legends for x in own.get_texts())
        return {plain_text(x.get_text()).replace("\n", " ") for x in texts}

    assert {"ours, explorations = 5, start = second arm", "other, m = 5, b kind"} <= legend()
    line = "ours, explorations = 5, start = second arm"
    assert {"mine", "other, m = 5, b kind"} <= legend(labels={line: "mine"})
    text = dp.latex(found)
    assert "explorations &" in text and "second arm" in text and "& a " not in text
    dp.report(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert '"explorations"' in page  # the title of an axis
    assert "ours, start = second arm" in page and "other, kind = b" in page


def test_an_attribute_of_the_name_labels_may_have_another_purpose():
    for value in (None, [1], {0: "a"}, {"a": 1}, {"a": "b\n"}, {}):
        assert declare_own("my_etc", {"labels": value, "NAME": "x"}) == {"NAME": "x"}
    assert declare_own("my_etc", {"labels": {"my_etc": "Mine"}}) == {"NAME": "Mine"}
    declare_own("my_etc", {})


def test_a_file_in_the_wrong_folder_is_found_where_it_is():
    write(MINE, {"my_etc.py": CLASS, "algo/other.py": CLASS})
    for folder, word, said in (
        ("mine", "my_etc", "move the file to the folder"),
        ("mine/algo", "other", "give the folder above"),
    ):
        message = message_of(read_request, [f"algo={word}", *QUICK], user_folders(folder))
        assert said in message


@pytest.mark.slow
@pytest.mark.parametrize(("decorator", "suggested"), [("", True), ("@kernel\n", False)])
def test_the_kernel_is_suggested_once_for_plain_python(capsys, decorator, suggested):
    name = f"told{len(decorator)}"
    own_algorithm(MINE, name, GREEDY.replace("def greedy", f"{decorator}def {name}"), EXPLORE)
    for _ in range(2):
        dp.run(name, "bernoulli", horizon=5, runs=1, backend="threads", config_dir="mine")
    err = capsys.readouterr().err
    assert err.count("the decorator @kernel makes its runs faster") == suggested


@pytest.mark.slow
def test_an_experiment_without_a_sweep_runs_one_setting():
    header = "# @package _global_\ndefaults: [override /algo: adap_ucb, _self_]\n"
    write(MINE, {"experiment/single.yaml": header + "horizon: 200\nruns: 2\n"})
    done = bandit_run("experiment=single", "eps=0.5", "jobs=1")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv("results/single.csv")
    assert set(table["algo"]) == {"adap_ucb"} and set(table["eps"]) == {0.5}


BAD = """
from dpbandits.authoring import kernel, pull, rounds_left


{decorator}
def bad(game, rng, eps):
    while rounds_left(game) > {left}:
        pull(game, 0)
    {end}
"""
FAILING = {
    "raises in the middle": (30, "if rounds_left(game) == 30: raise ValueError('lost')", "lost"),
    "raises in every game": (0, "raise ValueError('lost')", "lost"),
    "misspells a name": (0, "pul(game, 0)", "pul"),
    "stops early": (29, "pass", "played 31 rounds of a game of 60"),
    "plays on": (-6, "pass", "played 66 rounds of a game of 60"),
}


COMPILED = ["raises in the middle", "misspells a name", "stops early"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("failing", "decorator"),
    [*((failing, "") for failing in FAILING), *((failing, "@kernel") for failing in COMPILED)],
)
def test_a_failing_algorithm_is_named_and_the_other_runs_are_stored(ended, failing, decorator):
    left, end, reason = FAILING[failing]
    source = BAD.format(decorator=decorator, left=left, end=end)
    own_algorithm(MINE, "bad", source)
    code, out, err = ended(run, "--config-dir=mine", "sweep={algo:[adap_ucb,bad,ucb]}", *QUICK)
    assert (code, out) == (1, ""), err
    assert reason in err
    assert err.splitlines()[-1].startswith("bandit-run: failed: bad on bernoulli")
    stored = sorted(f.name.partition("-")[0] for f in Path("results/runs").glob("*/*.npz"))
    assert stored == ["adap_ucb", "ucb"]
    assert not list(Path("results").glob("*.csv"))


SAME_NAME = """
from dpbandits.authoring import kernel, pull_sum, rounds_left


@kernel
def same(game, rng):
    pull_sum(game, {arm}, rounds_left(game))
"""


@pytest.mark.long
def test_two_algorithms_of_one_name_do_not_share_machine_code(tmp_path):
    """Compiled in other processes, their code has been loaded under the same symbol."""
    regrets = []
    for arm in (0, 1):
        folder = tmp_path / str(arm)
        own_algorithm(folder, "same", SAME_NAME.format(arm=arm))
        env = dp.bernoulli([0.9, 0.4])
        listed = {"horizon": 100, "runs": 1, "jobs": 1, "shuffle_arms": False}
        table = dp.run(algo="same", env=env, config_dir=folder, **listed)
        regrets.append(float(table["regret"].max()))
    assert regrets == [0.0, pytest.approx(50.0)]


TAKEN = [
    "mean", "std", "runs", "median", "t", "run", "regret", "setting", "horizon", "seed", "tied",
    "checkpoints",
]  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_a_parameter_with_a_name_of_the_projects_is_refused(name):
    """Of a file and of a function, before anything is played."""
    source = GREEDY.replace("explore", name)
    own_algorithm(MINE, "greedy", source, f"{name}: 20\n")
    words = ["algo=greedy", f"algo.{name}=7"]
    kind = "key" if name in ("runs", "horizon", "seed", "checkpoints") else "column of tables"
    line = f"algo=greedy: its parameter {name} has the name of a {kind}; rename the parameter"
    folders = user_folders("mine")
    assert message_of(read_request, words, folders) == line
    found = {}
    exec(source, found)
    assert message_of(dp.run, found["greedy"]) == line
    assert message_of(dp.run, [dp.algorithm(found["greedy"]), "ucb"]) == line
    assert not Path("results").exists()


def test_the_names_of_columns_are_those_that_summaries_and_comparisons_add():
    assert {*STATISTICS, *QUANTILES, *COMPARED} <= {*COLUMNS}
