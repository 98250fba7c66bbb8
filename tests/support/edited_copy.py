"""A copy of the package in which tests edit files, to see which caches notice the edit."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dpbandits import fingerprint
from dpbandits.audit import findings
from dpbandits.compiled import sources
from dpbandits.contracts import versions
from dpbandits.files import PACKAGE

ALGORITHM = "algorithms/private_lin_ucb.py"


class EditedCopy:
    """A copy of the package in a folder. The functions in CACHES compute their hashes from its
    files.
    """

    def __init__(self, folder: Path):
        self.package = folder / PACKAGE.name
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def edit(self, *names: str, code: str = "EDITED = 1") -> None:
        """Add a line to files without a change of their imports."""
        for name in names:
            file = self.package / name
            file.write_text(f"{file.read_text()}\n{code}\n")
        _forget()

    def states(self) -> dict[str, str]:
        """Return the hash of each cache, by the cache's name."""
        return {name: state(self.package) for name, state in CACHES.items()}


@contextmanager
def edited_copy(folder: Path) -> Iterator[EditedCopy]:
    """Let a copy replace the package. At the end, everything that was read from the copy is
    forgotten.
    """
    copy = EditedCopy(folder)
    played_by = tuple(copy.package / f.relative_to(PACKAGE) for f in versions.PLAYED_BY)
    with pytest.MonkeyPatch.context() as patch:
        for module in (findings, sources, versions):
            patch.setattr(module, "PACKAGE", copy.package)
        patch.setattr(findings, "__file__", str(copy.package / "audit" / "findings.py"))
        patch.setattr(versions, "PLAYED_BY", played_by)
        _forget()
        try:
            yield copy
        finally:
            _forget()


def _forget() -> None:
    fingerprint._read.cache_clear()
    findings.made_by.cache_clear()


def _version(package: Path) -> str:
    return versions.version_of_file(package / ALGORITHM)


# For each cache a function that returns a hash; if the hash changes, the contents of the cache are
# made again. Every cache of the project belongs here and in the table of
# tests/project/test_caches.py
CACHES: dict[str, Callable[[Path], str]] = {
    "version": _version,
    "machine code": lambda package: sources.shared_state(),
    "audit": lambda package: findings.made_by(),
}
