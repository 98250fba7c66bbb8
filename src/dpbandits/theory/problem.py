"""Problems for which bounds are computed: settings whose values have the letters of the papers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ..contracts.parameters import BUDGETS
from ..environments.catalogue import build
from ..environments.instances import Instance
from ..environments.laws import SIGMOID_GAUSSIAN, TWO_POINT
from ..environments.populations import Population, build_population, homogeneous


@dataclass(frozen=True)
class Problem:
    """A setting for which bounds are computed.

    Attributes:
        algo: name of the algorithm.
        parameters: its parameters by name, ``eps`` and ``eps_min`` among them.
        instance: the arms.
        population: the users' privacy levels.
        eps: the privacy loss, the largest over all users. Without privacy, eps is infinite. The
            value is also infinite if the budget has another name, such as rho, which is then in
            ``parameters``.
        T: horizon.
        local: whether users randomise their own rewards.
        pure: whether eps is the loss of pure DP, and not of Renyi DP or of another relaxation.
        share: the privacy loss as a multiple of the budget.
    """

    algo: str
    parameters: Mapping[str, float]
    instance: Instance
    population: Population
    eps: float
    T: float
    local: bool = False
    pure: bool = True
    share: float = 1.0

    @cached_property
    def letters(self) -> dict[str, Any]:
        """The values of the problem by the letters of the papers, such as K and eps. ``alpha`` is
        the probability of an outlier, unless the algorithm has a parameter ``alpha``.
        """
        means, gaps = self.instance.means, self.instance.gaps
        return {
            "alpha": self.instance.contamination, **self.parameters, "means": means, "gaps": gaps,
            "K": len(means), "d": len(self.instance.theta), "population": self.population,
            "eps": self.eps, "T": self.T,
        }  # fmt: skip

    @property
    def bernoulli(self) -> bool:
        """Whether all arms are Bernoulli."""
        env = self.instance.environment
        zero_one = (env.law == TWO_POINT).all() and (env.parameters[:, :2] == [0, 1]).all()
        return bool(zero_one) and env.alpha == 0

    @property
    def unit(self) -> bool:
        """Whether rewards are independent, lie in [0, 1], and their means define the regret."""
        env = self.instance.environment
        independent = len(env.table) == 0 and env.alpha == 0
        low, high = self.instance.support
        return independent and low >= 0 and high <= 1 and not (env.law == SIGMOID_GAUSSIAN).any()

    @property
    def equal_levels(self) -> bool:
        """Whether all users have the level ``eps`` and send a response."""
        return (
            self.population.normal is None
            and bool((self.population.levels == self.eps).all())
            and self.parameters.get("eps_min") == self.eps
        )

    def at(
        self, T: float | None = None, eps: float | None = None, rho: float | None = None
    ) -> Problem:
        """Return the problem with another horizon, or with another budget for all users."""
        changed = self if T is None else replace(self, T=T)
        if rho is not None:
            changed = replace(changed, parameters={**self.parameters, "rho": rho})
        if eps is None:
            return changed
        given = {name: eps for name in ("eps", "eps_min") if name in self.parameters}
        parameters = {**self.parameters, **given}
        loss = eps * self.share
        return replace(changed, eps=loss, parameters=parameters, population=homogeneous(eps))


def problem(record: Mapping[str, Any]) -> Problem:
    """Return the problem of a setting from its record in a manifest (see ``Setting.record``)."""
    return problems([record])[0]


def problems(records: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """Return the problems of several records; each environment is built once."""
    instance = cache(lambda spec: build(json.loads(spec)))
    return [_problem(r, instance(json.dumps(r["env_spec"], sort_keys=True))) for r in records]


def _problem(record: Mapping[str, Any], instance: Instance) -> Problem:
    name, budget = budget_of(record)
    eps = budget if name == "eps" else math.inf
    spec = record["population"]
    parameters = {name: float(value) for name, value in record["parameters"].items()}
    population = build_population(spec) if spec else homogeneous(eps)
    pure = record["notion"] in (None, "none", "global", "local", "pure local", "pure joint")
    loss = math.inf if record["loss"] is None else float(record["loss"])
    share = loss / eps if pure and math.isfinite(eps) else 1.0
    return Problem(
        record["algo"], parameters, instance, population, eps * share,
        T=float(record["horizon"]), local=record["notion"] == "local", pure=pure, share=share,
    )  # fmt: skip


def budget_of(record: Mapping[str, Any]) -> tuple[str, float]:
    """Return the name and the value of the privacy budget in the record of a setting."""
    name = next(name for name in BUDGETS if name in record)
    return name, math.inf if record[name] is None else float(record[name])


def positive(gaps: Any) -> np.ndarray:
    """Return the gaps of the suboptimal arms, float64 array."""
    found = np.asarray(gaps, dtype=float)
    return found[found > 0]
