"""A manifest that is damaged or no regular file is as good as none."""

import os
import subprocess

import pytest

from dpbandits.results import manifest
from dpbandits.results.manifest import UNREADABLE, commit, is_current, read_manifest

ODD = {
    "no json": lambda file: file.write_text("{"),
    "nested": lambda file: file.write_text("[" * 200_000),
    "a pipe": os.mkfifo,
    "a folder": lambda file: file.mkdir(),
    "a device": lambda file: file.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("odd", ODD)
def test_a_manifest_that_cannot_be_read(tmp_path, odd):
    table = tmp_path / "table.csv"
    ODD[odd](table.with_suffix(".json"))
    with pytest.raises(UNREADABLE):
        read_manifest(table)
    assert not is_current(table, {}, [])


@pytest.mark.slow
def test_a_git_that_hangs_is_not_waited_for(tmp_path, monkeypatch):
    git = tmp_path / "git"
    git.write_text("#!/bin/sh\nexec sleep 60\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(subprocess.TimeoutExpired):  # control: this git is called
        subprocess.run(["git"], timeout=0.1)
    monkeypatch.setattr(manifest, "PATIENCE", 0.1)
    assert commit() is None
