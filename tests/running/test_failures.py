"""Failures: their reasons, and that they stop nothing else, whatever an algorithm raises."""

from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from sweeps import requested

from dpbandits.cli.ending import report_failures
from dpbandits.errors import BadInput, printable
from dpbandits.files import PACKAGE
from dpbandits.results.run_store import RunStore
from dpbandits.running import monte_carlo
from dpbandits.running.failures import Failure, RunsFailed, trace_of
from dpbandits.running.monte_carlo import run_request

HEAD = "Traceback (most recent call last):\n"


@pytest.mark.parametrize(
    "line", ["numba.core.errors.TypingError: Failed in nopython mode", "Diverged: too long"]
)
def test_the_reason_of_a_failure_is_its_last_exception(line):
    trace = f"{HEAD}  File y\nValueError: no\n\nDuring handling of it:\n\n{HEAD}"
    trace += f"  File x\n    z()\n{line}\nUnknown attribute\n\nDuring: Pass inference\n"
    assert Failure(None, (0,), trace).reason == line


def test_a_reason_without_a_traceback_is_itself():
    assert Failure(None, (0,), "its worker died").reason == "its worker died"


PLAYED = compile("def play(policy):\n    policy()", str(PACKAGE / "play.py"), "exec")


def test_a_reason_names_the_line_of_the_users_code_and_its_trace_begins_there():
    """Also if the code of the package that it calls raised the error; with one of its own."""
    exec(PLAYED, names := {})

    def own():
        names["play"](3)

    line = own.__code__.co_firstlineno + 1
    for policy, place in [(own, f" (line {line} of test_failures.py)"), (3, "")]:
        with pytest.raises(TypeError) as caught:
            names["play"](policy)
        error = caught.value.with_traceback(caught.value.__traceback__.tb_next)  # without this test
        trace = trace_of(error)
        first = __file__ if place else PACKAGE / "play.py"
        assert trace.startswith(f'{HEAD}  File "{first}"')
        said = "TypeError: 'int' object is not callable"
        assert Failure(None, (0,), trace).reason == said + place


def test_a_reason_names_the_last_of_several_lines_of_the_users_code():
    def inner():
        raise ValueError("no")

    with pytest.raises(ValueError) as caught:
        inner()
    line = inner.__code__.co_firstlineno + 1
    reason = Failure(None, (0,), trace_of(caught.value)).reason
    assert reason == f"ValueError: no (line {line} of test_failures.py)"


@pytest.mark.parametrize(("runs", "said"), [((4,), "1 run failed"), ((4, 5), "2 runs failed")])
def test_the_error_counts_the_runs_and_names_the_setting_of_the_first_failure(runs, said):
    first, other = requested(algo=["dp_se", "ucb"], eps=0.5, horizon=2e4).settings
    error = RunsFailed([Failure(first, runs, "x")])
    assert str(error) == f"{said}; dp_se on bernoulli_c2, eps 0.5, T 2e4: x"
    both = RunsFailed([Failure(other, runs, "y"), Failure(first, runs, "x")])
    assert str(both) == f"{2 * len(runs)} runs failed; ucb on bernoulli_c2, T 2e4: y"


def test_a_reason_of_one_line_is_printed_once(capsys):
    """With a control that is a traceback."""
    [setting] = requested(algo="dp_se", horizon=10).settings
    line, error = trace_of(BadInput("greedy.py, line 3: x[9]")), trace_of(ValueError("no"))
    report_failures("bandit-run", [Failure(setting, (0,), x) for x in (line, f"{HEAD}{error}")])
    said = capsys.readouterr().err
    assert line == "greedy.py, line 3: x[9]" and said.count(line) == 1
    assert said.count("ValueError: no") == 2


class BadText(Exception):
    def __str__(self):
        raise ValueError("no text")


class ExitsAsText(Exception):
    def __str__(self):
        raise SystemExit(3)


class NotPicklable(Exception):
    def __reduce__(self):
        raise TypeError("not this one")


class Odd(BaseException):
    pass


def odd_syntax():
    error = SyntaxError("bad")
    error.lineno, error.text, error.offset = "three", 3.5, object()
    return error


