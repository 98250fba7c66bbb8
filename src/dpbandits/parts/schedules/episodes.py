"""Doubling episodes with forgetting: the sampling scheme of the AdaP algorithms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled import inlined, shared, shared_borrowing
from ...game import Game, arms, pull_sum, pulls, rounds_left
from ..noise.mechanisms import gaussian_mean, laplace_mean


class Episodes(NamedTuple):
    """The releases of the last episode of each arm.

    Attributes:
        mean: float64 array (K,), private mean of the rewards of the arm's last episode.
        length: float64 array (K,), number of these rewards, n.
    """

    mean: np.ndarray
    length: np.ndarray


@shared
def first_episodes(game: Game, rng: np.random.Generator, eps: float) -> Episodes:
    """Play an episode of length 1 on each arm. eps-DP: every reward enters one release."""
    K = arms(game)
    episodes = Episodes(np.zeros(K), np.zeros(K))
    for a in range(K):
        play(game, rng, eps, False, episodes, a, 1)
    return episodes


@shared
def first_gaussian_episodes(game: Game, rng: np.random.Generator, rho: float) -> Episodes:
    """Play an episode of length 1 on each arm. rho-zCDP: every reward enters one release."""
    K = arms(game)
    episodes = Episodes(np.zeros(K), np.zeros(K))
    for a in range(K):
        play(game, rng, rho, True, episodes, a, 1)
    return episodes


@inlined
def play_episode(
    game: Game, rng: np.random.Generator, eps: float, episodes: Episodes, a: int
) -> None:
    """Play arm ``a`` until its pull count doubles and release the mean of these rewards
    (Azize & Basu 2022, Alg. 1). eps-DP: every reward enters one release.
    """
    play(game, rng, eps, False, episodes, a, pulls(game, a))


@inlined
def play_gaussian_episode(
    game: Game, rng: np.random.Generator, rho: float, episodes: Episodes, a: int
) -> None:
    """Play arm ``a`` as ``play_episode`` does, with Gaussian noise (Azize's thesis, Alg. 7).
    rho-zCDP: every reward enters one release.
    """
    play(game, rng, rho, True, episodes, a, pulls(game, a))


@shared_borrowing
def play(
    game: Game,
    rng: np.random.Generator,
    budget: float,
    is_gaussian: bool,
    episodes: Episodes,
    a: int,
    n: int,
) -> None:
    """Play arm ``a`` ``n`` times and release the mean.

    Nothing is released if the horizon comes before the n-th play.
    """
    if n > rounds_left(game):
        pull_sum(game, a, rounds_left(game))
        return
    total = pull_sum(game, a, n)
    if is_gaussian:
        episodes.mean[a] = gaussian_mean(rng, total, n, budget)
    else:
        episodes.mean[a] = laplace_mean(rng, total, n, budget)
    episodes.length[a] = n
