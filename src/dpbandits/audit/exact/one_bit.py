"""The exact privacy loss of the actions of an algorithm whose users send one bit each.

The actions are a function of the bits. This module computes the function: it runs the algorithm
itself on every sequence of bits. Given the rewards, the bits are independent, and their
probabilities are floating-point numbers, which are rational. So the probability of each sequence of
actions is a rational number, and can be computed exactly for any number of arms. docs/exact_loss.md
proves that rewards of 0 and 1 suffice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ..targets.decisions import DecisionTarget
from .loss import ActionLoss, OutOfReach

# The sigmoid of this reward and of its negative is 1 and 0 in floating point
SATURATING_REWARD = 1e3
EPS_OF_BITS = (1e-6, 10.0)  # for other eps, rounding changes the probabilities of one bit visibly
OTHER = "the algorithm draws something other than one bit in a round"
Actions = tuple[int, ...]
Play = Callable[[object, np.ndarray], Actions]  # (rng, rewards of all rounds) -> actions


def one_bit_loss(target: DecisionTarget, horizon: int, arms: int) -> ActionLoss:
    """Compute the exact loss of the actions; see ``methods.exact_loss``."""
    least, most = EPS_OF_BITS
    if not least <= target.budget <= most:
        raise OutOfReach(
            f"{target.name}: at eps={target.budget:g} the probabilities of a bit are rounded "
            f"visibly; in reach are budgets from {least:g} to {most:g}"
        )
    extremes = target.extremes() or (-SATURATING_REWARD, SATURATING_REWARD)
    try:
        found, _ = probabilities(player(target, arms), horizon, extremes)
    except OutOfReach as reason:
        raise OutOfReach(f"{target.name}: {reason}, so the bits do not give the loss") from None
    ratio, *rewards, actions = max((*worst_neighbours(p), a) for a, p in found.items())
    loss = math.log(ratio)
    error = 4e-16 * (1.0 + loss)  # a bound on the rounding errors of the ratio and of the logarithm
    first, second = (_string((*r, "-")) for r in rewards)
    return ActionLoss(
        max(loss - error, 0.0), loss + error, f"actions {_string(actions)}", (first, second)
    )


def player(target: DecisionTarget, arms: int) -> Play:
    """Return a function that plays an algorithm with the same reward for all arms in a round."""

    def play(rng: Any, rewards: np.ndarray) -> Actions:
        table = np.repeat(rewards.astype(float)[:, None], arms, axis=1)
        return tuple(target.play_traced(table, rng).arms.tolist())

    return play


def _string(numbers: Sequence[Any]) -> str:
    return "".join(str(x) for x in numbers)


class ScriptedUniforms:
    """A random generator for algorithms that only compare uniform numbers; it prescribes the
    results.

    ``random()`` returns the object itself. The i-th comparison ``number < p`` adds p to ``chances``
    and returns the i-th given result.

    Attributes:
        chances: the p of each comparison ``number < p`` so far.
    """

    def __init__(self, bits: tuple[int, ...]):
        self.bits = bits
        self.chances: list[float] = []

    def random(self) -> ScriptedUniforms:
        return self

    def __lt__(self, chance: float) -> bool:
        self.chances.append(float(chance))
        return bool(self.bits[len(self.chances) - 1])


class Bits(ScriptedUniforms):
    """``ScriptedUniforms`` whose distance to any approximation of a probability is 0.

    So an algorithm must always compare with the exact probability, never with an approximation.
    """

    def __sub__(self, level: float) -> float:
        return 0.0


def probabilities(
    play: Play, horizon: int, extremes: tuple[float, float]
) -> tuple[dict[Actions, np.ndarray], int]:
    """Compute the probability of each sequence of actions, for all extreme rewards.

    No action depends on the bit of the last round.

    Args:
        play: plays the algorithm in plain Python on rewards that depend only on the round.
        horizon: the number of rounds, T.
        extremes: the smallest and the largest reward.

    Returns:
        For each sequence of actions, an array of integers of shape (2,) * (T - 1). The entry [r_1,
            ..., r_{T-1}] is proportional to the probability of the actions if r_1, ..., r_{T-1} are
            the rewards of the played arms, where 0 is the smallest and 1 the largest reward. The
            second result is the factor by which all probabilities are multiplied to give integers.

    Raises:
        OutOfReach: the algorithm draws something other than one bit per round, or its actions
            depend on the rewards not only through the bits.
    """
    T = horizon
    rng = np.random.default_rng(0)
    tables = [np.zeros(T, int), np.ones(T, int), rng.integers(2, size=T)]
    chances: dict[int, float] = {}
    events: dict[Actions, np.ndarray] = {}
    for bits in product((0, 1), repeat=T - 1):
        seen = set()
        for table in tables:
            coins = Bits((*bits, 0))
            try:
                seen.add(play(coins, np.array(extremes)[table]))
            except (AttributeError, TypeError, IndexError) as error:
                raise OutOfReach(OTHER) from error
            if len(coins.chances) != T:
                raise OutOfReach(OTHER)
            for reward, chance in zip(table.tolist(), coins.chances, strict=True):
                if chances.setdefault(reward, chance) != chance:
                    raise OutOfReach("the probabilities of the bits change from round to round")
        if len(seen) > 1:
            raise OutOfReach("with the same bits and other rewards the algorithm acts differently")
        actions = seen.pop()
        if actions not in events:
            events[actions] = np.zeros((2,) * (T - 1), object)
        events[actions][bits] = 1
    ones = [Fraction(chances[reward]) for reward in (0, 1)]
    unit = max(p.denominator for p in ones)  # both denominators are powers of 2
    law = np.array([[int((1 - p) * unit), int(p * unit)] for p in ones], object)
    found = {actions: over_bits(event, law) for actions, event in events.items()}
    return found, unit ** (T - 1)


def over_bits(event: np.ndarray, law: np.ndarray) -> np.ndarray:
    """Compute the weight of a set of sequences of bits for all sequences of rewards.

    Args:
        event: integer array (2,) * rounds, 1 for the sequences of bits in the set, else 0.
        law: integer array (2, 2), the weight of each bit for each reward.
    """
    for axis in range(event.ndim):
        event = np.moveaxis(np.tensordot(law, event, axes=(1, axis)), 0, axis)
    return event


def worst_neighbours(probability: np.ndarray) -> tuple[float, Actions, Actions]:
    """Return the largest ratio of the probabilities of two neighbours, and these neighbours.

    The ratio is correctly rounded. The first neighbour has the larger probability.
    """
    found: list[tuple[float, Actions, Actions]] = []
    for axis in range(probability.ndim):
        halves = np.moveaxis(probability, axis, 0)
        for r in (0, 1):
            ratios = np.asarray(halves[r] / halves[1 - r], dtype=float)
            at = np.unravel_index(int(ratios.argmax()), ratios.shape)
            rest = tuple(int(x) for x in at)
            first, second = ((*rest[:axis], reward, *rest[axis:]) for reward in (r, 1 - r))
            found.append((float(ratios[at]), first, second))
    return max(found)
