"""Private LinUCB: optimism with contexts and rewards that are released by a tree of matrices."""

import math
from typing import Literal

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Confidence, contexts, dimension, ensure_contexts, joint_dp,
    kernel, limited_proof, matrix_nodes, mu_for, play, rounds_left,
)  # fmt: skip
from ..parts.linear.noisy_matrices import (
    add_row, estimate_noisy, levels_of, new_matrix_tree, new_noisy_estimate, optimistic_noisy,
)  # fmt: skip
from ..parts.linear.spectra import gaussian_nodes, wishart_nodes

NAME = "Private LinUCB"
LINE = "brown", "dashed"
REWARDS = BOUNDED_CONTEXTUAL
ROUND_BY_ROUND = True
GAUSSIAN = PRINTED = 0.0  # the numbers of these options
WISHART = 1.0
UNUSED = {("calibration", "exact"): ("noise", "wishart")}


def noise_ratio(values):
    """Return mu = sqrt(m) Lt^2/s of the m nodes that contain a round. Here Lt^2 is the largest
    squared length of a row [x; r], and s is the standard deviation of the noise of a node.
    """
    eps, delta = values["eps"], values["delta"]
    if values["calibration"] != PRINTED:
        return mu_for(eps, delta)
    return eps / (4.0 * math.log(4.0 / delta))


def largest_wishart_eps(values):
    """Return the eps up to which the proof of Wishart noise holds. Each of m nodes is (e,
    delta/(2m))-DP with e = eps/sqrt(8 m ln(2/delta)), which is proved for e <= 1. Together the
    nodes are (eps, delta)-DP if m e tanh(e/2) <= e sqrt(2 m ln(2/delta)).
    """
    m, l = levels_of(values["T"]), math.log(2.0 / values["delta"])
    most = math.sqrt(2.0 * l / m)
    e = 2.0 * math.atanh(most) if most < math.tanh(0.5) else 1.0
    return e * math.sqrt(8.0 * m * l)


SOURCE = "Shariff & Sheffet 2018, section 4"
OF_WISHART = limited_proof(
    "for Wishart noise (Sheffet 2015, with composition) holds", largest_wishart_eps
)
GUARANTEE = joint_dp(
    SOURCE, noise_ratio, matrix_nodes,
    unless=(("noise", WISHART, joint_dp(SOURCE, OF_WISHART, matrix_nodes)),),
)  # fmt: skip


@kernel
def private_lin_ucb(
    game, rng, eps: Budget, delta: Confidence, alpha: Confidence,
    noise: Literal["gaussian", "wishart"], calibration: Literal["printed", "exact"],
):  # fmt: skip
    """Private LinUCB (Shariff & Sheffet 2018). (eps, delta)-joint DP of contexts of length at most
    1 and rewards in [-1, 1]: the actions of all other rounds hardly depend on the context and the
    reward of a round.

    The printed Gaussian noise is proportional to 1/eps and does not suffice for an eps above 32
    L^2 - 8 z L, where L = ln(4/delta) and z is the normal quantile at 1 - delta. With ``exact``,
    the Gaussian noise has the smallest sufficient scale, for every eps (derived). Wishart noise is
    proved to suffice for an eps of at most sqrt(8 m ln(2/delta)), where m is the number of levels
    of the tree. If sqrt(2 ln(2/delta)/m) < tanh(1/2), the proof holds only up to a smaller eps. At
    about six times this eps, Wishart noise has so few degrees of freedom that some matrices of a
    node become impossible if a round is changed (derived). For an infinite eps the papers do not
    shift V; rho_min is .1 here (ours). If an improbable draw makes V indefinite, a negative x^T
    V^-1 x counts as 0 (ours).

    Args:
        eps: privacy budget; infinite: no noise.
        delta: the delta of (eps, delta)-joint DP.
        alpha: failure probability.
        noise: the noise of a node of the tree, ``gaussian`` or ``wishart``.
        calibration: the scale of Gaussian noise, ``printed`` in the paper or ``exact``.
    """
    d, T = dimension(game), rounds_left(game)
    m = levels_of(T)
    H = gaussian_nodes(eps, delta, m, d, T, alpha, calibration)
    if noise != GAUSSIAN and eps < math.inf:
        H = wishart_nodes(eps, delta, m, d, T, alpha)
    M = new_matrix_tree(rng, d + 1, m, H.k)
    known = 2.0 * math.log(2.0 / alpha) - d * math.log(H.low)
    x = contexts(game)
    V = new_noisy_estimate(d, len(x))
    while rounds_left(game) > 0:
        ensure_contexts(game)  # x holds the contexts of this round
        estimate_noisy(V, M.prefix, H.shift, x)
        beta = math.sqrt(max(known + V.log_det[0], 0.0)) + math.sqrt(H.high) + H.gamma
        a = optimistic_noisy(V, beta)
        add_row(rng, M, x, a, play(game, a), H.s, H.k)
