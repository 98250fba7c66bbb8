"""Where machine code is cached: a folder for each back-end and state of the shared sources."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..cache_folder import CacheFolder, cache_folder
from .choice import compiler
from .sources import place_of, shared_state, state_of


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


def folder_of(backend: str) -> Path | None:
    """The folder of the machine code that a back-end makes; None if it stays in memory."""
    return found_folder(backend).path


def report_damage(name: str, what: str = "is damaged") -> None:
    """Print one line: cached machine code cannot be used."""
    line = f"the cached machine code of {name} {what}: compiling it again"
    print(line, file=sys.stderr, flush=True)
