"""The exact privacy loss of an algorithm's actions: the largest |ln(P/P')| over all sequences of
actions and all neighbouring tables of extreme rewards, in a certified interval.

It is that of the whole algorithm at one horizon; ``exact`` has that of the release beneath it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..algorithms import adap_ucb, anytime_lazy_ucb, dp_se, dpr_se, prae_r
from ..contracts.algorithm import Algorithm
from ..environments.laws import PARAMETERS, TABLE, Environment
from ..environments.populations import homogeneous
from ..game import new_game, pulls_at_checkpoints
from ..parts.noise.local_randomizers import send_bit, send_bit_of_sigmoid
from .elimination_loss import endings
from .episodic_loss import Episodic, Leaf, extreme_cases, extreme_pairs, sequences
from .exponential_polynomials import Number
from .one_bit_loss import NotOneBit, probabilities, worst_neighbours

WIDTH = 1e-6  # largest width of the interval; for budgets below 1 as a part of the budget
BITS = (192, 384, 768, 1536, 3072)  # precisions that are tried
ROUNDING = 1e-9  # relative tolerance of a loss that is compared with a promise
FAR = 1e3  # a reward whose sigmoid is 0 or 1 in floating point
MOST_BITS = 11  # sequences of 2^11 bits take about 10 seconds
EPS_OF_BITS = (1e-6, 10.0)  # beyond, rounding changes the probabilities of one bit visibly


class OutOfReach(Exception):
    """No exact loss is known: the message says why, and what would be in reach."""


@dataclass(frozen=True)
class ActionLoss:
    """The exact loss of actions, and where it is attained.

    Attributes:
        low: lower end of the interval, in nats.
        high: upper end.
        event: the actions, in words.
        rewards: under the two neighbours those of the arms that are played, in words.
    """

    low: float
    high: float
    event: str
    rewards: tuple[str, str]


class _Candidate(NamedTuple):
    """The probabilities of one event under neighbours; the last two as in ``ActionLoss``."""

    first: Number
    second: Number
    event: str
    rewards: tuple[str, str]


class Method(NamedTuple):
    """How a loss is computed: ``candidates(values, eps, T)``.

    Attributes:
        usual: the horizon of a table of all algorithms.
        most: the largest horizon.
    """

    candidates: Callable[[Mapping[str, float], float, int], Iterator[_Candidate]]
    usual: int
    most: int


def adap_ucb_game(values: Mapping[str, float], eps: float) -> Episodic:
    def bonus(n, t):
        return adap_ucb.upper(0.0, float(n), eps, values["alpha"] * math.log(t))

    return Episodic(bonus, lambda n, pulls: pulls, True, eps)


def lazy_ucb_game(values: Mapping[str, float], eps: float) -> Episodic:
    def bonus(n, t):
        l = 3.0 * anytime_lazy_ucb.logarithm(float(t), values["log"])
        return anytime_lazy_ucb.upper(0.0, float(n), eps, l)

    return Episodic(bonus, lambda n, pulls: 2 * n, False, eps)


def episodic_candidates(game: Episodic, T: int) -> Iterator[_Candidate]:
    """The events and neighbours of an episodic algorithm among which is the largest loss."""
    for leaf in sequences(game, T, extreme_cases):
        for x, y in extreme_pairs(tuple(len(rounds) for rounds in leaf.releases)):
            p, q = leaf.probability[x], leaf.probability[y]
            rewards = _rewards(leaf, x), _rewards(leaf, y)
            yield _Candidate(p, q, f"actions {_string(leaf.actions)}", rewards)


def _rewards(leaf: Leaf, case: Sequence[int]) -> str:
    """Rewards with the given sums; the actions do not depend on those marked ``-``."""
    found = ["-"] * len(leaf.actions)
    for rounds, s in zip(leaf.releases, case, strict=True):
        for i, t in enumerate(rounds):
            found[t] = "1" if i < s else "0"
    return "".join(found)


def dp_se_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[_Candidate]:
    """The ends of the epochs of DP-SE before the horizon."""

    def epoch(e):
        R, width = dp_se.epoch(e, 2, eps, values["beta"])
        return R, width, 1.0

    return elimination_candidates(epoch, eps, T)


def dpr_se_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[_Candidate]:
    """The ends of the epochs of DPR-SE before the horizon."""

    def epoch(tau):
        parameters = (values[name] for name in ("u", "v", "c", "beta"))
        R, B, width = dpr_se.epoch(tau, 2, eps, *parameters)
        return R, width, 2.0 * B

    return elimination_candidates(epoch, eps, T)


def prae_r_candidates(values: Mapping[str, float], eps: float, T: int) -> Iterator[_Candidate]:
    """The ends of the batches of PRAE-R after the forced ones, which depend on no reward."""
    tau, until = 1, prae_r.forced_until(values["alpha1"], values["delta"])
    while 2.0**tau < until:
        tau += 1

    def epoch(e):
        parameters = (values[name] for name in ("k", "alpha1", "delta", "constants"))
        R, M, width = prae_r.batch(tau + e - 1, eps, *parameters)
        return R, width, 2.0 * M

    return elimination_candidates(epoch, eps, T - 2**tau + 2)


def elimination_candidates(
    epoch: Callable[[int], tuple[float, float, float]], eps: float, T: int
) -> Iterator[_Candidate]:
    """The ends of epochs: ``epoch(e)`` gives the pulls of each arm, the gap beyond which one is
    removed, and the largest change of a reward.
    """
    e, left = 1, T
    R, width, change = epoch(e)
    if left // 2 < R:
        raise OutOfReach(f"no epoch ends before the horizon; the first one has 2 x {R:.6g} rounds")
    while left // 2 >= R:
        for found in endings(int(R), width, eps, change):
            removed = "arm 1" if found.removes else "no arm"
            event = f"epoch {e} of 2 x {int(R)} rounds removes {removed}"
            d, other = found.sums
            unit = "" if change == 1.0 else f" in units of {change:.6g}"
            words = f"sum 0 - sum 1 = {d}{unit}", f"sum 0 - sum 1 = {other}{unit}"
            yield _Candidate(*found.probabilities, event, words)
        left -= 2 * int(R)
        e += 1
        R, width, change = epoch(e)


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
SUMS_STAY = (
    "{name}: each release adds to the sum of all earlier ones, so both arms' sums stay dependent"
    " and their joint density has two dimensions; in reach are fresh releases"
)
TREES = (
    "{name}: releases share the noise of a tree's nodes, so no release is independent of another"
)
EXPLORES = (
    "{name}: no action depends on a bit in the first 28 rounds and the level of a bit changes from"
    " round to round, which leaves more than 2^28 sequences; one response is known exactly"
)
DRAWS = "{name}: each round's arm is drawn from posteriors, which leaves no closed form"
REASONS = {
    "adap_klucb": (
        "{name}: its index is no linear function of the private mean, and rounds to 1 from a mean"
        " of about .9 on, so a closed form would not be about this code; in reach is adap_ucb"
    ),
    "dp_klucb": SUMS_STAY,
    "dp_imed": SUMS_STAY,
    "heldp_ucb_l": SUMS_STAY,
    "heldp_ucb_ls": SUMS_STAY,
    "prae_c": "{name}: a mode of noisy bins decides about which rewards the next release holds",
    "dist_dp_se": "{name}: its noise is discrete and wraps around; in reach is dp_se, without both",
    "ctl_ucb": EXPLORES,
    "ltc_ucb": EXPLORES,
    "ldpr_se": "{name}: the noise of an epoch is a sum of one Laplace variable a pull",
    "dp_ucb": TREES,
    "dp_ucb_bound": TREES,
    "dpr_ucb": TREES,
    "dp_ts": DRAWS,
    "lazy_dp_ts": DRAWS,
}
OTHER = "{name}: exact losses are known for {known} and for algorithms of users who send one bit"


def exact_loss(
    algorithm: Algorithm, values: Mapping[str, float], eps: float, horizon: int, arms: int = 2
) -> ActionLoss:
    """The exact loss of an algorithm's actions; ``values`` are its parameters, as numbers.

    Raises:
        OutOfReach: no exact loss is known.
    """
    method = method_of(algorithm)
    if method is None:
        return _one_bit_loss(algorithm, values, eps, horizon, arms)
    if arms != 2:
        raise OutOfReach(f"{algorithm.name}: arms={arms} is out of reach; in reach are 2 arms")
    _check_horizon(algorithm.name, horizon, method.most)
    return certified(lambda: method.candidates(values, eps, horizon), WIDTH * min(eps, 1.0))


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
    if guarantee is not None and guarantee.gaussian is not None:
        reason = "{name}: ln(P/P') of Gaussian noise has no bound; its promise is a mu"
    else:
        reason = REASONS.get(algorithm.name, OTHER)
    raise OutOfReach(reason.format(name=algorithm.name, known=", ".join(METHODS)))


def _check_horizon(name: str, horizon: int, most: int) -> None:
    if horizon > most:
        raise OutOfReach(
            f"{name}: horizon={horizon} has too many sequences of actions; in reach are horizons"
            f" up to {most}"
        )


def certified(candidates: Callable[[], Iterator[_Candidate]], width: float) -> ActionLoss:
    """The largest |ln(P/P')| of some events, in an interval of at most this width."""
    from flint import ctx

    before = ctx.prec
    try:
        for bits in BITS:
            ctx.prec = bits
            found = _largest(candidates())
            if found.high - found.low <= width:
                return found
    finally:
        ctx.prec = before
    raise OutOfReach(f"rounding errors are too large, even with {BITS[-1]} bits")


def _largest(candidates: Iterator[_Candidate]) -> ActionLoss:
    low, high, at = 0.0, 0.0, None
    for found in candidates:
        loss = (found.first / found.second).log()
        least, most = _ends(loss if loss > 0 else -loss)
        if not most < math.inf:  # the precision is too low to tell a probability from 0
            return ActionLoss(0.0, math.inf, "", ("", ""))
        if least > low or at is None:
            low, at = max(least, low), found
        high = max(high, most)
    assert at is not None
    return ActionLoss(low, high, at.event, at.rewards)


def _ends(ball: Number) -> tuple[float, float]:
    """Floating-point numbers below and above a ball."""
    if not ball.is_finite():
        return 0.0, math.inf
    least, most = float(ball.lower()), float(ball.upper())
    return math.nextafter(least, -math.inf), math.nextafter(most, math.inf)


def _one_bit_loss(algorithm, values, eps, horizon, arms) -> ActionLoss:
    _check_horizon(algorithm.name, horizon, MOST_BITS)
    least, most = EPS_OF_BITS
    if not least <= eps <= most:
        raise OutOfReach(
            f"{algorithm.name}: at eps={eps:g} the probabilities of a bit are rounded visibly; in"
            f" reach are budgets from {least:g} to {most:g}"
        )
    extremes = algorithm.rewards.extremes(values) if algorithm.rewards else (-FAR, FAR)
    arguments = [values[name] for name in algorithm.domains]
    try:
        found, _ = probabilities(player(algorithm, arms, eps, arguments), horizon, extremes)
    except NotOneBit as reason:
        raise OutOfReach(f"{algorithm.name}: {reason}, so it is not the bits that hide") from None
    worst = [(*worst_neighbours(p), actions) for actions, p in found.items()]
    ratio, *rewards, actions = max(worst)
    loss = math.log(ratio)
    error = 4e-16 * (1.0 + loss)  # of the ratio's and of the logarithm's rounding
    first, second = (_string((*r, "-")) for r in rewards)
    return ActionLoss(loss - error, loss + error, f"actions {_string(actions)}", (first, second))


def player(algorithm: Algorithm, arms: int, eps: float, arguments: Sequence[float]):
    """Plays an algorithm in plain Python: ``play(rng, rewards)``, with the same reward for all arms
    in a round, returns the actions.
    """
    function = getattr(algorithm.function, "py_func", algorithm.function)
    users = homogeneous(eps).users()

    def play(rng: Any, rewards: np.ndarray) -> tuple[int, ...]:
        T = len(rewards)
        table = np.repeat(rewards.astype(float)[:, None], arms, axis=1)
        no_laws = np.zeros((arms, PARAMETERS))
        env = Environment(np.full(arms, TABLE), no_laws, np.zeros((0, 2)), table, 0.0)
        game = new_game(env, users, np.random.default_rng(0), T, np.arange(1, T + 1))
        function(game, rng, *arguments)
        actions = np.diff(pulls_at_checkpoints(game), axis=0, prepend=0).argmax(axis=1)
        return tuple(int(a) for a in actions)

    return play


def _string(numbers: Sequence[Any]) -> str:
    return "".join(str(x) for x in numbers)
