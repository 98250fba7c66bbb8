"""Federated LinUCB: silos send noisy sums of contexts and rewards, by a fixed schedule."""

import math

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Confidence, Count, contexts, dimension, ensure_contexts, kernel,
    matrix_nodes, mu_for, play, rounds_left, rounds_played, shared, silo_dp,
)  # fmt: skip
from ..parts.linear.noisy_matrices import (
    estimate_noisy, levels_of, new_noisy_estimate, optimistic_noisy,
)  # fmt: skip
from ..parts.linear.silos import add_to_batch, new_silos, send_batch
from ..parts.linear.spectra import gaussian_nodes

NAME = "Federated LinUCB"
LINE = "olive", "dashdotted"
REWARDS = BOUNDED_CONTEXTUAL
ROUND_BY_ROUND = True
EXACT = 1.0
GUARANTEE = silo_dp(
    "a round enters m nodes of its silo, ours",
    lambda values: mu_for(values["eps"], values["delta"]), matrix_nodes, "context_silos",
)  # fmt: skip


@kernel
def fed_lin_ucb(game, rng, eps: Budget, delta: Confidence, alpha: Confidence, silos: Count):
    """Federated LinUCB, ours, after Dubey & Pentland 2020 and Zhou & Chowdhury 2024. Each user
    trusts only her own silo, such as a hospital. The messages of a silo are (eps, delta)-DP against
    everybody else, even if all other silos collude. Contexts of length at most 1 and rewards in
    [-1, 1].

    Round t belongs to silo (t - 1) mod M. After every B = ceil(sqrt(T)/M) rounds, a silo sends the
    sum of [x; r] [x; r]^T in the node that this batch closes in its binary tree, with Gaussian
    noise. After M B rounds of the game all silos have sent. The server then adds the prefix sums of
    the silos, and all silos play by the total until the next synchronisation. They use no other
    data, so an action depends only on messages and on the contexts of its own round. If the horizon
    cuts a synchronisation, no silo sends. The schedule does not depend on data, since a schedule by
    determinants reveals contexts. The papers write B = sqrt(T/M) for T rounds of each silo.

    A round enters at most m = 1 + ceil(log2 S) nodes, where S = floor(T/(M B)) is the number of
    synchronisations. So the noise s of a node depends on m only. The total contains the noise of up
    to M m nodes: the shift, rho_min and rho_max are sqrt(M) times those of Private LinUCB, gamma is
    M^(1/4) times as large, and the union bound is over S totals. With an infinite eps there is no
    noise, and rho_min is .1 as in Private LinUCB.

    Args:
        eps: privacy budget; infinite: no noise.
        delta: the delta of (eps, delta)-DP.
        alpha: failure probability.
        silos: the number of silos M, at most T.
    """
    d, T, M = dimension(game), rounds_left(game), int(silos)
    B = batch_of(T, M)
    S = max(T // (M * B), 1)
    m = levels_of(S)
    H = gaussian_nodes(eps, delta, m, d, S, alpha, EXACT)
    more = math.sqrt(M) if H.s > 0.0 else 1.0  # the noise of the sum, relative to one silo
    known = 2.0 * math.log(2.0 / alpha) - d * math.log(more * H.low)
    width = math.sqrt(more * H.high) + math.sqrt(more) * H.gamma
    own = new_silos(d + 1, m, M)
    x = contexts(game)
    V = new_noisy_estimate(d, len(x))
    while rounds_left(game) > 0:
        t = rounds_played(game)
        i, n = t % M, t // M + 1  # the silo, and the number of its round
        ensure_contexts(game)  # x holds the contexts of this round
        estimate_noisy(V, own.released, more * H.shift, x)
        a = optimistic_noisy(V, math.sqrt(max(known + V.log_det[0], 0.0)) + width)
        add_to_batch(own, i, x, a, play(game, a))
        if n % B == 0 and n // B <= S:
            send_batch(rng, own, i, n // B, H.s)


@shared
def batch_of(T, M):
    """Return B, the number of rounds in a batch of a silo."""
    return math.ceil(math.sqrt(T) / M)
