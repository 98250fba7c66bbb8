"""Bad input ends with one line that names it, exit code 2, and nothing written."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.cli import bounds, plot, run

QUICK = {"horizon": "100", "runs": "1", "jobs": "1"}  # an accepted line must not run for minutes
BOTH = "env=table env.rewards=[[1,0],[0,1]]"
HEADER = "algo,env,eps,horizon,seed,run,t,regret\n"
ROW = "ucb,bernoulli_c2,inf,100,0,0,100,5\n"


def complaint(name: str, code: int | None, out: str, err: str) -> str:
    assert (code, out) == (2, ""), err
    assert err.startswith(f"{name}: ")
    assert err.endswith("\n") and len(err.splitlines()) == 1
    return err.removeprefix(f"{name}: ")


def arguments(line: str) -> list[str]:
    given = shlex.split(line)
    keys = {override.partition("=")[0] for override in given}
    return given + [f"{key}={value}" for key, value in QUICK.items() if key not in keys]


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """A function that runs a command in an own folder and returns its complaint."""
    monkeypatch.chdir(tmp_path)

    def refuse(module, given: list[str]) -> str:
        before = sorted(tmp_path.rglob("*"))
        name = f"bandit-{module.__name__.rpartition('.')[2]}"
        monkeypatch.setattr(sys, "argv", [name, *given])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        assert sorted(tmp_path.rglob("*")) == before
        return complaint(name, stopped.value.code, *capsys.readouterr())

    return refuse


# a command line, and what the complaint must say: the key and value as given, and what is allowed
VALUES = [
    ("eps=0", "eps=0:", "above 0"),
    ("eps=-1", "eps=-1:", "above 0"),
    ("eps=nan", "eps=nan:", "above 0"),
    ("eps=strong", "eps=strong:", "above 0"),
    ("eps=[1,2]", "eps=[1,2]:", "above 0"),
    ("eps=true", "eps=true:", "above 0"),
    ("algo=ucb eps=0.5", "eps=0.5:", "ucb", "not private"),
    ("algo=kl_ucb eps=1", "eps=1:", "kl_ucb", "not private"),
    ("horizon=0", "horizon=0:", "at least 1"),
    ("horizon=-1", "horizon=-1:", "at least 1"),
    ("horizon=1.5", "horizon=1.5:", "whole number"),
    ("horizon=0.5", "horizon=0.5:", "whole number"),
    ("horizon=long", "horizon=long:", "whole number"),
    ("horizon=null", "horizon=null:", "whole number"),
    ("horizon=inf", "horizon=inf:", "whole number"),
    ("horizon=1e30", "horizon=1e30:", "at most"),
    ("runs=0", "runs=0:", "at least 1"),
    ("runs=-3", "runs=-3:", "at least 1"),
    ("runs=2.5", "runs=2.5:", "whole number"),
    ("seed=-1", "seed=-1:", "at least 0"),
    ("seed=1.5", "seed=1.5:", "whole number"),
    ("jobs=0", "jobs=0:", "-1"),
    ("jobs=1.5", "jobs=1.5:", "whole number"),
    ("backend=foo", "backend=foo:", "auto, threads or processes"),
    ("backend=[threads]", "backend=[threads]:", "auto, threads or processes"),
    ("checkpoints=0", "checkpoints=0:", "at least 1"),
    ("checkpoints=200000", "checkpoints=200000:", "at most 100000"),
    ("shuffle_arms=3", "shuffle_arms=3:", "true or false"),
    ("results=null", "results=null:", "folder"),
    ("results=[a]", "results=[a]:", "folder"),
    ("results=", "results=:", "folder"),
    ("results=/dev/null/x", "results=/dev/null/x:", "writable folder"),
]
ENVIRONMENTS = [
    ("env=bernoulli env.means=[0.5]", "env.means=[0.5]", "two arms"),
    ("env=bernoulli env.means=[1.5,0.5]", "env.means=[1.5,0.5]:", "[0, 1]"),
    ("env=bernoulli env.means=[-0.1,0.5]", "env.means=[-0.1,0.5]:", "[0, 1]"),
    ("env=bernoulli env.means=[nan,0.5]", "env.means", "nan", "finite number"),
    ("env=bernoulli env.means=[]", "env.means=[]:", "list of numbers"),
    ("env=bernoulli env.means=[high,0.5]", "env.means", "high", "finite number"),
    ("env=bernoulli env.means=high", "env.means=high:", "list of numbers"),
    ("env=bernoulli env.means=0.5", "env.means=0.5:", "list of numbers"),
    ("env=bernoulli env.means={a:1}", "env.means={a:1}:"),
    ("env.arms=1", "env.arms=1:", "from 2 to 10000"),
    ("env.arms=2.5", "env.arms=2.5:", "whole number"),
    ("env.arms=many", "env.arms=many:", "number"),
    ("env.family=c9", "env.family", "c9", "c4"),
    ("env.family=[c1]", "env.family", "[c1]", "c1"),
    ("env.law=[table]", "env.law", "[table]", "table"),
    ("env=twopoint_heavy", "env=twopoint_heavy:", "adap_klucb", "[0, 1]"),
    ("env=twopoint_heavy algo=ucb", "env=twopoint_heavy:", "ucb", "[0, 1]"),
    ("env=twopoint_heavy env.v=0", "env.v=0:", "(0, 1]"),
    ("env=twopoint_heavy env.v=2", "env.v=2:", "(0, 1]"),
    ("env=twopoint_heavy env.g=2", "env.g=2:", "(0, 1]", "0.9"),
    ("env=twopoint_heavy env.g=0", "env.g=0:", "(0, 1]"),
    ("env=twopoint_heavy env.means=[1e300,1]", "env.means"),
    ("env=table", "env=table", "env.rewards", "env.file"),
    ("env=table env.rewards=[[1,0],[0]]", "env.rewards", "one number an arm"),
    ("env=table env.rewards=[[1,0],[0,x]]", "env.rewards", "one number an arm"),
    ("env=table env.rewards=[[1,0],[0,nan]]", "env.rewards", "finite number"),
    ("env=table env.rewards=[[1,0],[0,3]]", "env=table:", "[0, 3]", "[0, 1]"),
    ("env=table env.rewards=5", "env.rewards", "list of rounds"),
    ("env=table env.rewards=[[1],[0]]", "env.rewards", "two arms"),
    ("env=table env.file=missing.csv", "env.file=missing.csv:", "No such file"),
    (f"{BOTH} env.file=a.csv", "env=table", "either"),
    (f"{BOTH} horizon=3", "horizon=3:", "2 rounds"),
]
NAMES = [
    ("algo=adap_klucbb", "algo", "'adap_klucbb'", "did you mean adap_klucb?"),
    ("env=bernouli_c2", "env", "'bernouli_c2'", "did you mean bernoulli_c2?"),
    (
        "experiment=azize2022_fig44",
        "experiment",
        "'azize2022_fig44'",
        "did you mean azize2022_fig4?",
    ),
    ("algo=zzz", "algo", "'zzz'", "adap_klucb, adap_ucb, dp_se"),
    ("algo=3", "algo", "3", "adap_klucb"),
    ("algo=null", "algo", "adap_klucb"),
    ("env=null", "env", "bernoulli"),
    ("algo=[ucb]", "algo", "[ucb]"),
    ("algo=", "algo", "''", "adap_klucb"),
    ("horizn=5", "'horizn'", "did you mean horizon?"),
    ("algo.alfa=2", "'algo.alfa'", "did you mean algo.alpha?"),
    ("env.armz=3", "'env.armz'", "did you mean env.arms?"),
    ("env=bernoulli env.mean=[0.5,0.6]", "'env.mean'", "did you mean env.means?"),
    ("+foo=1", "'foo'", "algo", "eps", "horizon"),
    ("+algo.alfa=1", "'algo.alfa'", "did you mean algo.alpha?"),
    ("+env.armz=1", "'env.armz'", "did you mean env.arms?"),
    ("algo=ucb algo.alpha=1", "'algo.alpha'"),
]
PARAMETERS = [
    ("algo.alpha=0", "algo.alpha=0:", "above 0"),
    ("algo.alpha=-1", "algo.alpha=-1:", "above 0"),
    ("algo.alpha=inf", "algo.alpha=inf:", "finite"),
    ("algo.alpha=nan", "algo.alpha=nan:", "finite"),
    ("algo.alpha=[1]", "algo.alpha=[1]:", "number"),
    ("~algo.alpha", "algo.alpha", "missing"),
    ("algo=dp_ucb algo.gamma=0", "algo.gamma=0:", "(0, 1]"),
    ("algo=dp_ucb algo.gamma=2", "algo.gamma=2:", "(0, 1]"),
    ("algo=dp_ucb algo.tree_budget=half", "algo.tree_budget=half:", "whole or split"),
    ("algo=dp_se algo.beta=0", "algo.beta=0:", "(0, 1]"),
    ("algo=dp_se algo.beta=1.5", "algo.beta=1.5:", "(0, 1]"),
]
LINES = [
    ("eps", "eps"),
    ("eps=[", "eps=["),
    ("=3", "=3"),
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "-m"),
    ("eps=0.5,1", "eps=0.5,1", "-m"),
    ("eps=${foo}", "eps=${foo}", "foo"),
    ("--config-dir missing", "--config-dir=missing:", "no such folder"),
    ("--foo", "--foo", "--help"),
    ("--cfg foo", "--cfg", "foo", "job"),
    ("--info foo", "--info", "foo", "all"),
    ("-m eps=1,-1", "eps=-1:", "above 0"),
    ("-m algo=adap_ucb,adap_ucbb", "'adap_ucbb'", "did you mean adap_ucb?"),
    ("-m algo=ucb,adap_ucb eps=1", "eps=1:", "ucb", "not private"),
    ("-m results=a,/dev/null/x", "results=/dev/null/x:", "writable folder"),
    ("-m eps=[", "eps=["),
    ("-m horizn=1,2", "'horizn'", "did you mean horizon?"),
]
SWEEPS = [
    ("sweep=5", "sweep=5:", "lists of values"),
    ("sweep=text", "sweep=text:", "lists of values"),
    ("sweep=[5]", "sweep=", "5", "lists of values"),
    ("'sweep={eps:0.5}'", "sweep.eps=0.5:", "list of values"),
    ("'sweep={eps:[]}'", "sweep.eps=[]:", "list of values"),
    ("'sweep={foo:[1]}'", "sweep.foo", "no algorithm", "foo"),
    ("'sweep={checkpoints:[9]}'", "sweep.checkpoints", "no algorithm"),
    ("'sweep={algo:[ucb],alpha:[1,2]}'", "sweep.alpha", "no algorithm"),
    ("'sweep={algo:[ucb],eps:[1,2]}'", "sweep.eps", "no algorithm"),
    ("'sweep={eps:[0.5,0]}'", "eps=0:", "above 0"),
    ("'sweep={alpha:[1,0]}'", "algo.alpha=0:", "above 0"),
    ("'sweep={algo:[adap_ucbb]}'", "'adap_ucbb'", "did you mean adap_ucb?"),
    ("'sweep={env:[bernouli_c2]}'", "'bernouli_c2'", "did you mean bernoulli_c2?"),
    ("'sweep={algo:[3]}'", "algo", "3", "adap_klucb"),
    ("'sweep={algo:[[1]]}'", "algo", "1", "adap_klucb"),
    ("'sweep={eps:[0.5]}' eps=2", "eps=2:", "varies eps"),
    ("'sweep={alpha:[1]}' algo.alpha=2", "algo.alpha=2:", "varies alpha"),
    ("experiment=azize2022_fig4 eps=0.5", "eps=0.5:", "varies eps", "sweep.eps=[0.5]"),
    ("experiment=azize2022_fig4 ++eps=0.5", "eps=0.5:", "varies eps", "sweep.eps=[0.5]"),
    ("experiment=azize2022_fig4 algo=ucb", "algo=ucb:", "varies algo"),
    ("experiment=azize2022_fig8 algo.alpha=2", "algo.alpha=2:", "varies alpha"),
    ("experiment=azize2022_fig8 sweep=5", "sweep=5:", "lists of values"),
    ("experiment=azize2022_fig8 sweep.alpha=[0]", "algo.alpha=0:", "above 0"),
    ("experiment=azize2022_fig8 sweep.alfa=[1]", "'sweep.alfa'"),
]
TABLE = [*VALUES, *ENVIRONMENTS, *NAMES, *PARAMETERS, *LINES, *SWEEPS]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in TABLE], ids=[x[0] for x in TABLE]
)
def test_bandit_run_refuses(refused, line, parts):
    message = refused(run, arguments(line))
    assert all(part in message for part in parts), message


SEVERAL = [
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "one setting"),
    ("-m eps=1,2", "-m", "one setting"),
    ("eps=0.1,1", "eps=0.1,1", "one setting"),
    ("'sweep={eps:[0.1,1]}'", "sweep={eps:[0.1,1]}", "one setting"),
    ("experiment=azize2022_fig8", "one setting", "bandit-plot experiment=azize2022_fig8 bounds="),
    ("eps=[", "eps=["),
    ("=3", "=3"),
    ("--config-dir missing", "--config-dir=missing:", "no such folder"),
    ("--foo", "--foo", "--help"),
]
ALIKE = [x for x in VALUES if "/dev/null" not in x[0]]
ALIKE += [*ENVIRONMENTS[:9], *NAMES, *PARAMETERS]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in SEVERAL + ALIKE], ids=[x[0] for x in SEVERAL + ALIKE]
)
def test_bandit_bounds_refuses(refused, line, parts):
    message = refused(bounds, arguments(line) if "=" in line else shlex.split(line))
    assert all(part in message for part in parts), message


def test_bandit_run_refuses_a_file_for_results(refused):
    Path("taken").write_text("a file")
    assert "results=taken: a writable folder is needed" in refused(run, arguments("results=taken"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,b\n1,0\n1\n", "line 3 of column b holds a blank"),
        (b"a,b\n1,0\n1,0,1\n", "CSV of numbers"),
        (b"a,b\n1,x\n", "CSV of numbers"),
        (b"a,b\n", "at least one round"),
        (b"a\n1\n", "two arms"),
        (b"", "CSV of numbers"),
        (bytes(range(256)), "CSV of numbers"),
    ],
)
def test_bandit_run_refuses_a_bad_table_of_rewards(refused, content, reason):
    Path("rewards.csv").write_bytes(content)
    message = refused(run, arguments("env=table env.file=rewards.csv"))
    assert message.startswith("env.file=rewards.csv:") and reason in message


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("experiment=azize2022_fig44", ["'azize2022_fig44'", "did you mean azize2022_fig4?"]),
        ("experiment=azize2022_fig8", ["results/azize2022_fig8.csv", "bandit-run experiment="]),
        ("experiment=azize2022_fig8 results=r", ["r/azize2022_fig8.csv", "bandit-run experiment="]),
        ("experiment=", ["experiment", "azize2022_fig4"]),
        ("", ["experiment=NAME", "--help"]),
        ("experimnt=azize2022_fig8", ["'experimnt'", "did you mean experiment?"]),
        ("foo=1", ["'foo'", "experiment"]),
        ("--foo", ["--foo", "--help"]),
        ("missing.csv", ["missing.csv:", "No such file"]),
        (".", [".:", "directory"]),
    ],
)
def test_bandit_plot_refuses(refused, line, parts):
    message = refused(plot, shlex.split(line))
    assert all(part in message for part in parts), message


CORRUPT = {
    "garbage": (bytes(range(256)) * 20, "not a readable CSV"),
    "empty": (b"", "not a readable CSV"),
    "text for regret": (HEADER + ROW.replace(",5", ",much"), "column regret"),
    "text for eps": (HEADER + ROW.replace("inf", "much"), "column eps"),
    "endless regret": (HEADER + ROW.replace(",5", ",inf"), "column regret"),
    "endless horizon": (HEADER + ROW.replace("100,0,0,100", "inf,0,0,inf"), "column horizon"),
    "missing columns": ("algo,env,eps\nucb,x,1\n", "no column horizon, seed, run, t, regret"),
    "header only": (HEADER, "no rows"),
    "blank regret": (HEADER + ROW.replace(",5", ","), "column regret"),
    "blank algo": (HEADER + ROW.replace("ucb", ""), "column algo"),
    "blank env": (HEADER + ROW.replace("bernoulli_c2", ""), "column env"),
    "cut short": (HEADER + ROW + "ucb,bern", "column eps"),
    "ragged": (HEADER + ROW + "1,2,3,4,5,6,7,8,9,10\n", "not a readable CSV"),
}


@pytest.mark.parametrize("line", ["table.csv", "good.csv table.csv", "experiment=azize2022_fig8"])
@pytest.mark.parametrize("corrupt", CORRUPT)
def test_bandit_plot_refuses_a_corrupt_table(refused, corrupt, line):
    content, reason = CORRUPT[corrupt]
    file = Path("results/azize2022_fig8.csv" if "experiment" in line else "table.csv")
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    Path("good.csv").write_text(HEADER + ROW)
    message = refused(plot, line.split())
    assert message.startswith(f"{file}: ") and reason in message


@pytest.mark.parametrize(
    "command",
    [
        "bandit-run eps=0",
        "bandit-run algo=adap_klucbb",
        "bandit-run results=/dev/null/x",
        "bandit-run -m eps=1,-1",
        "bandit-plot missing.csv",
        "bandit-bounds eps=0",
    ],
)
def test_the_commands_themselves_refuse(tmp_path, command):
    name, *given = command.split()
    done = subprocess.run(
        [Path(sys.executable).with_name(name), *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert complaint(name, done.returncode, done.stdout, done.stderr)
    assert list(tmp_path.iterdir()) == []
