"""A player from elsewhere: an object that chooses arms and receives rewards, in a game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...errors import BadInput, first_line

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


def name_of(make: Players) -> str:
    """The name of a class or function that makes players."""
    return str(getattr(make, "__name__", type(make).__name__))
