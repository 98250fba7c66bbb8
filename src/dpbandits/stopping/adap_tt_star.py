"""AdaP-TT*: AdaP-TT with transportation costs that depend on the privacy budget."""

from ..authoring import (
    BEST_ARM, STOPPING_AND_ANSWER, UNIT_INTERVAL, Budget, Fraction, global_dp, kernel,
    one_release,
)  # fmt: skip
from ..parts.identification.top_two import top_two

NAME = "AdaP-TT*"
LINE = "purple", "solid"
QUESTION = BEST_ARM
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp(
    "Azize's thesis, Theorem 5.23", "episode_means", STOPPING_AND_ANSWER, one_release
)


@kernel
def adap_tt_star(game, rng, eps: Budget, delta: Fraction):
    """AdaP-TT* (Azize's thesis, Alg. 10 with eq. 5.12 and 5.14; Azize et al. 2024). The actions,
    the stopping time and the answer together are eps-DP. Rewards in [0, 1]. With probability
    1 - delta the answer is right.

    Args:
        eps: privacy budget.
        delta: probability of naming an arm that is not the best.
    """
    return top_two(game, rng, eps, delta, True, True)
