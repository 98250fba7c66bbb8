"""Errors of a user's compiled function, in one line with the place in its file.

Compiled code says neither where an index is out of bounds nor, before hundreds of lines, why it
cannot be compiled.
"""

from __future__ import annotations

import dis
import linecache
import random
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from ..files import PACKAGE
from .sources import INSTALLED

_numpy: Any = np.random
PATIENCE = 1.0  # seconds of plain Python in which an index is looked for
REJECTED = "Rejected as the implementation raised a specific error"
# Lines of Numba's errors that say nothing of the function
IDLE = re.compile(r"(\w+: )?Failed in nopython mode|- Resolution failure|No match|$")
LEFT_OUT = re.compile(r"^\w*(Error|Exception): |^The compiler failed to analyze the bytecode\. ")
PLACE = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+):| at (?P<at>\S.*) \((?P<n>\d+)\)')
UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def is_of_compiling(error: BaseException) -> bool:
    """Whether Numba has refused to compile a function."""
    return type(error).__module__.startswith("numba.")


def not_compiled(code: CodeType, error: BaseException) -> str:
    """Why a function cannot be compiled, and where."""
    text = str(error)
    reason = _reason(text)
    return f"{_place(*_where(code, text, reason))}: Numba cannot compile it: {reason}"


def _reason(text: str) -> str:
    """The innermost reason in an error of Numba, its first sentence."""
    lines = [line.strip() for line in text.splitlines()]
    start = max((i + 1 for i, line in enumerate(lines) if line.startswith(REJECTED)), default=0)
    said = [line for line in lines[start:] if not IDLE.match(line)] or ["no reason is known"]
    if said[0].startswith("No implementation of function") and len(said) > 1:
        return f"it knows no {said[1].removeprefix('>>> ')}"
    inner = said[0].rpartition('due to "')[2].removesuffix('".')
    return LEFT_OUT.sub("", inner).removesuffix(". Raised from None").rstrip(".")


def _where(code: CodeType, text: str, reason: str) -> tuple[str, int]:
    """The file and the line of which an error of Numba speaks, in the user's files."""
    if missing := UNDEFINED.search(reason):  # Numba says it of a whole function
        for line, name in _names(code):
            if name == missing[1]:
                return code.co_filename, line
    for found in PLACE.finditer(text):
        file = found["file"] or found["at"]
        if _is_users(file):
            same = Path(file).resolve() == Path(code.co_filename).resolve()
            return code.co_filename if same else file, int(found["line"] or found["n"])
    return code.co_filename, code.co_firstlineno


def _names(code: CodeType) -> Iterator[tuple[int, Any]]:
    """The lines of a function and what they name."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = (step.positions and step.positions.lineno) or line
        yield line, step.argval


def out_of_bounds(played: Callable, arguments: tuple[Any, ...]) -> str:
    """Where an index is out of bounds: the same call in plain Python says it. Empty if that takes
    too long, or plays other random numbers.
    """
    try:
        with np.errstate(all="ignore"), restored_globals(), _limited(PATIENCE):
            played(*arguments)
    except IndexError as error:
        steps = traceback.extract_tb(error.__traceback__)
        for step in reversed(steps):
            if _is_users(step.filename):
                return f"{_place(step.filename, step.lineno or 0)}: IndexError: {error}"
    except BaseException:  # of what compiled code does not raise, such as a division by zero
        return ""
    return ""


@contextmanager
def restored_globals() -> Iterator[None]:
    """Leave the global generators of Python as they were found."""
    numbers, standard = _numpy.get_state(legacy=False), random.getstate()
    try:
        yield
    finally:
        _numpy.set_state(numbers)
        random.setstate(standard)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in plain Python that calls functions for longer than this."""
    end, before = time.monotonic() + seconds, sys.gettrace()

    def check(*_: Any) -> None:
        if time.monotonic() > end:
            raise TimeoutError

    sys.settrace(check)
    try:
        yield
    finally:
        sys.settrace(before)


def _place(file: str, line: int) -> str:
    code = linecache.getline(file, line).strip()
    return f"{file}, line {line}" + f": {code}" * bool(code)


def _is_users(file: str) -> bool:
    path = Path(file).resolve()
    return PACKAGE not in path.parents and INSTALLED.isdisjoint(path.parts)
