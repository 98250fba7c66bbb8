"""The exact privacy loss of the actions of two-armed algorithms with additive indices.

An action is a function of the latest releases of the two arms: arm 0 is played if ``m_0 + c_0 >=
m_1 + c_1``. After a release of one arm its noise is fresh, and all that the past has left is the
density of the other arm's release. This density is a piecewise exponential polynomial, so the
probability of each sequence of actions has a closed form. docs/exact_loss.md has the proofs, also
that few tables of rewards have to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .exponential_polynomials import Number, Piecewise, Rate

ARMS = (0, 1)
Releases = tuple[Piecewise, Piecewise]  # the density of each arm's latest release
Case = tuple[int, ...]  # the sums of the releases so far
Band = tuple[Number | None, Number | None]  # bounds of m_0 - m_1; None for infinite ones


@dataclass(frozen=True)
class Episodic:
    """How a two-armed algorithm plays, whose index is a private mean plus a bonus.

    Both arms are pulled once. A release is the mean of some rewards of one arm plus ``Lap(1/(rate
    n))``; each reward enters one release.

    Attributes:
        bonus: ``bonus(n, t)``, the index in round t of an arm with a mean of 0 of n rewards.
        rewards: ``rewards(n, pulls)``, the number of rewards of an arm's next release, after one
            of n rewards and as many pulls.
        commits: whether an arm is played until its next release; otherwise each round is decided.
        rate: 1/scale of the noise of one reward; the budget, unless the noise is wrong.
    """

    bonus: Callable[[int, int], float]
    rewards: Callable[[int, int], int]
    commits: bool
    rate: float


class Leaf(NamedTuple):
    """A sequence of actions.

    Attributes:
        actions: the arm played in each round.
        releases: the rounds, from 0, of the rewards that enter each release.
        probability: that of the sequence for each vector of sums of these rewards.
    """

    actions: tuple[int, ...]
    releases: tuple[tuple[int, ...], ...]
    probability: dict[Case, Number]


class _Node(NamedTuple):
    """A history: per arm the number of rewards of the latest release and the rounds since."""

    actions: tuple[int, ...]
    releases: tuple[tuple[int, ...], ...]
    n: tuple[int, int]
    since: tuple[tuple[int, ...], tuple[int, ...]]
    band: Band
    cases: dict[Case, Releases]


Cases = Callable[[tuple[int, ...]], set[Case]]


def sequences(game: Episodic, horizon: int, cases: Cases) -> Iterator[Leaf]:
    """All sequences of actions of positive probability, with their probabilities.

    Args:
        game: the algorithm.
        horizon: the number of rounds.
        cases: the vectors of sums to compare, for the sizes of the releases so far; those of a
            longer history must extend those of a shorter one.
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
    """The arms that can be played next, with the condition on the releases for each arm."""
    t = len(node.actions) + 1
    low, high = node.band
    c = exactly(game.bonus(node.n[1], t)) - exactly(game.bonus(node.n[0], t))
    if high is None or c < high:  # arm 0 is played if m_0 - m_1 >= c
        yield 0, (c if low is None else max(low, c), high)
    if low is None or low < c:
        yield 1, (low, c if high is None else min(high, c))


def _played(game, unit, node, a, band, horizon, cases) -> _Node | Leaf:
    """The history after arm ``a`` was chosen: until the next decision, or the horizon."""
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
    """The density of the other arm's release, that of arm ``a`` integrated over the band."""
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
    """The vectors of sums among which the largest loss over all tables of 0 and 1 is attained: all
    others extreme, and one of 0 and 1 below, or n - 1 and n above (docs/exact_loss.md).
    """
    zeros, full = (0,) * len(sizes), sizes
    found = {zeros, full}
    for i, n in enumerate(sizes):
        found |= {_with(full, i, s) for s in (0, 1)} | {_with(zeros, i, s) for s in (n - 1, n)}
    return found


def extreme_pairs(sizes: tuple[int, ...]) -> Iterator[tuple[Case, Case]]:
    """The neighbours among ``extreme_cases``."""
    for i, n in enumerate(sizes):
        yield _with(sizes, i, 0), _with(sizes, i, 1)
        yield _with((0,) * len(sizes), i, n - 1), _with((0,) * len(sizes), i, n)


def _with(items: tuple, i: int, x: Any) -> tuple:
    """The items with another one at place i."""
    return (*items[:i], x, *items[i + 1 :])


def exactly(x: float) -> Number:
    """A floating-point number as a rational one."""
    from flint import fmpq

    return fmpq(*float(x).as_integer_ratio())
