"""A player from elsewhere: an object that chooses arms and receives rewards, in a game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import BadInput, first_line
from ..numbers.sources import numbers_of

# P(arms=K, horizon=T, eps=eps, rng=generator) returns a player
Players = Callable[..., Any]


class GameOver(BaseException):
    """All rounds are played. A player that has a loop of its own need not catch it."""


def played(
    make: Players, reward: Callable[[int, int], float], K: int, T: int, eps: float, rng: Any
) -> list[int]:
    """The arms of all rounds that a new player plays.

    Args:
        make: makes the player, which has methods ``choose() -> int`` and ``receive(arm, reward)``,
            or one method ``play(pull)``, a loop of its own that calls ``pull(arm) -> reward``.
        reward: of a round, from 0, and an arm.
        K: number of arms.
        T: number of rounds.
        eps: the privacy budget.
        rng: generator of the player's random numbers.

    Raises:
        BadInput: it chooses an arm that does not exist, or has not these methods.
    """
    try:
        player = make(arms=K, horizon=T, eps=eps, rng=rng)
    except TypeError as error:  # most likely of the call
        raise BadInput(f"player={name_of(make)}: {first_line(error)}") from error
    arms: list[int] = []

    def pull(arm: Any) -> float:
        if len(arms) == T:
            raise GameOver
        a = int(arm)
        if not 0 <= a < K:
            raise BadInput(f"player={name_of(make)}: it chose arm {a} of {K} arms, 0 to {K - 1}")
        arms.append(a)
        return reward(len(arms) - 1, a)

    if hasattr(player, "play"):
        with suppress(GameOver):
            player.play(pull)
        return arms
    if not (hasattr(player, "choose") and hasattr(player, "receive")):
        raise BadInput(
            f"player={name_of(make)}: a player has methods choose() and receive(arm, reward)"
        )
    choose, receive = player.choose, player.receive
    for _ in range(T):
        a = choose()
        receive(a, pull(a))
    return arms


@dataclass(frozen=True)
class External:
    """What makes players, and where their random numbers come from.

    Attributes:
        make: makes the players.
        fixed: whether they seed generators with the same number in each game, so that what these
            draw is known. Other seeds are random, and as good as the audit's own numbers.
    """

    make: Players
    fixed: bool

    @property
    def __name__(self) -> str:
        return name_of(self.make)

    def __call__(self, **given: Any) -> Any:
        return self.make(**given)

    def played(self, reward: Callable[[int, int], float], K: int, T: int, eps: float, rng: Any):
        """As ``played``, with all random numbers from one generator."""
        with numbers_of(rng, self.fixed):
            return played(self.make, reward, K, T, eps, rng)


PROBES, PROBED = 3, 32  # games, and their rounds, that show whether seeds are fixed


def external(make: Players) -> External:
    """What makes players, examined in a few games."""
    seeds: list[list[str]] = [[] for _ in range(PROBES)]
    for i, given in enumerate(seeds):
        rng = np.random.default_rng([20, i])
        table = rng.random((PROBED, 2))
        with suppress(Exception), numbers_of(rng, given=given):  # the audit reports what is raised
            played(make, lambda t, a: float(table[t, a]), 2, PROBED, 1.0, rng)  # noqa: B023
    return External(make, any(len(set(same)) == 1 for same in zip(*seeds, strict=False)))


def name_of(make: Players) -> str:
    """The name of a class or function that makes players."""
    return str(getattr(make, "__name__", type(make).__name__))
