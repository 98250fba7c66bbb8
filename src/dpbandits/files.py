"""Write files atomically and under a lock, and check folders."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .errors import BadInput, CannotWrite

PACKAGE = Path(__file__).parent
LOCK = ".dpbandits.lock"
RUNS = "runs"  # the folder of a results folder in which runs are stored
FIGURES = "figures"  # the folder of a results folder in which figures are written
PAUSES = 0.01, 0.5  # seconds between attempts to acquire a lock, at first and at most
WAIT = 2.0  # seconds after which a wait for a lock is reported
LARGEST_TEXT = 2**28  # bytes of a manifest, a stored finding or a reason of a failure


def package_folder(name: str) -> Path:
    """Return a folder such as ``conf``: in the installed package, or at the top of a checkout."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent.parent / name


@contextmanager
def locked(folder: Path, deadline: Callable[[], float] = lambda: math.inf) -> Iterator[None]:
    """Lock a folder against other processes; create it if it is missing.

    If a process dies, the operating system releases its lock. If another process keeps the lock for
    a long time, the waiting process says so in one line on standard error.

    Args:
        folder: the folder.
        deadline: a function that returns when to stop waiting, as a time of ``time.monotonic``. The
            time may change during the wait.

    Raises:
        CannotWrite: the folder cannot be created, or cannot be locked before the deadline.
    """
    lock = FileLock(folder / LOCK)
    try:
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            _acquire(lock, folder, deadline)
        yield
    finally:  # even if an interruption comes directly after the lock is acquired
        lock.release(force=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Convert an error of the operating system about a path to CannotWrite."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(path, error) from error


def _acquire(lock: FileLock, folder: Path, deadline: Callable[[], float]) -> None:
    began = time.monotonic()
    report_at = began + WAIT
    while True:
        with suppress(Timeout):
            lock.acquire(blocking=False)
            return
        now = time.monotonic()
        if now >= deadline():
            raise OSError("another process holds the lock of this folder")
        # Hundreds of processes may wait for long; long pauses leave the processor to the process
        # that holds the lock
        time.sleep(min(max(PAUSES[0], (now - began) / 10), PAUSES[1]))
        if now >= report_at:
            line = f"waiting for {folder / LOCK}, which another process has locked ..."
            print(line, file=sys.stderr, flush=True)
            report_at = math.inf


class Implausible(ValueError):
    """The error for a file that this package cannot have written, since the file is too large or
    not a regular file.
    """


@contextmanager
def opened(
    path: Path, most: float = math.inf, folder: int | None = None
) -> Iterator[BufferedReader]:
    """Open a regular file of at most ``most`` bytes for reading.

    Other files are refused: reading a pipe or a device, or a link to one, could block or never end.
    If ``folder``, the descriptor of a folder, is given, the file with the name of ``path`` is
    opened in this folder, and no link is followed.

    Raises:
        Implausible: the file is not a regular file, or is larger than ``most``.
        OSError: the file cannot be opened.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK  # does not wait for a pipe's writer
    if folder is not None:
        path, flags = Path(path.name), flags | os.O_NOFOLLOW
    descriptor = os.open(path, flags, dir_fd=folder)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Implausible("a regular file is needed, not a folder, a pipe or a device")
        if found.st_size > most:
            raise Implausible(f"the file has {found.st_size} bytes, more than {most:g}")
        with open(descriptor, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def read_text(path: Path) -> str:
    """Return the text of a regular file of a plausible size; raises the errors of ``opened``."""
    with opened(path, LARGEST_TEXT) as file:
        return file.read().decode(errors="replace")


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 checksum of a regular file; raises the errors of ``opened``."""
    with opened(Path(path)) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def replace_file(path: Path, content: bytes | Iterable[bytes], synced: bool = True) -> None:
    """Write a file in a locked folder atomically. If ``content`` yields pieces, only one piece at a
    time is in memory.

    The file survives the end of the process. With ``synced`` the file also survives a power cut,
    but writing takes some milliseconds longer. Without ``synced``, a power cut can damage the file.

    Raises:
        CannotWrite: the file cannot be written, or its path belongs to a folder, a pipe or a device
            (see ``check_replaceable``). If writing fails, an older version of the file remains.
    """
    check_replaceable(path)
    part = path.with_name(f".{path.name}.part")
    remove_file(part)  # the remainder of a killed process
    try:
        with _writing(path):
            with open(part, "xb") as file:  # x: a new file, so no link is followed
                for piece in [content] if isinstance(content, bytes) else content:
                    file.write(piece)
                file.flush()
                if synced:
                    os.fsync(file.fileno())
            os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def is_replaceable(path: Path) -> bool:
    """Return whether the package may replace or remove the file or link at a path. The result is
    true for a regular file, for a link, and if there is nothing at the path. Replacing or removing
    a link does not change its target.

    Raises:
        OSError: the status of the path cannot be read.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def check_replaceable(path: Path) -> None:
    """Raise CannotWrite if the path of a file belongs to a device, a pipe, a socket or a folder."""
    with _writing(path):
        if not is_replaceable(path):
            raise OSError("a folder, a pipe or a device stands there, not a regular file")


def remove_file(path: Path) -> None:
    """Remove a file if it exists.

    Raises:
        CannotWrite: the file cannot be removed, or its path belongs to a folder, a pipe or a device
            (see ``check_replaceable``).
    """
    check_replaceable(path)
    with _writing(path):
        path.unlink(missing_ok=True)


def set_aside(path: Path) -> None:
    """Rename a damaged file (or a folder, pipe or device in its place), so that users can examine
    it.

    Raises:
        CannotWrite: the file cannot be renamed.
    """
    names = (path.with_suffix(f".damaged{i or ''}") for i in itertools.count())
    with _writing(path):
        path.replace(next(name for name in names if not os.path.lexists(name)))


def write_atomically(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Lock the folder of a file and write the file atomically, see ``replace_file``. The lock file
    is removed afterwards, since the folder may belong to the user.
    """
    check_replaceable(path)  # a lock must not be created in a folder of devices
    with locked(path.parent):
        try:
            replace_file(path, content)
        finally:
            with suppress(OSError):  # a process that waits then creates a new lock
                (path.parent / LOCK).unlink()


def check_writable(folder: Path, out: Any = None) -> None:
    """Raise BadInput if files cannot be created in a results folder, or in the folder of the file
    that the user gave as ``out``. The check leaves no file or folder behind.
    """
    with needed(folder, out), tempfile.TemporaryFile(dir=existing(folder)):
        for inner in (folder / RUNS, folder / FIGURES) if out is None else ():
            if inner.is_symlink():
                raise OSError(f"{inner} is a link, which could lead out of the results folder")


def check_folder(folder: Path) -> None:
    """Raise BadInput if a path cannot be a folder, since it is a file or a link to nothing."""
    with needed(folder):
        existing(folder)


@contextmanager
def needed(folder: Path, out: Any = None) -> Iterator[None]:
    """Convert an error about a results folder, or about the folder of ``out``, to BadInput."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        given = f"results={folder}" if out is None else f"out={out}"
        raise BadInput(f"{given}: a writable folder is needed ({reason})") from None


def existing(folder: Path) -> Path:
    """Return the folder, or its nearest ancestor that exists."""
    found = folder.absolute()
    while not (found.is_symlink() or found.exists()):
        found = found.parent
    if not found.is_dir():
        raise NotADirectoryError(f"{found} is not a folder")
    return found
