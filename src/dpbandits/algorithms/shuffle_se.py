"""Shuffle-SE: successive elimination on counts of bits that a shuffler mixes."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    UNIT_INTERVAL, Alignment, Approximate, Budget, Fraction, Probability, all_arms, arms, binomial,
    gaussian, gaussian_dp, inlined, inlined_counted, kernel, local_dp, mu_for, one_release, pull,
    pull_encoded_in_turn, room_for, rounds_left, shuffle_dp, skip_rounds, viable,
)  # fmt: skip
from ..parts.noise.local_randomizers import send_bit
from ..parts.noise.shuffled_coins import delta_of_coins, eps_of_coins, heads, least_bits

NAME = "Shuffle-SE"
LINE = "purple", "dotted"
REWARDS = UNIT_INTERVAL
SHUFFLER, SERVER, NOBODY = 0.0, 1.0, 2.0


def elimination(heads, send_bits):
    """Return the loop of the elimination. ``heads(rng, N)`` draws the heads of N fair coins, and
    ``send_bits(game, rng, S, l, eps, sums)`` counts in ``sums`` the bits that users who trust
    nobody send about l rewards of each arm.
    """

    @inlined_counted
    def play(game, rng, eps, delta, p, trust):
        S, sums, mean = all_arms(game), np.zeros(arms(game), np.int64), np.zeros(arms(game))
        N = least_bits(eps, delta) if trust == SHUFFLER else 0.0
        s = 1.0 / mu_for(eps, delta) if trust == SERVER else 0.0
        t = math.tanh(0.5 * eps) if trust == NOBODY else 1.0  # P(a bit is kept) is (1 + t)/2
        b = 1.0
        while len(S) > 1 and np.inf > N and room_for(game, 2.0**b, len(S)):
            l = int(2.0**b)
            if trust == NOBODY:
                send_bits(game, rng, S, l, eps, sums)
            else:
                pull_encoded_in_turn(game, S, l * len(S), 1, sums)
            for a in S:
                count = float(sums[a])
                if N > 0.0:
                    count = sums[a] + heads(rng, N) - N / 2.0
                elif s > 0.0:
                    count = sums[a] + gaussian(rng, s)
                mean[a] = (count / l - 0.5 * (1.0 - t)) / t
            L = math.log(4.0 * len(S) * b**2 / p)
            w = math.sqrt(2.0 * ((l + N) / (4.0 * t * t) + s * s) * L) / l
            S = viable(S, mean, 2.0 * w)
            b += 1.0
        skip_rounds(game, S, rounds_left(game))  # a batch that the horizon cuts releases nothing

    return play


@inlined
def noisy_bits(game, rng, S, l, eps, sums):
    """Count the ones among the sent bits: the ones that are kept and the zeros that are flipped.

    Each of these two numbers of bits is drawn at once.
    """
    pull_encoded_in_turn(game, S, l * len(S), 1, sums)
    t = math.tanh(0.5 * eps)
    for a in S:
        kept = binomial(rng, sums[a], 0.5 + 0.5 * t)
        sums[a] = kept + binomial(rng, l - sums[a], 0.5 - 0.5 * t)


def bits_in_turn(game, rng, S, l, eps, sums):
    """Count the bits as ``noisy_bits`` does, but draw them user by user."""
    for a in S:
        sums[a] = 0
    for _ in range(l):
        for a in S:
            sums[a] += int(send_bit(rng, pull(game, a), eps))


def counted(rng, N):
    """Draw the number of heads in a replay, which calls this function instead of ``heads``."""
    return rng.coins(N)


def coins_of(values):
    """Return the number of coins that are sent for an arm in a batch."""
    return least_bits(values["eps"], values["delta"])


def coins_in_words(values):
    N = coins_of(values)
    if math.isfinite(N):
        return f"{N:,.0f} fair coins"
    return "no release (it would need more than 2^30 coins)"


play = elimination(heads, noisy_bits)
SOURCE = "a reward enters one count, ours"
COUNT = Alignment(
    "the coins beside the changed bit", 1, literal={"play": elimination(counted, noisy_bits)}
)
BITS = Alignment(
    "none; the changed reward has one bit, which stays the same", bits=1,
    literal={"play": elimination(heads, bits_in_turn)},
)  # fmt: skip
CURVE = Approximate(
    ("eps", "delta"), coins_of,
    "F(x) - e^eps F(x - 1), F of Bin(N, 1/2), x the largest integer below (N + 1)/(1 + e^eps)",
    lambda values, delta: eps_of_coins(coins_of(values), delta), "derived",
    delta=lambda values, eps: delta_of_coins(coins_of(values), eps),
    noise=coins_in_words,
)  # fmt: skip
GUARANTEE = shuffle_dp(
    SOURCE, CURVE, "shuffled_count", COUNT,
    unless=(
        ("trust", SERVER,
         gaussian_dp(SOURCE, lambda values: mu_for(values["eps"], values["delta"]), one_release)),
        ("trust", NOBODY, local_dp("randomised response", send_bit, BITS)),
    ),
)  # fmt: skip


@kernel
def shuffle_se(
    game, rng, eps: Budget, delta: Fraction, p: Probability,
    trust: Literal["shuffler", "server", "nobody"],
):  # fmt: skip
    """Shuffle-SE, ours, with the schedule of Chowdhury & Zhou 2023: batch b has 2^b pulls of each
    viable arm. The rewards are in [0, 1]; a reward r becomes one bit, which is 1 with probability
    r. The schedule and the form of the radius are the same for every choice of ``trust``.

    shuffler: in a batch, the users who play an arm send their bits and also, in total, N fair
    coins. N is the smallest number for which the shuffled messages are (eps, delta)-DP against the
    server, provided that all users send fair coins: coins of users who collude with the server
    protect nobody. If more than 2^30 coins would be needed, nothing is released. server: a trusted
    server adds the least Gaussian noise to each count (Balle & Wang 2018), so that all actions are
    (eps, delta)-DP.
    nobody: each user sends her bit by randomised response, which is eps-local DP without a delta.

    Args:
        eps: privacy budget.
        delta: the delta of (eps, delta)-DP.
        p: failure probability; 1/T as in the theorem of Chowdhury & Zhou 2023.
        trust: whom a user trusts.
    """
    play(game, rng, eps, delta, p, trust)
