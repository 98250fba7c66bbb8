"""The privacy of a setting: its privacy budget and, for local privacy, its users and eps_min."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from typing import Any, NamedTuple

from ..contracts.algorithm import Algorithm
from ..contracts.parameters import BUDGETS, POSITIVE
from ..environments.populations import Population, homogeneous, level
from ..errors import BadInput, plain
from ..theory.ren2020 import candidates
from ..validation import argument


class Privacy(NamedTuple):
    """The privacy budget of a setting, and its population of users."""

    # the privacy budget, infinite for an algorithm that is not private; if users have levels of
    # their own, the level of the least private user
    budget: float
    population: Population  # the population of users
    # users with a level below eps_min send nothing; None without local privacy
    eps_min: float | None = None
    auto: bool = False  # whether eps_min was chosen automatically


def privacy(
    config: Mapping[str, Any],
    at: Mapping[str, Any],
    algorithm: Algorithm,
    users: Population | None,
    horizon: float,
    taken: Collection[str | None],
) -> Privacy:
    """Return the privacy of the setting at a point of a configuration's sweep.

    The default budget is in the signature of the algorithm; without a default in the signature, it
    is 1. An algorithm ignores a budget that it does not take, such as ``rho``. If no algorithm of
    the sweep takes a budget, the budget is refused (``taken`` has the names of budgets that some
    algorithm takes). If a sweep varies eps_min, algorithms that do not take eps_min ignore it. If
    the configuration sets a single eps_min, such algorithms are refused. ``at`` has the values of
    the keys at the point. ``users`` is None if all users have the level eps. The horizon is NaN if
    there is no horizon.
    """
    for other in BUDGETS:
        given = config.get(other)
        if other not in taken and given is not None and (algorithm.private or given != inf):
            raise BadInput(f"{other}={plain(given)}: {algorithm.without(other)}")
    if algorithm.per_user:
        return _local(config, at, algorithm, users, horizon)
    if config.get("population", "homogeneous") != "homogeneous":
        raise BadInput(
            f"population={at['population']}: {algorithm.name} takes no population; leave "
            "population out"
        )
    if config.get("eps_min") is not None:
        given = plain(at["eps_min"])
        raise BadInput(f"eps_min={given}: {algorithm.name} takes no eps_min; leave eps_min out")
    value = inf
    if (unit := algorithm.budget) is not None:
        budget = algorithm.usual_budget if at[unit] is None else at[unit]
        value = argument(unit, budget, algorithm.domains[unit], horizon)
    return Privacy(value, homogeneous(value))


def _local(config, at, algorithm, users, horizon) -> Privacy:
    name, eps, eps_min = at.get("population"), at["eps"], at.get("eps_min")
    auto = eps_min == "auto"
    if users is not None:
        if config["eps"] is not None:
            raise BadInput(
                f"eps={plain(eps)}: each user of {name} has a privacy level; leave eps out"
            )
        population, budget = users, users.largest
    else:
        eps = algorithm.usual_budget if eps is None else eps
        budget = level("eps", argument("eps", eps, POSITIVE, horizon))
        population = homogeneous(budget)
        eps_min = algorithm.defaults.get("eps_min", budget) if eps_min is None else eps_min
    if eps_min is None:
        raise BadInput(
            f"eps_min is missing: users of {name} with a level below eps_min send nothing; give a "
            "number above 0, or auto"
        )
    if auto:
        terms = candidates(population, algorithm.leading_term or "V_L")
        if not terms:
            raise BadInput(f"population={name}: no user has a level above 0")
        eps_min = min(terms, key=terms.__getitem__)
    least = argument("eps_min", eps_min, POSITIVE, horizon)
    if population.mass(least) <= 0:
        largest = population.largest if population.mass(population.largest) > 0 else 0.0
        most = f"; at most {largest:.12g} is needed" if largest else ""
        none = f"every privacy level is below eps_min, so no user would send anything{most}"
        raise BadInput(f"eps_min={plain(eps_min)}: {none}")
    return Privacy(budget, population, least, auto)
