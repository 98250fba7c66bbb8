"""The argmax of optimistic indices, without computing every index in every round.

In most rounds the leader remains the arm of largest index, and only its statistics have changed.
The choices equal those of an argmax over all arms in every round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.decorators import routine, verb
from .powers import CLOSE

WINDOW = 2.0**-13  # length of a window as a fraction of t; the bounds are renewed at its end
LEAST = 16  # minimum length of a window in rounds
MANY = 16  # the leader's bonus is treated as linear if N is at least MANY times the rounds left
MARGIN = 1e-12  # relative; far above rounding errors of an index and far below any effect


class Race(NamedTuple):
    """Arms whose index at round t is ``level + growth(t) * width``, growth (ln t + shift)^power.

    Attributes:
        level: float64 array (K,).
        width: float64 array (K,), never negative.
        growth: float64 array (3,): shift, at least 0; power, in (0, 1); fade, see ``new_race``.
        window: float64 array (2,): growth at the last round of the window, and that round.
        stretch: float64 array (2,): (bar, gain). Until the window ends, the leader's index is the
            largest as long as total + gain > bar N, with the total and N of the leader.
        course: float64 array (5,): a round t0, and the coefficients of a cubic in t/t0 - 1 that
            approximates the growth from there on.
    """

    level: np.ndarray
    width: np.ndarray
    growth: np.ndarray
    window: np.ndarray
    stretch: np.ndarray
    course: np.ndarray


@routine
def new_race(K: int, shift: float, power: float, fade: float) -> Race:
    """A race in which all indices are infinite, so that every arm is played once, in order.

    Args:
        K: number of arms.
        shift: of the growth.
        power: of the growth.
        fade: rate at which a width decreases. If it is less than 1, each round adds 1 to the
            leader's N, its width is proportional to N^-fade, and N (index - total/N - bonus) does
            not decrease. If it is 1, only N (index - total/N) is known not to decrease.
    """
    growth = np.array([shift, power, fade])
    return Race(np.full(K, np.inf), np.zeros(K), growth, np.zeros(2), np.zeros(2), np.ones(5))


@verb
def begin_window(race: Race, t: int) -> None:
    """Begin a window at round ``t``: compute its last round and the growth there."""
    race.window[1] = t + max(LEAST, math.floor(t * WINDOW))
    if race.growth[1] != 0.5:
        begin_course(race, t)
    race.window[0] = growth(race, race.window[1])


@verb
def begin_course(race: Race, t: int) -> None:
    """Compute the cubic that approximates the growth after round ``t``."""
    shift, power = race.growth[0], race.growth[1]
    l = math.log(t) + shift
    race.course[0], race.course[1] = t, l**power
    l = max(l, 1.0)  # the cubic is used only for t so large that l exceeds 1
    second, third = (power - 1.0) / (2.0 * l), (power - 2.0) / (3.0 * l)  # of (1 + y/l)^power
    race.course[2] = race.course[1] * power / l
    race.course[3] = race.course[2] * (second - 0.5)
    race.course[4] = race.course[2] * (1.0 / 3.0 + second * (third - 1.0))


@verb
def growth(race: Race, t: float) -> float:
    """(ln t + shift)^power, for a round t after the beginning of the course."""
    course, shift, power = race.course, race.growth[0], race.growth[1]
    if power == 0.5:  # a square root is fast and exact
        return math.sqrt(math.log(t) + shift)
    y = t / course[0] - 1.0
    if y <= CLOSE:
        return course[1] + y * (course[2] + y * (course[3] + y * course[4]))
    return (math.log(t) + shift) ** power


@verb
def lead(race: Race, t: int, total: np.ndarray, N: np.ndarray) -> int:
    """The arm of largest index at round ``t``, ties to the lowest; it begins a new stretch.

    Args:
        race: the indices.
        t: the round to be played.
        total: float64 array (K,); ``total / N`` is the index of an arm without its bonus.
        N: float64 array (K,), number of observations of each arm.
    """
    if t > race.window[1]:
        begin_window(race, t)
    now = growth(race, t)
    a, best, second, widest = 0, -np.inf, -np.inf, 0.0
    for b in range(len(race.level)):
        index = race.level[b] + now * race.width[b]
        first = index > best  # without branches, which would be mispredicted
        second = max(second, best if first else index)
        a = b if first else a
        best = index if first else best
        widest = max(widest, race.width[b])
    race.stretch[1] = -np.inf  # keeps_lead is false for an arm without observations
    if N[a] > 0.0:
        begin_stretch(race, t, now, second, widest, race.width[a], N[a])
        race.stretch[1] += best * N[a] - total[a]
    return a


@verb
def begin_stretch(
    race: Race, t: int, now: float, second: float, widest: float, width: float, n: float
) -> None:
    """Bound the indices k rounds after ``t``: those of the others above, the leader's below.

    Growth is concave in t, so the largest index of the others is at most ``second + rise k``, and
    the leader's N (index - mean of its rewards) is at least its present value plus ``own k``. As
    k = N - ``n``, the comparison is linear in N.

    Args:
        race: the indices.
        t: the round.
        now: growth at that round.
        second: the largest index of the other arms.
        widest: the largest width of all arms.
        width: the width of the leader.
        n: N of the leader.
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
    """The last round, at most ``T``, for which ``keeps_lead`` is valid."""
    return min(T, int(race.window[1]))


@verb
def keeps_lead(race: Race, total: float, N: float) -> bool:
    """Whether the leader certainly has the largest index in the next round; else call ``lead``.

    During a stretch only the total and N of the leader change, and the changes of all bonuses are
    bounded. The test costs one multiplication: no root, no logarithm, no other arm.
    """
    return total + race.stretch[1] > race.stretch[0] * N
