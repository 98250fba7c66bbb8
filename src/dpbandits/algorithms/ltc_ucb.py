"""LTC-UCB: UCB on private signs of heavy-tailed rewards, where outliers replace some signs."""

import numpy as np

from ..authoring import AboveOne, Positive, RawMoments, kernel, local_dp, one_bit
from ..parts.noise.local_randomizers import send_sign
from .ctl_ucb import Contamination, play

NAME = "LTC-UCB"
LINE = "green", "dotted"
REWARDS = RawMoments()
GUARANTEE = local_dp("Zhou & Zhang 2024, Proposition 2", send_sign, one_bit)
ROUND_BY_ROUND = True
REPORTS = True


@kernel
def ltc_ucb(game, rng, eps: Positive, k: AboveOne, alpha1: Contamination, c: Positive):
    """UCB for LDP-then-corruption (Zhou & Zhang 2024, Alg. 2). eps-local DP: every user sends a
    sign. The rewards satisfy E|X|^k <= 1; with probability at most alpha1 an outlier replaces the
    message of a user. Such outliers cost as much as a contamination of the rewards by alpha1/eps.

    Args:
        eps: privacy budget of every user; the regret bound requires eps <= 1.
        k: order of the moment E|X|^k.
        alpha1: bound on the probability of an outlier. If alpha1 is 0, an arm is explored until it
            has ln(1/delta) pulls.
        c: constant of the confidence radius; the paper does not fix c, but has c = .5 in its
            example.
    """
    cap = (eps / alpha1) ** (1.0 / k) if alpha1 > 0.0 else np.inf
    play(game, rng, eps, k, alpha1, c, cap, (alpha1 / eps) ** (1.0 - 1.0 / k))
