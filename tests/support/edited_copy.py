"""A copy of the package of which files are edited, and what each cache makes of that."""

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
    """A copy of the package in a folder, whose files decide what the functions of CACHES return."""

    def __init__(self, folder: Path):
        self.package = folder / PACKAGE.name
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def edit(self, *names: str, code: str = "EDITED = 1") -> None:
        """Add a line to files; their imports stay the same."""
        for name in names:
            file = self.package / name
            file.write_text(f"{file.read_text()}\n{code}\n")
        _forget()

    def states(self) -> dict[str, str]:
        """The state of each cache, by its name."""
        return {name: state(self.package) for name, state in CACHES.items()}


@contextmanager
def edited_copy(folder: Path) -> Iterator[EditedCopy]:
    """A copy that stands for the package; afterwards nothing that was read of it is left."""
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


# By name, a hash that changes when what a cache holds is made again; a cache of the project's is
# added here, and to the table of tests/project/test_caches.py
CACHES: dict[str, Callable[[Path], str]] = {
    "version": _version,
    "machine code": lambda package: sources.shared_state(),
    "audit": lambda package: findings.made_by(),
}
