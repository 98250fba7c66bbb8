"""Compiling in a child process, and what is reported before.

If no process can be started, compiling is left to this one.
"""

import sys

import pytest
from sweeps import quick

from dpbandits.running import precompile


@pytest.mark.parametrize("executable", ["", None, "/no/python"])
def test_no_error_if_no_process_can_be_started(executable, monkeypatch):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: True)
    precompile.compile_elsewhere(quick(None).settings)


@pytest.mark.parametrize(
    ("algorithms", "line"),
    [
        (["dp_se"], "compiling dp_se, the first time only: about 6 s ...\n"),
        (["dp_se", "ucb"], "compiling dp_se and ucb, the first time only: about 8 s ...\n"),
        (
            ["ucb", "dp_se", "adap_ucb"],
            "compiling ucb, dp_se and adap_ucb, the first time only: about 10 s ...\n",
        ),
        (
            ["ucb", "dp_se", "adap_ucb", "kl_ucb", "dp_ucb"],
            "compiling ucb, dp_se and 3 more, the first time only: about 14 s ...\n",
        ),
    ],
)
def test_what_is_compiled_is_reported_in_one_line(algorithms, line, monkeypatch, capsys):
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: True)
    precompile.report_compilation(quick(None, algo=algorithms).settings)
    assert capsys.readouterr().err == line
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: False)
    precompile.report_compilation(quick(None, algo=algorithms).settings)
    assert capsys.readouterr().err == ""
