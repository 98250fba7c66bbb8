"""Batches that double and forget: the sampling of the arm eliminations of Wu et al. 2023."""

from __future__ import annotations

import numpy as np

from ..compiled.decorators import routine, verb
from ..game import Game, arms, play_unseen, rounds_left, until_horizon


@verb
def random_arm(rng: np.random.Generator, K: int) -> int:
    """An arm, each as likely as the others."""
    return int(rng.random() * K)


@routine
def forced_batches(game: Game, rng: np.random.Generator, until: float, by_round: bool) -> int:
    """Play batches of 2, 4, 8, ... rounds of arms chosen at random while they are shorter than
    ``until``: one arm a batch (Alg. 1), or one a round (Remark 5.1).

    Returns:
        The number tau of the first batch that is not forced, of length 2^tau.
    """
    tau = 1
    arm = np.zeros(1, np.int64)
    while 2.0**tau < until and rounds_left(game) > 0:
        B = until_horizon(game, 2.0**tau)
        for _ in range(B if by_round else 1):
            arm[0] = random_arm(rng, arms(game))
            play_unseen(game, arm, 1 if by_round else B)
        tau += 1
    return tau


@verb
def play_out(game: Game, S: np.ndarray, B: float) -> None:
    """Play a last batch, which the horizon cuts and which so releases nothing: the active arms one
    after the other, ``B`` rounds each. A single arm is played to the horizon.
    """
    arm = np.zeros(1, np.int64)
    for a in S:
        arm[0] = a
        play_unseen(game, arm, until_horizon(game, B) if len(S) > 1 else rounds_left(game))
