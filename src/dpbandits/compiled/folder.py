"""Folders of cached machine code, which no other user can change: one for each state of its
sources, of which old ones are removed.

Machine code is loaded with pickle, so whoever can change it runs code as the user who loads it. A
folder is used only if it and all folders above it belong to root or to this user, and others cannot
write to them; in a folder that everyone can write to, such as the temporary one, the sticky bit
protects what is in it. A group counts as others unless it is that of root, or the user's own group
in which nobody else is. Files are opened relative to the folder's descriptor and checked then.
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

OLDEST = 30 * 86400.0  # seconds since a folder was last used
MAX_FOLDER_BYTES = 500_000_000  # of all together; those used last are preserved
NAME = "code-"  # followed by a kind, and a hash of the state
OUR_FOLDER = re.compile(NAME + "([a-z]+-)?[0-9a-f]{12}")
MOST_LINKS = 40  # that a path may contain, as in Linux


class Unsafe(OSError):
    """Another user can change a folder or a file, or owns it."""


class CacheFolder(NamedTuple):
    """The folder of a kind of files and of a state of their sources, or why there is none."""

    path: Path | None
    reason: str = ""  # why the first of the possible folders cannot be used


def cache_folder(kind: str, state: str) -> CacheFolder:
    """Create and return the cache folder of a kind of files and of a state of their sources."""
    name, reasons = f"{NAME}{kind}-{state}", []
    for home in _cache_homes():
        folder = home / name
        try:
            is_new = not os.path.lexists(folder)
            if is_new:
                _create(folder)
            with opened_folder(folder), tempfile.TemporaryFile(dir=folder):
                os.utime(folder)  # it is in use
        except OSError as error:
            reasons.append(str(error) if isinstance(error, Unsafe) else f"{folder}: {error}")
            continue
        if is_new:
            prune(folder)
        return CacheFolder(folder)
    return CacheFolder(None, reasons[0])


def _cache_homes() -> Iterator[Path]:
    if home := os.environ.get("NUMBA_CACHE_DIR"):  # empty is the same as unset
        yield Path(home).absolute()
    if home := os.environ.get("XDG_CACHE_HOME"):
        yield Path(home).absolute() / "dpbandits"
    with contextlib.suppress(RuntimeError):  # the user may have no home folder
        yield Path.home() / ".cache" / "dpbandits"
    yield Path(tempfile.gettempdir()) / f"dpbandits-{os.getuid()}"


def _create(folder: Path) -> None:
    """Create a folder and those above it that are missing, for this user alone."""
    for each in [*reversed(folder.parents), folder]:
        if not os.path.lexists(each):
            check_path(each.parent)
            each.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def opened_folder(folder: Path) -> Iterator[int]:
    """Open a folder of this user's, and yield its descriptor.

    Raises:
        Unsafe: it is a link, or another user can change it, or one of the folders above it.
        OSError: it cannot be opened.
    """
    check_path(folder.parent)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        check_own(os.fstat(descriptor), folder)
        yield descriptor
    finally:
        os.close(descriptor)


def check_path(folder: Path) -> None:
    """Raise Unsafe if another user than root can replace a folder, one of those above it, or what
    a link among them leads to.
    """
    left, path, links = list(reversed(folder.absolute().parts)), Path(), 0
    while left:
        path = path / left.pop()
        path = path.parent.parent if path.name == ".." else path
        found = path.lstat()
        if found.st_uid not in (0, os.geteuid()):
            raise Unsafe(f"{path} belongs to another user")
        if stat.S_ISLNK(found.st_mode):  # whose folder has been checked
            links += 1
            if links > MOST_LINKS:
                raise Unsafe(f"{folder} contains too many links")
            left += reversed(path.readlink().parts)
            path = path.parent
        elif _others_write(found) and not found.st_mode & stat.S_ISVTX:
            raise Unsafe(f"{path} can be changed by other users")


def check_own(found: os.stat_result, path: Path) -> None:
    """Raise Unsafe if what was opened belongs to another user, or others can write to it."""
    if found.st_uid != os.geteuid():
        raise Unsafe(f"{path} belongs to another user")
    if _others_write(found):
        raise Unsafe(f"{path} can be changed by other users")


def _others_write(found: os.stat_result) -> bool:
    by_group = found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid)
    return bool(by_group or found.st_mode & stat.S_IWOTH)


@cache
def _is_private(group: int) -> bool:
    """Whether a group is that of root, or this user's own, named after the user and with no other
    member, which many systems create for each user, and which ``umask 002`` supposes.
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
    """Remove the folders beside one in use that were not used for long, or are too large."""
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
        with contextlib.suppress(OSError):  # another process may remove it
            total += file.lstat().st_size
    return total


class Stored(NamedTuple):
    """What identifies the machine code of a function on disk."""

    name: str  # what users call it
    place: str  # a hash that identifies it, the same for all states of its sources
    state: str  # a hash of the sources that are compiled into it, less those shared by all

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        return re.sub(r"\W", "", self.name) + f"-{self.place}"


def stored(function: Callable) -> Stored | None:
    """Where the machine code of a function is cached, None for one of a notebook or a prompt."""
    if not is_in_a_file(function):
        return None
    return Stored(function.__name__, place_of(function), state_of(function))


def is_in_a_file(function: Callable) -> bool:
    """Whether a function is defined in a module's file, not in a notebook or at a prompt."""
    if getattr(function, "__module__", None) in (None, "__main__"):
        return False
    return Path(function.__code__.co_filename).is_file()


def compiled_code() -> CacheFolder:
    """The folder of the machine code that the present back-end makes, or why there is none."""
    return found_folder(compiler())


@cache
def found_folder(backend: str) -> CacheFolder:
    """The folder of the machine code that a back-end makes, the same in a whole process."""
    return cache_folder(backend, shared_state())


def report_damage(name: str, what: str = "is damaged") -> None:
    """Print one line: cached machine code cannot be used."""
    line = f"the cached machine code of {name} {what}: compiling it again"
    print(line, file=sys.stderr, flush=True)
