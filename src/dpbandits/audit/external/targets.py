"""Audits of external policies, which sample their actions and the responses of their users."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from contextlib import suppress
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
from ..numbers.redirect import COPIED, redirect_random
from ..numbers.rewards import Places, Rewards
from ..numbers.streams import Recorder
from ..targets.decisions import Played, RegretTarget, rounds
from ..targets.neighbours import Neighbours, Pair, fixed, place_of_change
from ..targets.target import MISSING, Stage
from .choices import law_of_choices, loss_between, response_loss
from .policy import play_external

# Each entry of STAGES has a horizon, the number of runs of a test under each of two neighbours, and
# the number of pairs of neighbours at the start of the search. Early decisions are cheap to
# observe, but long epochs end late. The constants with HELD are the horizons, runs and pairs that
# are used if all replays succeed although some choices depend on the changed reward.
HELD_LENGTHS, HELD, HELD_CANDIDATES = (8, 64), 2_000, 12
STAGES = ((8, 200_000, 96), (64, 20_000, 96), (512, 2_000, 48), (4096, 800, 24))
REWARDS = 0.0, 1.0  # the rewards of a user in two neighbours
CONSTANT = 0.0, 0.5, 1.0  # the values of ``rest`` in ``_first_differs``
# The share of the probability of a false alarm for tests between given neighbours. The key says
# whether the promise is local, so that these tests include users' responses
GIVEN = {True: 0.5, False: 0.1}
WALKS = 3  # walks between tables of rewards that show whether the actions ever differ (``_silent``)
MOST_TRIED = 20  # at most so many games are played to find the draws that a user sends


@dataclass(frozen=True)
class PolicyTarget(RegretTarget):
    """An external policy that promises eps-DP: an adversary sees its actions.

    First, the audit records the random numbers of the policy and replays them on neighbouring
    rewards. All noise to which the changed reward is added is shifted by minus the change. Suppose
    that in every replay all actions stay the same, at a cost of at most eps, and that no choice
    depends on the changed reward. In this case the verdict is consistent, and the audit samples
    nothing.

    In all other cases, samples may refute the promise. If the promise is local, the response of a
    user is sampled first. Then the actions are sampled, first on the neighbours of the failed
    replay, and then on other neighbours, beginning with short horizons. If a replay failed and no
    samples refute the promise, the verdict is undecided.

    Attributes:
        pair: the only neighbours that are compared; None for random neighbours.
    """

    pair: Pair | None = None
    compiled: ClassVar[bool] = False
    fewest_arms: ClassVar[int] = 2  # most published code does not accept a single arm

    @property
    def local(self) -> bool:
        """Whether the promise is about the response of each user."""
        return self.source.guarantee.hides == RESPONSE

    def check(self) -> None:
        """Accept a policy even if its generators have no seeds, since samples may refute its
        promise.
        """

    @property
    def caveat(self) -> str:
        return next(iter(self.source.function.odd), "")

    def play_traced(self, table: Any, rng: Any, watched: Places = ()) -> Played:
        """Play a table of rewards; all random numbers of all modules come from ``rng``."""
        rewards, (T, K) = Rewards(table, watched), table.shape
        rng.reads, rng.of_package = rewards.reads, False
        reward = lambda t, a: float(rewards[t, a])  # noqa: E731
        arms = self.function(reward, K, T, self.budget, rng)
        return Played(np.array(arms, int), math.nan, rewards)

    def objection(self, pair: Pair, before: Draws, draws: Draws) -> str | None:
        """Return why local privacy does not hold, if a user's reward is added to noise of other
        users; None otherwise.

        Noise is the user's own if it is drawn in the user's round or added directly to the reward.
        """
        place = place_of_change(pair)
        own, itself = place[0] + 1, [x[place] for x in pair]

        def foreign(d: Draw) -> bool:
            both = zip(before[d.number].added, d.added, strict=False)
            hidden = next((x for x in both if x[0] != x[1]), None)  # what the draw hides
            alike = hidden is not None and np.allclose(hidden, itself, rtol=ROUNDING, atol=ROUNDING)
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
        """Return consistent if all replays succeeded, else undecided.

        A failed replay refutes nothing, since the audit does not know the privacy proof of the
        policy.
        """
        return verdicts.CONSISTENT if 0 < aligned == replays else verdicts.UNDECIDED

    def stages(self, replays: Aligned, seed: int) -> list[Stage]:
        failed = replays.problem.pair if replays.problem else None
        given = self._users(failed) if self.local else []
        if failed is not None:
            given.append(self._stage(len(failed[0]), failed))
        usual = [self._stage(T) for T in self.lengths]
        if not self.horizons:
            # without requested horizons, a stage has at most its usual number of runs
            usual = [stage._replace(most=stage.runs) for stage in usual]
        first = (given or usual)[0].target
        if replays.holds and replays.entered:
            if not replays.chosen:
                return [Stage(first, loss=0.0)]
            usual = [self._stage(T) for T in self.horizons or HELD_LENGTHS]
            usual = [x._replace(runs=HELD, candidates=HELD_CANDIDATES) for x in usual]
            given = []  # a later choice may hide the first comparison of a user
        if self.local and (loss := response_loss(self, seed)) > self.promised * verdicts.ABOVE:
            return [Stage(first, loss=loss, event="what a response without noise leads to")]
        heard = [s for s in usual if not _silent(s.target, np.random.default_rng(seed))]
        heard = heard or usual[-1:]
        part = GIVEN[self.local] if given else 0.0
        return [
            *(stage._replace(share=part / len(given)) for stage in given),
            *(stage._replace(share=(1.0 - part) / len(usual)) for stage in heard),
        ]

    def _stage(self, T: int, pair: Pair | None = None) -> Stage:
        """Return a test of the actions at a horizon, on the neighbours ``pair`` or on random
        neighbours.

        The numbers of runs and of pairs of neighbours come from the first entry of STAGES whose
        horizon is at least T, or from the last entry.
        """
        _, runs, candidates = next((s for s in STAGES if s[0] >= T), STAGES[-1])
        target = PolicyTarget(self.source, self.budget, {}, (T,), self.sizes, pair=pair)
        return Stage(target, runs=runs, candidates=candidates)

    def _users(self, failed: Pair | None) -> list[Stage]:
        """Return tests of the responses of two users: the user whose replay failed, and the first
        user.
        """
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
        seed = int(rng.integers(2**32))
        with restored_globals():
            # a library that imported functions of the global generators earlier still uses these
            # generators
            np.random.seed(seed)
            random.seed(seed)
            with redirect_random(rng, fixed=True) as restart:
                for row in seen:
                    restart()
                    arms = play_external(policy.make, reward, K, T, self.budget, rng)
                    hits = np.zeros((T + 1, K), np.float32)
                    hits[np.arange(1, len(arms) + 1), arms] = 1.0
                    row[:] = hits.cumsum(axis=0)[at]
                    if COPIED in policy.odd:  # else the next copy would give the same noise
                        bits = rng.bit_generator
                        bits.state = type(bits)(rng.integers(2**63)).state
        last = seen[:, -1].sum(axis=1, keepdims=True)
        return np.hstack([seen[:, :, :-1].reshape(runs, -1), last])

    def columns(self, data: np.ndarray) -> list[str]:
        return [*super().columns(data), "rounds played"]


class Plain(Recorder):
    """A recorder that draws uniform numbers with their true law, whereas other recorders draw
    numbers close to 0 or 1 too often.
    """

    def _uniform(self):
        return self.rng.random()


@dataclass(frozen=True)
class ResponseTarget(PolicyTarget):
    """The user of one round of a policy with local privacy: an adversary sees the response of this
    user.

    The response has a value for each draw: for noise, the first sum that depends on the reward, and
    for a uniform number or a choice, the first result whose probability depends on the reward.

    Attributes:
        pair: two tables of rewards that differ only in this round, whichever arm is played.
    """

    pair: Pair = field(kw_only=True)
    kind: ClassVar[str] = "response"
    runs: ClassVar[int] = 20_000

    @property
    def turn(self) -> int:
        """The round of the user, from 0."""
        return place_of_change(self.pair)[0]

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        found = np.full((runs, max(len(self.sent), 1)), MISSING)
        for row in found:
            draws = [_entered(draw) for draw in self.drawn(data, rng)]
            for column, (i, k) in enumerate(self.sent):
                if i < len(draws) and k < len(draws[i]):
                    row[column] = draws[i][k][1]
        return found

    @cached_property
    def sent(self) -> list[tuple[int, int]]:
        """The draws that the user sends, each with the number of its sum or comparison.

        For each draw, this is the index of the first sum or comparison that differs between the two
        tables. The list is empty if no draw depends on the reward. A sum is left out if the round
        has noise to which nothing is added, and a choice is left out if the round has any further
        draw. Such a draw may hide the sum or the choice, as a flip hides a bit that was rounded at
        random.
        """
        for seed in range(MOST_TRIED):
            one, two = (self.drawn(x, np.random.default_rng(seed)) for x in self.pair)
            both = (zip(_entered(d), _entered(e)) for d, e in zip(one, two))  # noqa: B905
            first = [
                next((k for k, ((x, _), (y, _)) in enumerate(of) if x != y), None) for of in both
            ]
            own = [(d, e) for d, e in zip(one, two, strict=False) if d.place == self.turn + 1]
            sums = not any(map(_is_lost, own))
            found = [(i, k) for i, k in enumerate(first) if k is not None
                     and (sums if one[i].is_noise else len(own) == 1)]  # fmt: skip
            if found:
                return found
        return []

    def drawn(self, data: np.ndarray, rng: np.random.Generator) -> list[Draw]:
        """Return the draws of a new game up to the reward of the next round.

        The draws after the user's reward come first, and earlier draws follow.
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
    """Return two sequences of rewards that differ in the first reward, which is 0 or 1.

    With ``rest`` = 0.5 the other rewards alternate between 0 and 1.
    """
    table = np.full((T, K), rest)
    if rest == 0.5:
        table[:] = (np.arange(T) % 2)[:, None]
    pair = table, table.copy()
    pair[0][0, 0], pair[1][0, 0] = REWARDS
    return fixed(pair)


