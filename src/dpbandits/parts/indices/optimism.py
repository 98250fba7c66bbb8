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
    x: Any  # the value that ``draw`` returned, by default the reward
    user: Any  # the user, as ``draw_user`` returned it


class Interruption(NamedTuple):
    """An action of an algorithm before some rounds, given by functions decorated with ``inlined``.

    ``params`` are the parameters of the algorithm, and ``state`` is a float64 array (1,), which is
    0 before the first round.
    """

    # ``last_quiet(params, state)`` returns the last round before which ``act`` need not be called
    last_quiet: Callable
    # ``act(params, state, t, N, total, extra, level)`` may change the statistics, float64 arrays
    # (K,), and the levels; it returns an arm that must be played in round t, or -1
    act: Callable
    earlier: bool = False  # whether ``observe`` may bring the next call of ``act`` forward


@inlined
def next_user_alike(params: Any, game: Game, rng: np.random.Generator, last: Any) -> Any:
    """Return the last user: ``draw_user`` of algorithms that treat all users alike."""
    return last


@inlined
def draw_reward(params: Any, game: Game, arm: Law, t: int, N: float) -> float:
    """Draw a reward: ``draw`` of algorithms that see the rewards as they are."""
    return pull_held(game, arm, t)


@inlined
def always_quiet(params: Any, state: np.ndarray) -> float:
    """Return infinity: ``last_quiet`` of an algorithm that is never interrupted."""
    return np.inf


@inlined
def no_act(params: Any, state: Any, t: int, N: Any, total: Any, extra: Any, level: Any) -> int:
    """Return -1 (no arm): ``act`` of an algorithm that is never interrupted."""
    return -1


NEVER = Interruption(always_quiet, no_act)


def exploring(enough: Callable, by_pulls: bool) -> Interruption:
    """Return the interruption for forced exploration.

    An arm counts as explored in round t if its statistic is above ``enough(params, ln t)``, which
    is proportional to ln t. While some arm is not explored, the algorithm plays an arm that is not
    explored.

    Args:
        enough: returns the bound on the statistic; a function that is decorated with ``inlined``.
        by_pulls: if True, the statistic is the number of observations N, and the first arm that is
            not explored is played. If False, the statistic is ``extra``, and an arm of smallest
            ``extra`` is played.
    """

    @inlined
    def last_quiet(params, state):
        return state[0]

    @inlined
    def act(params, state, t, N, total, extra, level):
        statistic = N if by_pulls else extra
        bar, least = enough(params, math.log(t)), np.argmin(statistic)
        if statistic[least] > bar:
            # the bar reaches the smallest statistic in round e^l. The factor 1 - 1e-9 prevents that
            # a rounding error makes the next call late
            l = statistic[least] / enough(params, 1.0)
            state[0] = (1.0 - 1e-9) * math.exp(min(l, 700.0)) - 1.0
            return -1
        if not by_pulls:
            return least
        a = 0
        while N[a] > bar:
            a += 1
        return a

    return Interruption(last_quiet, act)


def optimism(
    observe: Callable,
    index: Callable,
    draw_user: Callable = next_user_alike,
    interruption: Interruption = NEVER,
    draw: Callable = draw_reward,
) -> Callable:
    """Return the loop of an optimistic algorithm,
    ``play(game, rng, params, shift=0, power=1/2, width_decay=1/2, user=0)``.

    In round t the loop plays the arm of largest index ``level + (ln t + shift)^power width``; of
    several such arms, the arm of lowest number. The index of an arm without observations is
    infinite. An arm has three statistics, all 0 at first: the number of observations N; the total,
    where total/N is the index without its bonus; and ``extra``. ``params`` hold the parameters of
    the algorithm. ``width_decay`` says how a width decreases (see ``Indices``). ``user`` is the
    user before the first round. All functions are decorated with ``inlined``.

    Args:
        observe: ``observe(params, rng, pull, statistics)`` returns the statistics after a pull.
        index: ``index(params, a, statistics)`` returns level and width of the index of arm a.
        draw_user: ``draw_user(params, game, rng, last)`` returns the user of the next round, given
            the user of the last round. This function may also draw the random number that a user's
            response needs: the loop is faster if this number is drawn before the reward.
        interruption: the action before some rounds, such as ``exploring``.
        draw: ``draw(params, game, arm, t, N)`` draws the reward after t rounds of the game, by
            ``pull_held`` or ``pull_held_within``, from an arm with N observations. The returned
            value is ``pull.x`` of ``observe``.
    """
    last_quiet, act, earlier = interruption

    @inlined
    def last_round_until(params, state, t):
        return int(min(last_quiet(params, state), t))

    @inlined_counted
    def play(game, rng, params, shift=0.0, power=0.5, width_decay=0.5, user=0):
        K, T = arms(game), game.horizon
        N, total, extra, state = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(1)
        indices = Indices(np.zeros(K + K % 2), np.zeros(K + K % 2), shift, power, width_decay)
        for a in range(len(indices.level)):
            indices.level[a] = np.inf if a < K else -np.inf
        window = new_window(indices, 1)
        t = 1
        while t <= T:
            forced = -1
            if last_round_until(params, state, t) < t:
                forced = act(params, state, t, N, total, extra, indices.level)
            if t > window.last:
                window = new_window(indices, t)
            stretch = lead(indices, window, t, total, N)
            a = forced if forced >= 0 else stretch.arm
            arm, now = hold(game, a), (N[a], total[a], extra[a])  # in registers
            last = last_round_until(params, state, min(T, window.last)) if forced < 0 else t
            leads = True
            while leads:
                user = draw_user(params, game, rng, user)
                x = draw(params, game, arm, t - 1, now[0])
                now = observe(params, rng, Pull(t, a, x, user), now)
                t += 1
                leads = t <= last and keeps_lead(stretch, now[1], now[0])
                if earlier:
                    leads = leads and last_round_until(params, state, t) == t
            end_hold(game, arm, t - 1)
            N[a], total[a], extra[a] = now
            if N[a] > 0.0:
                indices.level[a], indices.width[a] = index(params, a, now)

    return play


def exhaustive_optimism(observe: Callable, index: Callable) -> Callable:
    """Return the loop ``play(game, rng, params)`` of an optimistic algorithm.

    The loop computes every index in every round, so indices need not have the form of ``optimism``.

    Args:
        observe: as in ``optimism``.
        index: ``index(params, a, log_t, statistics)`` returns the index of arm a in round t.
    """

    @inlined_counted
    def play(game, rng, params):
        K, T = arms(game), game.horizon
        N, total, extra = np.zeros(K), np.zeros(K), np.zeros(K)
        for t in range(1, T + 1):
            log_t, a, best = math.log(t), 0, -np.inf
            for b in range(K):
                value = (
                    index(params, b, log_t, (N[b], total[b], extra[b])) if N[b] > 0.0 else np.inf
                )
                if value > best:
                    a, best = b, value
            seen = Pull(t, a, pull(game, a), 0)
            N[a], total[a], extra[a] = observe(params, rng, seen, (N[a], total[a], extra[a]))

    return play
