"""The shared loop of optimistic algorithms: play the arm of largest index, round by round."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..compiled.decorators import inlined, verb
from ..game import Game, arms, leave, pull_again, stay
from .argmax import Indices, keeps_lead, lead, new_window


class Pull(NamedTuple):
    """A round that was played.

    Attributes:
        t: the round.
        a: the arm.
        x: the reward.
        user: index of the user's privacy level; 0 for algorithms that treat all users alike.
    """

    t: int
    a: int
    x: float
    user: int


@verb
def nobody(game: Game) -> int:
    """``arrive`` for algorithms that treat all users alike."""
    return 0


@verb
def never(own: Any, t: int) -> bool:
    """``due`` for algorithms that need no review."""
    return False


@verb
def no_review(own: Any, t: int, N: Any, total: Any, more: Any, level: Any) -> int:
    """``review`` for algorithms that need none."""
    return -1


def optimism(
    observe: Callable,
    index: Callable,
    arrive: Callable = nobody,
    due: Callable = never,
    review: Callable = no_review,
) -> Callable:
    """The loop of an optimistic algorithm, ``play(game, rng, own, shift, power, fade)``.

    In round t it plays the arm of largest index ``level + (ln t + shift)^power width``, infinite
    for arms without observations, ties to the lowest. An arm has three statistics, all 0 at first:
    the number of observations N; the total, where total/N is the index without its bonus; and
    one more. ``own`` holds what else the algorithm needs, and ``fade`` says how a width decreases
    (see ``Indices``). All functions are verbs.

    Args:
        observe: ``observe(own, rng, pull, statistics)`` returns the statistics after a pull.
        index: ``index(own, a, statistics)`` returns level and width of the index of arm a.
        arrive: ``arrive(game)`` draws the user of the next round.
        due: ``due(own, t)``, whether round t begins with a review.
        review: ``review(own, t, N, total, more, level)`` may change the statistics, float64 arrays
            (K,), and the levels; it returns an arm that must be played in this round, or -1.
    """
    hooks = {"observe": observe, "index": index, "arrive": arrive, "due": due, "review": review}
    names = play_by_index.__globals__ | hooks
    return inlined(FunctionType(play_by_index.__code__, names, play_by_index.__name__))


observe = index = arrive = due = review = None  # in the loop: the functions given to ``optimism``


def play_by_index(game, rng, own, shift, power, fade):
    """The loop. The state of the arm that is being played stays in registers."""
    K, T = arms(game), game.horizon
    N, total, more = np.zeros(K), np.zeros(K), np.zeros(K)
    indices = Indices(np.zeros(K), np.zeros(K), shift, power, fade)
    for a in range(K):
        indices.level[a] = np.inf
    window = new_window(indices, 1)
    t = 1
    while t <= T:
        forced = review(own, t, N, total, more, indices.level) if due(own, t) else -1
        if t > window.last:
            window = new_window(indices, t)
        stretch = lead(indices, window, t, total, N)
        a = forced if forced >= 0 else stretch.arm
        arm, now = stay(game, a), (N[a], total[a], more[a])
        leads, until = True, min(T, window.last) if forced < 0 else t
        while leads:
            user = arrive(game)
            now = observe(own, rng, Pull(t, a, pull_again(game, arm, t - 1), user), now)
            t += 1
            leads = t <= until and not due(own, t) and keeps_lead(stretch, now[1], now[0])
        leave(game, arm, t - 1)
        N[a], total[a], more[a] = now
        if N[a] > 0.0:
            indices.level[a], indices.width[a] = index(own, a, now)
