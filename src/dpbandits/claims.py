"""What papers claim from their experiments, as data, and the verdict of runs of our own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from .environments.blocks import has_no_blocks
from .errors import BadInput, plain, unknown
from .files import package_folder
from .results.run_store import Store
from .results.summary import significant
from .results.tables import load_finished
from .settings.groups import names_in, read_file
from .settings.setting import Setting
from .theory.ren2020 import LEADING_TERMS

RESAMPLES = 2000
VERDICTS = ("reproduced", "partly", "not reproduced")


@dataclass(frozen=True)
class Sample:
    """The finished runs of one setting.

    Attributes:
        setting: the setting.
        final: float64 array (runs,), pseudo-regret at the horizon T.
        half: float64 array (runs,), pseudo-regret at T/2.
    """

    setting: Setting
    final: np.ndarray
    half: np.ndarray

    @property
    def words(self) -> dict[str, Any]:
        """The values that distinguish this setting."""
        setting = self.setting
        return {"algo": setting.algo, "env": setting.env, "eps": setting.eps, **setting.columns}


def sample(store: Store, setting: Setting, runs: int) -> Sample:
    """The first finished runs of a setting."""
    finished = load_finished(store, setting, runs)
    regret = finished.pulls @ finished.instance.gaps
    middle = int(np.abs(setting.rounds() - setting.horizon / 2).argmin())
    return Sample(setting, regret[:, -1], regret[:, middle])


def is_cheap(setting: Setting) -> bool:
    """Whether a run of a setting takes the same time at every horizon."""
    long = setting.algorithm.round_by_round or has_no_blocks(setting.instance.environment)
    return setting.algorithm.private and not long  # UCB's blocks grow in number


# A statistic is a function of arrays of runs, one for each setting that it compares, and of an
# axis, along which the runs lie.
Values = Sequence[np.ndarray]


def ratio(values: Values, axis: int) -> np.ndarray:
    """Mean final regret of one setting by that of another."""
    over, of = values
    return over.mean(axis=axis) / of.mean(axis=axis)


def regret(values: Values, axis: int) -> np.ndarray:
    """Mean final regret."""
    return values[0].mean(axis=axis)


def spread(values: Values, axis: int) -> np.ndarray:
    """Largest mean final regret of several settings by the smallest."""
    means = np.stack([x.mean(axis=axis) for x in values])
    return means.max(axis=0) / means.min(axis=0)


def spread_ratio(values: Values, axis: int) -> np.ndarray:
    """The spread of the first half of the settings by that of the second."""
    half = len(values) // 2
    return spread(values[:half], axis) / spread(values[half:], axis)


@dataclass(frozen=True)
class Part:
    """One number that a claim speaks of.

    Attributes:
        where: what setting it is about, in words.
        value: the statistic.
        low: lower end of its 95 % interval (bootstrap over runs).
        high: upper end.
        least: the claim holds for values above this,
        most: and below this.
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
        interval contains a threshold: a tie.
        """
        if self.least < self.low and self.high < self.most:
            return True
        return False if self.high < self.least or self.low > self.most else None

    @property
    def margin(self) -> float:
        """How far the value lies inside of the thresholds, as a logarithm: small is bad."""
        with np.errstate(divide="ignore"):
            above = np.log(self.value / self.least) if self.least > 0 else np.inf
            return float(min(above, np.log(self.most / self.value)))


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Attributes:
        name: its short name.
        source: paper and figure.
        says: the claim.
        published: the paper's value, in words.
        experiments: the experiments that measure it.
        parts: what is compared, as the claim's file has it.
        why: one sentence on the verdict.
    """

    name: str
    source: str
    says: str
    published: str
    experiments: tuple[str, ...]
    parts: tuple[Mapping[str, Any], ...]
    why: str


def claim(name: str, spec: Mapping[str, Any]) -> Claim:
    """A claim from the contents of its file.

    Raises:
        BadInput: a key is missing or unknown.
    """
    keys = ("source", "says", "published", "experiments", "parts", "why")
    for key in spec:
        if key not in keys:
            raise unknown(f"key of claim {name}:", str(key), keys)
    for key in keys:
        if not spec.get(key):
            raise BadInput(f"claim {name}: {key} is missing")
    texts = {
        key: " ".join(str(spec[key]).split()) for key in ("source", "says", "published", "why")
    }
    return Claim(
        name=name, experiments=tuple(spec["experiments"]), parts=tuple(spec["parts"]), **texts
    )


