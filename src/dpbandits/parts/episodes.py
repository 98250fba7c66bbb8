"""Episodes that double and forget: the sampling of the AdaP algorithms, written once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.decorators import verb
from ..compiled.intrinsics import borrow
from ..game import Game, arms, pull_sum, pulls, rounds_left
from .mechanisms import laplace_mean


class Episodes(NamedTuple):
    """What the last episode of each arm released.

    Attributes:
        mean: float64 array (K,), private mean of the rewards of the arm's last episode only.
        length: float64 array (K,), number of those rewards, n.
    """

    mean: np.ndarray
    length: np.ndarray


@verb
def first_episodes(game: Game, rng: np.random.Generator, eps: float) -> Episodes:
    """Play each arm once: an episode of length 1."""
    K = arms(game)
    episodes = Episodes(np.zeros(K), np.zeros(K))
    for a in range(K):
        play(game, rng, eps, episodes, a, 1)
    return episodes


@verb
def play_episode(
    game: Game, rng: np.random.Generator, eps: float, episodes: Episodes, a: int
) -> None:
    """Play arm ``a`` until its pull count doubles (Azize & Basu 2022, Alg. 1)."""
    play(game, rng, eps, episodes, a, pulls(game, a))


@verb
def play(
    game: Game, rng: np.random.Generator, eps: float, episodes: Episodes, a: int, n: int
) -> None:
    """Play arm ``a`` ``n`` times and release the mean; cut by the horizon, release nothing."""
    episodes = borrow(episodes)
    if n > rounds_left(game):
        pull_sum(game, a, rounds_left(game))
    else:
        episodes.mean[a] = laplace_mean(rng, pull_sum(game, a, n), n, eps)
        episodes.length[a] = n
