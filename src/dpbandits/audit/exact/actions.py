"""The exact privacy loss of an algorithm's actions: the largest |ln(P/P')| over all sequences of
actions and all neighbouring tables of extreme rewards, in a certified interval.

It is that of the whole algorithm at one horizon; ``release`` has that of the release beneath it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...contracts.algorithm import Algorithm
from ...environments.populations import homogeneous
from ...game import pulls_of
from ..targets.games import game_on
from .loss import WIDTH, ActionLoss, OutOfReach, certified
from .methods import method_of
from .one_bit import NotOneBit, probabilities, worst_neighbours

FAR = 1e3  # a reward whose sigmoid is 0 or 1 in floating point
EPS_OF_BITS = (1e-6, 10.0)  # beyond, rounding changes the probabilities of one bit visibly


def exact_loss(
    algorithm: Algorithm, values: Mapping[str, float], eps: float, horizon: int, arms: int = 2
) -> ActionLoss:
    """The exact loss of an algorithm's actions; ``values`` are its parameters, as numbers.

    Raises:
        OutOfReach: no exact loss is known.
    """
    method = method_of(algorithm)
    if method.candidates is not None and arms != 2:
        raise OutOfReach(f"{algorithm.name}: arms={arms} is out of reach; in reach are 2 arms")
    if horizon > method.most:
        raise OutOfReach(
            f"{algorithm.name}: horizon={horizon} has too many sequences of actions; in reach are"
            f" horizons up to {method.most}"
        )
    if (candidates := method.candidates) is None:
        return _one_bit_loss(algorithm, values, eps, horizon, arms)
    return certified(lambda: candidates(values, eps, horizon), WIDTH * min(eps, 1.0))


def _one_bit_loss(algorithm, values, eps, horizon, arms) -> ActionLoss:
    least, most = EPS_OF_BITS
    if not least <= eps <= most:
        raise OutOfReach(
            f"{algorithm.name}: at eps={eps:g} the probabilities of a bit are rounded visibly; in"
            f" reach are budgets from {least:g} to {most:g}"
        )
    extremes = algorithm.rewards.extremes(values) if algorithm.rewards else (-FAR, FAR)
    arguments = [values[name] for name in algorithm.domains]
    try:
        found, _ = probabilities(player(algorithm, arms, eps, arguments), horizon, extremes)
    except NotOneBit as reason:
        raise OutOfReach(f"{algorithm.name}: {reason}, so it is not the bits that hide") from None
    worst = [(*worst_neighbours(p), actions) for actions, p in found.items()]
    ratio, *rewards, actions = max(worst)
    loss = math.log(ratio)
    error = 4e-16 * (1.0 + loss)  # of the ratio's and of the logarithm's rounding
    first, second = (_string((*r, "-")) for r in rewards)
    return ActionLoss(loss - error, loss + error, f"actions {_string(actions)}", (first, second))


def player(algorithm: Algorithm, arms: int, eps: float, arguments: Sequence[float]):
    """Plays an algorithm in plain Python: ``play(rng, rewards)``, with the same reward for all arms
    in a round, returns the actions.
    """
    function = getattr(algorithm.function, "py_func", algorithm.function)

    def play(rng: Any, rewards: np.ndarray) -> tuple[int, ...]:
        table = np.repeat(rewards.astype(float)[:, None], arms, axis=1)
        game = game_on(table, homogeneous(eps))
        function(game, rng, *arguments)
        actions = np.diff(pulls_of(game.trace[np.newaxis], game.horizon)[0], axis=0, prepend=0)
        return tuple(int(a) for a in actions.argmax(axis=1))

    return play


def _string(numbers: Sequence[Any]) -> str:
    return "".join(str(x) for x in numbers)
