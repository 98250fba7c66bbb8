"""The runs that a claim compares, and the numbers that it states about these runs.

"Regret" here also stands for the stopping time of a rule. The ``center`` of runs is their mean or
median. A part of a claim holds if its number lies between ``above`` and ``below``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import bisect

from ..comparison import pairs
from ..comparison.pairs import Located, located
from ..errors import BadInput, plain
from ..results.intervals import TAIL, interval_of_mean, mean_of_runs, rounded
from ..results.tables import described
from ..settings.setting import Setting

MAX_GROWTH = 1e6  # the largest upper end of an interval of a growth
# For each setting the regret of its runs at the C checkpoints, float64 array (runs, C), or their
# stopping times, (runs, 1). The time of a run that did not stop is the cap
Measured = Mapping[Setting, np.ndarray]


@dataclass(frozen=True)
class Runs:
    """The runs of a claim's experiments, in the settings that have given values.

    A call ``runs(algo="dp_se")`` returns the runs of the settings that also have this value. A key
    of an environment, such as ``env.alpha``, is written with an underscore, ``env_alpha``.

    Attributes:
        claim: the name of the claim, for messages.
        measured: the measured values of the runs, by setting.
        tail: the probability with which each limit of a part may fail.
        values: the values that all settings have, by key.
        last: the values of the last call.
    """

    claim: str
    measured: Measured
    tail: float = TAIL
    values: Mapping[str, Any] = field(default_factory=dict)
    last: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **values: Any) -> Runs:
        last = {re.sub("^env_", "env.", name): value for name, value in values.items()}
        found = {s: {**described(s), **s.columns} for s in self.measured}
        fitting = {s: x for s, x in self.measured.items() if last.items() <= found[s].items()}
        return replace(self, measured=fitting, values={**self.values, **last}, last=last)

    def each(self, **choices: Sequence[Any]) -> Iterator[Runs]:
        """Yield the runs with each combination of some values."""
        for combination in itertools.product(*choices.values()):
            yield self(**dict(zip(choices, combination, strict=True)))

    def measure(self, number: Callable[[Setting, np.ndarray], np.ndarray]) -> Runs:
        """Return these runs with ``number(setting, values)`` in place of the measured values."""
        return replace(self, measured={s: number(s, x) for s, x in self.measured.items()})

    def one(self) -> tuple[Setting, np.ndarray]:
        """Return the only setting, and its measured values."""
        n = len(self.measured)
        if n != 1:
            raise BadInput(f"claim {self.claim}: {n} settings, not 1, have {plain(self.values)}")
        return next(iter(self.measured.items()))

    def final(self) -> np.ndarray:
        """Return the last measured value of each run of the only setting, float64 array (runs,)."""
        return self.one()[1][:, -1]


class Part(NamedTuple):
    """A number that a claim states about some settings, and its interval."""

    where: str
    value: float
    ci_low: float
    ci_high: float
    above: float = -np.inf
    below: float = np.inf


Parts = Iterator[Part]  # what the function of a claim returns


def part(
    found: Located, over: Runs, of: Runs | None = None, /, center: str = "mean", **limits: float
) -> Part:
    """Return an estimate as a part of a claim, which compares the runs ``over`` with the runs
    ``of``.
    """
    where = ", ".join(f"{key} {plain(value)}" for key, value in over.values.items())
    if of is not None:
        where += " by " + ", ".join(map(plain, of.last.values()))
    where += "" if center == "mean" else f", {center}"
    return Part(where, *map(float, found), **limits)


def about(published: float, share: float = 0.1) -> dict[str, Any]:
    """Return the limits of a part that must equal the published number up to the relative error
    ``share``.
    """
    return {"above": (1.0 - share) * published, "below": (1.0 + share) * published}


def regret(runs: Runs, center: str = "mean", **limits: float) -> Part:
    """Return the regret of a single setting as a part."""
    found = located([runs.final()], center, runs.tail)
    return part(found.of(0), runs, center=center, **limits)


def ratio(over: Runs, of: Runs, center: str = "mean", **limits: float) -> Part:
    """Return the regret of one setting divided by the regret of another setting as a part."""
    found = located([over.final(), of.final()], center, over.tail)
    return part(pairs.ratio(found.of(0), found.of(1)), over, of, center=center, **limits)


def growth(runs: Runs, below: float) -> Part:
    """Return the mean regret of a setting at T divided by its mean regret at T/2 as a part."""
    setting, regrets = runs.one()
    middle = np.abs(setting.rounds() - setting.horizon / 2).argmin()
    return part(quotient_of_means(regrets[:, -1], regrets[:, middle], runs.tail), runs, below=below)


def quotient_of_means(final: np.ndarray, half: np.ndarray, tail: float) -> Located:
    """Return the mean of one quantity divided by the mean of another quantity of the same runs.

    The two quantities are dependent. Therefore the interval consists of the numbers r for which the
    mean of ``final - r half`` may be 0 (Fieller 1954). Each limit fails with probability ``tail``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(rounded(mean_of_runs(final) / mean_of_runs(half)))
    if not np.isfinite(value) or not np.ptp(final - value * half):
        return Located(value, 0.0, np.inf)  # equal runs give no interval

    def limit(r: float, side: int) -> float:
        return float(interval_of_mean((final - r * half)[:, np.newaxis], tail)[side][0])

    ends = [0.0, MAX_GROWTH]
    for side, end in enumerate(ends):
        if limit(value, side) * limit(end, side) < 0.0:  # else the interval goes to the end
            ends[side] = float(rounded(bisect(limit, value, end, (side,))))
    return Located(value, *ends)


def spread(
    runs: Runs,
    center: str = "mean",
    *,
    above: float = -np.inf,
    below: float = np.inf,
    **across: Any,
) -> Part:
    """Return the largest regret over the values ``across``, divided by the smallest regret."""
    finals = [x.final() for x in runs.each(**across)]
    found = located(finals, center, runs.tail / (len(finals) * (len(finals) - 1) / 2))
    return part(largest_ratio(found), runs, center=center, above=above, below=below)


def largest_ratio(found: Located) -> Located:
    """Return the largest ratio of two estimates; its limits hold if the limits of all estimates in
    ``found`` hold.
    """
    each = pairs.ratio(found.of(np.s_[:, np.newaxis]), found)
    largest = each.value[found.value.argmax(), found.value.argmin()]
    others = ~np.eye(len(found.value), dtype=bool)
    return Located(largest, max(each.low[others].max(), 1.0), each.high[others].max())


def excess_ratio(
    over: Runs, of: Runs, *, above: float = -np.inf, below: float = np.inf, **across: Any
) -> Part:
    """Return a ratio: the excess at the first of two values ``across``, divided by the excess at
    the second value.

    An excess is (R - R0) / R0, where R is the regret of the runs ``over``, and R0 is the regret of
    the runs ``of``. If an excess is not positive, the ratio only has an upper limit: the upper
    limit of the first excess divided by the lower limit of the second excess.
    """
    finals = [x.final() for runs in (over, of) for x in runs.each(**across)]
    found = located(finals, "mean", over.tail)
    excess = pairs.ratio(found.of(slice(2)), found.of(slice(2, None)))
    first, second = (Located(*(x[i] - 1.0 for x in excess)) for i in (0, 1))
    if first.value > 0.0 < second.value:
        quotient = pairs.ratio(first, second)
    else:
        most = max(first.high, 0.0) / second.low if second.low > 0.0 else np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = Located(rounded(first.value / second.value), -np.inf, rounded(most))
    return part(quotient, over, of, above=above, below=below)
