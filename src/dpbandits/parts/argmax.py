"""Finding the arm of largest index without looking at every arm in every round.

In most rounds the arm that led keeps the lead, and only its own statistics have changed. The
choices are exactly those of an argmax over all arms in every round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.decorators import verb
from ..compiled.intrinsics import borrow
from .powers import CLOSE

WINDOW = 2.0**-13  # share of the rounds so far that a window lasts: then the bar is set anew
LEAST = 16  # rounds that it lasts
MANY = 16  # pulls of an arm for each round left of a window, from which its bonus hardly bends
MARGIN = 1e-12  # relative; far above the rounding of an index, far below any effect


class Race(NamedTuple):
    """Arms whose index at round t is ``level + growth(t) * width``, growth (ln t + shift)^power.

    Attributes:
        level: float64 array (K,).
        width: float64 array (K,), never negative.
        growth: float64 array (3,): shift, at least 0; power, in (0, 1); and fade.
        window: float64 array (2,): growth when the window ends, and its last round.
        stretch: float64 array (2,): while the leader's total plus the second exceeds the first
            times its N, the leader's index is the largest, until the window ends.
        course: float64 array (5,): a round, and growth from there on, as a cubic in how much
            later a round is.
    """

    level: np.ndarray
    width: np.ndarray
    growth: np.ndarray
    window: np.ndarray
    stretch: np.ndarray
    course: np.ndarray


@verb
def new_race(K: int, shift: float, power: float, fade: float) -> Race:
    """All indices infinite: every arm is played once, in order, before any second time.

    Args:
        K: number of arms.
        shift: of the growth.
        power: of the growth.
        fade: less than 1 if each round adds 1 to the leader's N, its width is as N^-fade, and N
            times what else its index has beyond total/N does not shrink; 1 if it is only known
            that N times all of it does not.
    """
    growth = np.array([shift, power, fade])
    return Race(np.full(K, np.inf), np.zeros(K), growth, np.zeros(2), np.zeros(2), np.ones(5))


@verb
def begin_window(race: Race, t: int) -> None:
    """The window from round ``t`` on, and how its bonuses have grown at its end."""
    race.window[1] = t + max(LEAST, math.floor(t * WINDOW))
    if race.growth[1] != 0.5:
        begin_course(race, t)
    race.window[0] = growth(race, race.window[1])


@verb
def begin_course(race: Race, t: int) -> None:
    """Growth as a cubic in how much later than ``t`` a round is."""
    shift, power = race.growth[0], race.growth[1]
    l = math.log(t) + shift
    race.course[0], race.course[1] = t, l**power
    l = max(l, 1.0)  # the course is followed where rounds are close together, and l larger
    second, third = (power - 1.0) / (2.0 * l), (power - 2.0) / (3.0 * l)  # of (1 + y/l)^power
    race.course[2] = race.course[1] * power / l
    race.course[3] = race.course[2] * (second - 0.5)
    race.course[4] = race.course[2] * (1.0 / 3.0 + second * (third - 1.0))


@verb
def growth(race: Race, t: float) -> float:
    """(ln t + shift)^power in a round that the course began before."""
    course, shift, power = race.course, race.growth[0], race.growth[1]
    if power == 0.5:  # a root is quick, and exact
        return math.sqrt(math.log(t) + shift)
    y = t / course[0] - 1.0
    if y <= CLOSE:
        return course[1] + y * (course[2] + y * (course[3] + y * course[4]))
    return (math.log(t) + shift) ** power


@verb
def lead(race: Race, t: int, total: np.ndarray, N: np.ndarray) -> int:
    """The arm of largest index at round ``t``, ties to the lowest; a new stretch begins with it.

    Args:
        race: the indices.
        t: the round to be played.
        total: float64 array (K,), of which ``total / N`` is an arm's index without its bonus.
        N: float64 array (K,), what each total is divided by.
    """
    race, total, N = borrow(race), borrow(total), borrow(N)
    if t > race.window[1]:
        begin_window(race, t)
    now = growth(race, t)
    a, best, second, widest = 0, -np.inf, -np.inf, 0.0
    for b in range(len(race.level)):
        index = race.level[b] + now * race.width[b]
        first = index > best  # no branch, which would be guessed wrongly
        second = max(second, best if first else index)
        a = b if first else a
        best = index if first else best
        widest = max(widest, race.width[b])
    race.stretch[1] = -np.inf  # an arm without a total does not keep the lead unasked
    if N[a] > 0.0:
        begin_stretch(race, t, now, second, widest, race.width[a], N[a])
        race.stretch[1] += best * N[a] - total[a]
    return a


@verb
def begin_stretch(
    race: Race, t: int, now: float, second: float, widest: float, width: float, n: float
) -> None:
    """How high the others' indices rise and how low the leader's falls, k rounds after ``t``.

    Growth is concave in t: the largest of the others is at most ``second + rise k``, and the
    leader's index times its N, beyond its rewards, at least what it is now plus ``own k``. As
    k is by how much its N exceeds ``n``, products with N remain.

    Args:
        race: the indices.
        t: the round.
        now: growth at that round.
        second: the largest index of the others.
        widest: the largest width of all.
        width: the leader's.
        n: the leader's N.
    """
    fade, left = race.growth[2], race.window[1] - t
    climb = (race.window[0] - now) * widest
    bar, gain = second + climb, 0.0
    if fade < 1.0 and t >= 2 * LEAST:  # from there on ln t > 1, and
        rise = climb * (1.0 + left / t) / max(left, 1.0)  # the chord, at least a tangent's slope
        own = (1.0 - fade) * (1.0 - 1.0 / MANY) * now * width if n >= MANY * left else 0.0
        gain = rise * (n + left) - own
        bar = second + gain
    race.stretch[0] = bar + MARGIN * (abs(bar) + abs(second) + now * widest)
    race.stretch[1] = gain * n


@verb
def last_round(race: Race, T: int) -> int:
    """The last round, at most ``T``, for which ``keeps_lead`` may be asked."""
    race = borrow(race)
    return min(T, int(race.window[1]))


@verb
def keeps_lead(race: Race, total: float, N: float) -> bool:
    """Whether the leader is certain to have the largest index in the next round; if not, ask again.

    In a stretch only the leader's total and N have changed, and how its bonus and the others' can
    have changed is bounded, so a multiplication decides: no root, no logarithm, no other arm.
    """
    race = borrow(race)
    return total + race.stretch[1] > race.stretch[0] * N
