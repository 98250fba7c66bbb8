"""A manifest that is damaged or no regular file is as good as none."""

import os
import subprocess

import pytest
from refusals import message_of
from sweeps import report, requested

from dpbandits.files import sha256_of
from dpbandits.results import manifest
from dpbandits.results.manifest import (
    UNREADABLE,
    commit,
    is_current,
    read_manifest,
    read_records,
    table_of,
    table_path,
    write_records,
)

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


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"algo": "ucb"}, "ucb-bernoulli_c2-T100"),
        ({"algo": "dp_se", "eps": 0.5}, "dp_se-bernoulli_c2-eps0.5-T100"),
        ({"algo": "dp_se", "eps": [0.5, 1]}, "sweep"),
    ],
)
def test_tables_are_named_after_their_settings(tmp_path, given, name):
    """Mutation that it catches: sweeps are named after their first setting."""
    path = table_path(requested(tmp_path, horizon=100, runs=1, **given))
    stem, _, hashed = path.stem.rpartition("-")
    assert (stem, len(hashed), path.parent) == (name, 8, tmp_path)


def test_a_table_is_current_for_the_keys_of_its_manifest(tmp_path):
    """Mutation that it catches: the other conditions are enough."""
    request = requested(tmp_path, algo="ucb", horizon=100, runs=1, jobs=1)
    table = report(request)
    assert is_current(table, request.config, request.settings)
    assert is_current(table, request.config | {"jobs": 2}, request.settings)
    assert not is_current(table, request.config | {"runs": 2}, request.settings)
    assert not is_current(table, request.config, request.settings * 2)


def test_records_are_those_of_the_content_of_a_table(tmp_path):
    table, records = tmp_path / "t.csv", {"a": {"algo": "ucb"}}
    table.write_bytes(b"one")
    write_records(table, sha256_of(table), records)
    assert read_records(table) == records
    table.write_bytes(b"two")
    with pytest.raises(UNREADABLE):
        read_records(table)


def test_the_table_of_an_experiment_is_found_by_its_name(tmp_path):
    """The experiment is one of the package, or one whose table exists."""
    assert "bandit-run experiment=azize2022_fig2" in message_of(
        table_of, "azize2022_fig2", tmp_path
    )
    assert "unknown experiment 'other'" in message_of(table_of, "other", tmp_path)
    (tmp_path / "other.csv").write_text("")
    assert table_of("other", tmp_path) == tmp_path / "other.csv"
    (tmp_path / "azize2022_fig2.csv").write_text("")
    assert table_of("azize2022_fig2", tmp_path) == tmp_path / "azize2022_fig2.csv"
