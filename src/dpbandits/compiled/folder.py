"""The folder of cached machine code: one for each back-end and state of the shared sources."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .choice import compiler
from .sources import place_of, shared_state, state_of

# Folders of other states are removed when one is created; a complete folder has about 20 MB
OLDEST = 30 * 86400.0  # seconds since a folder was last used
LARGEST = 500_000_000  # bytes of all folders together; those used last are preserved
NAME = "code-"  # followed by the back-end and a hash
OUR_FOLDER = re.compile(NAME + "([a-z]+-)?[0-9a-f]{12}")


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


def compiled_code() -> Path:
    """The folder of the machine code that the present back-end makes."""
    return folder_of(compiler())


@cache
def folder_of(backend: str) -> Path:
    """The folder of the machine code that a back-end makes, the same in a whole process."""
    return cache_folder(backend)


def cache_folder(backend: str) -> Path:
    """Create and return the cache folder of a back-end and of the state of the shared sources."""
    name = f"{NAME}{backend}-{shared_state()}"
    for home in _cache_homes():
        folder = home / name
        try:
            is_new = not folder.is_dir()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
            if folder.stat().st_uid != os.getuid():  # never load code written by another user
                continue
            os.utime(folder)  # it is in use
        except OSError:
            continue
        if is_new:
            prune(folder)
        return folder
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-"), name)
    folder.mkdir()
    return folder


def _cache_homes() -> Iterator[Path]:
    if home := os.environ.get("NUMBA_CACHE_DIR"):  # empty is the same as unset
        yield Path(home).absolute()
    if home := os.environ.get("XDG_CACHE_HOME"):
        yield Path(home).absolute() / "dpbandits"
    with contextlib.suppress(RuntimeError):  # the user may have no home folder
        yield Path.home() / ".cache" / "dpbandits"
    yield Path(tempfile.gettempdir()) / f"dpbandits-{os.getuid()}"


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
        if total > LARGEST or last_used < time.time() - OLDEST:
            shutil.rmtree(folder, ignore_errors=True)


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # another process may remove it
            total += file.lstat().st_size
    return total
