"""Claims that papers make from their experiments, as data, and the verdict of our own runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from .comparison import pairs
from .comparison.pairs import Located, located
from .environments.blocks import has_no_blocks
from .errors import BadInput, plain, unknown
from .files import package_folder
from .results.intervals import TAIL, interval_of_mean, mean_of_runs, rounded
from .results.metrics import nash
from .results.run_store import Store
from .results.summary import significant
from .results.tables import MEASURED, load_finished
from .settings.groups import names_in, read_file
from .settings.setting import Setting
from .settings.sweep import Point, points
from .theory.bounds import best_lower_bound
from .theory.problem import problem
from .theory.ren2020 import LEADING_TERMS
from .validation import each

VERDICTS = ("reproduced", "partly", "not reproduced")
OUTCOMES = {True: "holds", False: "fails", None: "undecided"}  # of a part


@dataclass(frozen=True)
class Sample:
    """The finished runs of one setting: pseudo-regret at T and T/2, float64 arrays (runs,). Of a
    stopping rule both are its stopping time, the cap for a run that has not stopped. ``nash`` has
    the values of the runs whose mean is the Nash regret at T (see ``results.metrics``).
    """

    setting: Setting
    final: np.ndarray
    half: np.ndarray
    nash: np.ndarray | None = None

    @property
    def words(self) -> dict[str, Any]:
        """The values that distinguish this setting."""
        setting = self.setting
        budget = {setting.budget_name: setting.budget}
        question = setting.question
        game = {question.group: setting.algo, "env": setting.env, question.limit: setting.horizon}
        return {**game, **budget, **setting.columns}

    def fits(self, point: Mapping[str, Any]) -> bool:
        """Whether the setting has these values."""
        return all(self.words.get(name) == value for name, value in point.items())

    def leading_term(self) -> float:
        """The leading term of the regret, V_L or V_B of Ren et al. 2020."""
        term = LEADING_TERMS[str(self.setting.algorithm.leading_term)]
        return term(self.setting.population, self.words["eps_min"])

    def nash_regret(self) -> np.ndarray:
        """What averages to the Nash regret, which must exist."""
        if self.nash is None:
            raise BadInput(f"{plain(self.words)}: an arm has a mean below 0: no Nash regret")
        return self.nash

    def by_bound(self) -> np.ndarray:
        """The final regrets divided by the best lower bound, which must exist."""
        about = problem(self.setting.record)
        bound = best_lower_bound(about)
        if bound is None:
            raise BadInput(f"{plain(self.words)}: no lower bound with a number applies")
        return self.final / bound.value(about)


def sample(store: Store, setting: Setting, runs: int) -> Sample:
    """The first finished runs of a setting."""
    finished = load_finished(store, setting, runs)
    if not setting.question.plays_on:
        times = MEASURED["stopping_time"](finished)[:, 0].astype(float)
        return Sample(setting, times, times)
    regret = MEASURED["regret"](finished)
    middle = int(np.abs(setting.rounds() - setting.horizon / 2).argmin())
    means = finished.instance.means
    known = means.min() >= 0.0 and means.max() > 0.0
    of_nash = nash(regret, setting.rounds(), float(means.max()))[:, -1] if known else None
    return Sample(setting, regret[:, -1], regret[:, middle], of_nash)


def is_cheap(setting: Setting) -> bool:
    """Whether the running time of a setting of an algorithm does not depend on its horizon."""
    if not setting.question.plays_on:
        return False
    long = setting.algorithm.round_by_round or has_no_blocks(setting.instance.environment)
    return setting.algorithm.private and not long  # UCB's blocks grow in number


# A statistic is a function of the mean, or median, final regrets of the settings that it compares,
# with their limits: arrays whose first axis is that of the settings. Its own limits follow from
# these as those of ``dp.compare`` do.


def ratio(found: Located) -> Located:
    """Regret of one setting divided by that of another."""
    return pairs.ratio(found.of(0), found.of(1))


def regret(found: Located) -> Located:
    """Regret of a single setting."""
    return found.of(0)


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


def spread_ratio(found: Located) -> Located:
    """The spread of the first half of the settings divided by that of the second."""
    half = len(found.value) // 2
    return pairs.ratio(spread(found.of(slice(half))), spread(found.of(slice(half, None))))


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


def r_squared(terms: Sequence[float], found: Located) -> Located:
    """R^2 of regrets against the terms that they should be linear in. It is not monotone in each of
    them: what it gains, and loses, when one of them moves to its limits is squared and added.
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


