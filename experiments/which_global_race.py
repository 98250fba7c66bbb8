"""A race: the algorithms of a game get more runs until it is clear which of them are the best.

After each lap, only algorithms that may be the best, by mean or by median, stay in the race. A game
is decided when one algorithm is left, or when the regrets of the remaining algorithms surely differ
by at most the share TIE_MARGIN. With probability 95 %, all conclusions in all games and laps are
right, as in ``comparison``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpbandits.comparison.best import AgainstBest, against_best
from dpbandits.comparison.pairs import CENTERS, located

ERROR = 0.05  # the probability that any set of algorithms lacks its best
TIE_MARGIN = 0.1  # algorithms with a ratio surely below 1 + TIE_MARGIN are equally good

# ``play(settings, n)``: play the first n runs of some settings, given by their numbers, as far as
# runs are missing; return the final regrets of each setting
Play = Callable[[Sequence[int], int], Sequence[np.ndarray]]


@dataclass(frozen=True)
class Result:
    """The result of a race.

    Attributes:
        runs: the number of runs of each setting, int64 array.
        best: the comparisons with the best algorithm of each game, for ``mean`` and ``median``.
        decided: whether each game was decided, bool array.
    """

    runs: np.ndarray
    best: dict[str, list[AgainstBest]]
    decided: np.ndarray


def laps(first: int, most: int) -> list[int]:
    """Return the numbers of runs after which a race is judged: ``first``, doubled again and again
    up to ``most``.
    """
    found = [first]
    while found[-1] < most:
        found.append(min(2 * found[-1], most))
    return found


def race(
    games: Sequence[Sequence[int]],
    play: Play,
    first: int,
    most: int,
    matters: Callable[[Sequence[int], np.ndarray], bool] = lambda game, means: True,
) -> Result:
    """Play each game until it is decided, or until the algorithms that may be the best have
    ``most`` runs.

    Args:
        games: for each game the indices of its settings, counted from 0.
        play: plays runs, see ``Play``.
        first: the number of runs with which every setting starts.
        most: the largest number of runs of a setting.
        matters: a function that returns whether an undecided game must be continued, given the
            indices of the game's settings and their mean regrets.
    """
    settings = [i for game in games for i in game]
    regrets: dict[int, np.ndarray] = {}
    comparisons = max(sum(len(game) - 1 for game in games), 1)
    tail = ERROR / 2 / comparisons / len(laps(first, most))
    racing = set(settings)
    best: dict[str, list[AgainstBest]] = {}
    decided = np.zeros(len(games), dtype=bool)
    for n in laps(first, most):
        chosen = sorted(racing)
        regrets |= dict(zip(chosen, play(chosen, n), strict=True))
        racing = set()
        every = [regrets[i] for i in range(len(regrets))]
        found = {name: located(every, name, tail) for name in CENTERS}
        best = {
            name: [against_best(values.of(list(game))) for game in games]
            for name, values in found.items()
        }
        for g, game in enumerate(games):
            judged = [best[name][g] for name in CENTERS]
            decided[g] = all(map(_is_decided, judged))
            if not decided[g] and matters(game, found["mean"].value[list(game)]):
                tied = np.logical_or(*(x.tied & ~_is_decided(x) for x in judged))
                racing |= {i for i, stays in zip(game, tied, strict=True) if stays}
        if not racing:
            break
    return Result(np.array([len(regrets[i]) for i in range(len(settings))]), best, decided)


def _is_decided(best: AgainstBest) -> bool:
    """Return whether only one algorithm may be the best, or all that may be the best are close."""
    return bool(best.tied.sum() == 1 or (best.ratio.high[best.tied] <= 1.0 + TIE_MARGIN).all())
