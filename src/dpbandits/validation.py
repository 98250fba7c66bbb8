"""Validation of the values that a user supplies; every function raises BadInput if it fails."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .contracts.parameters import Choice, Interval, Named
from .errors import BadInput, plain

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 2**62
DECIMAL = re.compile(r"""(?<![\w./'"])\d[\d_]*(?:\.[\d_]*)?(?:[eE]\+?\d+)(?![\w./'"])""")


def to_float(value: Any) -> float:
    """The value as a float; NaN if it is not a number, or larger than any float."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return math.nan if overflowing(value) else number


def overflowing(text: Any) -> str | None:
    """The first number in a text, such as 1e400, that becomes infinite as a float."""
    numbers = DECIMAL.findall(text) if isinstance(text, str) else []
    return next((x for x in numbers if math.isinf(float(x))), None)


def refuse_overflow(where: str, text: str) -> None:
    """Refuse a text with a number that would become infinite; the message begins with ``where``."""
    if number := overflowing(text):
        raise BadInput(f"{where}: {number} is larger than any float; inf is infinity")


def as_number(key: str, value: Any) -> float:
    """Validate a finite number."""
    x = to_float(value)
    if not math.isfinite(x):
        raise BadInput(f"{key}={plain(value)}: a finite number is needed")
    return x


def number_where(key: str, value: Any, holds: Callable[[float], bool], needed: str) -> float:
    """Validate a finite number for which ``holds`` is true; the message states what is needed."""
    x = as_number(key, value)
    if not holds(x):
        raise BadInput(f"{key}={plain(value)}: {needed}")
    return x


def numbers(key: str, values: Any) -> list[float]:
    """Validate a non-empty list of finite numbers."""
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) == 0:
        raise BadInput(f"{key}={plain(values)}: a list of numbers is needed, such as [0.5,1]")
    return [as_number(key, x) for x in values]


def yes_no(key: str, value: Any) -> bool:
    """Validate a boolean."""
    if not isinstance(value, bool):
        raise BadInput(f"{key}={plain(value)}: true or false is needed")
    return value


def one_of(allowed: Iterable[str], key: str, value: Any) -> str:
    """Validate one of several names."""
    if value not in list(allowed):
        raise BadInput(f"{key}={plain(value)}: {' or '.join(allowed)} is needed")
    return str(value)


def each(value: Any) -> list[Any]:
    """The values of a list, or the only one; an empty list is left for validation to refuse."""
    return value if isinstance(value, list) and value else [value]


def whole(key: str, value: Any, at_least: int, at_most: int = LARGEST) -> int:
    """Validate an integer; floats with an integer value, such as 1e7, are accepted."""
    number = to_float(value)
    if not at_least <= number <= at_most or number != int(number):
        most = f" and at most {at_most}" if at_most != LARGEST or number > at_most else ""
        raise BadInput(
            f"{key}={plain(value)}: a whole number of at least {at_least}{most} is needed"
        )
    return int(value) if isinstance(value, int) else int(number)


def workers(value: Any) -> int:
    """Validate ``jobs``: a number of workers, or -1 for one per core."""
    jobs = whole("jobs", value, at_least=-1, at_most=4096)
    if jobs == 0:
        raise BadInput("jobs=0: a number of workers, or -1 for one per core, is needed")
    cores = os.environ.get("LOKY_MAX_CPU_COUNT", "1")  # joblib reads it to count the cores
    if not cores.isdecimal():
        raise BadInput(f"LOKY_MAX_CPU_COUNT={cores}: a whole number is needed")
    return jobs


def folder(key: str, value: Any) -> Path:
    """Validate the path of a folder, which need not exist.

    It must be printable and without line breaks, since batch scripts contain it.
    """
    is_path = isinstance(value, str | os.PathLike | int | float) and not isinstance(value, bool)
    if not is_path or value == "" or not str(value).isprintable():
        raise BadInput(f"{key}={plain(value)}: the path of a folder is needed")
    return Path(str(value))


def file_at(path: Any) -> Path:
    """The path of a file to read, which need not exist.

    Raises:
        ValueError: it is a device or a pipe, which may be endless.
    """
    file = Path(str(path))
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ValueError("a file is needed, not a device or a pipe")
    return file


def read_csv(where: str, path: Any, kind: str = "readable CSV") -> pd.DataFrame:
    """Read a CSV file; a message begins with ``where`` and says which kind of file is needed."""
    import pandas as pd  # slow to import

    try:
        return pd.read_csv(file_at(path), low_memory=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise BadInput(f"{where}: not a {kind} ({reason})") from None


def argument(key: str, value: Any, domain: Interval | Choice | Named, horizon: float) -> float:
    """Validate a parameter of an algorithm and convert it to the number that a kernel receives.

    Args:
        key: name of the parameter in messages.
        value: a number, a name of the domain, or ``1/horizon``.
        domain: the valid values.
        horizon: number of rounds; NaN if there is none.
    """
    allowed = domain.allowed
    if isinstance(domain, Named):
        if isinstance(value, str) and value in domain.names:
            return domain.names[value]
        domain = domain.others
    if isinstance(domain, Choice):
        if value not in domain.options:
            raise BadInput(f"{key}={plain(value)}: {domain.allowed} is needed")
        return float(domain.options.index(value))
    inverse_horizon = value == "1/horizon"  # valid for a horizon of 1, too
    number = 1 / horizon if inverse_horizon else to_float(value)
    fits = domain.contains(number) or (inverse_horizon and number == 1)
    if math.isnan(number) or not fits:
        raise BadInput(f"{key}={plain(value)}: {allowed} is needed")
    return number
