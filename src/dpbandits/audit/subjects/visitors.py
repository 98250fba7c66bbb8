"""A player from elsewhere as a subject of audits: samples of its actions and responses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...contracts.algorithm import Algorithm
from ...contracts.alignments import Alignment
from ...contracts.assumptions import UNIT_INTERVAL
from ...contracts.guarantees import ACTIONS, RESPONSE, global_dp
from ...contracts.parameters import POSITIVE
from ...errors import BadInput
from ..numbers.draws import UNIFORM, Draw
from ..numbers.sources import numbers_of
from ..numbers.streams import Recorder
from .neighbours import Neighbours, Pair
from .players import Learner, rounds
from .prototypes import GameOver, Players, name_of, played

WALKS = 3  # walks between tables of rewards that show whether a player does anything
ANY_NUMBER = 10**9
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
        function=make,
        domains={"eps": POSITIVE},
        rewards=UNIT_INTERVAL,
        guarantee=global_dp("the promise under audit", hides=hides, alignment=ANY_NOISE),
    )


class Visitor(Learner):
    """A player whose actions an adversary sees."""

    compiled = False

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        T, K = data.shape
        table, at = data.tolist(), rounds(len(data))
        seen = np.zeros((runs, len(at), K), np.float32)
        with _legacy_numbers(rng), numbers_of(rng):
            for row in seen:
                arms = played(
                    self.source.function, lambda t, a: table[t][a], K, T, self.budget, rng
                )
                hits = np.zeros((T + 1, K), np.float32)
                hits[np.arange(1, len(arms) + 1), arms] = 1.0
                row[:] = hits.cumsum(axis=0)[at]
        last = seen[:, -1].sum(axis=1, keepdims=True)
        return np.hstack([seen[:, :, :-1].reshape(runs, -1), last])

    def columns(self, data: np.ndarray) -> list[str]:
        return [*super().columns(data), "rounds played"]

    def silent(self, rng: np.random.Generator) -> bool:
        """Whether its actions seem to be the same whatever it receives and draws."""
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
    """The user of one round of a player with local privacy: an adversary sees what is sent, which
    is the first sum of the reward and noise, or the result of the first comparison of a uniform
    number with a probability that depends on the reward.

    Attributes:
        pair: two tables of rewards that differ in this round only, whichever arm is played.
    """

    pair: Pair | None = None
    kind: ClassVar[str] = "response"
    runs: ClassVar[int] = 20_000

    @property
    def turn(self) -> int:
        """The round, from 0."""
        assert self.pair is not None
        return int(np.argwhere(self.pair[0] != self.pair[1])[0][0])

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        assert self.pair is not None
        pair = self.pair
        return [lambda steps: pair, lambda steps: pair]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        i, k = self.sent
        return np.array([[_seen(self.drawn(data, rng)[i])[k]] for _ in range(runs)], float)

    @cached_property
    def sent(self) -> tuple[int, int]:
        """Which draw of the round, and which sum or comparison of it, is what the user sends: the
        first that differs between the two tables.

        Raises:
            BadInput: there is none, or several draws hold the reward at once.
        """
        assert self.pair is not None
        one, two = (self.drawn(x, np.random.default_rng(0)) for x in self.pair)
        both = [zip(_entered(d), _entered(e), strict=False) for d, e in zip(one, two, strict=False)]
        first = [next((k for k, (x, y) in enumerate(of) if x != y), None) for of in both]
        found = [(i, k) for i, k in enumerate(first) if k is not None]
        if len(found) != 1:
            raise BadInput(f"{self.name}: a user sends no single number with noise, and no bit")
        return found[0]

    def drawn(self, data: np.ndarray, rng: np.random.Generator) -> list[Draw]:
        """The draws after the reward of the round and before the next one, in a new game."""
        turn, reads = self.turn, [(0, 0)][:0]
        stream = Plain(reads, rng, 1.0)

        def reward(t: int, a: int) -> float:
            if t > turn:
                raise GameOver
            reads.append((t, a))
            return float(data[t, a])

        with numbers_of(stream), suppress(GameOver):
            played(self.source.function, reward, data.shape[1], len(data), self.budget, stream)
        return [draw for draw in stream.draws if draw.place == turn + 1]

    def columns(self, data: np.ndarray) -> list[str]:
        return [f"response in round {self.turn + 1}"]


def _entered(draw: Draw) -> list[float]:
    """What enters a draw: numbers that noise is added to, or probabilities."""
    return [p for p, _ in draw.chances] if draw.kind == UNIFORM else draw.added


def _seen(draw: Draw) -> list[float]:
    """What is seen of a draw for each of these: sums, or results of comparisons."""
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
