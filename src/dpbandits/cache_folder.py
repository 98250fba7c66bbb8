"""Folders of cached files: one for each state of their sources, of which old ones are removed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

OLDEST = 30 * 86400.0  # seconds since a folder was last used
LARGEST = 500_000_000  # bytes of all folders together; those used last are preserved
NAME = "code-"  # followed by a kind, and a hash of the state
OUR_FOLDER = re.compile(NAME + "([a-z]+-)?[0-9a-f]{12}")


def cache_folder(kind: str, state: str) -> Path:
    """Create and return the cache folder of a kind of files and of a state of their sources."""
    name = f"{NAME}{kind}-{state}"
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
