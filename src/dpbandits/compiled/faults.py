"""Messages about errors in a user's compiled function: one line, with the place in the file.

An IndexError of compiled code does not say where the index is out of bounds. Numba's error for a
function that it cannot compile gives the reason only after hundreds of lines.
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

from .sources import is_installed

_numpy: Any = np.random
PATIENCE = 1.0  # the longest time in seconds that plain Python searches for an index out of bounds
REJECTED = "Rejected as the implementation raised a specific error"
# Lines of Numba's errors that say nothing about the function
IDLE = re.compile(r"(\w+: )?Failed in nopython mode|- Resolution failure|No match|$")
LEFT_OUT = re.compile(r"^\w*(Error|Exception): |^The compiler failed to analyze the bytecode\. ")
PLACE = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+):| at (?P<at>\S.*) \((?P<n>\d+)\)')
UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def not_compiled(code: CodeType, error: BaseException) -> str:
    """Return a message that says where and why a function cannot be compiled."""
    text = str(error)
    reason = _reason(text)
    return f"{_place(*_where(code, text, reason))}: Numba cannot compile it: {reason}"


def _reason(text: str) -> str:
    """Return the first sentence of the innermost reason in the text of Numba's error."""
    lines = [line.strip() for line in text.splitlines()]
    start = max((i + 1 for i, line in enumerate(lines) if line.startswith(REJECTED)), default=0)
    said = [line for line in lines[start:] if not IDLE.match(line)] or ["no reason is known"]
    if said[0].startswith("No implementation of function") and len(said) > 1:
        return f"Numba knows no {said[1].removeprefix('>>> ')}"
    inner = said[0].rpartition('due to "')[2].removesuffix('".')
    return LEFT_OUT.sub("", inner).removesuffix(". Raised from None").rstrip(".")


def _where(code: CodeType, text: str, reason: str) -> tuple[str, int]:
    """Return the file and the line, among the user's files, to which Numba's error refers."""
    if missing := UNDEFINED.search(reason):
        # Numba's error then names the function, but not the line
        for line, name in _names(code):
            if name == missing[1]:
                return code.co_filename, line
    for found in PLACE.finditer(text):
        file = found["file"] or found["at"]
        if not is_installed(file):
            same = Path(file).resolve() == Path(code.co_filename).resolve()
            return code.co_filename if same else file, int(found["line"] or found["n"])
    return code.co_filename, code.co_firstlineno


def _names(code: CodeType) -> Iterator[tuple[int, Any]]:
    """Yield the line and the argument (such as a name) of each bytecode step of a function."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = (step.positions and step.positions.lineno) or line
        yield line, step.argval


def out_of_bounds(played: Callable, arguments: tuple[Any, ...]) -> str:
    """Return a message that says where an index is out of bounds.

    The place is found by repeating the call in plain Python. The message is empty if this call
    raises no IndexError in the user's files, for instance because it takes longer than PATIENCE
    seconds.
    """
    try:
        with np.errstate(all="ignore"), restored_globals(), _limited(PATIENCE):
            played(*arguments)
    except IndexError as error:
        steps = traceback.extract_tb(error.__traceback__)
        for step in reversed(steps):
            if not is_installed(step.filename):
                return f"{_place(step.filename, step.lineno or 0)}: IndexError: {error}"
    except BaseException:
        # plain Python may raise other errors, for instance for a division by zero
        return ""
    return ""


@contextmanager
def restored_globals() -> Iterator[None]:
    """Restore the states of ``np.random`` and ``random`` at the end of the ``with`` block."""
    numbers, standard = _numpy.get_state(legacy=False), random.getstate()
    try:
        yield
    finally:
        _numpy.set_state(numbers)
        random.setstate(standard)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError at the first call of a Python function after this many seconds."""
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
