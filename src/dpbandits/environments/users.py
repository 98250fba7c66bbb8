"""Users with individual privacy levels, and a function that draws the user of the next round."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled import inlined, normal, random


class Users(NamedTuple):
    """A population of users, as kernels receive it."""

    level: np.ndarray  # float64 array (n,), the privacy levels eps that occur
    tanh: np.ndarray  # float64 array (n,), tanh(eps/2) of each level
    coth: np.ndarray  # float64 array (n,), 1/tanh(eps/2) of each level
    share: np.ndarray  # float64 array (n,), cumulative shares of the levels
    # float64 array (4,): mean, standard deviation, smallest and largest level of a clipped normal
    # population. With such a population, the arrays above have a single entry, for the latest user.
    # For a discrete population, the standard deviation is 0
    normal: np.ndarray


@inlined
def half_tanh(eps: float) -> float:
    """Return tanh(eps/2), computed without e^eps, which could overflow."""
    shrunk = math.expm1(-eps)
    return -shrunk / (2.0 + shrunk)


@inlined
def half_coth(eps: float) -> float:
    """Return 1/tanh(eps/2), infinite at eps = 0."""
    return 1.0 / half_tanh(eps) if eps > 0.0 else np.inf


@inlined
def alike(users: Users) -> bool:
    """Return whether all users have the same level, so that no users need to be drawn."""
    return len(users.share) == 1 and users.normal[1] == 0.0


@inlined
def arrival(users: Users, rng: np.random.Generator) -> int:
    """Draw the user of the next round and return the index of that user's privacy level."""
    if users.normal[1] > 0.0:
        eps = users.normal[0] + users.normal[1] * normal(rng)
        eps = min(max(eps, users.normal[2]), users.normal[3])
        users.level[0], users.tanh[0], users.coth[0] = eps, half_tanh(eps), half_coth(eps)
        return 0
    if len(users.share) == 1:
        return 0
    u = random(rng)
    i = 0
    for j in range(len(users.share) - 1):
        # counting needs no branch, which the processor could mispredict
        i += u >= users.share[j]
    return i
