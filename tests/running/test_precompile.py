"""Compiling several algorithms in child processes, and what is reported before.

If no process can be started, compiling is left to this one.
"""

import io
import pickle
import sys

import pytest
from sweeps import quick

from dpbandits.running import precompile

THREE = ["dp_se", "adap_ucb", "ucb"]


@pytest.mark.parametrize("executable", ["", None, "/no/python"])
def test_no_error_if_no_process_can_be_started(executable, monkeypatch):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: True)
    precompile.compile_elsewhere(quick(None, algo=THREE).settings)


@pytest.mark.parametrize(
    ("algorithms", "cores", "children"), [(1, 2, 0), (2, 2, 0), (3, 2, 2), (3, 8, 3)]
)
def test_several_algorithms_are_compiled_by_all_cores(algorithms, cores, children, monkeypatch):
    sent = []

    class Pipe(io.BytesIO):
        def write(self, part):
            sent.append(pickle.loads(part))

    class Child:
        def __init__(self, *_, **__):
            self.stdin = Pipe()

        wait = kill = lambda self: None

    found = quick(None, algo=THREE[:algorithms]).settings
    settings = list({s.algo: s for s in found}.values())
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: True)
    monkeypatch.setattr(precompile, "cpu_count", lambda: cores)
    monkeypatch.setattr(precompile.subprocess, "Popen", Child)
    precompile.compile_elsewhere(settings)
    assert len(sent) == children
    assert {s.algo for part in sent for s in part} == {s.algo for s in settings if children}


@pytest.mark.parametrize(
    ("algorithms", "said", "seconds"),
    [
        (["dp_se"], "dp_se", 6),
        (["dp_se", "ucb"], "dp_se and ucb", 8),
        (["ucb", "dp_se", "adap_ucb"], "ucb, dp_se and adap_ucb", 10),
        (["ucb", "dp_se", "adap_ucb", "kl_ucb", "dp_ucb"], "ucb, dp_se and 3 more", 14),
    ],
)
def test_what_is_compiled_is_reported_in_one_line(algorithms, said, seconds, monkeypatch, capsys):
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: True)
    precompile.report_compilation(quick(None, algo=algorithms).settings)
    line = f"compiling {said}, the first time only: about {seconds} s ...\n"
    assert capsys.readouterr().err == line
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: False)
    precompile.report_compilation(quick(None, algo=algorithms).settings)
    assert capsys.readouterr().err == ""
