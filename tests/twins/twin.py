"""A twin as data, and the loops that twins share.

A loop is made of what a twin does with a reward or with the sum of an episode. The functions that
it is given are verbs, and ``memory`` is a row of numbers for each arm, all 0 at first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpbandits.audit.exact.episodic import Episodic
from dpbandits.authoring import (
    UNIT_INTERVAL,
    Alignment,
    Assumption,
    Budget,
    Guarantee,
    arms,
    gaussian,
    gaussian_zcdp,
    global_dp,
    inlined,
    inlined_counted,
    kernel,
    laplace,
    one_release,
    pull,
    pull_in_turn,
    pull_sum,
    pulls,
    rounds_left,
    rounds_played,
)
from dpbandits.contracts.algorithm import Algorithm, from_function

MEMORY = 4  # numbers of an arm


@dataclass(frozen=True)
class Twin:
    """An algorithm that is broken on purpose, or a correct variant.

    Attributes:
        algorithm: the algorithm, with the guarantee and the alignment that its author believes in.
        says: what it does.
        values: its parameters except for the budget.
        game: ``game(eps)``, how it plays if its actions have a closed form.
    """

    algorithm: Algorithm
    says: str
    values: Mapping[str, Any] = field(default_factory=dict)
    game: Callable[[float], Episodic] | None = None

    @property
    def name(self) -> str:
        return self.algorithm.name


def twin(
    function: Callable,
    says: str,
    alignment: Alignment = one_release,
    rewards: Assumption | tuple[float, float] | None = UNIT_INTERVAL,
    guarantee: Callable[..., Guarantee] | Guarantee = global_dp,
    game: Callable[[float], Episodic] | None = None,
) -> Twin:
    """A twin that believes each reward to enter one release, unless said otherwise."""
    if not isinstance(guarantee, Guarantee):
        guarantee = guarantee("its author", alignment=alignment)
    return Twin(from_function(function, rewards=rewards, guarantee=guarantee), says, game=game)


def named(function: Callable, name: str) -> Callable:
    """Give a function that a loop made the name of its twin, and compile it when it is played."""
    function.__name__ = function.__qualname__ = name
    return kernel(function)


@inlined
def width(n: float, eps: float, l: float) -> float:
    """A confidence radius of a private mean of n rewards."""
    return math.sqrt(0.5 * l / n) + l / (eps * n)


@inlined
def double(rng: Any, memory: np.ndarray, a: int, n: float, eps: float) -> float:
    """The next episode is as long as all before it."""
    return n


@inlined
def by_index(memory: np.ndarray, a: int, mean: float, n: float, eps: float, l: float) -> float:
    """The index of an arm whose last episode had n rewards of a private mean."""
    return mean + width(n, eps, l)


@inlined
def by_gaussian_index(
    memory: np.ndarray, a: int, mean: float, n: float, rho: float, l: float
) -> float:
    """The index under rho-zCDP."""
    return mean + math.sqrt((0.5 / n + 1.0 / (rho * n**2)) * l)


def noise_times(factor: float) -> Callable:
    """``release`` of ``episodic``: the mean, with a multiple of the noise that is needed."""

    @inlined
    def release(rng, memory, a, total, n, eps):
        return total / n + factor * laplace(rng, 1.0 / (eps * n))

    return release


def gaussian_noise_times(factor: float) -> Callable:
    """The same under rho-zCDP."""

    @inlined
    def release(rng, memory, a, total, n, rho):
        return total / n + factor * gaussian(rng, 1.0 / (n * math.sqrt(2.0 * rho)))

    return release


def closed_form(noise: float, span: float = 1.0) -> Callable[[float], Episodic]:
    """How ``episodic`` plays with this multiple of its noise, and rewards of this span."""

    def game(eps: float) -> Episodic:
        def bonus(n: int, t: int) -> float:
            return width(float(n), eps, math.log(t)) / span

        return Episodic(bonus, lambda n, pulls: pulls, True, eps * span / noise)

    return game


def episodes(release: Callable, index: Callable, longer: Callable) -> Callable:
    """The loop of ``episodic`` with a budget, ``loop(game, rng, budget)``."""

    @inlined_counted
    def loop(game, rng, budget):
        K = arms(game)
        mean, length, memory = np.zeros(K), np.zeros(K), np.zeros((K, MEMORY))
        while rounds_left(game) > 0:
            l = math.log(rounds_played(game) + 1.0)
            a, best = 0, -math.inf
            for b in range(K):
                score = math.inf
                if length[b] > 0:
                    score = index(memory, b, mean[b], length[b], budget, l)
                if score > best:
                    a, best = b, score
            n = int(max(longer(rng, memory, a, float(pulls(game, a)), budget), 1.0))
            if n > rounds_left(game):
                pull_sum(game, a, rounds_left(game))
            else:
                total = pull_sum(game, a, n)
                mean[a] = release(rng, memory, a, total, float(n), budget)
                length[a] = n

    return loop


def episodic(name: str, release: Callable, index: Callable = by_index, longer: Callable = double):
    """An algorithm of doubling episodes, as AdaP-UCB.

    Args:
        name: the twin's.
        release: ``release(rng, memory, a, total, n, eps)``, the mean that is released of an
            episode.
        index: ``index(memory, a, mean, n, eps, l)``.
        longer: ``longer(rng, memory, a, n, eps)``, the length of an arm's next episode after n
            pulls.
    """
    loop = episodes(release, index, longer)

    def play(game, rng, eps: Budget):
        loop(game, rng, eps)

    return named(play, name)


def gaussian_episodic(name: str, release: Callable):
    """``episodic`` with a budget rho."""
    loop = episodes(release, by_gaussian_index, double)

    def play(game, rng, rho: Budget):
        loop(game, rng, rho)

    return named(play, name)


def in_epochs(name: str, release: Callable):
    """A loop of epochs of 4, 8, 16, ... pulls of every arm, then the best arm.

    Args:
        name: the twin's.
        release: ``release(rng, sums, means, n, eps)`` writes the means of an epoch.
    """

    def play(game, rng, eps: Budget):
        K = arms(game)
        every, sums, means = np.arange(K), np.zeros(K), np.zeros(K)
        n, last = 4, 0
        while n * (K + 1) <= rounds_left(game):
            pull_in_turn(game, every, n * K, sums)
            release(rng, sums, means, float(n), eps)
            last = int(np.argmax(means))
            pull_sum(game, last, n)  # not released
            n *= 2
        pull_sum(game, last, rounds_left(game))

    return named(play, name)


def in_rounds(name: str, observe: Callable):
    """A loop that plays the arm of largest index in every round.

    Args:
        name: the twin's.
        observe: ``observe(rng, memory, trees, a, x, n, eps)`` returns the index of an arm that has
            just had its n-th reward x, without a bonus; ``trees`` has a row of 64 numbers for each
            arm.
    """

    def play(game, rng, eps: Budget):
        K, T = arms(game), game.horizon
        index, memory, trees = np.full(K, np.inf), np.zeros((K, MEMORY)), np.zeros((K, 64))
        memory[:, 0] = T
        for _ in range(T):
            a = int(np.argmax(index))
            x = pull(game, a)
            n = pulls(game, a)
            index[a] = observe(rng, memory, trees, a, x, n, eps) + 1.0 / math.sqrt(n)

    return named(play, name)


ZCDP = gaussian_zcdp
