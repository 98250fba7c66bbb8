"""The numbers that claims state about regrets, or stopping times, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from ..comparison import pairs
from ..comparison.pairs import Located, located
from ..errors import plain
from ..results.intervals import TAIL, interval_of_mean, mean_of_runs, rounded
from ..results.summary import significant
from .samples import Runs, Sample, final_regret

OUTCOMES = {True: "holds", False: "fails", None: "undecided"}  # of a part
LARGEST, TRIED, PASSES = 1e6, 17, 10  # growth, and how it is searched


@dataclass(frozen=True)
class Part:
    """One number that a claim states about the settings ``where``.

    It has a 95 % interval from ``low`` to ``high`` (see ``results.intervals``), and the claim holds
    for numbers between ``least`` and ``most``.
    """

    where: str
    value: float
    low: float
    high: float
    least: float
    most: float

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds for the whole interval, for none of it (False), or (None) the
        interval contains a threshold: it is undecided.
        """
        if self.least < self.low and self.high < self.most:
            return True
        return False if self.high < self.least or self.low > self.most else None

    @property
    def margin(self) -> float:
        """The distance of the value from the nearest threshold, as a logarithm: small is bad. A
        value that is undefined is near none.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            least, value, most = np.log([max(self.least, 0.0), max(self.value, 0.0), self.most])
            distances = value - least, most - value
        return float(np.nan_to_num(distances, nan=np.inf).min())

    def in_words(self) -> str:
        """The value and its interval."""
        if np.isnan(self.value):
            return "undefined (0 by 0)"
        value, low, high = map(significant, (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


Parts = Iterator[Part]  # what the function of a claim returns


def part(where: str, found: Located, above: float = 0.0, below: float = np.inf) -> Part:
    """A part of a claim; where its value is undefined, so is its interval."""
    value, low, high = map(float, found)
    low, high = (np.nan, np.nan) if np.isnan(value) else (low, high)
    return Part(where, value, low, high, above, below)


@dataclass(frozen=True)
class Statistic:
    """A number that compares the mean, or median, regrets of some settings.

    Attributes:
        formula: the number as a function of these regrets with their limits, arrays whose first
            axis is that of the settings. Its own limits follow from theirs as those of
            ``dp.compare`` do.
        of_all_pairs: whether these limits must hold for all pairs of settings at once.
    """

    formula: Callable[[Located], Located]
    of_all_pairs: bool = False

    def __call__(
        self,
        over: Runs,
        of: Runs | None = None,
        *,
        measured: Callable[[Sample], np.ndarray] = final_regret,
        center: str = "mean",
        above: float = 0.0,
        below: float = np.inf,
        **across: Sequence[Any],
    ) -> Part:
        """The number for the runs ``over``, or for these by the runs ``of``.

        Args:
            over: runs of a setting, or with ``across`` of several.
            of: runs that they are compared with.
            measured: what is compared of each run.
            center: "mean" or "median" of the runs of a setting.
            above: the claim holds for numbers above this one,
            below: and below this one.
            across: values by which several settings differ, by key.
        """
        compared = [over] if of is None else [over, of]
        found = [runs.one() for group in compared for runs in group.each(**across)]
        where = words(over)
        if of is not None:
            where += " by " + ", ".join(map(plain, of.last.values()))
        if center != "mean":
            where += f", {center}"
        return part(where, self.estimate([measured(x) for x in found], center), above, below)

    def estimate(self, regrets: Sequence[np.ndarray], center: str = "mean") -> Located:
        """The number for the runs of some settings, with its limits."""
        k = len(regrets)
        tail = TAIL / (k * (k - 1) / 2) if self.of_all_pairs and k > 1 else TAIL
        with np.errstate(divide="ignore", invalid="ignore"):  # ratios of regrets that are 0
            return self.formula(located(regrets, center, tail))


def words(runs: Runs) -> str:
    """The values that some runs have in common."""
    return ", ".join(f"{key} {plain(value)}" for key, value in runs.values.items())


@Statistic
def regret(found: Located) -> Located:
    """Regret of a single setting."""
    return found.of(0)


@Statistic
def ratio(found: Located) -> Located:
    """Regret of one setting divided by that of another."""
    return pairs.ratio(found.of(0), found.of(1))


@partial(Statistic, of_all_pairs=True)
def spread(found: Located) -> Located:
    """Largest regret of several settings divided by the smallest: the largest of all ratios of two,
    whose limits hold for all pairs at once.
    """
    every = np.arange(len(found.value))
    a, b = np.meshgrid(every, every, indexing="ij")
    each = pairs.ratio(found.of(a), found.of(b))
    np.fill_diagonal(each.low, 1.0)
    np.fill_diagonal(each.high, 1.0)
    return Located(found.value.max() / found.value.min(), each.low.max(), each.high.max())


@partial(Statistic, of_all_pairs=True)
def spread_ratio(found: Located) -> Located:
    """The spread of the first half of the settings divided by that of the second."""
    half = len(found.value) // 2
    return pairs.ratio(
        spread.formula(found.of(slice(half))), spread.formula(found.of(slice(half, None)))
    )


@Statistic
def excess_ratio(found: Located) -> Located:
    """The relative excess of regret of two settings over two others, the first by the second. Where
    one is not positive, only the upper limit of the first by the lower of the second is known.
    """
    over = pairs.ratio(found.of(slice(2)), found.of(slice(2, None)))
    first, second = (Located(*(x[i] - 1.0 for x in over)) for i in (0, 1))
    if first.value > 0.0 < second.value:
        return pairs.ratio(first, second)
    most = max(first.high, 0.0) / second.low if second.low > 0.0 else np.inf
    return Located(rounded(first.value / second.value), -np.inf, rounded(most))


def r_squared(runs: Runs, term: Callable[[Sample], float], above: float) -> Part:
    """R^2 of the regrets of some settings against a term that they should be linear in."""
    terms = [term(sample) for sample in runs.samples]
    fit = Statistic(partial(linear_fit, terms))
    return part(words(runs), fit.estimate([sample.final for sample in runs.samples]), above)


def linear_fit(terms: Sequence[float], found: Located) -> Located:
    """R^2 of regrets against terms. It is not monotone in each of them: what it gains, and loses,
    when one of them moves to its limits is squared and added.
    """

    def of(regrets: np.ndarray) -> Any:
        return pearsonr(np.broadcast_to(terms, regrets.shape), regrets, axis=-1).statistic ** 2

    value, k = of(found.value), len(found.value)
    moved = np.tile(found.value, (2, k, 1))
    for end, limits in enumerate((found.low, found.high)):
        moved[end, range(k), range(k)] = limits
    moves = of(moved) - value
    gain, loss = (np.sqrt((np.maximum(x.max(axis=0), 0.0) ** 2).sum()) for x in (moves, -moves))
    return Located(*(rounded(x, 1.0) for x in (value, value - loss, min(value + gain, 1.0))))


def growth(runs: Runs, below: float) -> Part:
    """Mean regret of a setting at T divided by that at T/2."""
    sample = runs.one()
    return part(words(runs), quotient_of_means(sample.final, sample.half), below=below)


def quotient_of_means(final: np.ndarray, half: np.ndarray) -> Located:
    """The mean of one quantity divided by that of another of the same runs: the numbers r for which
    the mean of final - r half may be 0 (Fieller 1954), since the two depend on each other.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(rounded(mean_of_runs(final) / mean_of_runs(half)))
    if not np.isfinite(value) or np.isnan(value) or not np.ptp(final - value * half):
        return Located(value, value, value)
    ends = []
    for inside, outside, between in ((value, 0.0, np.linspace), (value, LARGEST, np.geomspace)):
        for _ in range(PASSES):
            tried = between(inside, outside, TRIED)
            low, high = interval_of_mean(final[:, np.newaxis] - half[:, np.newaxis] * tried)
            impossible = np.flatnonzero((low > 0.0) | (high < 0.0))
            first = max(int(impossible[0]), 1) if len(impossible) else TRIED - 1
            inside, outside = tried[first - 1], tried[first]
        ends.append(rounded(inside))
    return Located(value, *map(float, ends))
