"""Fixtures that several test files share."""

import math
import os
import re
import shlex
import signal
import sys

import pytest
from browser import browser  # noqa: F401
from extras import require
from no_slurm import without_slurm
from refusals import complaint

PROGRESS = re.compile(r"compiling |[\d,]+ of [\d,]+ runs were stored")  # what every command may say

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # the tests run in a shell's background
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def no_slurm(tmp_path_factory):
    """No test, nor a process that it starts, submits a job where Slurm is installed."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("no_slurm")
        patch.setenv("PATH", without_slurm(os.environ.get("PATH", os.defpath), folder))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk():
    """No test is about power failures: files need not be on the disk when they are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True)
def no_notebook(monkeypatch):
    """No test runs in a notebook, also if one before it has imported what starts notebooks."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)


@pytest.fixture(autouse=True)
def no_open_figures():
    """Figures of pyplot, which stay open until they are closed, do not add up over tests."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def no_laws_of_earlier_tests():
    """A message that lists the known reward laws does not depend on the tests before."""
    written = sys.modules.get("dpbandits.environments.written")
    known = dict(written.REGISTERED) if written else {}
    yield
    if written := sys.modules.get("dpbandits.environments.written"):
        written.REGISTERED.clear()
        written.REGISTERED.update(known)


def pytest_runtest_setup(item):
    """Skip a test that is marked with packages of which one is not installed."""
    for mark in item.iter_markers("extra"):
        for package in mark.args:
            require(package)


@pytest.fixture
def any_runs(monkeypatch):
    """Records that no run of their setting can have are accepted."""
    monkeypatch.setattr("dpbandits.results.run_store.check_runs", lambda setting, runs: runs)
    monkeypatch.setattr("dpbandits.results.run_store.record_bytes", lambda setting: math.inf)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The test's folder, in which it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ended(here, monkeypatch, capsys):
    """A function that runs a command in the test's folder: its exit code, output and messages."""

    def command(module, *words: str):
        monkeypatch.setattr(sys, "argv", [name_of(module), *words])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        return stopped.value.code, *capsys.readouterr()

    return command


@pytest.fixture
def refused(ended, here):
    """A function that runs a command, which must refuse its input, and returns its message.

    Nothing may be written.
    """

    def refuse(module, given: list[str]) -> str:
        before = _files(here)
        found = ended(module, *given)
        assert _files(here) == before
        return complaint(name_of(module), *found)

    return refuse


@pytest.fixture
def bandit(ended):
    """A function that runs a command in the test's folder and returns the lines that it prints."""

    def command(module, line: str, errors: str | None = None) -> list[str]:
        code, out, err = ended(module, *shlex.split(line))
        assert code == 0, err
        reported = [x for x in err.splitlines() if not PROGRESS.match(x)]
        assert errors is None or "\n".join(reported) == errors
        return out.splitlines()

    return command


@pytest.fixture
def unchanged(here):
    """The test runs in a folder of its own and must write nothing to it."""
    yield
    assert _files(here) == []


def name_of(module):
    return f"bandit-{module.__name__.rpartition('.')[2]}"


def _files(folder):
    return [x for x in sorted(folder.rglob("*")) if "__pycache__" not in x.parts]