def _is_lost(both: tuple[Draw, Draw]) -> bool:
    """Return whether the records of a draw from two games do not show how the policy uses the
    draw.
    """
    if both[0].kind in (UNIFORM, CHOICE):
        return any(draw.used for draw in both)
    return not (both[0].is_noise and any(any(draw.added) for draw in both))


def _entered(draw: Draw) -> list[tuple[Any, Any]]:
    """Return pairs: an input of a draw, and the result that an adversary sees.

    For noise, the input is a number that is added to the noise, and the result is the sum. For a
    choice or a uniform number, the input is the probabilities, and the result is the outcome.
    """
    if draw.kind == CHOICE:
        return [(draw.shape, float(draw.z))]
    return draw.chances if draw.kind == UNIFORM else list(zip(draw.added, draw.sums, strict=True))


def _silent(target: Any, rng: np.random.Generator) -> bool:
    """Return whether the actions seem to depend neither on rewards nor on random numbers."""
    walks = (target.walk(rng, T) for T in target.horizons for _ in range(WALKS))
    tables = (walk.table(m) for walk in walks for m in (0, len(walk.order)))
    seen = ((x.shape, target.sample(x, 2, rng)) for x in tables)
    return all(len({(shape, row.tobytes()) for row in rows}) == 1 for shape, rows in seen)
