"""Claims that papers make from their experiments, as data, and the verdict of our own runs."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import bootstrap, pearsonr

from .environments.blocks import has_no_blocks
from .errors import BadInput, plain, unknown
from .files import package_folder
from .results.intervals import without_rounding
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

RESAMPLES = 2000
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
# an array whose first axis is that of the settings.


def ratio(means: np.ndarray) -> np.ndarray:
    """Regret of one setting divided by that of another."""
    over, of = means
    return over / of


def regret(means: np.ndarray) -> np.ndarray:
    """Regret of a single setting."""
    return means[0]


def spread(means: np.ndarray) -> np.ndarray:
    """Largest regret of several settings divided by the smallest."""
    return means.max(axis=0) / means.min(axis=0)


def spread_ratio(means: np.ndarray) -> np.ndarray:
    """The spread of the first half of the settings divided by that of the second."""
    half = len(means) // 2
    return spread(means[:half]) / spread(means[half:])


def r_squared(terms: Sequence[float], means: np.ndarray) -> np.ndarray:
    """R^2 of regrets against the terms that they should be linear in."""
    return pearsonr(np.broadcast_to(terms, means.T.shape), means.T, axis=-1).statistic ** 2


def excess_ratio(means: np.ndarray) -> np.ndarray:
    """The relative excess of regret of two settings over two others, the first by the second."""
    first, second = means[:2] / means[2:] - 1.0
    return first / second


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
CENTERS: dict[str, Callable[..., np.ndarray]] = {"mean": np.mean, "median": np.median}  # of runs
TEXTS = ("source", "says", "published", "why")  # of a claim, each written in one line
OTHERS = "others"  # in ``over``: the values that the part's ``of`` does not list


@dataclass(frozen=True)
class Part:
    """One number that a claim states about the settings ``where``.

    It has a 95 % interval from ``low`` to ``high`` (BCa bootstrap over runs), and the claim holds
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

    ``published`` is the paper's value, ``parts`` are what is compared, and ``why`` is one sentence
    on the verdict.
    """

    name: str
    source: str
    says: str
    published: str
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
            yield _part(where, [*values, found[0].half], center, ratio, thresholds)
        else:
            yield _part(where, values, center, (STATISTICS | BY_BOUND | BY_NASH)[kind], thresholds)


def _values(sample: Sample, kind: str) -> np.ndarray:
    """The runs of a sample as a kind of statistic needs them."""
    if kind in BY_NASH:
        return sample.nash_regret()
    return sample.by_bound() if kind in BY_BOUND else sample.final


def _part(
    where: str, values, center: str, statistic: Callable[[np.ndarray], np.ndarray], thresholds
) -> Part:
    """A statistic of the means, or medians, of some arrays of runs, with its bootstrap interval:
    BCa, or where this is undefined, since no single run changes the statistic, of percentiles.
    """

    def of_runs(*values, axis):
        with np.errstate(divide="ignore", invalid="ignore"):  # ratios of regrets that are 0
            found = statistic(np.stack([CENTERS[center](x, axis=axis) for x in values]))
        return without_rounding(found)

    low = high = value = float(of_runs(*values, axis=-1))
    for method in ("BCa", "percentile") if any(np.ptp(x) > 0 for x in values) else ():
        with warnings.catch_warnings(action="ignore"):  # that BCa is undefined
            found = bootstrap(
                values, of_runs, n_resamples=RESAMPLES, method=method, vectorized=True,
                rng=np.random.default_rng(0),
            )  # fmt: skip
            low, high = found.confidence_interval
        if np.isfinite([low, high]).all():
            break
    return Part(where, value, float(low), float(high), *thresholds)


def _centers(claim: Claim, spec: Mapping[str, Any]) -> list[str]:
    """The names of the averages over runs that a part is about."""
    for name in (centers := each(spec.get("center", "mean"))):
        if name not in CENTERS:
            raise unknown(f"center of claim {claim.name}:", plain(name), CENTERS)
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
    """All combinations of the values of a grid."""
    return list(points({"sweep": {name: each(x) for name, x in grid.items()}}))


def _one(claim: Claim, samples: Sequence[Sample], point: Mapping[str, Any]) -> Sample:
    """The only sample with some values."""
    found = [sample for sample in samples if sample.fits(point)]
    if len(found) != 1:
        raise BadInput(f"claim {claim.name}: {len(found)} settings, not one, are {plain(point)}")
    return found[0]
