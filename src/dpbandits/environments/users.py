"""Users with privacy levels of their own: how the level of the user who comes next is drawn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..kernel import verb


class Users(NamedTuple):
    """A population of users, as kernels see it.

    Attributes:
        level: float64 array (n,), the privacy levels eps that occur.
        tanh: float64 array (n,), tanh(eps/2) of each.
        share: float64 array (n,), cumulative shares of the levels.
        normal: float64 array (4,): mean, standard deviation, least and largest level of a clipped
            normal population, whose last level is kept in entry 0 of the others; a standard
            deviation of 0 means that the levels are those listed.
    """

    level: np.ndarray
    tanh: np.ndarray
    share: np.ndarray
    normal: np.ndarray


@verb
def arrival(users: Users, rng: np.random.Generator) -> int:
    """Entry of the level of the user who comes next."""
    if users.normal[1] > 0.0:
        eps = users.normal[0] + users.normal[1] * rng.standard_normal()
        eps = min(max(eps, users.normal[2]), users.normal[3])
        users.level[0] = eps
        users.tanh[0] = math.tanh(eps / 2.0)
        return 0
    last = len(users.share) - 1
    if last == 0:
        return 0
    u = rng.random()
    i = 0
    while i < last and u >= users.share[i]:
        i += 1
    return i
