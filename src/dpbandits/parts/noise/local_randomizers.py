"""Local randomizers, the curators of Ren et al. 2020: a user's eps-locally private response."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, random, unlikely, whole
from ...environments.blocks import truncate
from ...environments.laws import sigmoid
from .mechanisms import laplace, laplace_scale


@inlined
def convert_to_laplace(rng: np.random.Generator, r: float, eps: float) -> float:
    """Curator 1 of Ren et al. 2020, CTL: the reward in [0, 1] plus ``Lap(1/eps)``. eps-local DP
    (Lemma 5).
    """
    return r + laplace(rng, 1.0 / eps)


@inlined
def convert_to_bernoulli(u: float, r: float, tanh: float) -> float:
    """Curator 3 of Ren et al. 2020, CTB: a bit, 1 with probability 1/2 + (r - 1/2) tanh(eps/2).

    Args:
        u: uniform random number in [0, 1).
        r: reward in [0, 1].
        tanh: tanh(eps/2), which does not overflow, unlike e^eps.

    It is eps-locally DP: the probability equals (r e^eps + 1 - r)/(1 + e^eps).
    """
    return 1.0 if u < chance_of_one(r, tanh) else 0.0


@inlined
def chance_of_one(r: float, tanh: float) -> float:
    """Probability that CTB sends 1 for a reward in [0, 1]."""
    return 0.5 + (r - 0.5) * tanh


# sigmoid - 1/2 at the midpoints of steps of 1/_STEPS in [-8, 8], and more than its deviation within
# a step.
_STEPS = 64
_MIDDLES = np.array([sigmoid((i + 0.5) / _STEPS) for i in range(-8 * _STEPS, 8 * _STEPS)]) - 0.5
_FAR = 0.125 / _STEPS + 1e-6


@inlined
def convert_to_bernoulli_of_sigmoid(u: float, r: float, tanh: float) -> float:
    """CTB of the reward's sigmoid. A table decides nearly all bits; the sigmoid is computed for
    less than one in a hundred, and the bit always equals the bit of the exact sigmoid.
    """
    step = whole(r * _STEPS + 8 * _STEPS)
    if 0 <= step < 16 * _STEPS:
        level = 0.5 + _MIDDLES[step] * tanh
        if not unlikely(abs(u - level) < _FAR):
            return 1.0 if u < level else 0.0
    return convert_to_bernoulli(u, sigmoid(r), tanh)


@inlined
def send_bit(rng: np.random.Generator, r: float, eps: float) -> float:
    """CTB, parametrised by eps. eps-local DP for rewards in [0, 1] (Lemma 9)."""
    return convert_to_bernoulli(random(rng), r, math.tanh(0.5 * eps))


@inlined
def send_sigmoid(rng: np.random.Generator, r: float, eps: float) -> float:
    """CTL-S: CTL of the reward's sigmoid. eps-local DP for any reward."""
    return convert_to_laplace(rng, sigmoid(r), eps)


@inlined
def send_bit_of_sigmoid(rng: np.random.Generator, r: float, eps: float) -> float:
    """CTB-S: CTB of the reward's sigmoid. eps-local DP for any reward."""
    return convert_to_bernoulli_of_sigmoid(random(rng), r, math.tanh(0.5 * eps))


@inlined
def send_truncated(rng: np.random.Generator, r: float, eps: float, B: float = 1.0) -> float:
    """The reward, truncated at B, plus ``Lap(2B/eps)``. eps-local DP for any reward (Tao et al.
    2022, Alg. 4). The algorithm draws the sum of many such noises with ``laplace_sum``.
    """
    return truncate(r, B) + laplace(rng, laplace_scale(2.0 * B, eps))


@inlined
def send_sign(rng: np.random.Generator, r: float, eps: float, M: float = 1.0) -> float:
    """The reward, truncated at M and rounded to M or -M without bias, whose sign is kept with
    probability e^eps/(1 + e^eps), times coth(eps/2). eps-local DP for any reward (Zhou & Zhang
    2024, Alg. 1). One uniform number decides the rounding and the sign together, as in CTB.
    """
    return convert_to_sign(random(rng), r, math.tanh(0.5 * eps), M)


@inlined
def convert_to_sign(u: float, r: float, tanh: float, M: float) -> float:
    """``send_sign``, parametrised by tanh(eps/2) and a uniform random number in [0, 1)."""
    share = 0.5 + 0.5 * r / M if abs(r) <= M else 0.5
    largest = largest_sign(M, tanh)
    return largest if convert_to_bernoulli(u, share, tanh) == 1.0 else -largest


@inlined
def largest_sign(M: float, tanh: float) -> float:
    """M coth(eps/2), the absolute value of what ``send_sign`` sends."""
    return M / tanh


@inlined
def unbiased(x: float, c: float) -> float:
    """g(x; eps): the bit x of CTB as an unbiased estimate of the reward, c = coth(eps/2)."""
    half = 0.5 * c
    return 0.5 + (half if x == 1.0 else -half)