def growth(final: np.ndarray, half: np.ndarray) -> Located:
    """Regret at T divided by that at T/2 of the same runs: the numbers r for which the mean of
    final - r half may be 0 (Fieller 1954), since the two depend on each other.
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


STATISTICS = {f.__name__: f for f in (ratio, regret, spread, spread_ratio, excess_ratio)}
BY_BOUND = {"bound_ratio": regret, "bound_spread": spread}  # of regrets divided by the lower bound
BY_NASH = {"nash_ratio": ratio}  # of Nash regrets
KINDS = (
    *STATISTICS,
    *BY_BOUND,
    *BY_NASH,
    "growth",
    "r_squared",
)  # by their names in a claim's file
OF_ALL_PAIRS = (spread, spread_ratio)
LARGEST, TRIED, PASSES = 1e6, 17, 10  # growth, and how it is searched
TEXTS = ("source", "says", "published", "why")  # of a claim, each written in one line
BASES = {  # of what a claim says: how it was found
    "printed": "printed",
    "figure": "read off a figure",
    "both": "printed; numbers or orders read off a figure",
    "ours": "not in the paper: ours",
    "unread": "from summaries of the paper",
}
OTHERS = "others"  # in ``over``: the values that the part's ``of`` does not list


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


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, as its file in conf/claim has it.

    ``published`` is the paper's value, ``basis`` how it was found (see ``BASES``), ``parts`` are
    what is compared, and ``why`` is one sentence on the verdict.
    """

    name: str
    source: str
    says: str
    published: str
    basis: str
    experiments: Sequence[str]
    parts: Sequence[Mapping[str, Any]]
    why: str


def claim(name: str, spec: Mapping[str, Any]) -> Claim:
    """A claim from the contents of its file.

    Raises:
        BadInput: a key is missing or unknown.
    """
    keys = [field.name for field in fields(Claim) if field.name != "name"]
    for key in spec:
        if key not in keys:
            raise unknown(f"key of claim {name}:", str(key), keys)
    for key in keys:
        if not spec.get(key):
            raise BadInput(f"claim {name}: {key} is missing")
    if spec["basis"] not in BASES:
        raise unknown(f"basis of claim {name}:", plain(spec["basis"]), BASES)
    texts = {key: " ".join(str(spec[key]).split()) for key in TEXTS}
    return Claim(name, **{**spec, **texts})


def load_claims() -> dict[str, Claim]:
    """The claims in conf/claim, by name."""
    folder = package_folder("conf") / "claim"
    return {name: claim(name, read_file(folder / f"{name}.yaml")) for name in names_in("claim")}


def measure(claim: Claim, samples: Sequence[Sample]) -> list[Part]:
    """All numbers that a claim states, as the samples have them."""
    return [part for spec in claim.parts for part in _parts(claim, spec, samples)]


def verdict(parts: Sequence[Part]) -> str:
    """Reproduced if every part holds, not reproduced if none does, else partly. Where this depends
    on parts that are undecided, the verdict is undecided, between the two that are possible.
    """

    def if_undecided(holds: bool) -> str:
        held = [holds if part.holds is None else part.holds for part in parts]
        return VERDICTS[0] if all(held) else VERDICTS[1] if any(held) else VERDICTS[2]

    best, worst = if_undecided(True), if_undecided(False)
    return best if best == worst else f"undecided: {best} or {worst}"


def in_words(parts: Sequence[Part]) -> str:
    """The measured values: all if there are few, else how many hold and the worst of them."""
    if len(parts) == 1:
        return parts[0].in_words()
    if len(parts) <= 3:
        return "; ".join(f"{p.in_words()} ({p.where}): {OUTCOMES[p.holds]}" for p in parts)
    held, open_ = (sum(p.holds is x for p in parts) for x in (True, None))
    worst = min(parts, key=lambda p: p.margin)
    undecided = f", {open_} undecided" if open_ else ""
    far = f"{worst.in_words()} ({worst.where})"
    return f"{held} of {len(parts)} hold{undecided}; farthest off: {far}"


