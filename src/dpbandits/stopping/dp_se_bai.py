"""DP-SE as a stopping rule for the best arm: it stops when a single arm is left."""

import numpy as np

from ..algorithms.dp_se import eliminate
from ..authoring import (
    BEST_ARM, STOPPING_AND_ANSWER, UNIT_INTERVAL, Budget, Fraction, global_dp, kernel, one_release,
)  # fmt: skip

NAME = "DP-SE-BAI"
LINE = "blue", "dashed"
QUESTION = BEST_ARM
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp(
    "Sajed & Sheffet 2019, Theorem 4.1", "epoch_mean", STOPPING_AND_ANSWER, one_release
)


@kernel
def dp_se_bai(game, rng, eps: Budget, delta: Fraction):
    """DP-SE (Sajed & Sheffet 2019, Alg. 3), which stops when one arm is left. The actions, the
    stopping time and the answer together are eps-DP. Rewards in [0, 1]. With probability 1 - delta
    the answer is right.

    Args:
        eps: privacy budget.
        delta: probability of naming an arm that is not the best.
    """
    S = eliminate(game, rng, eps, delta)
    return float(S[0]) if len(S) == 1 else np.nan
