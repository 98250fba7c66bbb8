"""The exact privacy loss of the actions of two-armed algorithms with additive indices.

An action is a function of the latest releases of the two arms, m_0 and m_1, and of their bonuses,
c_0 and c_1: arm 0 is played if ``m_0 + c_0 >= m_1 + c_1``. When one arm gets a new release, the
noise of the release is fresh. From then on, the past matters only through the density of the other
arm's release. This density is a piecewise exponential polynomial, so the probability of each
sequence of actions has a closed form. docs/exact_loss.md has the proofs, also that only few tables
of rewards must be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from .exponential_polynomials import Number, Piecewise, Rate

ARMS = (0, 1)
Releases = tuple[Piecewise, Piecewise]  # the density of each arm's latest release
Case = tuple[int, ...]  # for each release so far, the sum of its rewards
Band = tuple[Number | None, Number | None]  # bounds of m_0 - m_1; None for an infinite bound


@dataclass(frozen=True)
class Episodic:
    """A two-armed algorithm whose index is a private mean plus a bonus.

    First, both arms are pulled once. A release is the mean of n rewards of one arm plus
    ``Lap(1/(rate n))``. Each reward is used in one release only.

    Attributes:
        bonus: ``bonus(n, t)``, the bonus in round t of an arm whose last release is a mean of n
            rewards.
        rewards: ``rewards(n, pulls)``, the number of rewards in an arm's next release. The arm's
            last release is a mean of n rewards, made after ``pulls`` pulls.
        commits: whether a chosen arm is played until its next release; otherwise an arm is chosen
            anew in each round.
        rate: the inverse of the scale of the noise for one reward. The rate equals the privacy
            budget if the noise has the right scale.
    """

    bonus: Callable[[int, int], float]
    rewards: Callable[[int, int], int]
    commits: bool
    rate: float


class Leaf(NamedTuple):
    """A sequence of actions with its probability for each table of rewards that is compared.

    Attributes:
        actions: the arm played in each round.
        releases: for each release, the rounds (from 0) of its rewards.
        probability: the probability of the sequence for each vector of sums of these rewards.
    """

    actions: tuple[int, ...]
    releases: tuple[tuple[int, ...], ...]
    probability: dict[Case, Number]


class _Node(NamedTuple):
    """The state of the algorithm after a sequence of actions, before the next decision.

    For each arm, ``n`` has the number of rewards in its latest release, and ``since`` has the
    rounds in which the arm was played after this release.
    """

    actions: tuple[int, ...]
    releases: tuple[tuple[int, ...], ...]
    n: tuple[int, int]
    since: tuple[tuple[int, ...], tuple[int, ...]]
    band: Band
    cases: dict[Case, Releases]


Cases = Callable[[tuple[int, ...]], set[Case]]


def sequences(game: Episodic, horizon: int, cases: Cases) -> Iterator[Leaf]:
    """Yield all sequences of actions of positive probability, with their probabilities.

    Args:
        game: the algorithm.
        horizon: the number of rounds.
        cases: a function of the sizes of the releases so far, which returns the vectors of sums to
            compare. The vectors for more releases must extend the vectors for fewer releases.
    """
    unit = Rate(exactly(game.rate))
    start: dict[Case, Releases] = {
        (s, z): (unit.laplace(1, exactly(s)), unit.laplace(1, exactly(z))) for s, z in cases((1, 1))
    }
    root = _Node((0, 1)[:horizon], ((0,), (1,)), (1, 1), ((), ()), (None, None), start)
    if horizon <= 2:
        certain: dict[Case, Number] = dict.fromkeys(start, unit.one)
        yield Leaf(root.actions, root.releases, certain)
        return
    stack = [root]
    while stack:
        node = stack.pop()
        for a, band in _decisions(game, node):
            later = _played(game, unit, node, a, band, horizon, cases)
            if isinstance(later, Leaf):
                yield later
            else:
                stack.append(later)


def _decisions(game: Episodic, node: _Node) -> Iterator[tuple[int, Band]]:
    """Yield the arms that can be played next, each with the interval of m_0 - m_1 in which it is
    chosen.
    """
    t = len(node.actions) + 1
    low, high = node.band
    c = exactly(game.bonus(node.n[1], t)) - exactly(game.bonus(node.n[0], t))
    if high is None or c < high:  # arm 0 is played if m_0 - m_1 >= c
        yield 0, (c if low is None else max(low, c), high)
    if low is None or low < c:
        yield 1, (low, c if high is None else min(high, c))


def _played(game, unit, node, a, band, horizon, cases) -> _Node | Leaf:
    """Return the state of the game after arm ``a`` was chosen and played until the next decision or
    the horizon.
    """
    t = len(node.actions)
    pulls = node.actions.count(a) - len(node.since[a])
    needed = game.rewards(node.n[a], pulls)
    rounds = min(needed - len(node.since[a]), horizon - t) if game.commits else 1
    actions = node.actions + (a,) * rounds
    inside = node.since[a] + tuple(range(t, t + rounds))
    if len(actions) == horizon:  # a release now would not be used
        found = {case: _without(f, a, band).total() for case, f in node.cases.items()}
        return Leaf(actions, node.releases, found)
    if len(inside) < needed:
        return node._replace(actions=actions, since=_with(node.since, a, inside), band=band)
    releases = (*node.releases, inside)
    other = {case: _without(f, a, band) for case, f in node.cases.items()}
    after = {}
    for case in cases(tuple(len(rounds) for rounds in releases)):
        fresh = unit.laplace(needed, exactly(case[-1]) / needed)
        kept = other[case[:-1]]
        after[case] = (fresh, kept) if a == 0 else (kept, fresh)
    n, since = _with(node.n, a, needed), _with(node.since, a, ())
    return _Node(actions, releases, n, since, (None, None), after)


def _without(f: Releases, a: int, band: Band) -> Piecewise:
    """Return the density of the other arm's release, with the release of arm ``a`` integrated over
    the band.
    """
    low, high = band
    if a == 1:
        low, high = (None if x is None else -x for x in (high, low))
    from flint import arb_poly

    integral = f[a].integral()
    top = Piecewise(f[a].unit, [], [{0: arb_poly([integral.pieces[-1][0][0]])}])
    within = top if high is None else integral.shifted(high)
    if low is not None:
        within = within - integral.shifted(low)
    return f[1 - a] * within


def extreme_cases(sizes: tuple[int, ...]) -> set[Case]:
    """Return vectors of sums that attain the largest loss over all tables of 0 and 1.

    A sum is full if it equals the size n of its release. In each vector, all sums but one are 0, or
    all but one are full. The remaining sum is n - 1 or n if the others are 0, and 0 or 1 if the
    others are full (docs/exact_loss.md).
    """
    return {(0,) * len(sizes), sizes, *chain.from_iterable(extreme_pairs(sizes))}


def extreme_pairs(sizes: tuple[int, ...]) -> Iterator[tuple[Case, Case]]:
    """Yield the pairs of neighbours among ``extreme_cases``."""
    zeros = (0,) * len(sizes)
    for i, n in enumerate(sizes):
        yield _with(sizes, i, 0), _with(sizes, i, 1)
        yield _with(zeros, i, n - 1), _with(zeros, i, n)


def _with(items: tuple, i: int, x: Any) -> tuple:
    """Return the items with item i replaced by ``x``."""
    return (*items[:i], x, *items[i + 1 :])


def exactly(x: float) -> Number:
    """Return a floating-point number as an exact rational number."""
    from flint import fmpq

    return fmpq(*float(x).as_integer_ratio())
