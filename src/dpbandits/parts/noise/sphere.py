"""The local randomizer of vectors: a point of a sphere, biased towards the vector."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, normal, random


@inlined
def sphere_radius(d: int, eps: float, R: float) -> float:
    """Compute the length of a message that is an unbiased estimate of a vector in d dimensions.

    The vector has a length of at most R; see ``send_direction``.
    """
    ratio = math.exp(math.lgamma((d + 1) / 2.0) - math.lgamma(d / 2.0 + 1.0))
    return R * (math.sqrt(math.pi) / 2.0) / math.tanh(0.5 * eps) * d * ratio


@inlined
def send_direction(
    rng: np.random.Generator, v: np.ndarray, z: np.ndarray, radius: float, eps: float, R: float
) -> None:
    """Replace the vector v by an eps-locally DP message about it, a point of a sphere (Duchi,
    Jordan & Wainwright 2018, section 4.2.3). An infinite eps leaves the vector unchanged.

    Args:
        rng: the generator.
        v: the vector, of length at most R, which is replaced by the message.
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
    """Replace the vector v by ``scale`` z or -``scale`` z; the direction z must not depend on v.

    The paper first rounds v to a vector of length R without bias: the rounded vector points along v
    with probability 1/2 + |v|/(2R), else along -v. With probability e^eps/(1 + e^eps) the message
    is then a uniform point of the hemisphere around the rounded vector, else of the other
    hemisphere. So the message lies in the hemisphere around v with probability 1/2 + tanh(eps/2)
    |v|/(2R). The direction z gives the line of the message, and one uniform number chooses between
    the two ends, as in CTB. Both ends have the same probability if v is 0. A vector longer than R
    counts as a vector of length R.
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
