"""Bandit instances: environments built from a configuration, with their true means."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..errors import BadInput, plain, unknown
from .laws import PARAMETERS, TABLE, TWO_POINT, Environment


@dataclass(frozen=True)
class Instance:
    """An environment and what only an observer may know of it.

    Attributes:
        environment: the arms' laws.
        means: float64 array (K,), the arms' true means.
        support: smallest and largest reward.
    """

    environment: Environment
    means: np.ndarray
    support: tuple[float, float]

    @property
    def gaps(self) -> np.ndarray:
        """float64 array (K,): how much worse than the best arm each arm is."""
        return self.means.max() - self.means

    def shuffled(self, order: np.ndarray) -> Environment:
        """The environment whose arm i is this one's arm ``order[i]``."""
        env = self.environment
        return Environment(env.law[order], env.parameters[order], env.table[:, order])


def two_point(low: ArrayLike, high: ArrayLike, p: ArrayLike) -> Instance:
    """Arm a pays high[a] with probability p[a], else low[a]."""
    parameters = np.array([low, high, p], dtype=float).T
    K = len(parameters)
    environment = Environment(np.full(K, TWO_POINT), parameters, np.zeros((0, K)))
    means = parameters[:, 0] + (parameters[:, 1] - parameters[:, 0]) * parameters[:, 2]
    return Instance(environment, means, (parameters[:, :2].min(), parameters[:, :2].max()))


def bernoulli(means: Any) -> Instance:
    """Bernoulli arms with the given means."""
    p = numbers("env.means", means)
    for x in p:
        if not 0 <= x <= 1:
            raise BadInput(f"env.means={plain(means)}: a Bernoulli mean lies in [0, 1], not {x:g}")
    return two_point(np.zeros(len(p)), np.ones(len(p)), p)


# The instances of Sajed & Sheffet 2019 for K arms, x = 0, ..., 1; at K = 5 they are C1-C4 of
# Azize & Basu 2022.
FAMILIES: dict[str, Callable[[float], float]] = {
    "c1": lambda x: 0.75 if x == 0 else 0.70,
    "c2": lambda x: 0.75 - 0.5 * x,
    "c3": lambda x: 0.25 + 0.5 * (1 - x) ** 2,
    "c4": lambda x: 0.75 - 0.5 * x**2,
}


def bernoulli_family(family: Any, arms: Any) -> Instance:
    """``arms`` Bernoulli arms, their means given by a named curve."""
    if not isinstance(family, str) or family not in FAMILIES:
        raise unknown("env.family", plain(family), FAMILIES)
    K = as_number("env.arms", arms)
    if not 2 <= K <= 10_000 or int(K) != K:
        raise BadInput(f"env.arms={arms}: a whole number of arms from 2 to 10000 is needed")
    return bernoulli([FAMILIES[family](i / (K - 1)) for i in range(int(K))])


def twopoint_heavy(means: Any, v: Any, g: Any) -> Instance:
    """X = 1/g with probability mean * g, else 0, so E X^(1+v) = mean * g^-v: the hard instances
    of the lower bounds of Tao et al. 2022. g defaults to (largest mean)^(1/v), hence u = 1.
    """
    mu, order = numbers("env.means", means), as_number("env.v", v)
    if not 0 < order <= 1:
        raise BadInput(f"env.v={v}: the order v lies in (0, 1]")
    if min(mu) < 0 or max(mu) <= 0:
        raise BadInput(f"env.means={plain(means)}: means of at least 0, not all 0, are needed")
    if g is None and max(mu) > 1:
        raise BadInput(
            f"env.means={plain(means)}: means of at most 1, or a smaller env.g, are needed"
        )
    rate = max(mu) ** (1 / order) if g is None else as_number("env.g", g)
    if not 0 < rate * max(mu) <= 1:
        raise BadInput(
            f"env.g={rate:g}: the probability of a reward, g times a mean, lies in (0, 1]; "
            f"the largest mean is {max(mu):g}"
        )
    return two_point(np.zeros(len(mu)), np.full(len(mu), 1 / rate), np.array(mu) * rate)


def table(rewards: Any, file: Any) -> Instance:
    """Rewards fixed in advance: row t holds the reward of every arm in round t + 1.

    They are given on the command line, or as a CSV file with one column an arm. The mean of an
    arm is its column's.
    """
    if (rewards is None) == (file is None):
        raise BadInput("env=table needs either env.rewards=[[...],[...]] or env.file=PATH.csv")
    if file is not None:
        try:
            values = pd.read_csv(Path(str(file))).to_numpy(dtype=float)
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise BadInput(f"env.file={file}: not a CSV of numbers ({reason})") from None
        where = f"env.file={file}"
    else:
        where = "env.rewards"
        try:
            values = np.array([[float(x) for x in row] for row in rewards])
        except (TypeError, ValueError):
            raise BadInput(
                "env.rewards: a list of rounds is needed, each a list of one number an arm"
            ) from None
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        raise BadInput(f"{where}: at least one round (row) and two arms (columns) are needed")
    if not np.isfinite(values).all():
        raise BadInput(f"{where}: every reward must be a finite number")
    K = values.shape[1]
    environment = Environment(np.full(K, TABLE), np.zeros((K, PARAMETERS)), values)
    return Instance(environment, values.mean(axis=0), (values.min(), values.max()))


LAWS = {f.__name__: f for f in (bernoulli, bernoulli_family, twopoint_heavy, table)}


def build(spec: Mapping[str, Any]) -> Instance:
    """The instance that a configuration describes: ``law`` and that law's parameters.

    Raises:
        BadInput: unknown law or parameter, or a value out of range.
    """
    law = spec.get("law")
    if not isinstance(law, str) or law not in LAWS:
        raise unknown("env.law", plain(law), LAWS)
    given = {key: value for key, value in spec.items() if key != "law"}
    names = list(inspect.signature(LAWS[law]).parameters)
    for key in given:
        if key not in names:
            raise unknown(f"key of law {law}:", f"env.{key}", [f"env.{n}" for n in names])
    for name in names:
        if name not in given:
            raise BadInput(f"env.{name} is missing: law {law} needs it")
    return LAWS[law](**given)


def numbers(key: str, values: Any) -> list[float]:
    """A non-empty list of finite numbers."""
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) == 0:
        raise BadInput(f"{key}={plain(values)}: a list of numbers is needed, such as [0.9,0.8]")
    if len(values) < 2:
        raise BadInput(f"{key}={plain(values)}: a bandit needs at least two arms")
    return [as_number(key, x) for x in values]


def as_number(key: str, value: Any) -> float:
    """A finite number."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if not math.isfinite(x) or isinstance(value, bool):
        raise BadInput(f"{key}={plain(value)}: a finite number is needed")
    return x
