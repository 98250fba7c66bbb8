"""The keys of ``runs=auto``. These keys decide when a setting has enough runs, and at which numbers
of runs the package examines the setting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import BadInput, plain
from ..validation import as_integer, number_where

FIRST_RUNS = 100  # the smallest number of runs of each setting
MOST_RUNS = 10_000_000
SERIES = [m * 10**k for k in range(2, 7) for m in (1, 2, 5)]  # numbers of runs: 100, 200, 500, ...
KEYS = ("precision", "max_runs", "max_time")  # keys that only runs=auto takes
SHARE, SECONDS = "a number between 0 and 1 is needed", "a number of seconds above 0 is needed"


class Auto(NamedTuple):
    """The condition under which a setting has enough runs, see ``running/auto.py``."""

    precision: float  # enough runs: half the interval is at most this multiple of the mean
    max_runs: int  # the largest number of runs of each setting
    max_time: float = math.inf  # seconds after which no more runs are begun

    def has_all_runs_of(self, other: Auto) -> bool:
        """Return whether settings under this condition have at least as many runs as under another
        condition.
        """
        return (
            self.precision <= other.precision
            and self.max_runs >= other.max_runs
            and self.max_time >= other.max_time
        )

    def looks(self, first: int = FIRST_RUNS) -> list[int]:
        """Return the numbers of runs at which a setting is examined, in ascending order."""
        return [first, *(n for n in SERIES if first < n < self.max_runs), self.max_runs]


def auto_of(config: Mapping[str, Any], usual: Mapping[str, Any]) -> Auto | None:
    """Check the keys of ``runs=auto`` and return them; None if ``runs`` is a number."""
    if config["runs"] != "auto":
        for key in KEYS:
            if config[key] != usual[key]:
                raise BadInput(f"{key}={plain(config[key])}: this key needs runs=auto")
        return None
    precision = number_where("precision", config["precision"], lambda x: 0.0 < x < 1.0, SHARE)
    most = as_integer("max_runs", config["max_runs"], at_least=FIRST_RUNS + 1, at_most=MOST_RUNS)
    if config["max_time"] is None:
        return Auto(precision, most)
    longest = number_where("max_time", config["max_time"], lambda x: x > 0.0, SECONDS)
    return Auto(precision, most, longest)
