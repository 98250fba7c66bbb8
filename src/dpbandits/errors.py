"""Errors that a user can mend, each told in one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any


class BadInput(Exception):
    """Bad input: the message names the key, the value, and what is allowed."""


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


def as_number(key: str, value: Any) -> float:
    """A finite number."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if not math.isfinite(x) or isinstance(value, bool):
        raise BadInput(f"{key}={plain(value)}: a finite number is needed")
    return x


def numbers(key: str, values: Any) -> list[float]:
    """A non-empty list of finite numbers."""
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) == 0:
        raise BadInput(f"{key}={plain(values)}: a list of numbers is needed, such as [0.5,1]")
    return [as_number(key, x) for x in values]


def yes_no(key: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadInput(f"{key}={plain(value)}: true or false is needed")
    return value