ERRORS = {
    "surrogate": lambda: ValueError("\udc80"),
    "escapes": lambda: ValueError("\x1b[2J\x9b\x07"),
    "long": lambda: ValueError("x" * 3_000_000),
    "blank": lambda: ValueError("\n \n"),
    "no text": BadText,
    "exits as text": ExitsAsText,
    "not picklable": NotPicklable,
    "no name": type("", (Exception,), {}),
    "odd name": lambda: type("\udc80\n\x1b", (Exception,), {})("x"),
    "odd syntax": odd_syntax,
    "group": lambda: BaseExceptionGroup("two", [ValueError(1), KeyboardInterrupt()]),
    "base": Odd,
    "generator": GeneratorExit,
    "exit": lambda: SystemExit(0),
    "interrupt": KeyboardInterrupt,
    "stop": StopIteration,
    "cancelled": CancelledError,
    "memory": MemoryError,
}


# The classes and the dictionary above are also the beginning of an algorithm's file
ALGORITHM = """

def failing(game, rng, kind):
    while rounds_left(game) > 0:
        pull(game, 0)
    if kind >= 0 and rng.random() < 0.5:
        raise list(ERRORS.values())[int(kind)]()
"""


@pytest.mark.parametrize("kind", ERRORS)
def test_every_exception_has_a_printable_trace_and_a_reason_in_a_line(kind):
    try:
        raise ERRORS[kind]()
    except BaseException as error:
        trace = trace_of(error)
    reason = Failure(None, (0,), trace).reason
    assert len(trace) < 25_000 and reason and len(reason) < 600
    assert reason.isprintable() and printable(trace) == trace
    assert trace.encode() and (kind != "group" or "Group: two" in reason)


@pytest.mark.parametrize("backend", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_whatever_an_algorithm_raises_the_runs_of_others_are_stored(tmp_path, backend):
    """With a control that raises nothing."""
    source = Path(__file__).read_text()
    above = source[source.index("class BadText") : source.index("# The classes and")]
    imports = "from concurrent.futures import CancelledError\n"
    imports += "from dpbandits.authoring import pull, rounds_left\n"
    (tmp_path / "algo").mkdir()
    (tmp_path / "algo" / "failing.py").write_text(imports + above + ALGORITHM)
    (tmp_path / "algo" / "failing.yaml").write_text("# Fails.\nkind: -1\n")
    kinds = [-1, *range(len(ERRORS))]
    given = {"runs": 8, "horizon": 20, "backend": backend, "jobs": 2}
    request = requested(tmp_path, folders=(str(tmp_path),), algo="failing", kind=kinds, **given)
    with pytest.raises(RunsFailed) as failed:
        run_request(request)
    store = RunStore(tmp_path)
    of_kind = {s.parameters["kind"]: s for s in request.settings}
    lost = {
        kind: {r for f in failed.value.failures if f.setting == s for r in f.runs}
        for kind, s in of_kind.items()
    }
    assert not lost[-1] and all(0 < len(lost[kind]) < 8 for kind in range(len(ERRORS)))
    for kind, setting in of_kind.items():
        assert store.finished(setting) == set(range(8)) - lost[kind]
        reason = store.failure(setting)
        assert reason is None if kind == -1 else reason and reason.isprintable()


class Raises:
    """A loop that is compiled, or not, when it raises."""

    def __init__(self, is_compiled):
        self.is_compiled = is_compiled


@pytest.mark.parametrize("error", [GeneratorExit, SystemExit, KeyboardInterrupt, Odd])
def test_what_a_compiled_algorithm_raises_when_it_is_first_played(error, monkeypatch):
    """Its runs report it. An error of compiling is reported, too; an interruption is one."""
    (setting,) = requested(algo="dp_se", horizon=10).settings

    def raises(_):
        raise error

    monkeypatch.setattr(monte_carlo, "report_compilation", lambda _: None)
    monkeypatch.setattr(monte_carlo, "compile_elsewhere", lambda _: None)
    monkeypatch.setattr(monte_carlo, "compile_kernel", raises)
    monkeypatch.setattr(monte_carlo, "loop_of", lambda _: Raises(True))
    assert monte_carlo._compile([setting]) == {}
    monkeypatch.setattr(monte_carlo, "loop_of", lambda _: Raises(False))
    if error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            monte_carlo._compile([setting])
    else:
        assert error.__name__ in monte_carlo._compile([setting])[setting]
