"""ETC: explore then commit. Not private."""

import numpy as np

from ..authoring import (
    NOT_PRIVATE, UNIT_INTERVAL, PositiveOrMinimax, all_arms, arms, kernel, pull_in_turn,
    rounds_left, skip_rounds, until_horizon,
)  # fmt: skip

NAME = "ETC"
LINE = "olive", "solid"
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE


@kernel
def etc(game, rng, m: PositiveOrMinimax):
    """Explore then commit (Lattimore & Szepesvari 2020, Alg. 1): m pulls of each arm in turn, then
    the arm of largest mean until the horizon. Not private. Rewards in [0, 1].

    Args:
        m: pulls of each arm, rounded up. The value minimax is (T/K)^(2/3) (ln T)^(1/3), the order
            that balances exploration and error for the worst gap (Slivkins 2019, Section 1.2).
    """
    K, T = arms(game), float(game.horizon)
    if m == 0.0:  # minimax
        m = (T / K) ** (2.0 / 3.0) * np.log(T) ** (1.0 / 3.0)
    sums = np.zeros(K)
    pull_in_turn(game, all_arms(game), until_horizon(game, K * max(np.ceil(m), 1.0)), sums)
    skip_rounds(game, np.full(1, np.argmax(sums)), rounds_left(game))
