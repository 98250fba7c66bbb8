"""The exact privacy loss of an algorithm's actions, as an interval that is proved to contain the
loss.

The loss is the largest |ln(P/P')| over all sequences of actions and all neighbouring tables of
extreme rewards, for the whole algorithm at one horizon. (The module ``release`` computes the loss
of a single release.) This module lists the algorithms with a method that computes their exact loss.
For other algorithms the module lists the reasons why no method is known. A candidate is one event
with its probabilities for two neighbouring tables. A method yields candidates, one of which has the
largest loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from ...algorithms import adap_ucb, anytime_lazy_ucb, dp_se, dpr_se, prae_r
from ...contracts.algorithm import Algorithm, in_package
from ...contracts.guarantees import SHUFFLED, Guarantee
from ...parts.noise.local_randomizers import send_bit, send_bit_of_sigmoid
from ..targets.decisions import DecisionTarget
from .elimination import elimination_candidates
from .episodic import Episodic, Leaf, extreme_cases, extreme_pairs, sequences
from .loss import WIDTH, ActionLoss, Candidate, OutOfReach, certified
from .one_bit import one_bit_loss

Candidates = Callable[[Mapping[str, float], float, int], Iterator[Candidate]]


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
    """Yield the candidates for the largest loss of an episodic algorithm."""
    for leaf in sequences(game, T, extreme_cases):
        for x, y in extreme_pairs(tuple(len(rounds) for rounds in leaf.releases)):
            p, q = leaf.probability[x], leaf.probability[y]
            rewards = _rewards(leaf, x), _rewards(leaf, y)
            yield Candidate(p, q, f"actions {''.join(map(str, leaf.actions))}", rewards)


def _rewards(leaf: Leaf, case: Sequence[int]) -> str:
    """Return rewards with the given sums as text; ``-`` stands for a reward on which no action
    depends.
    """
    found = ["-"] * len(leaf.actions)
    for rounds, s in zip(leaf.releases, case, strict=True):
        for i, t in enumerate(rounds):
            found[t] = "1" if i < s else "0"
    return "".join(found)


def of_episodes(game: Callable[[Mapping[str, float], float], Episodic]) -> Candidates:
    return lambda values, eps, T: episodic_candidates(game(values, eps), T)


def dp_se_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[Candidate]:
    return elimination_candidates(lambda e: (*dp_se.epoch(e, 2, eps, values["beta"]), 1.0), eps, T)


def dpr_se_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[Candidate]:
    def epoch(e):
        R, B, width = dpr_se.epoch(e, 2, eps, *(values[name] for name in ("u", "v", "c", "beta")))
        return R, width, 2.0 * B

    return elimination_candidates(epoch, eps, T)


def prae_r_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[Candidate]:
    """Yield the candidates for the largest loss after the forced batches of 2, 4, 8, ... rounds."""
    parameters = [values[name] for name in ("k", "alpha1", "delta", "constants")]
    until = prae_r.forced_until(values["alpha1"], values["delta"])
    forced = next(tau for tau in count() if 2.0 ** (tau + 1) >= until)

    def batch(e):
        R, M, width = prae_r.batch(forced + e, eps, *parameters)
        return R, width, 2.0 * M

    return elimination_candidates(batch, eps, T - (2 ** (forced + 1) - 2))


class Method(NamedTuple):
    """A method that computes an exact loss.

    Attributes:
        usual: the horizon that is used if the user gives no horizon.
        most: the largest horizon.
        candidates: ``candidates(values, eps, T)`` yields the candidates; None if users send one bit
            each.
    """

    usual: int
    most: int
    candidates: Candidates | None = None


ONE_BIT = Method(8, 11)  # sequences of 2^11 bits take about 10 seconds
METHODS = {
    "adap_ucb": Method(15, 31, of_episodes(adap_ucb_game)),
    "anytime_lazy_ucb": Method(15, 23, of_episodes(lazy_ucb_game)),
    "dp_se": Method(10**6, 10**12, dp_se_candidates),
    "dpr_se": Method(10**10, 10**12, dpr_se_candidates),
    "prae_r": Method(10**6, 10**12, prae_r_candidates),
}
# The reasons why the exact losses of other algorithms are out of reach
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
COINS = "ln(P/P') of a sum with coins is infinite at its ends; its promise is an exact delta(eps)"
OTHER = f"exact losses are known for {', '.join(METHODS)} and for users who send one bit"


def method_of(algorithm: Algorithm, guarantee: Guarantee | None) -> Method:
    """Return the method that computes the exact loss of an algorithm with a guarantee.

    Raises:
        OutOfReach: no exact loss is known.
    """
    if guarantee is not None and guarantee.curator in (send_bit, send_bit_of_sigmoid):
        return ONE_BIT
    if in_package(algorithm.file) and algorithm.name in METHODS:
        return METHODS[algorithm.name]
    reason = next((why for names, why in REASONS.items() if algorithm.name in names), OTHER)
    if guarantee is not None and guarantee.gaussian is not None:
        reason = COINS if guarantee.hides == SHUFFLED else GAUSSIAN
    raise OutOfReach(f"{algorithm.name}: {reason}")


def exact_loss(target: DecisionTarget, horizon: int, arms: int = 2) -> ActionLoss:
    """Compute the exact loss of an algorithm's actions at a horizon.

    Raises:
        OutOfReach: no exact loss is known, or there are too many arms or rounds.
    """
    source, eps = target.source, target.budget
    method = method_of(source, target.guarantee)
    if method.candidates is not None and arms != 2:
        raise OutOfReach(f"{source.name}: arms={arms} is out of reach; in reach are 2 arms")
    if horizon > method.most:
        raise OutOfReach(
            f"{source.name}: horizon={horizon} has too many sequences of actions; in reach are"
            f" horizons up to {method.most}"
        )
    if (candidates := method.candidates) is None:
        return one_bit_loss(target, horizon, arms)
    values = dict(zip(source.domains, target.arguments(horizon), strict=True))
    try:
        return certified(lambda: candidates(values, eps, horizon), WIDTH * min(eps, 1.0))
    except OutOfReach as reason:
        where = f"{source.name} at eps={eps:g}, horizon={horizon}"
        raise OutOfReach(f"{where}: {reason}") from None
