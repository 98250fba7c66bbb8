"""Bandit instances: environments built from a configuration, with their true means."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput, plain, unknown
from ..inputs import as_number, yes_no
from . import arms as laws_of_arms
from .arms import Arm
from .laws import PARAMETERS, TABLE, Environment

LARGEST = 10_000  # arms


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
        return Environment(
            law=env.law[order],
            parameters=np.ascontiguousarray(env.parameters[order]),
            points=env.points,
            table=np.ascontiguousarray(env.table[:, order]),
        )


def of_arms(arms: Sequence[Arm]) -> Instance:
    """The instance with the given arms."""
    points: list[tuple[float, float]] = []
    parameters = np.zeros((len(arms), PARAMETERS))
    for a, arm in enumerate(arms):
        row = arm.parameters
        if arm.points:
            row = (len(points), len(points) + len(arm.points))
            points += arm.points
        parameters[a, : len(row)] = row
    environment = Environment(
        law=np.array([arm.law for arm in arms]),
        parameters=parameters,
        points=np.array(points, dtype=float).reshape(-1, 2),
        table=np.zeros((0, len(arms))),
    )
    support = min(arm.low for arm in arms), max(arm.high for arm in arms)
    return Instance(environment, np.array([arm.mean for arm in arms]), support)


def bernoulli(means: Any) -> Instance:
    """Bernoulli arms with the given means."""
    for mean in two_or_more(means):
        if not 0 <= as_number("env.means", mean) <= 1:
            raise BadInput(
                f"env.means={plain(means)}: a Bernoulli mean lies in [0, 1], not {plain(mean)}"
            )
    return of_arms([laws_of_arms.bernoulli(mean) for mean in means])


def gaussian(means: Any, sd: Any, sigmoid: Any) -> Instance:
    """Normal arms with the given means and one standard deviation.

    With ``sigmoid`` the learner sees 1/(1 + e^-x) instead of x; regret is still that of the means.
    """
    law = laws_of_arms.sigmoid_gaussian if yes_no("env.sigmoid", sigmoid) else laws_of_arms.gaussian
    return of_arms([law(mean, sd) for mean in two_or_more(means)])


def mixed(arms: Any) -> Instance:
    """Arms of different laws: a list of ``{law: NAME, ...its parameters, copies: N}``."""
    if not isinstance(arms, Sequence) or isinstance(arms, str) or not arms:
        raise BadInput(f"env.arms={plain(arms)}: a list of arms is needed, each {{law: NAME, ...}}")
    built: list[Arm] = []
    for given in arms:
        if not isinstance(given, Mapping):
            raise BadInput(f"env.arms: {plain(given)} is no arm; {{law: NAME, ...}} is needed")
        spec = dict(given)
        copies = as_number("copies", spec.pop("copies", 1))
        if copies < 1 or copies != int(copies) or copies > LARGEST:
            raise BadInput(f"env.arms: copies={copies:g}: a whole number of copies is needed")
        built += [call(ARMS, "arm's law", spec)] * int(copies)
    if len(built) < 2:
        raise BadInput(f"env.arms={plain(arms)}: a bandit needs at least two arms")
    return of_arms(built)


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
    if not 2 <= K <= LARGEST or int(K) != K:
        raise BadInput(f"env.arms={arms}: a whole number of arms from 2 to {LARGEST} is needed")
    return bernoulli([FAMILIES[family](i / (K - 1)) for i in range(int(K))])


def twopoint_heavy(means: Any, v: Any, g: Any) -> Instance:
    """X = 1/g with probability mean * g, else 0, so E X^(1+v) = mean * g^-v: the hard instances
    of the lower bounds of Tao et al. 2022. g defaults to (largest mean)^(1/v), hence u = 1.
    """
    mu = [as_number("env.means", mean) for mean in two_or_more(means)]
    order = as_number("env.v", v)
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
    return of_arms([laws_of_arms.two_point(0.0, 1 / rate, mean * rate) for mean in mu])


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
    environment = Environment(
        np.full(K, TABLE), np.zeros((K, PARAMETERS)), np.zeros((0, 2)), values
    )
    return Instance(environment, values.mean(axis=0), (values.min(), values.max()))


ARMS = {
    name: getattr(laws_of_arms, name)
    for name in ("bernoulli", "two_point", "gaussian", "uniform", "beta", "discrete")
}
LAWS = {
    f.__name__: f for f in (bernoulli, bernoulli_family, gaussian, mixed, twopoint_heavy, table)
}


def build(spec: Mapping[str, Any]) -> Instance:
    """The instance that a configuration describes: ``law`` and that law's parameters.

    Raises:
        BadInput: unknown law or parameter, or a value out of range.
    """
    return call(LAWS, "env.law", spec, prefix="env.")


def call(laws: Mapping[str, Callable], kind: str, spec: Mapping[str, Any], prefix: str = "") -> Any:
    """Call the function that ``spec['law']`` names with the rest of the specification."""
    law = spec.get("law")
    if not isinstance(law, str) or law not in laws:
        raise unknown(kind, plain(law), laws)
    given = {key: value for key, value in spec.items() if key != "law"}
    names = list(inspect.signature(laws[law]).parameters)
    for key in given:
        if key not in names:
            raise unknown(f"key of law {law}:", f"{prefix}{key}", [f"{prefix}{n}" for n in names])
    for name in names:
        if name not in given:
            raise BadInput(f"{prefix}{name} is missing: law {law} needs it")
    return laws[law](**given)


def two_or_more(means: Any) -> list[Any]:
    """A list of at least two entries, one an arm."""
    if isinstance(means, str) or not isinstance(means, Sequence) or len(means) == 0:
        raise BadInput(f"env.means={plain(means)}: a list of numbers is needed, such as [0.9,0.8]")
    if len(means) < 2:
        raise BadInput(f"env.means={plain(means)}: a bandit needs at least two arms")
    return list(means)
