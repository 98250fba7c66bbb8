"""A copy of the package of which files are edited, and what each cache makes of that."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dpbandits import fingerprint
from dpbandits.audit import findings
from dpbandits.compiled import sources
from dpbandits.contracts import versions
from dpbandits.files import PACKAGE
from dpbandits.results.sources import SUMMARY, sources_of

ALGORITHM = "algorithms/private_lin_ucb.py"


class EditedCopy:
    """A copy of the package in a folder, whose files decide what the functions of CACHES return."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.package = folder / PACKAGE.name
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        for module in (findings, sources, versions):
            monkeypatch.setattr(module, "PACKAGE", self.package)
        monkeypatch.setattr(findings, "__file__", str(self.package / "audit" / "findings.py"))
        played_by = tuple(self.package / f.relative_to(PACKAGE) for f in versions.PLAYED_BY)
        monkeypatch.setattr(versions, "PLAYED_BY", played_by)

    def edit(self, name: str) -> None:
        file = self.package / name
        file.write_text(f"{file.read_text()}\nEDITED = 1\n")  # its imports stay the same
        fingerprint._read.cache_clear()
        findings.made_by.cache_clear()

    def states(self) -> dict[str, str]:
        """The state of each cache, by its name."""
        return {name: state(self.package) for name, state in CACHES.items()}


def _version(package: Path) -> str:
    return versions.version_of_file(package / ALGORITHM)


def _page(package: Path) -> str:
    return sources_of([_version(package), *(package / f.relative_to(PACKAGE) for f in SUMMARY)])


# By name, a hash that changes when what a cache holds is made again; a cache of the project's is
# added here, and to the table of tests/project/test_caches.py
CACHES: dict[str, Callable[[Path], str]] = {
    "version": _version,
    "machine code": lambda package: sources.shared_state(),
    "page": _page,
    "audit": lambda package: findings.made_by(),
}
