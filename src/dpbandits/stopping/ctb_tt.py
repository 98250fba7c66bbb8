"""CTB-TT: TT-UCB on bits that users send instead of their rewards."""

import math

from ..authoring import BEST_ARM, UNIT_INTERVAL, Budget, Fraction, kernel, local_dp, one_bit
from ..parts.identification.top_two_rounds import top_two_each_round
from ..parts.noise.local_randomizers import send_bit

NAME = "CTB-TT"
LINE = "orange", "solid"
QUESTION = BEST_ARM
REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("Azize et al. 2024, by Ren et al. 2020, Lemma 9", send_bit, one_bit)


@kernel
def ctb_tt(game, rng, eps: Budget, delta: Fraction):
    """CTB-TT (Azize et al. 2024): TT-UCB on randomised responses, whose means have the same order
    as the means of the arms. eps-local DP. Rewards in [0, 1]. The threshold is derived from the
    threshold of TT-UCB (docs/errata.md).

    Args:
        eps: privacy budget.
        delta: probability of naming an arm that is not the best.
    """
    return top_two_each_round(game, rng, delta, math.tanh(0.5 * eps))
