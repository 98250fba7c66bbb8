"""Compile by Numba's public interface: functions that kernels call, and loops that are cached on
disk.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba import config
from numba.extending import overload

from ..choice import compiler
from ..folder import Stored, Unsafe, check_own, found_folder, opened_folder, report_damage
from ..notes import undeclared
from ..sources import is_of_package
from . import primitives  # noqa: F401  what it defines, kernels can call

OPTIONS = {"nogil": True, "error_model": "numpy"}
# Options of Numba that its documentation does not mention. Without these options, compilation and
# rounds take several times as long. An option that the installed version of Numba refuses is left
# out
ACCEPTED = ["no_cfunc_wrapper", "_nrt"]


def _is_accepted(option: str) -> bool:
    try:
        numba.njit(**{option: True})(lambda: None)()
    except KeyError:
        return False
    return True


if compiler() == "plain":
    ACCEPTED = list(filter(_is_accepted, ACCEPTED))


def options_of(function: Callable) -> dict[str, Any]:
    """Return Numba's options for a function; indices are checked in a user's function only."""
    return OPTIONS | {"boundscheck": not is_of_package(function)}


def callable_from_kernels(function: Callable, inlined: bool, borrows: bool) -> None:
    """Let kernels call a function, which Numba compiles for the types of the arguments.

    The option ``_nrt`` says whether references are counted. The option is set for each function,
    since Numba would otherwise use the option of the caller.
    """
    given = {"no_cfunc_wrapper": True, "_nrt": not borrows}
    options = options_of(function) | {"forceinline": inlined}
    options |= {name: given[name] for name in ACCEPTED}
    overload(function, jit_options=options, strict=False)(lambda *values, **named: function)


def declare() -> None:
    """Tell Numba about all functions that have been noted so far."""
    for called in undeclared():
        callable_from_kernels(called.function, called.inlined, called.borrows)


def dispatcher(function: Callable, stored: Stored | None = None) -> Any:
    """Return Numba's dispatcher of a function.

    If ``stored`` is not None, Numba caches the machine code in a folder for this function. Folders
    for earlier states of the sources are removed.
    """
    folder = _folder(stored)
    if stored is None or folder is None or not _is_safe(stored, folder):
        return numba.njit(**options_of(function))(function)
    for former in folder.parent.glob(f"{stored.stem}.*"):
        if former != folder:
            shutil.rmtree(former, ignore_errors=True)
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, **options_of(function))(function)
    finally:
        config.CACHE_DIR = before


def is_stored(stored: Stored) -> bool:
    """Return whether the machine code of a function is on disk."""
    folder = _folder(stored)
    return folder is not None and _is_safe(stored, folder) and any(folder.rglob("*.nbi"))


def protect(stored: Stored) -> None:
    """Remove the write permission of other users from the files that Numba has written."""
    for path in _files(_folder(stored)):
        with suppress(OSError):
            path.chmod(path.lstat().st_mode & ~0o022)


def forget(stored: Stored) -> bool:
    """Remove machine code that cannot be loaded from disk, and return whether such code was
    found.
    """
    if not is_stored(stored):
        return False
    report_damage(stored.name)
    shutil.rmtree(_folder(stored), ignore_errors=True)  # type: ignore[arg-type]
    return True


def _folder(stored: Stored | None) -> Path | None:
    home = found_folder("plain").path if stored else None
    return home / f"{stored.stem}.{stored.state}" if stored and home else None


def _files(folder: Path | None) -> list[Path]:
    """Return a folder and everything in it; the list is empty if the folder is missing."""
    return [folder, *folder.rglob("*")] if folder and os.path.lexists(folder) else []


def _is_safe(stored: Stored, folder: Path) -> bool:
    """Return whether Numba may use a folder.

    If another user may have written to the folder, it is removed first.
    """
    try:
        with opened_folder(folder.parent):
            if all(map(_is_own, _files(folder))):
                return True
            report_damage(stored.name, "may belong to another user")
            if folder.is_symlink():
                folder.unlink()
            shutil.rmtree(folder, ignore_errors=True)
            return not os.path.lexists(folder)
    except OSError:
        return False


def _is_own(path: Path) -> bool:
    found = path.lstat()
    with suppress(Unsafe):
        check_own(found, path)
        return stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
    return False
