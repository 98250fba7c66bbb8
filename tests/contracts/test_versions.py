"""The version of an algorithm changes with every file that decides what a run gives."""

import shutil
from pathlib import Path

import pytest

from dpbandits.contracts import versions
from dpbandits.files import PACKAGE

DECIDING = [
    "algorithms/dp_klucb.py",
    "compiled/__init__.py",
    "compiled/random_numbers.py",
    "environments/laws.py",
    "game.py",
    "parts/indices/private_divergence.py",
    "parts/noise/mechanisms.py",
    "parts/schedules/phases.py",
    "running/play.py",
]
OTHERS = ["algorithms/ucb.py", "api.py", "cli/run.py", "parts/counting/trees.py", "authoring.py"]


@pytest.fixture
def version(tmp_path, monkeypatch):
    """A function that edits a file of a copy of the package and returns a version."""
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    played_by = tuple(copy / file.relative_to(PACKAGE) for file in versions.PLAYED_BY)
    monkeypatch.setattr(versions, "PACKAGE", copy)
    monkeypatch.setattr(versions, "PLAYED_BY", played_by)

    def edited(*names: str) -> str:
        for name in names:
            file = Path(copy / name)
            file.write_text(f"{file.read_text()}\n# edited\n")
        versions._names_imported.cache_clear()
        return versions.version_of_file(copy / "algorithms" / "dp_klucb.py")

    yield edited
    versions._names_imported.cache_clear()


def test_a_version_changes_with_what_decides_a_run_and_with_nothing_else(version):
    before = version()
    assert version(*OTHERS) == before
    for name in DECIDING:
        assert version(name) != before
        before = version()
