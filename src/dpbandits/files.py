"""Files that are whole or not there, written by one process at a time."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from .errors import BadInput, CannotWrite

PACKAGE = Path(__file__).parent
LOCK = ".lock"
PATIENCE = 0.01  # seconds between two looks at a lock that another process holds


def package_folder(name: str) -> Path:
    """A folder such as ``conf``, which is in the wheel or at the top of a checkout."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent.parent / name


def sources_hash(*files: Path) -> str:
    """Hash of the text of the given source files, in the order given."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder meanwhile.

    The system drops the lock of a process that dies, so none is ever stale.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = FileLock(folder / LOCK).acquire(poll_interval=PATIENCE)
    except OSError as error:
        raise CannotWrite(folder, error) from error
    with held:
        yield


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, in a locked folder, so that a reader, or a crash, sees all of it or none."""
    part = path.with_name(f".{path.name}.part")  # what a kill left of it is written over
    try:
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CannotWrite(path, error) from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader, a crash or another writer sees all of it or none."""
    with locked(path.parent):
        replace_file(path, content)


def check_writable(folder: Path) -> None:
    """Refuse a results folder that cannot be written, before any work is done; leaves nothing."""
    with needed(folder), tempfile.TemporaryFile(dir=existing(folder)):
        pass


def check_folder(folder: Path) -> None:
    """Refuse what is no folder, and could not become one: a file, or a link that leads nowhere."""
    with needed(folder):
        existing(folder)


@contextmanager
def needed(folder: Path) -> Iterator[None]:
    """Say in one line why a results folder will not do."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"results={folder}: a writable folder is needed ({reason})") from None


def existing(folder: Path) -> Path:
    """A folder, or the nearest above it that is there."""
    found = folder.absolute()
    while not (found.is_symlink() or found.exists()):
        found = found.parent
    if not found.is_dir():
        raise NotADirectoryError(f"{found} is not a folder")
    return found
