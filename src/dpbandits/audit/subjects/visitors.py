"""A player from elsewhere as a subject of audits: samples of its actions and responses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...contracts.algorithm import Algorithm
from ...contracts.alignments import Alignment
from ...contracts.assumptions import UNIT_INTERVAL
from ...contracts.guarantees import ACTIONS, RESPONSE, global_dp
from ...contracts.parameters import POSITIVE
from ..numbers.draws import CHOICE, UNIFORM, Draw
from ..numbers.streams import Recorder
from .neighbours import Neighbours, Pair
from .players import Learner, rounds
from .prototypes import GameOver, Players, external, name_of

WALKS = 3  # walks between tables of rewards that show whether a player does anything
ANY_NUMBER = 10**9
MOST_TRIED = 20  # games in which what a user sends is looked for
UNSENT = -1e30  # stands for a response that is not sent
# of any player: what it costs is summed up, however many draws of noise the reward enters
ANY_NOISE = Alignment("all noise that holds the changed reward", ANY_NUMBER, ANY_NUMBER)


def promised(make: Players, local: bool = False) -> Algorithm:
    """What is audited of players: that all their actions are eps-DP if one reward in [0, 1]
    changes; with local privacy, that the response of each user is.
    """
    hides = RESPONSE if local else ACTIONS
    return Algorithm(
        name=name_of(make),
        group="algo",
        version="",
        function=external(make),
        domains={"eps": POSITIVE},
        rewards=UNIT_INTERVAL,
        guarantee=global_dp("the promise under audit", hides=hides, alignment=ANY_NOISE),
    )


@dataclass(frozen=True)
class Visitor(Learner):
    """A player whose actions an adversary sees.

    Attributes:
        pair: the only neighbours that are compared; None for random ones.
    """

    pair: Pair | None = None
    compiled: ClassVar[bool] = False

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        if self.pair is None:
            return super().pairs(rng, n)
        pair = self.pair
        return [lambda steps: pair, lambda steps: pair]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        T, K = data.shape
        table, at = data.tolist(), rounds(len(data))
        seen = np.zeros((runs, len(at), K), np.float32)
        with _legacy_numbers(rng):
            for row in seen:
                reward = lambda t, a: table[t][a]  # noqa: E731
                arms = self.source.function.played(reward, K, T, self.budget, rng)
                hits = np.zeros((T + 1, K), np.float32)
                hits[np.arange(1, len(arms) + 1), arms] = 1.0
                row[:] = hits.cumsum(axis=0)[at]
        last = seen[:, -1].sum(axis=1, keepdims=True)
        return np.hstack([seen[:, :, :-1].reshape(runs, -1), last])

    def columns(self, data: np.ndarray) -> list[str]:
        return [*super().columns(data), "rounds played"]

    def silent(self, rng: np.random.Generator) -> bool:
        """Whether its actions seem to be the same whatever it receives and draws."""
        if self.pair is not None:
            return False
        walks = (self.walk(rng, T) for T in self.horizons for _ in range(WALKS))
        tables = (walk.table(m) for walk in walks for m in (0, len(walk.order)))
        seen = ((x.shape, self.sample(x, 2, rng)) for x in tables)
        return all(len({(shape, row.tobytes()) for row in rows}) == 1 for shape, rows in seen)


class Plain(Recorder):
    """Numbers of the laws that a player draws from, with what is added to them."""

    def _uniform(self):
        return self.rng.random()


@dataclass(frozen=True)
class User(Visitor):
    """The user of one round of a player with local privacy: an adversary sees what is sent. That is
    each first sum of noise and the reward, and each result of the first comparison of a uniform
    number, or of the first choice, with a probability that depends on the reward.

    Attributes:
        pair: two tables of rewards that differ in this round only, whichever arm is played.
    """

    kind: ClassVar[str] = "response"
    runs: ClassVar[int] = 20_000

    @property
    def turn(self) -> int:
        """The round, from 0."""
        assert self.pair is not None
        return int(np.argwhere(self.pair[0] != self.pair[1])[0][0])

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        found = np.full((runs, max(len(self.sent), 1)), UNSENT)
        for row in found:
            draws = self.drawn(data, rng)
            for column, (i, k) in enumerate(self.sent):
                if i < len(draws) and k < len(seen := _seen(draws[i])):
                    row[column] = seen[k]
        return found

    @cached_property
    def sent(self) -> list[tuple[int, int]]:
        """Which draws of the round, and which sum or comparison of each, the user sends: the first
        that differs between the two tables. None if the reward enters no draw.
        """
        assert self.pair is not None
        for seed in range(MOST_TRIED):
            one, two = (self.drawn(x, np.random.default_rng(seed)) for x in self.pair)
            both = ((_entered(d), _entered(e)) for d, e in zip(one, two, strict=False))
            first = [
                next((k for k, (x, y) in enumerate(zip(*of, strict=False)) if x != y), None)
                for of in both
            ]
            found = [(i, k) for i, k in enumerate(first) if k is not None]
            if found:
                return found
        return []

    def drawn(self, data: np.ndarray, rng: np.random.Generator) -> list[Draw]:
        """The draws from the reward of the round on, before the next one, in a new game; those
        that were made before come last.
        """
        turn, reads = self.turn, [(0, 0)][:0]
        stream = Plain(reads, rng, 1.0)

        def reward(t: int, a: int) -> float:
            if t > turn:
                raise GameOver
            reads.append((t, a))
            return float(data[t, a])

        with suppress(GameOver):
            self.source.function.played(reward, data.shape[1], len(data), self.budget, stream)
        own = [draw for draw in stream.draws if draw.place == turn + 1]
        return own + [draw for draw in stream.draws if draw.place <= turn]

    def columns(self, data: np.ndarray) -> list[str]:
        which = [f" {i + 1}" for i in range(len(self.sent))] if len(self.sent) > 1 else [""]
        return [f"response{i} in round {self.turn + 1}" for i in which]


def _entered(draw: Draw) -> list[Any]:
    """What enters a draw: numbers that noise is added to, or probabilities."""
    if draw.kind == CHOICE:
        return [draw.shape]
    return [p for p, _ in draw.chances] if draw.kind == UNIFORM else draw.added


def _seen(draw: Draw) -> list[float]:
    """What is seen of a draw for each of these: sums, or results of comparisons and choices."""
    if draw.kind == CHOICE:
        return [float(draw.z)]
    return [float(below) for _, below in draw.chances] if draw.kind == UNIFORM else draw.sums


@contextmanager
def _legacy_numbers(rng: np.random.Generator) -> Iterator[None]:
    """Seed the global generators, for libraries that have bound them before, and restore them."""
    legacy, standard = np.random.get_state(), random.getstate()
    seed = int(rng.integers(2**32))
    np.random.seed(seed)
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(legacy)
        random.setstate(standard)
