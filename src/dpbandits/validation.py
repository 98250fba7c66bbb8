"""Values as a user gives them: read, or refused in one line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .contracts.parameters import Choice, Interval, Named
from .errors import BadInput, plain

LARGEST = 2**62


def as_number(key: str, value: Any) -> float:
    """A finite number."""
    try:
        x = float(value)
    except (TypeError, ValueError, OverflowError):
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


def whole(key: str, value: Any, at_least: int, at_most: int = LARGEST) -> int:
    """A whole number; 1e7 is one."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not at_least <= number <= at_most or number != int(number):
        told = at_most != LARGEST or number > at_most
        most = f" and at most {at_most}" if told else ""
        raise BadInput(
            f"{key}={plain(value)}: a whole number of at least {at_least}{most} is needed"
        )
    return int(value) if isinstance(value, int) else int(number)


def workers(value: Any) -> int:
    """The value of ``jobs``: a number of workers, or -1 for one a core."""
    jobs = whole("jobs", value, at_least=-1, at_most=4096)
    if jobs == 0:
        raise BadInput("jobs=0: a number of workers, or -1 for one a core, is needed")
    return jobs


def folder(key: str, value: Any) -> Path:
    """The path of a folder, which need not exist, in one line: batch scripts hold it."""
    if value in (None, "") or isinstance(value, list | dict) or not str(value).isprintable():
        raise BadInput(f"{key}={plain(value)}: the path of a folder is needed")
    return Path(str(value))


def file_at(path: Any) -> Path:
    """The path of a file to be read, which may be missing.

    Raises:
        ValueError: it is a device or a pipe, which might never end.
    """
    file = Path(str(path))
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ValueError("a file is needed, not a device or a pipe")
    return file


def argument(key: str, value: Any, domain: Interval | Choice | Named, horizon: float) -> float:
    """The number that a kernel receives for a parameter; a horizon of NaN is none."""
    if isinstance(domain, Named):
        if isinstance(value, str) and value in domain.names:
            return domain.names[value]
        allowed, domain = domain.allowed, domain.others
    else:
        allowed = domain.allowed
    if isinstance(domain, Choice):
        if value not in domain.options:
            raise BadInput(f"{key}={plain(value)}: {domain.allowed} is needed")
        return float(domain.options.index(value))
    asked_by_horizon = value == "1/horizon"  # at a horizon of 1, too
    try:
        number = 1 / horizon if asked_by_horizon else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    fits = domain.contains(number) or (asked_by_horizon and number == 1)
    if isinstance(value, bool) or not fits:
        raise BadInput(f"{key}={plain(value)}: {allowed} is needed")
    return number
