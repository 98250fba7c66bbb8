"""The argmax of optimistic indices, without computing every index in every round.

In most rounds the leader remains the arm of largest index, and only its statistics have changed.
The choices equal those of an argmax over all arms in every round; docs/design.md has the proof.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.decorators import verb
from .powers import CLOSE

WINDOW = 2.0**-13  # length of a window as a fraction of t; the bounds are renewed at its end
LEAST = 16  # minimum length of a window in rounds
MANY = 16  # the leader's bonus is treated as linear if N is at least MANY times the rounds left
MARGIN = 1e-12  # relative; far above rounding errors of an index and far below any effect


class Indices(NamedTuple):
    """Arms whose index at round t is ``level + growth(t) width``, growth (ln t + shift)^power."""

    level: np.ndarray  # float64 array (K,), infinite for an arm without observations
    width: np.ndarray  # float64 array (K,), never negative
    shift: float  # of the growth, at least 0
    power: float  # of the growth, in (0, 1)
    # if it is less than 1, each round adds 1 to the leader's N, its width is proportional to
    # N^-fade, and N (index - total/N - bonus) does not decrease. If it is 1, only N (index -
    # total/N) is known not to decrease
    fade: float


class Window(NamedTuple):
    """Rounds for which the growth is bounded by that of the last one."""

    last: int  # the last round
    growth: float  # the growth at the last round
    start: float  # the first round, t0
    # the growth at t0; with c1, c2 and c3, the coefficients of a cubic in t/t0 - 1 that
    # approximates the growth from there on
    c0: float
    c1: float  # coefficient of the first power
    c2: float  # coefficient of the second power
    c3: float  # coefficient of the third power


class Stretch(NamedTuple):
    """Rounds in which one arm leads: until the window ends, its index is certainly the largest as
    long as ``total + gain > bar N``, with the total and N of the leader.
    """

    arm: int  # the leader
    bar: float  # bounds the indices of the other arms
    gain: float  # bounds what the leader's index has beyond total/N, times N


@verb
def new_window(indices: Indices, t: int) -> Window:
    """The window that begins at round ``t``."""
    last = t + max(LEAST, math.floor(t * WINDOW))
    c0 = c1 = c2 = c3 = 0.0
    if indices.power != 0.5:
        l = math.log(t) + indices.shift
        c0 = l**indices.power
        l = max(l, 1.0)  # the cubic is used only for t so large that l exceeds 1
        second = (indices.power - 1.0) / (2.0 * l)  # of (1 + y/l)^power
        third = (indices.power - 2.0) / (3.0 * l)
        c1 = c0 * indices.power / l
        c2 = c1 * (second - 0.5)
        c3 = c1 * (1.0 / 3.0 + second * (third - 1.0))
    window = Window(last, 0.0, float(t), c0, c1, c2, c3)
    return Window(last, growth(indices, window, last), float(t), c0, c1, c2, c3)


@verb
def growth(indices: Indices, window: Window, t: float) -> float:
    """(ln t + shift)^power, for a round t after the beginning of the window."""
    if indices.power == 0.5:  # a square root is fast and exact
        return math.sqrt(math.log(t) + indices.shift)
    y = t / window.start - 1.0
    if y <= CLOSE:
        return window.c0 + y * (window.c1 + y * (window.c2 + y * window.c3))
    return (math.log(t) + indices.shift) ** indices.power


@verb
def lead(indices: Indices, window: Window, t: int, total: np.ndarray, N: np.ndarray) -> Stretch:
    """The arm of largest index at round ``t``, ties to the lowest, and how long it leads.

    Args:
        indices: the indices.
        window: the window of round t.
        t: the round to be played.
        total: float64 array (K,); ``total / N`` is the index of an arm without its bonus.
        N: float64 array (K,), number of observations of each arm.
    """
    now = growth(indices, window, t)
    a, best, second, widest = 0, -np.inf, -np.inf, 0.0
    for b in range(len(N)):
        index = indices.level[b] + now * indices.width[b]
        first = index > best  # without branches, which would be mispredicted
        second = max(second, best if first else index)
        a = b if first else a
        best = index if first else best
        widest = max(widest, indices.width[b])
    if N[a] == 0.0 or not math.isfinite(second):  # nothing to compare with: it keeps no lead
        return Stretch(a, 0.0, -np.inf)
    # the indices of the others, k rounds later, are at most second + climb, and by concavity at
    # most second + rise k; N (index - total/N) of the leader is at least own k more than now
    left = window.last - t
    climb = (window.growth - now) * widest
    bar, linear = second + climb, 0.0
    if indices.fade < 1.0 and t >= 2 * LEAST:  # from there on ln t > 1, and
        rise = climb * (1.0 + left / t) / max(left, 1.0)  # the chord, at least a tangent's slope
        own = (1.0 - indices.fade) * (1.0 - 1.0 / MANY) * now * indices.width[a]
        linear = rise * (N[a] + left) - (own if N[a] >= MANY * left else 0.0)
        bar = second + linear
    bar += MARGIN * (abs(bar) + abs(second) + now * widest)
    return Stretch(a, bar, linear * N[a] + (best * N[a] - total[a]))


@verb
def keeps_lead(stretch: Stretch, total: float, N: float) -> bool:
    """Whether the leader certainly has the largest index in the next round of the window.

    During a stretch only the total and N of the leader change, and the changes of all bonuses are
    bounded. The test costs one multiplication: no root, no logarithm, no other arm.
    """
    return total + stretch.gain > stretch.bar * N
