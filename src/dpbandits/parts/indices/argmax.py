"""The argmax of optimistic indices, without computing every index in every round.

In most rounds the leader, the arm of largest index, remains the same, and only its statistics have
changed. The choices equal the choices of an argmax over all arms in every round;
docs/fast_rounds.md has the proof.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled import inlined
from .powers import CLOSE, Cubic, evaluate, expansion

WINDOW = 2.0**-13  # length of a window as a fraction of t; the bounds are renewed at its end
LEAST = 16  # minimum length of a window in rounds
MANY = 16  # the leader's bonus is treated as linear if N is at least MANY times the rounds left
MARGIN = 1e-12  # relative; far above rounding errors of an index and far below any effect


class Indices(NamedTuple):
    """Arms whose index at round t is ``level + growth(t) width``.

    Here growth(t) = (ln t + shift)^power.
    """

    # float64 array (K + K % 2,), infinite for an arm without observations. If K is odd, the last
    # entry is minus infinity and belongs to an additional arm that is never played
    level: np.ndarray
    width: np.ndarray  # float64 array (K + K % 2,), never negative
    shift: float  # of the growth, at least 0
    power: float  # of the growth, in (0, 1)
    # what the algorithm guarantees for the leader with N observations. If width_decay is below 1,
    # each round adds 1 to N, the width is proportional to N^-width_decay, and
    # N (index - total/N - bonus) does not decrease. If width_decay is 1, it is only known that
    # N (index - total/N) does not decrease
    width_decay: float


class Window(NamedTuple):
    """A range of rounds; the growth at its last round is an upper bound on the growth in all its
    rounds.
    """

    last: int  # the last round
    growth: float  # the growth at the last round
    start: float  # the first round, t0
    inverse: float  # 1/t0
    cubic: Cubic  # in t/t0 - 1, approximates the growth unless it is a square root


class Stretch(NamedTuple):
    """Rounds in which one arm leads.

    Until the window ends, the leader's index is certainly the largest as long as
    ``total + gain > bar N``, where total and N belong to the leader.
    """

    arm: int  # the leader
    bar: float  # bounds the indices of the other arms
    gain: float  # N (index - total/N) of the leader, plus a term that belongs to ``bar``


@inlined
def new_window(indices: Indices, t: int) -> Window:
    """Return the window that begins at round ``t``."""
    last = t + max(LEAST, math.floor(t * WINDOW))
    cubic = 0.0, 0.0, 0.0, 0.0
    if indices.power != 0.5:
        cubic = expansion(math.log(t) + indices.shift, indices.power)
    window = Window(last, 0.0, float(t), 1.0 / t, cubic)
    return Window(last, growth(indices, window, last), float(t), 1.0 / t, cubic)


@inlined
def growth(indices: Indices, window: Window, t: float) -> float:
    """Compute (ln t + shift)^power for a round t that is not before the window."""
    if indices.power == 0.5:  # a square root is fast and exact
        return math.sqrt(math.log(t) + indices.shift)
    y = (t - window.start) * window.inverse
    if y <= CLOSE:
        return evaluate(window.cubic, y)
    return (math.log(t) + indices.shift) ** indices.power


@inlined
def ahead(leader: tuple[int, float, float], b: int, index: float) -> tuple[int, float, float]:
    """Update the leader, its index and the second largest index with the index of arm ``b``.

    If the two largest indices are equal, the former leader remains the leader. The code has no
    branches, which would be mispredicted.
    """
    a, best, second = leader
    first = index > best
    return b if first else a, index if first else best, max(second, best if first else index)


@inlined
def lead(indices: Indices, window: Window, t: int, total: np.ndarray, N: np.ndarray) -> Stretch:
    """Find the arm of largest index at round ``t`` (of several such arms, the lowest number), and
    for how long it leads.

    Args:
        indices: the indices.
        window: the window of round t.
        t: the round to be played.
        total: float64 array (K,); ``total / N`` is the index of an arm without its bonus.
        N: float64 array (K,), number of observations of each arm.
    """
    now = growth(indices, window, t)
    half, widest = len(indices.level) // 2, 0.0
    low, high = (0, -np.inf, -np.inf), (half, -np.inf, -np.inf)
    for b in range(half):  # two halves at once: in one half, comparisons wait for each other
        c = b + half
        low = ahead(low, b, indices.level[b] + now * indices.width[b])
        high = ahead(high, c, indices.level[c] + now * indices.width[c])
        widest = max(widest, max(indices.width[b], indices.width[c]))
    a, best, second = ahead(low, high[0], high[1])
    second = max(second, high[2])
    if N[a] == 0.0 or not math.isfinite(second):  # without a finite rival, it leads only once
        return Stretch(a, 0.0, -np.inf)
    # k rounds later, the indices of the other arms are at most second + climb, and by concavity at
    # most second + rise k; the leader's N (index - total/N) is then at least own k more than now
    left = window.last - t
    climb = (window.growth - now) * widest
    bar, linear = second + climb, 0.0
    if indices.width_decay < 1.0 and t >= 2 * LEAST:  # then ln t > 1; also t >= t0
        rise = climb * ((1.0 + left * window.inverse) / max(left, 1.0))  # >= the slope at t
        own = (1.0 - indices.width_decay) * (1.0 - 1.0 / MANY) * now * indices.width[a]
        linear = rise * (N[a] + left) - (own if N[a] >= MANY * left else 0.0)
        bar = second + linear
    bar += MARGIN * (abs(bar) + abs(second) + now * widest)
    return Stretch(a, bar, linear * N[a] + (best * N[a] - total[a]))


@inlined
def keeps_lead(stretch: Stretch, total: float, N: float) -> bool:
    """Return whether the leader certainly has the largest index in the next round of the window.

    While one arm leads, only its total and its N change, and the changes of all bonuses are
    bounded. So the test needs only one multiplication: no root, no logarithm and no other arm.
    """
    return total + stretch.gain > stretch.bar * N
