"""The samples of an external policy: its actions, and the responses of its users."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product, starmap
from typing import Any, ClassVar

import numpy as np

from ...compiled.faults import restored_globals
from ...contracts.guarantees import RESPONSE
from ...policies import GameOver
from .. import verdicts
from ..alignment.align import Aligned
from ..alignment.replayed_streams import ROUNDING
from ..numbers.draws import CHOICE, UNIFORM, Draw, Draws
from ..numbers.redirect import SAID, redirect_random
from ..numbers.rewards import Places, Rewards
from ..numbers.streams import Recorder
from ..targets.decisions import Played, RegretTarget, rounds
from ..targets.neighbours import Neighbours, Pair, fixed, place_of_change
from ..targets.target import Stage
from .choices import law_of_choices, loss_between, response_loss
from .policy import play_external

# EPISODIC_HORIZONS, runs of a test under each of two neighbours, and pairs of neighbours at the
# start of the search. Early decisions are cheap to observe, and those of long epochs are late.
# If all replays hold, and some of them charge choices: horizons, runs and pairs of the samples
HELD_LENGTHS, HELD, HELD_CANDIDATES = (8, 64), 2_000, 12
STAGES = ((8, 200_000, 96), (64, 20_000, 96), (512, 2_000, 48), (4096, 800, 24))
REWARDS = 0.0, 1.0  # of a user, in two neighbours
CONSTANT = 0.0, 0.5, 1.0  # see ``_first_differs``
# Of the probability of a false alarm: the part that given neighbours get, if users' responses are
# among them or not
GIVEN = {True: 0.5, False: 0.1}
WALKS = 3  # walks between tables of rewards that show whether a policy does anything
MOST_TRIED = 20  # games in which what a user sends is looked for
UNSENT = -1e30  # stands for a response that is not sent


@dataclass(frozen=True)
class PolicyTarget(RegretTarget):
    """An external policy that promises eps-DP: an adversary sees its actions.

    First its random numbers are recorded, and replayed on neighbouring rewards with all noise that
    holds the changed reward shifted by the change. If all actions stay the same at a cost of at
    most eps, every time, the promise is consistent and nothing is sampled. Otherwise samples may
    refute it: of the response of a user, if the promise is local, and of the actions, between the
    neighbours of the replay that failed and then others, at short horizons first. If they do not,
    the promise is undecided.

    Attributes:
        pair: the only neighbours that are compared; None for random ones.
    """

    pair: Pair | None = None
    compiled: ClassVar[bool] = False
    fewest_arms: ClassVar[int] = 2  # a single one is no bandit to most published code

    @property
    def local(self) -> bool:
        """Whether the response of each user is promised to be private."""
        return self.source.guarantee.hides == RESPONSE

    def check(self) -> None:
        """Generators without a seed are no reason to refuse it: samples may refute its promise."""

    @property
    def caveat(self) -> str:
        return SAID if self.source.function.unseeded else ""

    def play_traced(self, table: Any, rng: Any, watched: Places = ()) -> Played:
        """Its random numbers are those of the stream wherever they come from."""
        rewards, (T, K) = Rewards(table, watched), table.shape
        rng.reads, rng.of_package = rewards.reads, False
        reward = lambda t, a: float(rewards[t, a])  # noqa: E731
        arms = self.function(reward, K, T, self.budget, rng)
        return Played(np.array(arms, int), math.nan, rewards)

    def objection(self, pair: Pair, before: Draws, draws: Draws) -> str | None:
        """Local noise is drawn in the user's own round, or is added to the user's reward
        itself.
        """
        place = place_of_change(pair)
        own, itself = place[0] + 1, [x[place] for x in pair]

        def foreign(d: Draw) -> bool:
            hidden = [x for e in (before[d.number], d) for x in e.added[:1]]
            alike = len(hidden) == 2 and np.allclose(hidden, itself, rtol=ROUNDING, atol=ROUNDING)
            late = d.entered != own and not (d.shift and d.place > own and alike)
            return bool((d.shift or d.cost) and late)

        if self.local and any(map(foreign, draws)):
            return "the reward enters noise of other users"
        return None

    def loss_of_choices(self, pair: Pair, draws: Draws) -> float:
        laws = [law_of_choices(self, x, draws, place_of_change(pair)[0] + 1) for x in pair]
        complete = all(math.isclose(sum(law.values()), 1.0) for law in laws)
        return loss_between(*laws) if complete else math.inf

    def replays_lead_to(self, aligned: int, replays: int) -> str:
        """A failure refutes no proof, since the audit does not know the proof of the policy."""
        return verdicts.CONSISTENT if 0 < aligned == replays else verdicts.UNDECIDED

    def stages(self, replays: Aligned | None, seed: int) -> list[Stage]:
        failed = replays.problem.pair if replays and replays.problem else None
        given = self._users(failed) if self.local else []
        if failed is not None:
            given.append(self._stage(len(failed[0]), failed))
        usual = [self._stage(T) for T in self.lengths]
        if not self.horizons:  # runs that are requested are for the short ones
            usual = [stage._replace(most=stage.runs) for stage in usual]
        first = (given or usual)[0].target
        if replays is not None and replays.holds and replays.entered:
            if not replays.chosen:
                return [Stage(first, loss=0.0)]
            usual = [self._stage(T) for T in self.horizons or HELD_LENGTHS]
            usual = [x._replace(runs=HELD, candidates=HELD_CANDIDATES) for x in usual]
            given = []  # another choice may hide what a user's first comparison says
        if self.local and (loss := self._response_loss(seed)) > self.promised * verdicts.ABOVE:
            return [Stage(first, loss=loss, event="what a response without noise leads to")]
        heard = [s for s in usual if not _silent(s.target, np.random.default_rng(seed))]
        heard = heard or usual[-1:]
        part = GIVEN[self.local] if given else 0.0
        return [
            *(stage._replace(share=part / len(given)) for stage in given),
            *(stage._replace(share=(1.0 - part) / len(usual)) for stage in heard),
        ]

    def _stage(self, T: int, pair: Pair | None = None) -> Stage:
        """A test of the actions at a horizon, between given neighbours or random ones. Its runs and
        pairs of neighbours are those of the next longer one of STAGES.
        """
        _, runs, candidates = next((s for s in STAGES if s[0] >= T), STAGES[-1])
        target = PolicyTarget(self.source, self.budget, {}, (T,), self.sizes, pair=pair)
        return Stage(target, runs=runs, candidates=candidates)

    def _users(self, failed: Pair | None) -> list[Stage]:
        """Tests of local privacy: of the user whose replay failed, and of the first user."""
        first, second = failed or (np.zeros((8, 2)),) * 2
        at = place_of_change(failed) if failed else (0, 0)
        changes = [(at[0], (first[at], second[at]))] if failed else []
        found: list[Stage] = []
        for t, rewards in dict.fromkeys([*changes, (0, REWARDS)]):
            pair = first.copy(), first.copy()
            pair[0][t], pair[1][t] = rewards
            user = ResponseTarget(self.source, self.budget, {}, (len(first),), pair=pair)
            found.append(Stage(user, runs=ResponseTarget.runs, candidates=2))
        return found

    def _response_loss(self, seed: int) -> float:
        """The loss of a response as far as it follows from its choices; 0 if it does not."""
        try:
            return response_loss(self, seed)
        except Exception:  # of a policy, on numbers that note what is done to them
            return 0.0

    def pairs(self, rng: np.random.Generator, n: int) -> Iterable[Neighbours]:
        if self.pair is not None:
            return [fixed(self.pair)] * 2
        return chain(starmap(_first_differs, product(self.lengths, [self.arms], CONSTANT)),
                     super().pairs(rng, n))  # fmt: skip

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        T, K = data.shape
        table, at = data.tolist(), rounds(len(data))
        seen = np.zeros((runs, len(at), K), np.float32)
        policy: Any = self.function
        reward = lambda t, a: table[t][a]  # noqa: E731
        with _legacy_numbers(rng), redirect_random(rng, policy.fixed) as restart:
            for row in seen:
                restart()
                arms = play_external(policy.make, reward, K, T, self.budget, rng)
                hits = np.zeros((T + 1, K), np.float32)
                hits[np.arange(1, len(arms) + 1), arms] = 1.0
                row[:] = hits.cumsum(axis=0)[at]
        last = seen[:, -1].sum(axis=1, keepdims=True)
        return np.hstack([seen[:, :, :-1].reshape(runs, -1), last])

    def columns(self, data: np.ndarray) -> list[str]:
        return [*super().columns(data), "rounds played"]


class Plain(Recorder):
    """Numbers of the laws that a policy draws from, with what is added to them."""

    def _uniform(self):
        return self.rng.random()


@dataclass(frozen=True)
class ResponseTarget(PolicyTarget):
    """The user of one round of a policy with local privacy: an adversary sees what is sent. That is
    each first sum of noise and the reward, and each result of the first comparison of a uniform
    number, or of the first choice, with a probability that depends on the reward.

    Attributes:
        pair: two tables of rewards that differ in this round only, whichever arm is played.
    """

    pair: Pair = field(kw_only=True)
    kind: ClassVar[str] = "response"
    runs: ClassVar[int] = 20_000

    @property
    def turn(self) -> int:
        """The round, from 0."""
        return place_of_change(self.pair)[0]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        found = np.full((runs, max(len(self.sent), 1)), UNSENT)
        for row in found:
            draws = [_entered(draw) for draw in self.drawn(data, rng)]
            for column, (i, k) in enumerate(self.sent):
                if i < len(draws) and k < len(draws[i]):
                    row[column] = draws[i][k][1]
        return found

    @cached_property
    def sent(self) -> list[tuple[int, int]]:
        """Which draws of the round, and which sum or comparison of each, the user sends: the first
        that differs between the two tables. None if the reward enters no draw.
        """
        for seed in range(MOST_TRIED):
            one, two = (self.drawn(x, np.random.default_rng(seed)) for x in self.pair)
            both = (zip(_entered(d), _entered(e)) for d, e in zip(one, two))  # noqa: B905
            first = [
                next((k for k, ((x, _), (y, _)) in enumerate(of) if x != y), None) for of in both
            ]
            found = [(i, k) for i, k in enumerate(first) if k is not None]
            if found:
                return found
        return []

    def drawn(self, data: np.ndarray, rng: np.random.Generator) -> list[Draw]:
        """The draws from the reward of the round on, before the next one, in a new game; those
        that were made before come last.
        """
        turn, stream = self.turn, Plain(rng, 1.0)
        reads: list[tuple[int, int]] = []
        stream.reads = reads

        def reward(t: int, a: int) -> float:
            if t > turn:
                raise GameOver
            reads.append((t, a))
            return float(data[t, a])

        with suppress(GameOver):
            self.function(reward, data.shape[1], len(data), self.budget, stream)
        own = [draw for draw in stream.draws if draw.place == turn + 1]
        return own + [draw for draw in stream.draws if draw.place <= turn]

    def columns(self, data: np.ndarray) -> list[str]:
        which = [f" {i + 1}" for i in range(len(self.sent))] if len(self.sent) > 1 else [""]
        return [f"response{i} in round {self.turn + 1}" for i in which]


def _first_differs(T: int, K: int, rest: float) -> Neighbours:
    """Constant rewards, but that of the first round, which is 0 or 1; of .5, balanced ones."""
    table = np.full((T, K), rest)
    if rest == 0.5:
        table[:] = (np.arange(T) % 2)[:, None]
    pair = table, table.copy()
    pair[0][0, 0], pair[1][0, 0] = REWARDS
    return fixed(pair)


def _entered(draw: Draw) -> list[tuple[Any, Any]]:
    """What enters a draw, and what is seen of that: numbers that noise is added to and their sums,
    or probabilities and the results of choices and of comparisons.
    """
    if draw.kind == CHOICE:
        return [(draw.shape, float(draw.z))]
    return draw.chances if draw.kind == UNIFORM else list(zip(draw.added, draw.sums, strict=True))


def _silent(target: Any, rng: np.random.Generator) -> bool:
    """Whether the actions of a policy seem to be the same whatever it receives and draws."""
    walks = (target.walk(rng, T) for T in target.horizons for _ in range(WALKS))
    tables = (walk.table(m) for walk in walks for m in (0, len(walk.order)))
    seen = ((x.shape, target.sample(x, 2, rng)) for x in tables)
    return all(len({(shape, row.tobytes()) for row in rows}) == 1 for shape, rows in seen)


@contextmanager
def _legacy_numbers(rng: np.random.Generator) -> Iterator[None]:
    """Seed the global generators, for libraries that have bound them before, and restore them."""
    seed = int(rng.integers(2**32))
    with restored_globals():
        np.random.seed(seed)
        random.seed(seed)
        yield
