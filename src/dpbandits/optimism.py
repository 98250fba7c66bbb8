"""Finding the arm of largest index without looking at every arm in every round.

In most rounds the arm that led keeps the lead, and only its own statistics have changed. The
choices are exactly those of an argmax over all arms in every round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .kernel import borrow, verb

WINDOW = 1.0 + 2.0**-14  # growth of sqrt(ln t) after which the bar is set anew


class Race(NamedTuple):
    """Arms whose index at round t is ``level + sqrt(ln t) * width``.

    Attributes:
        level: float64 array (K,).
        width: float64 array (K,), never negative.
        leader: int64 array (1,).
        bar: float64 array (1,): until the window ends, no other arm's index rises above it.
        window: float64 array (3,): sqrt(ln t) when the window began, when it ends, and the
            last round before it ends.
    """

    level: np.ndarray
    width: np.ndarray
    leader: np.ndarray
    bar: np.ndarray
    window: np.ndarray


@verb
def new_race(K: int) -> Race:
    """All indices infinite: every arm is played once, in order, before any second time."""
    return Race(
        np.full(K, np.inf), np.zeros(K), np.zeros(1, np.int64), np.full(1, np.inf), np.zeros(3)
    )


@verb
def lead(race: Race, t: int) -> int:
    """The arm of largest index at round ``t``, ties to the lowest.

    Only the arm that led last may have changed its level and width since.
    """
    race = borrow(race)
    a = race.leader[0]
    if t <= race.window[2] and race.level[a] + race.window[0] * race.width[a] > race.bar[0]:
        return a
    if t > race.window[2]:
        race.window[0] = math.sqrt(math.log(t))
        race.window[1] = race.window[0] * WINDOW
        race.window[2] = max(math.floor(math.exp(race.window[1] ** 2)), t)
    now = math.sqrt(math.log(t))
    best = -np.inf
    a = 0
    for b in range(len(race.level)):
        index = race.level[b] + now * race.width[b]
        if index > best:
            best = index
            a = b
    bar = -np.inf
    for b in range(len(race.level)):
        if b != a:
            bar = max(bar, race.level[b] + race.window[1] * race.width[b])
    race.leader[0] = a
    race.bar[0] = bar
    return a


@verb
def forget_leader(race: Race) -> None:
    """Look at all arms again: another arm than the leader has changed."""
    race = borrow(race)
    race.bar[0] = np.inf
