"""A command whose output cannot be written ends with one line that says so."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.cli import run


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    ["bandit-run horizon=50 runs=1 jobs=1", "bandit-run --help", "bandit-status", "bandit-plot -h"],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_reported_in_one_line(tmp_path, command, unbuffered):
    name, *given = command.split()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [Path(sys.executable).with_name(name), *given],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last == f"{name}: cannot write the output (No space left on device)"


@pytest.mark.slow
def test_an_error_of_writing_a_configuration_is_left_to_the_command(monkeypatch):
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(full, write_through=True))
        with pytest.raises(OSError, match="No space left"):
            run.main.__wrapped__(["--cfg=job"])
