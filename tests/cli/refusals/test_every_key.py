"""Every kind of value for every key of every command: used, or refused in one line."""

import random

import pytest
from in_process import HEAVY, ended
from sweeps import write

from dpbandits.cli.completion import COMMANDS
from dpbandits.contracts.parameters import BUDGETS
from dpbandits.settings.groups import default_keys

KINDS = [
    "", "null", "true", "false", "0", "-1", "1.5", "1e400", "nan", "inf", "-inf", "[]", "[1]", "{}",
    "{a: 1}", "abc", "1/horizon", "auto", "2020-01-01", '"0x10"', "0x10", "1_000", "x" * 3000,
    "٣", "[[1],[2]]", "[[]]", "[{}]", "'a b'", "1,2", "$x", "${eps}", "???", "..", "9" * 5000,
    "'\\t'", "9007199254740993",
]  # fmt: skip
NEEDED = {
    "audit": ["mechanism=laplace_release"],
    "budget": ["algo=dp_se", "env=bernoulli_c2", "ratio=2", "horizon=100"],
    "compare": ["table.csv"],
    "plot": ["table.csv"],
    "claims": ["S1"],
    "results": ["list"],
}
# Keys whose values may change nothing: what is permitted, and how and where runs are played
PERMISSIONS = {"assume", "jobs", "backend", "results", "max_rows", "runner", "all", "population"}


def keys_of(command):
    """The keys of a command, with those of the parameters of a file in each group."""
    named = COMMANDS[command].get("files", [])
    found = {key for file in named for key in default_keys(file)}
    found |= set(COMMANDS[command].get("keys", ()))
    inner = {"algo.alpha", "env.arms", "env.family"} if found >= {"algo", "env"} else set()
    return sorted(found | inner | {"short.dpr_ucb.c"} if command == "audit" else found | inner)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a table, of which its folder of results has a copy."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{algo},b,1,100,0,{run},100,{run}.5" for algo in ("a", "c") for run in range(3)]
    head = "algo,env,eps,horizon,seed,run,t,regret"
    table = "\n".join([head, *rows, ""]).encode()
    write(tmp_path, {"table.csv": table, "results/table.csv": table})
    return tmp_path


CASES = [(c, key, value) for c in HEAVY for key in keys_of(c) for value in KINDS]
SOME = random.Random(0).sample(CASES, 60)


def line_of(command, *words):
    given = {word.partition("=")[0] for word in words}
    others = [w for w in NEEDED.get(command, []) if w.partition("=")[0] not in given]
    if "experiment" in given:
        others = [w for w in others if "=" in w]
    if given & {"algo", "rule"}:
        others = [w for w in others if "mechanism" not in w]
    return [f"bandit-{command}", *others, *words]


def what_is_asked(done):
    """What a command was asked for, as text without the addresses of objects."""
    given, named = done.asked[0]
    first = given[0] if given else None
    if hasattr(first, "settings"):  # a request
        about = [s.described for s in first.settings]
        rest = (
            first.runs,
            first.auto,
            first.jobs,
            first.backend,
            first.results,
            first.max_rows,
            first.runner,
        )
        return repr((about, *rest, first.config["experiment"]))
    return repr((given, named))


def end_of(monkeypatch, command, key, value):
    """``used`` or ``refused``, in one line; anything else is an error."""
    done = ended(monkeypatch, *line_of(command, f"{key}={value}"))
    if done.refused:
        return "refused"
    same = {"null", "", "${eps}", *usual(key)}
    if command in COMPARED and key not in PERMISSIONS and value not in same:
        without = ended(monkeypatch, *line_of(command))
        assert what_is_asked(done) != what_is_asked(without), (command, key, value, "is ignored")
    return "used"


COMPARED = {"run", "stop"}


def usual(key):
    """The values that a key has by default."""
    values = {default_keys(file).get(key) for file in ("config", "stop")}
    written = {word for x in values for word in (str(x), str(x).lower())}
    return written | ({"1.0", "1"} if key in BUDGETS else set())


WITH_EXTRAS = [
    pytest.param(name, marks=pytest.mark.extra("jinja2", "vl_convert"))
    if name == "report"
    else name
    for name in HEAVY
]


@pytest.mark.slow
@pytest.mark.parametrize("command", WITH_EXTRAS)
def test_a_command_without_further_keys_is_used(command, folder, monkeypatch):
    """Control: what is refused below is refused for its value."""
    assert not ended(monkeypatch, *line_of(command)).refused


@pytest.mark.slow
def test_some_values_of_some_keys(folder, monkeypatch):
    ends = [end_of(monkeypatch, *case) for case in SOME]
    assert ends.count("refused") > 0.5 * len(SOME) and "used" in ends


@pytest.mark.long
@pytest.mark.parametrize("command", WITH_EXTRAS)
def test_every_value_of_every_key(command, folder, monkeypatch):
    ends = [end_of(monkeypatch, *case) for case in CASES if case[0] == command]
    assert "refused" in ends


def test_a_value_that_is_ignored_is_found(folder, monkeypatch):
    """Control."""
    monkeypatch.setattr("dpbandits.settings.resolve.as_integer", lambda key, value, *a, **k: 7)
    with pytest.raises(AssertionError, match="is ignored"):
        end_of(monkeypatch, "run", "seed", "[[1],[2]]")


@pytest.mark.parametrize("fault", [TypeError, RecursionError])
def test_a_traceback_is_found(fault, folder, monkeypatch):
    """Control."""

    def faulty(*given, **named):
        raise fault

    monkeypatch.setattr("dpbandits.settings.resolve.as_integer", faulty)
    with pytest.raises(fault):
        end_of(monkeypatch, "run", "seed", "1")
