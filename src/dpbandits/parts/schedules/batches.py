"""Batches of doubling length: the sampling scheme of the arm elimination of Wu et al. 2023."""

from __future__ import annotations

import numpy as np

from ...compiled import binomial, inlined, random, shared, shared_borrowing
from ...environments.blocks import draw_sum
from ...environments.laws import TABLE
from ...game import (
    Game,
    advance,
    arms,
    check_arm,
    rounds_left,
    rounds_played,
    until_horizon,
)


@inlined
def rounds_without_order(game: Game) -> int:
    """Return the number of rounds in which the order of the pulls does not matter.

    These rounds are the rounds until the next checkpoint. The number is at most 1 if the rewards of
    an arm are fixed in advance, since they then depend on the round.
    """
    left = game.checkpoints[game.clock[1]] - game.clock[0]
    for law in game.env.law:
        left = min(left, 1) if law == TABLE else left
    return left


@inlined
def random_arm(rng: np.random.Generator, K: int) -> int:
    """Draw an arm uniformly at random."""
    return int(random(rng) * K)


@shared
def pull_random_arms(
    game: Game, rng: np.random.Generator, n: int, N: np.ndarray, S: np.ndarray
) -> None:
    """Play arms drawn uniformly at random for ``n`` rounds, which must be left in the game.

    The pulls of each arm are added to ``N`` and the rewards to ``S``, float64 arrays (K,). In
    rounds whose order does not matter, only the numbers of pulls and the sums are drawn.
    """
    K, left = arms(game), n
    new = np.zeros(K, np.int64)
    while left > 0:
        t, rest = rounds_played(game), min(left, rounds_without_order(game))
        left -= rest
        for a in range(K if rest > 1 else 0):
            k = binomial(rng, rest, 1.0 / (K - a)) if a < K - 1 else rest
            advance(game, a, k)
            new[a], rest = new[a] + k, rest - k
        if rest == 1:
            a = random_arm(rng, K)
            advance(game, a, 1)
            new[a] += 1
        if left == 0 or rounds_without_order(game) == 1:
            for a in range(K):
                if new[a] > 0:
                    N[a] += new[a]
                    S[a] += draw_sum(game.env, game.env_rng, a, new[a], t, 1, 0.0, np.inf)
                    new[a] = 0


@shared_borrowing
def forced_batches(game: Game, rng: np.random.Generator, until: float, by_round: bool) -> int:
    """Play random arms in batches of 2, 4, 8, ... rounds while a batch is shorter than ``until``.

    An arm is drawn for each batch (Alg. 1), or for each round if ``by_round`` is true (Remark 5.1).

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
    """Play the last batch, which releases nothing because the horizon interrupts it.

    The active arms ``S`` are played one after the other for ``B`` rounds each; a single active arm
    is played until the horizon.
    """
    for a in S:
        check_arm(game, a)
        advance(game, a, until_horizon(game, B) if len(S) > 1 else rounds_left(game))
