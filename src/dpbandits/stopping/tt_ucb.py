"""TT-UCB: Top Two identification of the best arm on the means of all rewards, without privacy."""

from ..authoring import BEST_ARM, NOT_PRIVATE, UNIT_INTERVAL, Fraction, kernel
from ..parts.identification.top_two_rounds import top_two_each_round

NAME = "TT-UCB"
LINE = "black", "dashed"
QUESTION = BEST_ARM
REWARDS = UNIT_INTERVAL
GUARANTEE = NOT_PRIVATE


@kernel
def tt_ucb(game, rng, delta: Fraction):
    """TT-UCB (Jourdan & Degenne 2022, as in Azize's thesis): AdaP-TT without noise or forgetting,
    with a test in every round. Not private. Rewards in [0, 1]. The papers compare with TT-UCB but
    do not define it, so its bonus and threshold are ours (docs/errata.md).

    Args:
        delta: probability of naming an arm that is not the best.
    """
    return top_two_each_round(game, rng, delta, 0.0)
