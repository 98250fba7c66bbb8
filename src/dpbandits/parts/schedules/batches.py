"""Batches of doubling length: the sampling scheme of the arm elimination of Wu et al. 2023."""

from __future__ import annotations

import numpy as np

from ...compiled import inlined, random, shared_borrowing
from ...game import Game, advance, arms, check_arm, rounds_left, until_horizon


@inlined
def random_arm(rng: np.random.Generator, K: int) -> int:
    """Draw an arm uniformly at random."""
    return int(random(rng) * K)


@shared_borrowing
def forced_batches(game: Game, rng: np.random.Generator, until: float, by_round: bool) -> int:
    """Play random arms in batches of 2, 4, 8, ... rounds while these are shorter than ``until``.

    An arm is drawn for each batch (Alg. 1), or for each round if ``by_round`` (Remark 5.1).

    Returns:
        The number tau of the first batch that is not forced, of length 2^tau.
    """
    tau = 1
    while 2.0**tau < until and rounds_left(game) > 0:
        B = until_horizon(game, 2.0**tau)
        for _ in range(B if by_round else 1):
            advance(game, random_arm(rng, arms(game)), 1 if by_round else B)
        tau += 1
    return tau


@shared_borrowing
def play_out(game: Game, S: np.ndarray, B: float) -> None:
    """Play the last batch, which the horizon interrupts, so that it releases nothing.

    The active arms are played one after the other for ``B`` rounds each; a single active arm is
    played until the horizon.
    """
    for a in S:
        check_arm(game, a)
        advance(game, a, until_horizon(game, B) if len(S) > 1 else rounds_left(game))
