"""Random cases on which an alignment is replayed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from ...contracts.question import STOPPING
from ..numbers.draws import CHOICE, UNIFORM
from ..numbers.streams import Recorder
from ..targets.decisions import DecisionTarget
from ..targets.neighbours import random_table

SIZES = (1.0, 1.0, 1e-3, 30.0)  # scales of the noise; if the noise is small, the rewards decide
HORIZONS = {  # horizons of games in blocks, of games round by round, and of stopping rules
    False: (8, 32, 128, 512, 4096),
    True: (8, 16, 32, 64, 128, 256),
    STOPPING.group: (64, 512, 2048, 8192),
}
INSIDE = 0.2  # share of the cases in which the changed reward is not at an extreme
SILENT = 0.2  # share of the games without a draw of noise that are replayed
SHARES = (0.4, 0.2, 0.16, 0.12, 0.12)  # the probability of each kind of rewards, see ``_rewards``
ARMS = (1, 2, 2, 2, 2, 2, 3, 3, 3, 5, 10, 20)
# Share of the games that have many arms, the numbers of these arms, and the horizons
LARGE, MANY, ROUNDS = 0.4, (5, 10, 20), (64, 128, 256)


class Case(NamedTuple):
    """The tables of rewards and the noise for a replay.

    Attributes:
        first: float array (T, K), the first table of rewards.
        second: the first table with one reward changed.
        far: the first table with all rewards of an arm changed.
        size: the size of the noise.
        seed: the seed of the noise.
        noisy: whether the algorithm draws noise on the first table; for a stopping rule, whether it
            stops.
    """

    first: np.ndarray
    second: np.ndarray
    far: np.ndarray
    size: float
    seed: int
    noisy: bool = True


def cases(target: DecisionTarget, rng: np.random.Generator, n: int) -> Iterator[Case]:
    """Yield ``n`` random cases with random horizons and numbers of arms.

    For code in plain Python, the last cases have many arms, since such code may add no noise if
    there are many arms. These cases are left out if the user requests horizons or numbers of arms.
    """
    requested = target.horizons or target.sizes or target.source.question.one_arm
    large = 0 if target.compiled or requested else int(LARGE * n)
    yield from islice(_usual_cases(target, rng), n - large)
    for _ in range(large):
        yield case_of(target, rng, int(rng.choice(ROUNDS)), int(rng.choice(MANY)))


def _usual_cases(target: DecisionTarget, rng: np.random.Generator) -> Iterator[Case]:
    """Yield cases without end. In most of these cases, the algorithm draws noise."""
    stops = target.source.group == STOPPING.group
    usual = HORIZONS[STOPPING.group if stops else target.source.round_by_round]
    lengths = np.array(target.horizons or usual)
    shares = lengths**-0.5 / (lengths**-0.5).sum()
    longer = False  # whether the last game was too short
    while True:
        T = int(lengths.max() if longer else rng.choice(lengths, p=shares))
        K = max(int(rng.choice(target.sizes or np.minimum(ARMS, T))), target.fewest_arms)
        K = 1 if target.source.question.one_arm else K
        case = case_of(target, rng, T, K)
        longer = not (case.noisy or longer)
        if case.noisy or rng.random() < SILENT:
            yield case


def case_of(target: DecisionTarget, rng: np.random.Generator, T: int, K: int) -> Case:
    """Return a random case with T rounds and K arms.

    The algorithm reads the reward that changes, if possible before its last draw of noise.
    """
    low, high = target.extremes() or _reach(rng)
    size, seed = float(rng.choice(SIZES)), int(rng.integers(2**32))
    first = _rewards(target, rng, (T, K), (low, high), Recorder(seed, size))
    far, arm = first.copy(), int(rng.integers(K))
    far[:, arm] = high if rng.random() < 0.5 else low
    if (first == far).all():
        far[:, arm] = low + high - far[:, arm]
    if target.alignment.one_change:
        # The search for a change of the stopping time is slow, so most cases have no walk.
        # Alternating rewards keep the sum near 0, so that the rule stops late
        far = first.copy()
        if rng.random() < 0.3:
            far[:, arm] = np.where(np.arange(T) % 2, high, low)

    recorded = Recorder(seed, size)
    seen = target.play_traced(first, recorded)
    reads = seen.rewards.reads
    until = max((d.place for d in recorded.draws), default=0) or len(reads)
    which = rng.random()
    # the first reward is in most nodes of a tree
    some = until if which < 0.7 else len(reads) if which < 0.8 else 1
    chosen = int(rng.integers(max(some, 1)))
    place = reads[chosen] if reads else (0, 0)
    if target.extremes() is None:
        noted = target.play_traced(first, Recorder(seed, size), [place])
        center, level = noted.rewards.truncated[place]
        if level < math.inf and rng.random() < 0.7:
            # the largest change that truncation leaves as it is
            low, high = center - level * (1.0 - 1e-9), center + level * (1.0 - 1e-9)
    if target.extremes() is not None and rng.random() < INSIDE:
        low, high = low + (high - low) * rng.random(2)
    before, after = (low, high) if rng.random() < 0.5 else (high, low)
    first[place], second = before, first.copy()
    second[place] = after
    noisy = any(draw.is_noise or draw.kind in (UNIFORM, CHOICE) for draw in recorded.draws)
    if target.source.question.one_arm:
        noisy = not math.isnan(seen.answer)
    return Case(first, second, far, size, seed, noisy)


def _rewards(target, rng, shape, extremes, record) -> np.ndarray:
    """Draw the rewards of a game, float array (T, K), of a random kind.

    There are five kinds of rewards: random extreme values, random values between the extremes,
    constants, balanced values (the means of all arms stay similar), and the choices of an
    adversary. The adversary gives the smallest reward to an arm with the largest sum, and the
    largest reward to other arms.
    """
    (T, K), (low, high) = shape, extremes
    kind = rng.choice(["random", "inside", "constant", "balanced", "adversarial"], p=SHARES)
    if kind == "random":
        return random_table(rng, T, K, low, high)
    if kind == "inside":
        return np.asarray(low + (high - low) * rng.random(shape) ** 2)
    constant = np.full(shape, rng.choice([low, (low + high) / 2.0, high]))
    if kind == "balanced":
        turn = np.arange(T) // K % 2 if rng.random() < 0.5 else np.arange(T) % 2
        constant[:] = np.where(turn[:, None] == rng.integers(2), low, high)
    if kind == "adversarial" and not target.of_contexts:
        adversary = Adversary(constant, low, high)
        target.play_traced(adversary, record)
    return constant


class Adversary:
    """A table of rewards in which each reward is chosen when it is read, given the sum of each arm
    so far.
    """

    def __init__(self, table: np.ndarray, low: float, high: float):
        self.table, self.low, self.high, self.shape = table, low, high, table.shape
        self.sums = np.zeros(table.shape[1])

    def __getitem__(self, place):
        leads = self.sums[place[1]] == self.sums.max() and place[0]
        self.table[place] = self.low if leads else self.high
        self.sums[place[1]] += self.table[place]
        return self.table[place]


def _reach(rng: np.random.Generator) -> tuple[float, float]:
    """Draw a random range for rewards without bounds. The range has any size, and may contain
    negative values.
    """
    high = 10.0 ** rng.uniform(-1.5, 1.2)
    return (-high, high) if rng.random() < 0.7 else (0.0, high)
