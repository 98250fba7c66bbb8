"""The progress bar."""

import io
import subprocess
import sys

import pytest

from dpbandits.running.progress import announce_imports, progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_without_an_error_stream_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar(2) as bar:
        bar.update(1)
    assert bar.disable


def test_imports_are_announced_where_a_bar_would_be_shown(monkeypatch):
    """Controls: a file instead of a terminal, no error stream, and Numba is already imported."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "numba")
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file, None):
        monkeypatch.setattr(sys, "stderr", stream)
        announce_imports()
    assert terminal.getvalue().startswith("importing Numba and pandas") and not file.getvalue()
    monkeypatch.setitem(sys.modules, "numba", sys)
    monkeypatch.setattr(sys, "stderr", again := Terminal())
    announce_imports()
    assert not again.getvalue()


FIRST_LINE = """
import os, sys
import dpbandits as dp
class Stream:
    def write(self, text):
        print({"numba", "pandas", "omegaconf"} & {*sys.modules} or "none", flush=True)
        os._exit(0)
    def flush(self): ...
sys.modules["ipykernel"], sys.stderr = os, Stream()
dp.run("ucb", horizon=100, runs=2, jobs=1)
"""


@pytest.mark.slow
def test_the_first_line_in_a_notebook_comes_before_slow_imports():
    """The control prints nothing before the progress bar."""
    nothing = "import dpbandits.running.progress as p; p.announce_imports = lambda: None\nclass"
    for code, early in ((FIRST_LINE, True), (FIRST_LINE.replace("class", nothing, 1), False)):
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (ended.stdout.strip() == "none") == early and ended.stdout, ended.stderr
