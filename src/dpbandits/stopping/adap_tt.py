"""AdaP-TT: Top Two identification of the best arm on the private means of forgetful phases."""

from typing import Literal

import numpy as np

from ..authoring import (
    BEST_ARM, STOPPING_AND_ANSWER, UNIT_INTERVAL, Budget, Fraction, global_dp, kernel, one_release,
)  # fmt: skip
from ..parts.identification.coded_top_two import as_coded
from ..parts.identification.top_two import CODED, EMPIRICAL, PROVED, top_two

NAME = "AdaP-TT"
LINE = "green", "solid"
QUESTION = BEST_ARM
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp(
    "Azize's thesis, Theorem 5.20", "episode_means", STOPPING_AND_ANSWER, one_release
)


@kernel
def adap_tt(
    game,
    rng,
    eps: Budget,
    delta: Fraction,
    variant: Literal["printed", "coded"],
    threshold: Literal["usual", "proved", "empirical"],
):
    """AdaP-TT (Azize's thesis, Alg. 10; Azize et al. 2024). The actions, the stopping time and the
    answer together are eps-DP. Rewards in [0, 1]. With probability 1 - delta the answer is right.

    Args:
        eps: privacy budget.
        delta: probability of naming an arm that is not the best.
        variant: 0 (printed), as in the thesis. 1 (coded), as in the code that made the figures of
            the thesis.
        threshold: 0 (usual), the proved threshold for ``printed`` and the empirical threshold for
            ``coded``. 1 (proved), the threshold with s = 2 and with the power of k that is missing
            in one print (docs/errata.md). 2 (empirical), the threshold of the code, for which
            nothing is proved.
    """
    if variant != CODED:
        return top_two(game, rng, eps, delta, False, threshold != EMPIRICAL)
    answer = np.full(1, np.nan)
    as_coded(game, rng, eps, delta, threshold == PROVED, answer)
    return answer[0]
