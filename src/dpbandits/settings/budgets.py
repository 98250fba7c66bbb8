"""Privacy as a user asks for it: the budget, and for local privacy the users and eps_min."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..contracts.algorithm import Algorithm
from ..contracts.parameters import POSITIVE
from ..environments.populations import build_population, homogeneous, level
from ..errors import BadInput, plain
from ..theory.ren2020 import candidates
from ..validation import argument


def privacy(
    config: Mapping[str, Any],
    algorithm: Algorithm,
    population: str,
    spec: dict[str, Any],
    point: dict[str, Any],
) -> tuple[float, float | None, bool]:
    """The budget, eps_min, and whether users have levels of their own; takes them from ``point``.

    What a sweep varies passes by the algorithms that do not take it.
    """
    swept_eps, swept_min = point.pop("eps", None), point.pop("eps_min", None)
    asked_eps = config["eps"] if swept_eps is None else swept_eps
    asked_min = config["eps_min"] if swept_min is None else swept_min
    if not algorithm.local:
        if config["population"] != "homogeneous":
            raise BadInput(f"population={population}: {algorithm.name} takes no population")
        if config["eps_min"] is not None:
            raise BadInput(f"eps_min={plain(asked_min)}: {algorithm.name} takes no eps_min")
        if swept_eps is not None and not algorithm.private:
            return math.inf, None, False
        return budget(algorithm, asked_eps), None, False
    if spec:
        if config["eps"] is not None:
            raise BadInput(
                f"eps={plain(asked_eps)}: the users of {population} have levels of their own; "
                "leave eps out"
            )
        crowd = build_population(spec)
        eps = crowd.largest
    else:
        eps = argument("eps", 1.0 if asked_eps is None else asked_eps, POSITIVE, 1)
        level("eps", asked_eps if asked_eps is not None else eps)
        crowd = homogeneous(eps)
        asked_min = eps if asked_min is None else asked_min
    if asked_min is None:
        raise BadInput(
            f"eps_min: users of {population} with a lower level send nothing; give a number "
            "above 0, or auto"
        )
    if asked_min == "auto":
        terms = candidates(crowd, algorithm.leading_term or "V_L")
        if not terms:
            raise BadInput(f"population={population}: no user has a level above 0")
        asked_min = min(terms, key=terms.__getitem__)
    eps_min = argument("eps_min", asked_min, POSITIVE, 1)
    if crowd.mass(eps_min) <= 0:
        who = f"users of {population}" if spec else f"users of level eps={eps:g}"
        raise BadInput(f"eps_min={plain(asked_min)}: no {who} would send anything")
    return eps, eps_min, bool(spec)


def budget(algorithm: Algorithm, eps: Any) -> float:
    """The privacy budget: 1 if none is given, infinite for an algorithm that is not private."""
    if not algorithm.private:
        if eps is not None and eps != math.inf:
            raise BadInput(
                f"eps={plain(eps)}: {algorithm.name} is not private and takes no eps; leave it out"
            )
        return math.inf
    if eps is None:
        return 1.0
    return argument("eps", eps, algorithm.domains["eps"], 1)