def load_claims() -> dict[str, Claim]:
    """The claims in conf/claim, by name."""
    folder = package_folder("conf") / "claim"
    return {name: claim(name, read_file(folder / f"{name}.yaml")) for name in names_in("claim")}


def measure(claim: Claim, samples: Sequence[Sample]) -> list[Part]:
    """All numbers that a claim speaks of."""
    return [part for spec in claim.parts for part in _parts(claim, spec, samples)]


def verdict(parts: Sequence[Part]) -> str:
    """Reproduced if every part holds, not reproduced if none does, else partly."""
    held = [part.holds is True for part in parts]
    return VERDICTS[0] if all(held) else VERDICTS[1] if any(held) else VERDICTS[2]


def in_words(parts: Sequence[Part]) -> str:
    """The measured values: all of a few, or how many hold and the one that holds least."""
    if len(parts) <= 3:
        return "; ".join(f"{_number(p)}{f' ({p.where})' if len(parts) > 1 else ''}" for p in parts)
    held, tied = (sum(p.holds is x for p in parts) for x in (True, None))
    worst = min(parts, key=lambda p: p.margin)
    ties = f", {tied} tied" if tied else ""
    return f"{held} of {len(parts)} hold{ties}; farthest off: {_number(worst)} ({worst.where})"


def _number(part):
    value, low, high = map(significant, (part.value, part.low, part.high))
    return f"{value} [{low}, {high}]"


def _parts(claim, spec, samples) -> Iterator[Part]:
    """A part for each combination of the lists in ``at``, ``over`` and ``of``."""
    kinds: dict[str, Callable] = {"ratio": ratio, "regret": regret, "spread": spread}
    kinds |= {"spread_ratio": spread_ratio, "growth": ratio, "r_squared": regret}
    kind = spec.get("statistic")
    if kind not in kinds:
        raise unknown(f"statistic of claim {claim.name}:", plain(kind), kinds)
    least, most = float(spec.get("above", 0.0)), float(spec.get("below", np.inf))
    if "about" in spec:
        least, most = (spec["about"] * (1 + s * spec["within"]) for s in (-1, 1))
    for at in _combinations(spec.get("at", {})):
        if kind == "r_squared":
            values, statistic = _regression(_select(samples, at))
            yield _part("", values, statistic, least, most)
            continue
        for of, over in itertools.product(
            _combinations(spec["of"]), _combinations(spec.get("over", {}))
        ):
            across = list(_combinations(spec.get("across", {})))
            groups = [over, of] if over else [of]
            chosen = [
                _one(claim, samples, at | group | point) for group in groups for point in across
            ]
            values = [x.final for x in chosen]
            if kind == "growth":
                values.append(chosen[0].half)
            where = ", ".join(f"{k} {plain(v)}" for k, v in (at | (over or of)).items())
            against = " by " + ", ".join(plain(v) for v in of.values()) if over else ""
            yield _part(where + against, values, kinds[kind], least, most)


def _part(where, values, statistic, least, most):
    value = float(statistic(values, -1))
    low = high = value
    if any(np.ptp(x) > 0 for x in values):
        interval = bootstrap(
            values,
            lambda *x, axis: statistic(x, axis),
            n_resamples=RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(0),
            vectorized=True,
        ).confidence_interval
        low, high = float(interval.low), float(interval.high)
    return Part(where, value, low, high, least, most)


def _regression(samples):
    """R^2 of mean final regrets against the leading terms V_L or V_B of Ren et al. 2020."""
    x = []
    for s in samples:
        term = LEADING_TERMS[s.setting.algorithm.leading_term]
        x.append(term(s.setting.crowd, s.words["eps_min"]))

    def square(values, axis):
        means = np.stack([v.mean(axis=axis) for v in values])
        centered = (np.array(x) - np.mean(x)).reshape(-1, *[1] * (means.ndim - 1))
        residual = means - means.mean(axis=0)
        return (centered * residual).sum(axis=0) ** 2 / (
            (centered**2).sum(axis=0) * (residual**2).sum(axis=0)
        )

    return [s.final for s in samples], square


def _combinations(grid: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    values = [x if isinstance(x, list) else [x] for x in grid.values()]
    for point in itertools.product(*values):
        yield dict(zip(grid, point, strict=True))


def _select(samples, at):
    return [s for s in samples if all(s.words.get(k) == v for k, v in at.items())]


def _one(claim, samples, at):
    found = _select(samples, at)
    if len(found) != 1:
        raise BadInput(f"claim {claim.name}: {len(found)} settings, not one, are {plain(at)}")
    return found[0]
