"""Errors that a user can correct. Each of these errors has a message of one line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

# Other names that users type for some keys, each with the key that they mean
MEANT = {
    "epsilon": "eps", "privacy": "eps", "budget": "eps", "algorithm": "algo", "alg": "algo",
    "environment": "env", "t": "horizon", "rounds": "horizon", "n_runs": "runs",
    "rep": "run", "repetition": "run", "replicate": "run", "replication": "run",
    "simulation": "run", "trial": "run",
}  # fmt: skip
SUGGESTED_SIMILARITY, SURE_SIMILARITY = 0.62, 0.8  # to suggest a name, to be sure of it
MAX_COMPARED_CHARACTERS = 100  # longer names are slow to compare
MAX_LINE_CHARACTERS = 2000  # the longest message in one line


class InOneLine(Exception):
    """An error that Jupyter and IPython show as one line, without the traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class BadInput(InOneLine):
    """Invalid input. The message states the key, the value, and the valid values, in one line."""

    def __init__(self, message: str):
        super().__init__(in_a_line(message))


class Interrupted(KeyboardInterrupt):
    """The user interrupted a call. Jupyter and IPython show the error as one line."""

    _render_traceback_ = InOneLine._render_traceback_


class WorkersLost(InOneLine):
    """A process of an audit died, or a cluster does not answer any more, or has no workers left."""


class FileTrouble(InOneLine):
    """The operating system refused an operation on a file."""

    operation = "use"

    def __init__(self, path: Path, error: OSError):
        super().__init__(f"cannot {self.operation} {path} ({error.strerror or error})")


class CannotWrite(FileTrouble):
    """A file cannot be written: the disk is full, or permission is missing."""

    operation = "write"


class CannotRead(FileTrouble):
    """A file cannot be read: the disk failed, too many files are open, or permission is missing."""

    operation = "read"


def unknown(kind: str, name: str, known: Iterable[str]) -> BadInput:
    """Return the error for an unknown name; its message suggests valid names."""
    shown = in_a_line(repr(name), MAX_COMPARED_CHARACTERS)
    return BadInput(f"unknown {kind} {shown}: {nearest(name, known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for an error message: the known names that the user may have meant. The hint
    gives the names that begin with ``name``. If no name begins so, the hint gives the name most
    similar to ``name``, or else all known names.
    """
    names = {x.casefold(): x for x in sorted(known) if x != name}
    if not names:
        return "there are no names to choose from"
    if MEANT.get(name.casefold()) in names:
        return f"did you mean {MEANT[name.casefold()]}?"
    longer = [x for key, x in names.items() if name and key.startswith(name.casefold())]
    if len(longer) > 1:
        return f"choose from {', '.join(longer)}"
    near = similar(name, names.values())
    return f"did you mean {near}?" if near else f"choose from {', '.join(names.values())}"


def similar(name: str, known: Iterable[str], least: float = SUGGESTED_SIMILARITY) -> str | None:
    """Return the known name that is most similar to ``name``, or None if the similarity of all
    names is below ``least``. Upper and lower case do not matter.
    """
    names = {x.casefold(): x for x in known}
    near = get_close_matches(name.casefold()[:MAX_COMPARED_CHARACTERS], names, n=1, cutoff=least)
    return names[near[0]] if near else None


def either(names: Iterable[str]) -> str:
    """Return the names joined by "or", as in ``a, b or c``."""
    return _in_words(names, "or")


def together(names: Iterable[str]) -> str:
    """Return the names joined by "and", as in ``a, b and c``."""
    return _in_words(names, "and")


def _in_words(names: Iterable[str], word: str) -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def printable(text: str, most: float = math.inf) -> str:
    """Return a text in which control characters other than line breaks and tabs are escaped. A text
    of more than ``most`` characters is cut in the middle.
    """
    if len(text) > most:
        half = int(most) // 2
        text = f"{text[:half]} ... {len(text) - 2 * half} characters ... {text[-half:]}"
    return "".join(c if c.isprintable() or c in "\n\r\t" else ascii(c)[1:-1] for c in text)


def power(value: Any) -> str:
    """Return a number as text. A digit followed by at least five zeros is shortened, so 10000000
    becomes 1e7. All other numbers are written as on the command line.
    """
    return re.sub(r"^(\d)(0{5,})(\.0)?$", lambda x: f"{x[1]}e{len(x[2])}", plain(value))


def in_a_line(text: str, most: float = MAX_LINE_CHARACTERS) -> str:
    """Return a text as one line of at most ``most`` characters, with control characters escaped."""
    return printable(" ".join(text.split()), most)


def first_line(error: BaseException) -> str:
    """Return the type of an error and the first line of its message, as in ``ValueError: ...``."""
    return f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')}"


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Put a place before the key of a BadInput: ``mean=2: ...`` becomes ``env.mean=2: ...``."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{place}.{error}") from None


def plain(value: Any) -> str:
    """Return a value as a user would type it, or its type if it cannot be typed."""
    try:
        return _plain(value)
    except Exception:  # str() of a user's object, or of a huge integer, can fail
        return f"({type(value).__name__})"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_plain(x)}" for key, x in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{','.join(_plain(x) for x in value)}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value).replace("e+", "e") if isinstance(value, float) else str(value)
