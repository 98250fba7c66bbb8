"""Of which algorithms an exact loss of the actions is known and how, and why not of the others.

The candidates of an algorithm are the events and the neighbours among which the largest loss is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from ...algorithms import adap_ucb, anytime_lazy_ucb, dp_se, dpr_se, prae_r
from ...contracts.algorithm import Algorithm
from ...parts.noise.local_randomizers import send_bit, send_bit_of_sigmoid
from .elimination import endings
from .episodic import Episodic, Leaf, extreme_cases, extreme_pairs, sequences
from .loss import Candidate, OutOfReach


def adap_ucb_game(values: Mapping[str, float], eps: float) -> Episodic:
    def bonus(n, t):
        return adap_ucb.upper(0.0, float(n), eps, values["alpha"] * math.log(t))

    return Episodic(bonus, lambda n, pulls: pulls, True, eps)


def lazy_ucb_game(values: Mapping[str, float], eps: float) -> Episodic:
    def bonus(n, t):
        l = 3.0 * anytime_lazy_ucb.logarithm(float(t), values["log"])
        return anytime_lazy_ucb.upper(0.0, float(n), eps, l)

    return Episodic(bonus, lambda n, pulls: 2 * n, False, eps)


def episodic_candidates(game: Episodic, T: int) -> Iterator[Candidate]:
    """The events and neighbours of an episodic algorithm among which is the largest loss."""
    for leaf in sequences(game, T, extreme_cases):
        for x, y in extreme_pairs(tuple(len(rounds) for rounds in leaf.releases)):
            p, q = leaf.probability[x], leaf.probability[y]
            rewards = _rewards(leaf, x), _rewards(leaf, y)
            yield Candidate(p, q, f"actions {''.join(map(str, leaf.actions))}", rewards)


def _rewards(leaf: Leaf, case: Sequence[int]) -> str:
    """Rewards with the given sums; the actions do not depend on those marked ``-``."""
    found = ["-"] * len(leaf.actions)
    for rounds, s in zip(leaf.releases, case, strict=True):
        for i, t in enumerate(rounds):
            found[t] = "1" if i < s else "0"
    return "".join(found)


def dp_se_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[Candidate]:
    """The ends of the epochs of DP-SE before the horizon."""

    def epoch(e):
        return *dp_se.epoch(e, 2, eps, values["beta"]), 1.0

    return elimination_candidates(epoch, eps, T)


def dpr_se_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[Candidate]:
    """The ends of the epochs of DPR-SE before the horizon."""

    def epoch(tau):
        R, B, width = dpr_se.epoch(tau, 2, eps, *(values[name] for name in ("u", "v", "c", "beta")))
        return R, width, 2.0 * B

    return elimination_candidates(epoch, eps, T)


def prae_r_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[Candidate]:
    """The ends of the batches of PRAE-R after the forced ones, which depend on no reward."""
    until = prae_r.forced_until(values["alpha1"], values["delta"])
    forced = next(tau for tau in count() if 2.0 ** (tau + 1) >= until)
    parameters = [values[name] for name in ("k", "alpha1", "delta", "constants")]

    def epoch(e):
        R, M, width = prae_r.batch(forced + e, eps, *parameters)
        return R, width, 2.0 * M

    return elimination_candidates(epoch, eps, T - 2 ** (forced + 1) + 2)


def elimination_candidates(
    epoch: Callable[[int], tuple[float, float, float]], eps: float, T: int
) -> Iterator[Candidate]:
    """The ends of epochs: ``epoch(e)`` gives the pulls of each arm, the gap beyond which one is
    removed, and the largest change of a reward.
    """
    left = T
    for e in count(1):
        R, width, change = epoch(e)
        if left // 2 < R and e == 1:
            first = f"the first one has 2 x {R:.6g} rounds"
            raise OutOfReach(f"no epoch ends before the horizon; {first}")
        if left // 2 < R:
            return
        for found in endings(int(R), width, eps, change):
            removed = "arm 1" if found.removes else "no arm"
            event = f"epoch {e} of 2 x {int(R)} rounds removes {removed}"
            unit = "" if change == 1.0 else f" in units of {change:.6g}"
            first, second = (f"sum 0 - sum 1 = {d}{unit}" for d in found.sums)
            yield Candidate(*found.probabilities, event, (first, second))
        left -= 2 * int(R)


class Method(NamedTuple):
    """How a loss is computed: ``candidates(values, eps, T)``.

    Attributes:
        usual: the horizon of a table of all algorithms.
        most: the largest horizon.
    """

    candidates: Callable[[Mapping[str, float], float, int], Iterator[Candidate]]
    usual: int
    most: int


METHODS = {
    "adap_ucb": Method(lambda v, eps, T: episodic_candidates(adap_ucb_game(v, eps), T), 15, 31),
    "anytime_lazy_ucb": Method(
        lambda v, eps, T: episodic_candidates(lazy_ucb_game(v, eps), T), 15, 23
    ),
    "dp_se": Method(dp_se_candidates, 10**6, 10**12),
    "dpr_se": Method(dpr_se_candidates, 10**10, 10**12),
    "prae_r": Method(prae_r_candidates, 10**6, 10**12),
}
# Why the others are out of reach
REASONS = {
    ("adap_klucb",): (
        "its index is no linear function of the private mean, and rounds to 1 from a mean of about"
        " .9 on, so a closed form would not be about this code; in reach is adap_ucb"
    ),
    ("dp_klucb", "dp_imed", "heldp_ucb_l", "heldp_ucb_ls"): (
        "each release adds to the sum of all earlier ones, so both arms' sums stay dependent and"
        " their joint density has two dimensions; in reach are fresh releases"
    ),
    ("prae_c",): "a mode of noisy bins decides about which rewards the next release holds",
    ("dist_dp_se",): "its noise is discrete and wraps around; in reach is dp_se, without both",
    ("ctl_ucb", "ltc_ucb"): (
        "no action depends on a bit in the first 28 rounds and the level of a bit changes from"
        " round to round, which leaves more than 2^28 sequences; one response is known exactly"
    ),
    ("ldpr_se",): "the noise of an epoch is a sum of one Laplace variable a pull",
    ("dp_ucb", "dp_ucb_bound", "dpr_ucb"): (
        "releases share the noise of a tree's nodes, so no release is independent of another"
    ),
    ("dp_ts", "lazy_dp_ts"): (
        "each round's arm is drawn from posteriors, which leaves no closed form"
    ),
}
GAUSSIAN = "ln(P/P') of Gaussian noise has no bound; its promise is a mu"
OTHER = f"exact losses are known for {', '.join(METHODS)} and for users who send one bit"


def usual_horizon(algorithm: Algorithm) -> int:
    """The horizon of a table of all algorithms; raises OutOfReach."""
    method = method_of(algorithm)
    return 8 if method is None else method.usual


def method_of(algorithm: Algorithm) -> Method | None:
    """How the loss is computed; None for bits.

    Raises:
        OutOfReach: no exact loss is known.
    """
    guarantee = algorithm.guarantee
    if guarantee is not None and guarantee.curator in (send_bit, send_bit_of_sigmoid):
        return None
    ours = algorithm.file is not None and algorithm.file.parent.name == "algorithms"
    if ours and algorithm.name in METHODS:
        return METHODS[algorithm.name]
    reason = next((why for names, why in REASONS.items() if algorithm.name in names), OTHER)
    if guarantee is not None and guarantee.gaussian is not None:
        reason = GAUSSIAN
    raise OutOfReach(f"{algorithm.name}: {reason}")
