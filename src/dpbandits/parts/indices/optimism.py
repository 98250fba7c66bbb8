"""The shared loop of optimistic algorithms: play the arm of largest index, round by round."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...compiled import inlined, inlined_counted
from ...environments.laws import Law
from ...game import Game, arms, end_hold, hold, pull, pull_held
from .argmax import Indices, keeps_lead, lead, new_window


class Pull(NamedTuple):
    """A round that was played."""

    t: int  # the round
    a: int  # the arm
    x: Any  # the reward, or what else ``draw`` returns
    user: Any  # what ``draw_user`` returned: the user


@inlined
def nobody(own: Any, game: Game, rng: np.random.Generator, last: Any) -> Any:
    """``draw_user`` for algorithms that treat all users alike."""
    return last


@inlined
def draw_reward(own: Any, game: Game, arm: Law, t: int, N: float) -> float:
    """``draw`` for algorithms that see the rewards as they are."""
    return pull_held(game, arm, t)


@inlined
def any_round(own: Any, t: int) -> int:
    """The last round up to ``t`` that begins without forced exploration: every round."""
    return t


@inlined
def before_exploration(own: Any, t: int) -> int:
    """The last round up to ``t`` that begins before exploration may be forced: it is in own[-1]."""
    return int(min(own[-1][0], t))


@inlined
def never_forced(own: Any, t: int, N: Any, total: Any, more: Any, level: Any) -> int:
    """``force_exploration`` for algorithms that force none."""
    return -1


def optimism(
    observe: Callable,
    index: Callable,
    draw_user: Callable = nobody,
    force_exploration: Callable = never_forced,
    draw: Callable = draw_reward,
    may_reschedule: bool = False,
) -> Callable:
    """The loop of an optimistic algorithm,
    ``play(game, rng, own, shift, power, width_decay, user)``.

    In round t it plays the arm of largest index ``level + (ln t + shift)^power width``, infinite
    for arms without observations, ties to the lowest. An arm has three statistics, all 0 at first:
    the number of observations N; the total, where total/N is the index without its bonus; and
    one more. ``own`` holds what else the algorithm needs, and ``width_decay`` says how a width
    decreases (see ``Indices``). ``user`` is the user before the first round. All functions are
    decorated with ``inlined``.

    Args:
        observe: ``observe(own, rng, pull, statistics)`` returns the statistics after a pull.
        index: ``index(own, a, statistics)`` returns level and width of the index of arm a.
        draw_user: ``draw_user(own, game, rng, last)`` returns the user of the next round, given
            that of the last one. It may draw the random number behind a user's response before the
            reward: a response that waits for both takes longer.
        force_exploration: ``force_exploration(own, t, N, total, more, level)`` may change the
            statistics, float64 arrays (K,), and the levels; it returns an arm that must be played
            in this round, or -1. It is called in rounds t > own[-1][0], where own[-1] is a float64
            array (1,).
        draw: ``draw(own, game, arm, t, N)`` draws the reward after t rounds of the game, by
            ``pull_held`` or ``pull_held_within``, from an arm with N observations. What it
            returns is ``pull.x`` of ``observe``.
        may_reschedule: whether ``observe`` may bring the next call of ``force_exploration``
            forward; else only ``force_exploration`` itself may.
    """
    unforced = any_round if force_exploration is never_forced else before_exploration

    @inlined_counted
    def play(game, rng, own, shift, power, width_decay, user=0):
        K, T = arms(game), game.horizon
        N, total, more = np.zeros(K), np.zeros(K), np.zeros(K)
        indices = Indices(np.zeros(K + K % 2), np.zeros(K + K % 2), shift, power, width_decay)
        for a in range(len(indices.level)):
            indices.level[a] = np.inf if a < K else -np.inf
        window = new_window(indices, 1)
        t = 1
        while t <= T:
            forced = -1
            if unforced(own, t) < t:
                forced = force_exploration(own, t, N, total, more, indices.level)
            if t > window.last:
                window = new_window(indices, t)
            stretch = lead(indices, window, t, total, N)
            a = forced if forced >= 0 else stretch.arm
            arm, now = hold(game, a), (N[a], total[a], more[a])  # in registers
            leads, until = True, unforced(own, min(T, window.last)) if forced < 0 else t
            while leads:
                user = draw_user(own, game, rng, user)
                x = draw(own, game, arm, t - 1, now[0])
                now = observe(own, rng, Pull(t, a, x, user), now)
                t += 1
                leads = t <= until and keeps_lead(stretch, now[1], now[0])
                if may_reschedule:
                    leads = leads and unforced(own, t) == t
            end_hold(game, arm, t - 1)
            N[a], total[a], more[a] = now
            if N[a] > 0.0:
                indices.level[a], indices.width[a] = index(own, a, now)

    return play


def exhaustive_optimism(observe: Callable, index: Callable) -> Callable:
    """The loop of an optimistic algorithm that computes every index in every round,
    ``play(game, rng, own)``, for indices that do not have the form of ``optimism``.

    Args:
        observe: as that of ``optimism``.
        index: ``index(own, a, log_t, statistics)`` returns the index of arm a in round t.
    """

    @inlined_counted
    def play(game, rng, own):
        K, T = arms(game), game.horizon
        N, total, more = np.zeros(K), np.zeros(K), np.zeros(K)
        for t in range(1, T + 1):
            log_t, a, best = math.log(t), 0, -np.inf
            for b in range(K):
                value = index(own, b, log_t, (N[b], total[b], more[b])) if N[b] > 0.0 else np.inf
                if value > best:
                    a, best = b, value
            seen = Pull(t, a, pull(game, a), 0)
            N[a], total[a], more[a] = observe(own, rng, seen, (N[a], total[a], more[a]))

    return play
