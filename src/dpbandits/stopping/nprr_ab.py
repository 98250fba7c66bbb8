"""NPRR: an anytime-valid test of two arms on responses that are locally private."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

import numpy as np

from ..authoring import (
    BEST_ARM, Alignment, Bounded, Budget, Fraction, Guarantee, Interval, inlined, inlined_counted,
    kernel, local_dp, pull, random, rounds_left,
)  # fmt: skip

NAME = "NPRR-AB"
LINE = "green", "dashdotted"
QUESTION = BEST_ARM
LARGEST_GRID = 100
RECENT, BLOCK = 16384, 256  # how many weights a run keeps, and how many it computes at once
HIDDEN = 1.0  # the position of the name in ``assignment``


class Whole(Interval):
    """The domain of a parameter that is a whole number in an interval."""

    def contains(self, x):
        return super().contains(x) and x == int(x)

    @property
    def allowed(self):
        return f"a whole number from {self.low:g} to {self.high:g}"


class OfTwoArms(Bounded):
    """The assumption that rewards lie in an interval and that the environment has two arms."""

    def violation(self, instance, values):
        K = len(instance.reward_means())
        return (f"it has {K} arms", "two arms") if K > 2 else super().violation(instance, values)

    def remedy(self, instance, values):
        two = len(instance.reward_means()) <= 2
        return super().remedy(instance, values) if two else "; write two means"


@dataclass(frozen=True)
class OfMessages(Guarantee):
    """Local DP of a message; the parameter ``grid`` determines the randomizer of the message."""

    def at(self, values):
        return message_on(values.get("grid", 1.0), values.get("assignment") == HIDDEN)


def message_on(G, hidden):
    found = local_dp(SOURCE, respond_on(int(G)), one_response)
    if not hidden:
        return found
    return Guarantee(**vars(found) | {"neighbours": "between any two rewards and arms"})


@cache
def respond_on(G):
    """Return the randomizer ``send(rng, x, eps)`` for a grid of G + 1 points."""

    @inlined_counted
    def send_on_grid(rng, x, eps):
        return respond(rng, x, kept(eps, G), G)

    return send_on_grid


@inlined
def kept(eps, G):
    """Return the probability r = (e^eps - 1)/(e^eps + G) that a rounded number is sent as it is."""
    return -math.expm1(-eps) / (1.0 + G * math.exp(-eps))


@inlined
def respond(rng, x, r, G):
    """Return the response to a number x in [0, 1]. x is rounded without bias to one of the G + 1
    points 0, 1/G, ..., 1. The rounded number is kept with probability r. With probability 1 - r,
    one of these points, drawn uniformly, replaces the rounded number. One uniform random number
    decides both steps. eps-local DP: under two numbers x, the probabilities of a point differ by at
    most the factor 1 + r (G + 1)/(1 - r) = e^eps.
    """
    u = random(rng)
    if G == 1:  # without a branch
        return 0.0 if u < (1.0 - r) / 2.0 + r * (1.0 - x) else 1.0
    j = math.floor(G * x)
    for k in range(G):
        rounded = 0.0 if k < j else 1.0 + j - G * x if k == j else 1.0  # P(rounded <= k/G)
        if u < (1.0 - r) * (k + 1.0) / (G + 1.0) + r * rounded:
            return k / G
    return 1.0


@inlined
def weight_at(n, weights, known, l):
    """Return lambda_n, and the number of weights that have been computed so far. ``weights`` stores
    the latest weights: lambda_i is at index i modulo the length of ``weights``, a power of 2.
    Weights are computed in blocks. If lambda_n is no longer stored, because the arm is far behind
    the other arm, lambda_n alone is computed again.
    """
    if n > known:
        for i in range(known + 1, known + BLOCK + 1):
            weights[i & (len(weights) - 1)] = weight_of(i, l)
        known += BLOCK
    recent = n > known - len(weights)
    return weights[n & (len(weights) - 1)] if recent else weight_of(n, l), known


@inlined
def weight_of(n, l):
    """Return lambda_n."""
    return math.sqrt(min(1.0, 8.0 * l / (n * math.log(n + 1.0))))


SOURCE = "Waudby-Smith, Wu & Ramdas 2023"
one_response = Alignment(
    "none; the changed reward has one response, which stays the same", bits=LARGEST_GRID
)
REWARDS = OfTwoArms(0.0, 1.0)
GUARANTEE = OfMessages(**vars(message_on(1, False)))
Grid = Annotated[float, Whole(1.0, float(LARGEST_GRID), "[]")]


@kernel
def nprr_ab(
    game, rng, eps: Budget, delta: Fraction, grid: Grid, assignment: Literal["open", "hidden"]
):
    """NPRR-AB (Waudby-Smith, Wu & Ramdas 2023): a confidence sequence for the means of two arms
    from private responses. Each message is eps-local DP, without a delta. Rewards in [0, 1].

    Fair coins assign users to the arms. After t responses z with weights lambda_t = min(1, sqrt(8
    ln(2/a)/(t ln(t + 1)))), the mean differs from sum lambda (z - (1 - r)/2)/(r sum lambda) by at
    most (ln(2/a) + sum lambda^2/8)/(r sum lambda), for all t at once with probability 1 - a. Here r
    is the probability that a response is kept.

    open: a user sends a response to her reward, and the server knows the arm; each arm has its own
    t and interval, with a = delta/2, and the rule stops when the two intervals are disjoint.
    hidden: the server must not learn the arm, so the user's device draws the arm Z, 0 or 1, and the
    server cannot choose what a user sees. For the reward x, the mean of f = 2 x Z - 2 x (1 - Z) is
    the effect: the mean of arm 1 minus the mean of arm 0. The device responds to (f + 2)/4, and the
    rule stops when the interval of the effect, with a = delta, excludes 0.

    Args:
        eps: privacy budget.
        delta: probability of naming an arm that is not the best, the alpha of the paper.
        grid: the number G of steps to which a reward is rounded; 1 is randomised response.
        assignment: whether the server knows the arm of a user.
    """
    G, hidden = int(grid), assignment == HIDDEN
    r = kept(eps, G)
    l = math.log(2.0 / (delta if hidden else delta / 2.0))
    weights, known = np.empty(RECENT), 0  # both arms have the same weights
    # Q: sum of lambda^2. An interval is (S -+ R)/(r L); the rule compares the ends times r L0 L1.
    t, S, L, Q, R = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), np.full(2, l)
    if hidden:
        S[0], L[0], R[0] = 0.5 * r, 1.0, 0.0  # the mean of (f + 2)/4 if the effect is 0
    while rounds_left(game) > 0:
        Z = 1 if random(rng) < 0.5 else 0
        x = pull(game, Z)
        if hidden:
            f = 2.0 * x * Z - 2.0 * x * (1 - Z)
            x = (f + 2.0) / 4.0
        a = 1 if hidden else Z
        z = respond(rng, x, r, G)
        t[a] += 1.0
        weight, known = weight_at(int(t[a]), weights, known, l)
        S[a] += weight * (z - (1.0 - r) / 2.0)
        L[a] += weight
        Q[a] += weight * weight
        R[a] = l + Q[a] / 8.0
        if (S[1] - R[1]) * L[0] > (S[0] + R[0]) * L[1]:
            return 1.0
        if (S[0] - R[0]) * L[1] > (S[1] + R[1]) * L[0]:
            return 0.0
    return np.nan