def _parts(claim: Claim, spec: Mapping[str, Any], samples: Sequence[Sample]) -> Iterator[Part]:
    """A part for each combination of the lists in ``center``, ``at``, ``over`` and ``of``."""
    kind = spec.get("statistic")
    if kind not in KINDS:
        raise unknown(f"statistic of claim {claim.name}:", plain(kind), KINDS)
    if kind == "growth" and _centers(claim, spec) != ["mean"]:
        raise BadInput(f"claim {claim.name}: growth is of means, not of medians")
    thresholds = float(spec.get("above", 0.0)), float(spec.get("below", np.inf))
    if "about" in spec:
        thresholds = tuple(spec["about"] * (1 + s * spec["within"]) for s in (-1, 1))
    at, of, across = (_points(spec.get(key, {})) for key in ("at", "of", "across"))
    cases = [
        (center, point, base, compared)
        for center, point, base in itertools.product(_centers(claim, spec), at, of)
        for compared in _compared(spec, point, samples)
    ]
    for center, point, base, compared in cases:
        if kind == "r_squared":
            found = [sample for sample in samples if sample.fits(point)]
            statistic = partial(r_squared, [sample.leading_term() for sample in found])
            yield _part("", [sample.final for sample in found], center, statistic, thresholds)
            continue
        groups = [compared, base] if compared else [base]
        found = [
            _one(claim, samples, {**point, **group, **each})
            for group, each in itertools.product(groups, across)
        ]
        values = [_values(sample, kind) for sample in found]
        where = ", ".join(f"{k} {plain(v)}" for k, v in {**point, **groups[0]}.items())
        if compared:
            where += " by " + ", ".join(map(plain, base.values()))
        if center != "mean":
            where += f", {center}"
        if kind == "growth":  # from T/2 to T
            yield _of(where, growth(values[0], found[0].half), thresholds)
        else:
            yield _part(where, values, center, (STATISTICS | BY_BOUND | BY_NASH)[kind], thresholds)


def _values(sample: Sample, kind: str) -> np.ndarray:
    """The runs of a sample as a kind of statistic needs them."""
    if kind in BY_NASH:
        return sample.nash_regret()
    return sample.by_bound() if kind in BY_BOUND else sample.final


def _part(
    where: str,
    values: Sequence[np.ndarray],
    center: str,
    statistic: Callable[[Located], Located],
    thresholds: Sequence[float],
) -> Part:
    """A statistic of the means, or medians, of some arrays of runs, with its interval."""
    k = len(values)
    tail = TAIL / (k * (k - 1) / 2) if statistic in OF_ALL_PAIRS and k > 1 else TAIL
    with np.errstate(divide="ignore", invalid="ignore"):  # ratios of regrets that are 0
        found = statistic(located(values, center, tail))
    return _of(where, found, thresholds)


def _of(where: str, found: Located, thresholds: Sequence[float]) -> Part:
    """A part of a claim; where its value is undefined, so is its interval."""
    value, low, high = map(float, found)
    low, high = (np.nan, np.nan) if np.isnan(value) else (low, high)
    return Part(where, value, low, high, *thresholds)


def _centers(claim: Claim, spec: Mapping[str, Any]) -> list[str]:
    """The names of the averages over runs that a part is about."""
    for name in (centers := each(spec.get("center", "mean"))):
        if name not in pairs.CENTERS:
            raise unknown(f"center of claim {claim.name}:", plain(name), pairs.CENTERS)
    return centers


def _compared(
    spec: Mapping[str, Any], point: Mapping[str, Any], samples: Sequence[Sample]
) -> list[Point]:
    """The combinations of the values in ``over`` at a point; see ``OTHERS``."""
    grid = dict(spec.get("over", {}))
    for name in [name for name, value in grid.items() if value == OTHERS]:
        found = dict.fromkeys(sample.words[name] for sample in samples if sample.fits(point))
        grid[name] = [value for value in found if value not in each(spec["of"][name])]
    return _points(grid)


def _points(grid: Mapping[str, Any]) -> list[Point]:
    """All combinations of the values of a grid: without values, the one that names none."""
    return list(points({"sweep": {name: each(x) for name, x in grid.items()}} if grid else {}))


def _one(claim: Claim, samples: Sequence[Sample], point: Mapping[str, Any]) -> Sample:
    """The only sample with some values."""
    found = [sample for sample in samples if sample.fits(point)]
    if len(found) != 1:
        raise BadInput(f"claim {claim.name}: {len(found)} settings, not one, are {plain(point)}")
    return found[0]
