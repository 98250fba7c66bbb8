"""Errors that a user can mend, each told in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class BadInput(Exception):
    """Bad input: the message names the key, the value, and what is allowed."""


class CannotWrite(Exception):
    """The disk is full, or a folder may not be written."""

    def __init__(self, path: Path, error: OSError):
        super().__init__(f"cannot write {path} ({error.strerror or error})")


def unknown(kind: str, name: str, known: Iterable[str]) -> BadInput:
    """An unknown name, with the nearest valid one or else all of them."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(names)}"
    return BadInput(f"unknown {kind} {name!r}: {hint}")


def plain(value: Any) -> str:
    """A value as it would be typed."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{plain(x)}" for key, x in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{','.join(plain(x) for x in value)}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value).replace("e+", "e") if isinstance(value, float) else str(value)
