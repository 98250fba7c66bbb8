"""The local randomizer of vectors: a point of a sphere, biased towards the vector."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, normal, random


@inlined
def sphere_radius(d: int, eps: float, R: float) -> float:
    """The length of a message about a vector of length at most R in d dimensions, with which the
    message is unbiased.
    """
    ratio = math.exp(math.lgamma((d + 1) / 2.0) - math.lgamma(d / 2.0 + 1.0))
    return R * (math.sqrt(math.pi) / 2.0) / math.tanh(0.5 * eps) * d * ratio


@inlined
def send_direction(
    rng: np.random.Generator, v: np.ndarray, z: np.ndarray, radius: float, eps: float, R: float
) -> None:
    """Replace the vector v by an eps-locally DP message about it, a point of a sphere (Duchi,
    Jordan & Wainwright 2018, section 4.2.3). An infinite eps leaves the vector as it is.

    Args:
        rng: the generator.
        v: the vector, of length at most R; then the message.
        z: work space of the same length.
        radius: the length of the message, ``sphere_radius``.
        eps: privacy budget.
        R: the largest length of a vector.
    """
    if eps == math.inf:
        return
    square = 0.0
    for i in range(len(v)):
        z[i] = normal(rng)
        square += z[i] * z[i]
    choose_side(rng, v, z, radius / math.sqrt(square), eps, R)


@inlined
def choose_side(
    rng: np.random.Generator, v: np.ndarray, z: np.ndarray, scale: float, eps: float, R: float
) -> None:
    """Replace the vector v by ``scale`` z or -``scale`` z, for a direction z that does not depend
    on it.

    The paper rounds v to the length R without bias, so that it points along v with probability
    1/2 + |v|/(2R), and sends a uniform point of the half of the sphere around it with probability
    e^eps/(1 + e^eps). So the message lies in the half around v with probability
    1/2 + tanh(eps/2) |v|/(2R), and given its line this decides between the two ends: one uniform
    number, as in CTB. Where v is 0 the two ends have equal probabilities. A vector that is longer
    than R counts as one of length R.
    """
    square = side = 0.0
    for i in range(len(v)):
        square += v[i] * v[i]
        side += v[i] * z[i]
    bias = 0.5 * math.tanh(0.5 * eps) * min(math.sqrt(square) / R, 1.0)
    if not random(rng) < 0.5 + (bias if side > 0.0 else -bias):
        scale = -scale
    for i in range(len(v)):
        v[i] = scale * z[i]
