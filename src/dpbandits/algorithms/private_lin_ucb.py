"""Private LinUCB: optimism with contexts and rewards that are released by a tree of matrices."""

import math
from typing import Literal

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Confidence, add_row, contexts, dimension, ensure_contexts,
    estimate_noisy, gaussian_nodes, joint_dp, kernel, levels_of, matrix_nodes, mu_for,
    new_matrix_tree, new_noisy_estimate, optimistic, play, rounds_left, wishart_nodes,
)  # fmt: skip

NAME = "Private LinUCB"
LINE = "brown", "dashed"
REWARDS = BOUNDED_CONTEXTUAL
ROUND_BY_ROUND = True
GAUSSIAN = PRINTED = 0.0  # of the options


def noise_ratio(values):
    """The mu of the m nodes that hold a round: sqrt(m) Lt^2/s; infinite for Wishart noise."""
    eps, delta = values["eps"], values["delta"]
    if values["noise"] != GAUSSIAN:
        return math.inf
    if values["calibration"] != PRINTED:
        return mu_for(eps, delta)
    return eps / (4.0 * math.log(4.0 / delta))


GUARANTEE = joint_dp("Shariff & Sheffet 2018, section 4", noise_ratio, matrix_nodes)


@kernel
def private_lin_ucb(
    game, rng, eps: Budget, delta: Confidence, alpha: Confidence, noise: Literal["gaussian", "wishart"],
    calibration: Literal["printed", "exact"],
):  # fmt: skip
    """Private LinUCB (Shariff & Sheffet 2018). (eps, delta)-joint DP of contexts of length at most
    1 and rewards in [-1, 1]: the actions of all other rounds hide those of a round.

    With Gaussian noise an eps above about 60 ln(4/delta) is not kept as printed: the noise is
    proportional to 1/eps. ``exact`` has the least noise for every eps (derived). Where the papers
    have no shift, for an infinite eps, rho_min is .1; if an improbable draw makes V indefinite, a
    negative square counts as 0 (both ours).

    Args:
        eps: privacy budget; infinite: no noise.
        delta: of (eps, delta)-joint DP.
        alpha: failure probability.
        noise: of a node of the tree, ``gaussian`` or ``wishart``.
        calibration: of Gaussian noise, ``printed`` or ``exact``.
    """
    d, T = dimension(game), rounds_left(game)
    m = levels_of(T)
    H = gaussian_nodes(eps, delta, m, d, T, alpha, calibration)
    if noise != GAUSSIAN and eps < math.inf:
        H = wishart_nodes(eps, delta, m, d, T, alpha)
    M = new_matrix_tree(rng, d + 1, m, H.k)
    V = new_noisy_estimate(d)
    known = 2.0 * math.log(2.0 / alpha) - d * math.log(H.low)
    x = contexts(game)
    while rounds_left(game) > 0:
        estimate_noisy(V, M.prefix, H.shift)
        beta = math.sqrt(max(known + V.log_det[0], 0.0)) + math.sqrt(H.high) + H.gamma
        ensure_contexts(game)  # x holds the contexts of this round
        a = optimistic(V, x, beta)
        add_row(rng, M, x, a, play(game, a), H.s, H.k)
