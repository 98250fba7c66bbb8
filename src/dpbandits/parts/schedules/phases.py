"""Private phases without forgetting: the sampling scheme of DP-KLUCB and DP-IMED."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, shared_borrowing
from ...game import Game, arms, pull_sum, room_for, rounds_left
from ..noise.mechanisms import laplace


class Phases(NamedTuple):
    """The releases about all finished phases of each arm.

    Attributes:
        total: float64 array (K,), private sum of the arm's rewards.
        length: float64 array (K,), number of these rewards, n.
        mean: float64 array (K,), total/n clipped to [0, 1].
    """

    total: np.ndarray
    length: np.ndarray
    mean: np.ndarray


@shared
def first_phases(game: Game, rng: np.random.Generator, eps: float, first: float) -> Phases:
    """Play a phase of ceil(``first``/eps) rounds, at least one, on each arm."""
    K = arms(game)
    phases = Phases(np.zeros(K), np.zeros(K), np.zeros(K))
    for a in range(K):
        play(game, rng, eps, phases, a, max(np.ceil(first / eps), 1.0))
    return phases


@inlined
def play_phase(
    game: Game, rng: np.random.Generator, eps: float, phases: Phases, a: int, alpha: float
) -> None:
    """Play arm ``a`` until its pull count grows from n to ceil(``alpha`` n), and at least once."""
    n = phases.length[a]
    play(game, rng, eps, phases, a, max(np.ceil(alpha * n) - n, 1.0))


@shared_borrowing
def play(
    game: Game, rng: np.random.Generator, eps: float, phases: Phases, a: int, n: float
) -> None:
    """Play arm ``a`` ``n`` times and add the noisy sum of these rewards to its total.

    The sum has Laplace noise. If the horizon comes before the n-th play, nothing is released.
    eps-DP: every reward enters one release.
    """
    if room_for(game, n, 1):
        phases.total[a] += pull_sum(game, a, int(n)) + laplace(rng, 1.0 / eps)
        phases.length[a] += n
        phases.mean[a] = min(max(phases.total[a] / phases.length[a], 0.0), 1.0)
    else:
        pull_sum(game, a, rounds_left(game))
