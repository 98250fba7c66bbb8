"""The folder of Numba's disk cache: one for each state of the package's sources."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numba

from ..files import PACKAGE, sources_hash

# The sources of kernels: folders, files, and the templates of loops
KERNELS = ("compiled", "environments", "game.py", "parts", "algorithms", "stopping")
TEMPLATES = ("running/play.py", "audit/releases.py", "audit/subjects.py")


def kernel_sources() -> list[Path]:
    """All files of the package that can be compiled into a kernel."""
    places = [PACKAGE / name for name in (*KERNELS, *TEMPLATES)]
    return sorted(f for p in places for f in (p.rglob("*.py") if p.is_dir() else [p]))


SOURCES = sources_hash(*sorted(PACKAGE.rglob("*.py")))  # the state of the whole package
KERNEL_SOURCES = sources_hash(*kernel_sources())  # editing other files compiles nothing again


def cache_folder() -> Path:
    """Create and return the cache folder, named by a hash of the package's sources.

    Numba's cache does not detect edits of imported files; the hash in the folder's name does.
    """
    for home in _cache_homes():
        folder = home / KERNEL_SOURCES
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        if folder.stat().st_uid == os.getuid():  # never load machine code written by another user
            return folder
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-"), KERNEL_SOURCES)
    folder.mkdir()
    return folder


def _cache_homes() -> Iterator[Path]:
    if "NUMBA_CACHE_DIR" in os.environ:
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    if "XDG_CACHE_HOME" in os.environ:
        yield Path(os.environ["XDG_CACHE_HOME"]) / "dpbandits"
    with contextlib.suppress(RuntimeError):  # the user may have no home folder
        yield Path.home() / ".cache" / "dpbandits"
    yield Path(tempfile.gettempdir()) / f"dpbandits-{os.getuid()}"


numba.config.CACHE_DIR = str(cache_folder())


def compiled_code() -> Path:
    """Return the folder of the cached kernels."""
    return Path(numba.config.CACHE_DIR)


def is_cached(function: Callable) -> bool:
    """Whether machine code for a kernel is in the disk cache."""
    return any(compiled_code().rglob(f"*.{function.__name__}-*.nbc"))


def is_in_a_file(function: Callable) -> bool:
    """Whether a function is defined in a module's file, not in a notebook or at a prompt."""
    return getattr(function, "__module__", None) not in (None, "__main__")
