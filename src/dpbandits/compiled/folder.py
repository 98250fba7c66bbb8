"""Folders of cached machine code, which no other user can change.

Each state of the sources has its own folder; old folders are removed. Machine code is loaded with
pickle, so anyone who can change a file of machine code can run code as the user who loads the file.
A folder is therefore used only if it belongs to this user, all folders above it belong to root or
to this user, and nobody else can write to any of them. There is one exception: a folder above may
be writable by everyone if it has the sticky bit, which protects its contents, as in the temporary
folder. Members of a group count as other users, except for root's group, and for the user's own
group if it has no other member. Files are opened relative to the folder's descriptor, and checked
after opening.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .choice import compiler
from .sources import place_of, shared_state, state_of

OLDEST = 30 * 86400.0  # a folder is removed if it was last used more than so many seconds ago
# The largest size of all folders together; the most recently used folders are kept
MAX_FOLDER_BYTES = 500_000_000
NAME = "code-"  # the beginning of a folder's name; the kind and a hash of the state follow
OUR_FOLDER = re.compile(NAME + "([a-z]+-)?[0-9a-f]{12}")
MOST_LINKS = 40  # number of symbolic links that a path may contain, as in Linux


class Unsafe(OSError):
    """The error for a folder or a file that another user owns or can change."""


class CacheFolder(NamedTuple):
    """The folder for files of one kind and one state of the sources, or the reason why there is no
    such folder.
    """

    path: Path | None
    reason: str = ""  # why the first folder that was tried cannot be used


def cache_folder(kind: str, state: str) -> CacheFolder:
    """Return the cache folder for files of one kind and one state of their sources.

    If the folder does not exist, it is created, and old folders beside it are removed.
    """
    name, reasons = f"{NAME}{kind}-{state}", []
    for home in _cache_homes():
        folder = home / name
        try:
            is_new = not os.path.lexists(folder)
            if is_new:
                _create(folder)
            with opened_folder(folder), tempfile.TemporaryFile(dir=folder):
                os.utime(folder)  # records that the folder is in use
        except OSError as error:
            reasons.append(str(error) if isinstance(error, Unsafe) else f"{folder}: {error}")
            continue
        if is_new:
            prune(folder)
        return CacheFolder(folder)
    return CacheFolder(None, reasons[0])


def _cache_homes() -> Iterator[Path]:
    if home := os.environ.get("NUMBA_CACHE_DIR"):  # an empty variable counts as unset
        yield Path(home).absolute()
    if home := os.environ.get("XDG_CACHE_HOME"):
        yield Path(home).absolute() / "dpbandits"
    with contextlib.suppress(RuntimeError):  # the user may have no home folder
        yield Path.home() / ".cache" / "dpbandits"
    yield Path(tempfile.gettempdir()) / f"dpbandits-{os.getuid()}"


def _create(folder: Path) -> None:
    """Create a folder and the missing folders above it, accessible to this user only."""
    for each in [*reversed(folder.parents), folder]:
        if not os.path.lexists(each):
            check_path(each.parent)
            each.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def opened_folder(folder: Path) -> Iterator[int]:
    """Open a folder that this user owns, and yield its descriptor.

    Raises:
        Unsafe: another user owns or can change the folder, or can change a folder above it.
        OSError: the folder cannot be opened, for instance because it is a symbolic link.
    """
    check_path(folder.parent)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        check_own(os.fstat(descriptor), folder)
        yield descriptor
    finally:
        os.close(descriptor)


def check_path(folder: Path) -> None:
    """Raise Unsafe if anyone other than this user and root can replace a folder of a path.

    The folder itself, all folders above it and the targets of symbolic links are checked.
    """
    left, path, links = list(reversed(folder.absolute().parts)), Path(), 0
    while left:
        path = path / left.pop()
        path = path.parent.parent if path.name == ".." else path
        found = path.lstat()
        if found.st_uid not in (0, os.geteuid()):
            raise Unsafe(f"{path} belongs to another user")
        if stat.S_ISLNK(found.st_mode):  # the folder that contains the link has been checked
            links += 1
            if links > MOST_LINKS:
                raise Unsafe(f"{folder} contains too many links")
            left += reversed(path.readlink().parts)
            path = path.parent
        elif _others_write(found) and not found.st_mode & stat.S_ISVTX:
            raise Unsafe(f"{path} can be changed by other users")


def check_own(found: os.stat_result, path: Path) -> None:
    """Raise Unsafe if an opened file or folder belongs to another user, or another user can write
    to it.

    Args:
        found: the status of the opened file or folder.
        path: its path, for the message.
    """
    if found.st_uid != os.geteuid():
        raise Unsafe(f"{path} belongs to another user")
    if _others_write(found):
        raise Unsafe(f"{path} can be changed by other users")


def _others_write(found: os.stat_result) -> bool:
    by_group = found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid)
    return bool(by_group or found.st_mode & stat.S_IWOTH)


@cache
def _is_private(group: int) -> bool:
    """Return whether a group is root's group or this user's private group.

    A private group has the name of the user and no other member. Many systems create such a group
    for each user, and ``umask 002`` is safe only with such a group.
    """
    if group == 0:
        return True
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    is_own = user.pw_gid == group and found.gr_name == user.pw_name
    return is_own and {*found.gr_mem} <= {user.pw_name}


def prune(used: Path) -> None:
    """Remove old cache folders beside the folder in use.

    A folder is removed if it was last used more than OLDEST seconds ago. A folder is also removed
    if it and all folders that were used later have more than MAX_FOLDER_BYTES in total.
    """
    others = []
    for folder in used.parent.iterdir():
        with contextlib.suppress(OSError):
            state = folder.lstat()
            ours = OUR_FOLDER.fullmatch(folder.name) and state.st_uid == os.getuid()
            if ours and folder != used and folder.is_dir() and not folder.is_symlink():
                others.append((state.st_mtime, folder))
    total = _size(used)
    for last_used, folder in sorted(others, reverse=True):
        total += _size(folder)
        if total > MAX_FOLDER_BYTES or last_used < time.time() - OLDEST:
            shutil.rmtree(folder, ignore_errors=True)


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # another process may remove the file
            total += file.lstat().st_size
    return total


class Stored(NamedTuple):
    """The properties that identify a function's machine code on disk."""

    name: str  # the name of the function, for messages
    place: str  # a hash that identifies the function, the same for all states of its sources
    state: str  # a hash of the sources that are compiled into it, without the shared sources

    @property
    def stem(self) -> str:
        """The beginning of the names of the files with this machine code."""
        return re.sub(r"\W", "", self.name) + f"-{self.place}"


def stored(function: Callable) -> Stored | None:
    """Return the properties that identify a function's machine code on disk, or None.

    The result is None if the function is not in the file of an imported module, but in a notebook,
    at a prompt or in the main script.
    """
    is_imported = getattr(function, "__module__", None) not in (None, "__main__")
    if not (is_imported and Path(function.__code__.co_filename).is_file()):
        return None
    return Stored(function.__name__, place_of(function), state_of(function))


def compiled_code() -> CacheFolder:
    """Return the folder for machine code of the back-end in use, or the reason why there is no
    folder.
    """
    return found_folder(compiler())


@cache
def found_folder(backend: str) -> CacheFolder:
    """Return the folder for machine code of a back-end, always the same within a process."""
    return cache_folder(backend, shared_state())


def report_damage(name: str, what: str = "is damaged") -> None:
    """Print one line to stderr that cached machine code cannot be used and is compiled again."""
    line = f"the cached machine code of {name} {what}: compiling it again"
    print(line, file=sys.stderr, flush=True)
