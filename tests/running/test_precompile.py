"""Compiling in a child process: if none can be started, compiling is left to this process."""

import sys

import pytest
from sweeps import quick

from dpbandits.running import precompile


@pytest.mark.parametrize("executable", ["", None, "/no/python"])
def test_no_error_if_no_process_can_be_started(executable, monkeypatch):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(precompile, "is_cached", lambda loop: False)
    precompile.compile_elsewhere(quick(None).settings)
