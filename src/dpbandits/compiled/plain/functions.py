"""Compiling with Numba's public interface: functions that kernels call, and loops on disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import config
from numba.extending import overload

from ..choice import compiler
from ..folder import Stored, folder_of, report_damage

OPTIONS = {"nogil": True, "error_model": "numpy"}
# Not documented. Without these, compiling and rounds take several times as long; where a version
# of Numba refuses them they are left out
ACCEPTED = ["no_cfunc_wrapper", "_nrt"]


def _is_accepted(option: str) -> bool:
    try:
        numba.njit(**{option: True})(lambda: None)()
    except KeyError:
        return False
    return True


if compiler() == "plain":
    ACCEPTED = list(filter(_is_accepted, ACCEPTED))


def callable_from_kernels(function: Callable, inlined: bool, borrows: bool) -> None:
    """Let kernels call a function, which Numba compiles for the types of the arguments. Whether it
    counts references is said of each, since Numba passes the options of a caller on.
    """
    given = {"no_cfunc_wrapper": True, "_nrt": not borrows}
    options = OPTIONS | {"forceinline": inlined} | {name: given[name] for name in ACCEPTED}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)


def dispatcher(function: Callable, stored: Stored | None) -> Any:
    """Numba's dispatcher of a function, cached on disk by Numba in a folder of its own."""
    if stored is None:
        return numba.njit(**OPTIONS)(function)
    folder = _folder(stored)
    for former in folder.parent.glob(f"{stored.stem}.*"):
        if former != folder:
            shutil.rmtree(former, ignore_errors=True)
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, **OPTIONS)(function)
    finally:
        config.CACHE_DIR = before


def is_stored(stored: Stored) -> bool:
    """Whether machine code is on disk."""
    return any(_folder(stored).rglob("*.nbi"))


def forget(stored: Stored) -> bool:
    """Remove machine code that cannot be loaded from the disk; whether there was any."""
    if not is_stored(stored):
        return False
    report_damage(stored.name)
    shutil.rmtree(_folder(stored), ignore_errors=True)
    return True


def _folder(stored: Stored) -> Path:
    return folder_of("plain") / f"{stored.stem}.{stored.state}"
