"""Dist-RDP-SE: Dist-DP-SE with Skellam noise, for Renyi DP."""

import math
from typing import Literal

from ..authoring import (
    SUMS, UNIT_INTERVAL, Budget, Positive, Probability, inlined, integer_release, kernel,
    skellam_rdp,
)  # fmt: skip
from ..parts.noise.discrete_noise import skellam
from .dist_dp_se import elimination

NAME = "Dist-RDP-SE"
LINE = "grey", "dashed"
REWARDS = UNIT_INTERVAL
GUARANTEE = skellam_rdp(
    "Chowdhury & Zhou 2023: each reward enters one noisy sum",
    "modular_sum_of_skellam",
    SUMS,
    integer_release(elimination, "skellam"),
)


@inlined
def noise(rng, scale):
    return skellam(rng, scale**2)


play = elimination(noise)


@kernel
def dist_rdp_se(
    game, rng, eps: Budget, p: Probability, s: Positive, batches: Literal["doubled", "quadrupled"]
):
    """Distributed-DP successive elimination (Chowdhury & Zhou 2023) with Skellam noise. The
    sums that the server sees satisfy Renyi DP of every integer order. Rewards in [0, 1].

    Args:
        eps: privacy budget; the Renyi divergence of an order is about the order times eps^2/2.
        p: failure probability; 1/T in the theorem, .1 in the paper's experiments.
        s: factor of the granularity g; 10 in the paper.
        batches: 0 (doubled), batch b has 2^b pulls of each arm; 1 (quadrupled), batch b has 4^b
            pulls of each arm, as in the authors' code.
    """
    sigma = 2.0 / eps + math.sqrt(2.0) / (s * eps)
    play(game, rng, eps, p, 4.0 if batches else 2.0, s, sigma)
