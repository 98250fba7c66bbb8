"""Errors that a user can mend, each told in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

LONG = 100  # characters of a name; it takes long to compare longer ones


class BadInput(Exception):
    """Bad input: the message names the key, the value, and what is allowed."""


class FileTrouble(Exception):
    """The system would not do something with a file."""

    wish = "use"

    def __init__(self, path: Path, error: OSError):
        super().__init__(f"cannot {self.wish} {path} ({error.strerror or error})")


class CannotWrite(FileTrouble):
    """The disk is full, or a folder may not be written."""

    wish = "write"


class CannotRead(FileTrouble):
    """A disk fails, too many files are open, or a file may not be read."""

    wish = "read"


def unknown(kind: str, name: str, known: Iterable[str]) -> BadInput:
    """An unknown name, with the nearest valid one or else all of them."""
    return BadInput(f"unknown {kind} {name!r}: {nearest(name, known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the nearest of some names, or else at all of them."""
    names = {x.casefold(): x for x in sorted(known)}
    near = get_close_matches(name.casefold()[:LONG], names, n=1, cutoff=0.5)
    return f"did you mean {names[near[0]]}?" if near else f"choose from {', '.join(names.values())}"


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Put a place before the key that a complaint starts with: ``mean=2: ...`` of ``env``."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{place}.{error}") from None


def plain(value: Any) -> str:
    """A value as it would be typed."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{plain(x)}" for key, x in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{','.join(plain(x) for x in value)}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value).replace("e+", "e") if isinstance(value, float) else str(value)
