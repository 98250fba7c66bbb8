"""Local randomizers (curators in Ren et al. 2020) return a user's eps-locally private response."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, random, unlikely, whole
from ...environments.blocks import truncate
from ...environments.laws import sigmoid
from .mechanisms import laplace, laplace_scale


@inlined
def convert_to_laplace(rng: np.random.Generator, r: float, eps: float) -> float:
    """Return the response of curator 1 of Ren et al. 2020, CTL. eps-local DP (Lemma 5).

    The response is the reward, in [0, 1], plus noise ``Lap(1/eps)``.
    """
    return r + laplace(rng, 1.0 / eps)


@inlined
def convert_to_bernoulli(u: float, r: float, tanh: float) -> float:
    """Return the bit of curator 3 of Ren et al. 2020, CTB.

    The bit is 1 with probability 1/2 + (r - 1/2) tanh(eps/2) = (r e^eps + 1 - r)/(1 + e^eps). The
    bit is therefore eps-locally DP.

    Args:
        u: uniform random number in [0, 1).
        r: reward in [0, 1].
        tanh: tanh(eps/2), which does not overflow, unlike e^eps.
    """
    return 1.0 if u < chance_of_one(r, tanh) else 0.0


@inlined
def chance_of_one(r: float, tanh: float) -> float:
    """Compute the probability that CTB sends 1 for a reward in [0, 1]."""
    return 0.5 + (r - 0.5) * tanh


# _MIDDLES is sigmoid - 1/2 at the midpoints of steps of length 1/_STEPS in [-8, 8]. Within a step,
# the sigmoid differs from the value at the midpoint by less than _FAR.
_STEPS = 64
_MIDDLES = np.array([sigmoid((i + 0.5) / _STEPS) for i in range(-8 * _STEPS, 8 * _STEPS)]) - 0.5
_FAR = 0.125 / _STEPS + 1e-6


@inlined
def convert_to_bernoulli_of_sigmoid(u: float, r: float, tanh: float) -> float:
    """Return the bit of CTB for the reward's sigmoid.

    A table decides nearly all bits, and the sigmoid is computed for less than one bit in a hundred.
    The bit always equals the bit for the exact sigmoid.
    """
    step = whole(r * _STEPS + 8 * _STEPS)
    if 0 <= step < 16 * _STEPS:
        level = 0.5 + _MIDDLES[step] * tanh
        if not unlikely(abs(u - level) < _FAR):
            return 1.0 if u < level else 0.0
    return convert_to_bernoulli(u, sigmoid(r), tanh)


@inlined
def send_bit(rng: np.random.Generator, r: float, eps: float) -> float:
    """Return the bit of CTB for a reward in [0, 1], given eps. eps-local DP (Lemma 9)."""
    return convert_to_bernoulli(random(rng), r, math.tanh(0.5 * eps))


@inlined
def send_sigmoid(rng: np.random.Generator, r: float, eps: float) -> float:
    """Return the response of CTL-S: CTL for the reward's sigmoid. eps-local DP for any reward."""
    return convert_to_laplace(rng, sigmoid(r), eps)


@inlined
def send_bit_of_sigmoid(rng: np.random.Generator, r: float, eps: float) -> float:
    """Return the bit of CTB-S: CTB for the reward's sigmoid. eps-local DP for any reward."""
    return convert_to_bernoulli_of_sigmoid(random(rng), r, math.tanh(0.5 * eps))


@inlined
def send_truncated(rng: np.random.Generator, r: float, eps: float, B: float = 1.0) -> float:
    """Return the reward, truncated at B, plus noise ``Lap(2B/eps)``. eps-local DP for any reward.

    The response is the message in Alg. 4 of Tao et al. 2022. The algorithm itself draws the total
    noise of many such responses with ``laplace_sum``.
    """
    return truncate(r, B) + laplace(rng, laplace_scale(2.0 * B, eps))


@inlined
def send_sign(rng: np.random.Generator, r: float, eps: float, M: float = 1.0) -> float:
    """Return the response M coth(eps/2) or -M coth(eps/2). eps-local DP for any reward.

    This is Alg. 1 of Zhou & Zhang 2024: the reward is truncated at M and rounded to M or -M without
    bias; its sign is kept with probability e^eps/(1 + e^eps), and the result is multiplied by
    coth(eps/2). A single uniform number decides the rounding and the sign, as in CTB.
    """
    return convert_to_sign(random(rng), r, math.tanh(0.5 * eps), M)


@inlined
def convert_to_sign(u: float, r: float, tanh: float, M: float) -> float:
    """Return the response of ``send_sign``, given tanh(eps/2) and a uniform number u in [0, 1)."""
    share = 0.5 + 0.5 * r / M if abs(r) <= M else 0.5
    largest = largest_sign(M, tanh)
    return largest if convert_to_bernoulli(u, share, tanh) == 1.0 else -largest


@inlined
def largest_sign(M: float, tanh: float) -> float:
    """Compute M coth(eps/2), the absolute value of the responses of ``send_sign``."""
    return M / tanh


@inlined
def unbiased(x: float, c: float) -> float:
    """Compute g(x; eps), an unbiased estimate of the reward from the bit x of CTB.

    ``c`` is coth(eps/2).
    """
    half = 0.5 * c
    return 0.5 + (half if x == 1.0 else -half)
