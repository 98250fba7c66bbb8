"""Algorithms and stopping rules as audit targets: an adversary sees their decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import cycle
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...compiled import answer_of
from ...contextual_game import regret_of
from ...contracts.algorithm import Algorithm
from ...contracts.question import BEST_ARM, CONTEXTUAL, HYPOTHESES, REGRET, STOPPING, Question
from ...environments.populations import Population, homogeneous
from ...environments.users import arrival
from ...errors import BadInput
from ...game import pulls_of
from ...running.play import play_loop
from ..numbers.draws import Draws
from ..numbers.redirect import named_generators, odd_generators, redirect_random
from ..numbers.rewards import Places, Rewards, RoundingUniforms
from .games import game_on
from .neighbours import Neighbours, Pair, Walk, change_of_mind, largest_untruncated, random_walk
from .releases import HUGE
from .target import MISSING, AuditTarget

EPISODIC_HORIZONS = (8, 64, 512, 4096)  # horizons for algorithms with episodes or epochs
SEQUENTIAL_HORIZONS = (8, 32, 128)  # horizons for algorithms that decide in each round
CAPS = (64, 512, 4096)  # largest numbers of samples of a stopping rule
MOST_CHECKPOINTS = 64
# Number of runs that estimate the mean output, for compiled code and plain Python
MEAN_RUNS, PLAIN_MEAN_RUNS = 200, 20
SIZES = (2, 2, 2, 2, 2, 2, 3, 3, 3, 10)  # the number of arms of a game is drawn from these numbers
STEPS = 6  # the number of pairs of neighbours that are taken from one walk
# Degrees of freedom of Student's t law for the distance of a step from a change of behaviour. With
# heavy tails, some tables are far from the change. There one decision is rare, and only there rare
# events can be seen.
TAILS = 2.0


class Played(NamedTuple):
    """The result of a run on the numbers of a stream.

    Attributes:
        arms: int array, the arm of each round.
        answer: the number that the algorithm returned, or NaN if it returned nothing.
        rewards: the table of rewards, which records the rewards that were read.
    """

    arms: np.ndarray
    answer: float
    rewards: Rewards


@dataclass(frozen=True)
class DecisionTarget(AuditTarget):
    """The base class of targets that make decisions: algorithms and stopping rules.

    Attributes:
        horizons: the horizons that are tried; if empty, several small horizons are tried.
        sizes: the numbers of arms that are tried; if empty, several numbers, most of them small.
        mixed_levels: whether users have individual privacy levels; only for algorithms that know
            the levels.
        width: how near the compared steps of a walk are to the step at which the behaviour changes.
            The typical distance of a compared step from this change is ``width`` divided by the
            promised loss.
        fewest_arms: the smallest number of arms in a replay.
    """

    horizons: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    mixed_levels: bool = field(default=False, kw_only=True)
    runs = 200_000
    width: ClassVar[float]
    fewest_arms: ClassVar[int] = 1

    @property
    def of_contexts(self) -> bool:
        """Whether the promise protects contexts in addition to rewards."""
        return self.usual_guarantee.of_contexts

    def walk(self, rng: np.random.Generator, T: int) -> Walk:
        """Return a random walk through tables of rewards for which privacy is promised."""
        raise NotImplementedError

    @property
    def lengths(self) -> tuple[int, ...]:
        """The horizons of the games that are played."""
        usual = SEQUENTIAL_HORIZONS if self.source.round_by_round else EPISODIC_HORIZONS
        return self.horizons or (usual if self.source.question.plays_on else CAPS)

    @property
    def arms(self) -> int:
        """The number of arms in the smallest game."""
        return 1 if self.source.question.one_arm else min(self.sizes, default=2)

    def check(self) -> None:
        """Raise BadInput if a replay cannot follow the generators of a function in plain Python."""
        if not self.compiled:
            table, rng = np.zeros((self.lengths[0], self.arms)), np.random.default_rng(0)
            with odd_generators() as odd:
                self.sample(table, 1, rng)
            with redirect_random(rng), named_generators() as named:
                self.sample(table, 1, rng)
            for why in [*odd, *named]:
                raise BadInput(f"{self.source.group}={self.name}: {why}")

    def pairs(self, rng: np.random.Generator, n: int) -> Iterable[Neighbours]:
        """Yield steps of random walks through tables of rewards. If the behaviour of the target
        changes on a walk, most of the steps are near this change.
        """
        for _, T in zip(range(0, n, STEPS), cycle(self.lengths), strict=False):
            walk = self.walk(rng, T)
            middle = change_of_mind(walk, lambda table: self.mean_output(table, rng))
            if middle is None and self.kind == "rule":
                # the number of samples may be fixed, so that rewards change the answer alone
                own = rng.spawn(1)[0]
                middle = change_of_mind(walk, lambda table: self.mean_answer(table, own))  # noqa: B023
            steps = rng.integers(T, size=STEPS)
            if middle is not None:
                steps[0] = middle
                spread = rng.standard_t(TAILS, size=STEPS - 2) * self.width / self.promised
                steps[1:-1] = middle + np.rint(spread)
            yield from (partial(walk.pair, int(m)) for m in steps)

    def mean_output(self, data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Compute the mean of each output that an adversary sees, over some runs.

        The answer of a rule is left out, since it may be MISSING.
        """
        means = self.sample(data, MEAN_RUNS if self.compiled else PLAIN_MEAN_RUNS, rng).mean(axis=0)
        return means[:-1] if self.kind == "rule" else means

    def mean_answer(self, data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Compute the mean of the answers of a rule over some runs, and the share of answers."""
        answers = self.sample(data, MEAN_RUNS if self.compiled else PLAIN_MEAN_RUNS, rng)[:, -1]
        given = answers[answers != MISSING]
        return np.array([given.mean() if len(given) else 0.0, len(given) / len(answers)])

    def play(
        self, data: np.ndarray, runs: int, rng: np.random.Generator, checkpoints: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play runs on fixed rewards (T, K); return traces and answers, see ``play_loop``."""
        game = game_on(self, data, checkpoints=checkpoints)
        return play_loop(self.source, game, rng, self.arguments(len(data)), runs)

    @property
    def population(self) -> Population:
        if not (self.mixed_levels and self.source.per_user):
            return homogeneous(self.budget)
        levels = self.budget * np.array([0.5, 1.0, 2.0])
        return Population(levels, np.full(3, 1 / 3))

    # Methods for replays

    @property
    def alignment(self) -> Any:
        """The declaration how noise shifts when one reward changes, or None."""
        return self.guarantee.alignment or self.usual_guarantee.alignment

    @cached_property
    def replayed_function(self) -> Callable:
        """The algorithm in plain Python; it makes every draw of noise that its privacy proof
        mentions.
        """
        plain: Any = getattr(self.function, "py_func", self.function)
        if not (self.alignment and self.alignment.literal):
            return plain
        names = plain.__globals__ | dict(self.alignment.literal)
        return FunctionType(plain.__code__, names, closure=plain.__closure__)

    def limit(self, place: tuple[int, int], K: int) -> float:
        """Return the promised loss with K arms if the reward of one round and one arm changes.

        If users have individual levels, the loss is the level of this round's user.
        """
        if self.gaussian is not None:
            return self.gaussian.rho(self.numbers)
        if self.delta:
            return self.promised
        if not self.source.per_user:
            return float(self.guarantee.epsilon({**self.numbers, "K": K}))
        users, env_rng = self.population.users(), np.random.default_rng(0)
        for _ in range(place[0] + 1):
            user = arrival(users, env_rng)
        return float(users.level[user])

    def play_traced(self, table: Any, rng: Any, watched: Places = ()) -> Played:
        """Play rewards, float array (T, K), in plain Python with random numbers from ``rng``.

        If the algorithm truncates rewards in ``watched``, this is recorded.
        """
        rewards = Rewards(table, watched)
        rng.reads = rewards.reads
        env_rng = None if self.source.per_user else RoundingUniforms(rewards.reads)
        game = game_on(self, rewards, env_rng)
        given = game, rng, *self.arguments(table.shape[0])
        # code in plain Python may also draw from the global generators
        with nullcontext() if self.compiled else redirect_random(rng, fixed=True):
            answer = answer_of(self.replayed_function(*given))
        arms = game.trace[: int(game.clock[0])].argmax(axis=1)
        if not self.source.question_played.record.per_arm:
            # the trace has no column for each arm, so the arms come from the rewards that were read
            arms = np.array([a for _, a in rewards.reads])
        return Played(arms, answer, rewards)

    def objection(self, pair: Pair, before: Draws, draws: Draws) -> str | None:
        """Return a further reason why a run with shifted noise fails, or None.

        ``before`` are the recorded draws, and ``draws`` are the draws of the shifted run.
        """
        return None

    def loss_of_choices(self, pair: Pair, draws: Draws) -> float:
        """Compute the privacy loss of the random choices between a changed reward and the next
        reward.

        All other random numbers are fixed. If the loss cannot be computed, it is infinite.
        """
        return math.inf


class RegretTarget(DecisionTarget):
    """An algorithm: an adversary sees its actions.

    With local privacy all users have the level eps. The actions are then functions of the users'
    responses and therefore eps-DP, too.
    """

    kind = "algorithm"
    width = 2.0

    def unbounded(self) -> Pair | None:
        """Return two tables of huge rewards, with different best arms, on which the actions differ.

        The result is None if the algorithm declares a range of rewards, or plays the same actions
        on both tables.
        """
        for T in self.lengths if self.source.rewards is None else ():
            huge = np.full((T, 2), HUGE)
            huge[:, 0] *= 2.0
            pair = huge, huge[:, ::-1]
            one, two = (self.mean_output(x, np.random.default_rng(0)) for x in pair)
            if (one != two).any():  # the outputs differ, although both use the same random numbers
                return pair
        return None

    def walk(self, rng: np.random.Generator, T: int) -> Walk:
        K = int(rng.choice(self.sizes or np.minimum(SIZES, T)))
        extremes = self.extremes()
        if extremes is None:
            edge = largest_untruncated(lambda x: self.mean_output(x, rng), T, K, 1e-2, 1e4)
            high = edge if rng.random() < 0.7 else edge * rng.uniform(0.2, 1.0)
            extremes = -high, high
        return random_walk(rng, T, K, *extremes)

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        traces, _ = self.play(data, runs, rng, rounds(len(data)))
        return pulls_of(traces, None)[:, :, :-1].reshape(runs, -1).astype(np.float32)

    def columns(self, data: np.ndarray) -> list[str]:
        arms = range(data.shape[1] - 1)
        return [f"pulls of arm {a} by round {t}" for t in rounds(len(data)) for a in arms]


class ContextualRegretTarget(RegretTarget):
    """The target for an algorithm that plays contexts.

    The adversary sees the regret of each action, which determines the action. If contexts are
    private, the action of a changed round is not protected. Neighbours then differ in the first
    half of the rounds, and the adversary sees only the second half.
    """

    def walk(self, rng: np.random.Generator, T: int) -> Walk:
        found = super().walk(rng, T)
        return replace(found, order=found.order[found.order[:, 0] < (self.start(T) or T)])

    def start(self, T: int) -> int:
        """Return the number of rounds at the beginning that the adversary does not see."""
        return int(rounds(T)[rounds(T) <= T // 2][-1]) if self.of_contexts else 0

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        seen = rounds(len(data))
        traces, _ = self.play(data, runs, rng, seen)
        regret, hidden = regret_of(traces, None)[:, :, 0], (seen <= self.start(len(data))).sum()
        before = regret[:, hidden - 1 : hidden] if hidden else 0.0
        return (regret[:, hidden:] - before).astype(np.float32)

    def columns(self, data: np.ndarray) -> list[str]:
        return [f"regret by round {t}" for t in rounds(len(data)) if t > self.start(len(data))]


class StoppingTarget(DecisionTarget):
    """A private stopping rule: an adversary sees the stopping time and the released estimate."""

    kind = "rule"
    width = 10.0

    def walk(self, rng: np.random.Generator, T: int) -> Walk:
        low, high = self.extremes() or (-self.values["R"], self.values["R"])
        return random_walk(rng, T, 1, low, high)

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        traces, estimates = self.play(data, runs, rng, np.array([len(data)]))
        halted = ~np.isnan(estimates)
        times = np.where(halted, traces.sum(axis=(1, 2)), len(data) + 1)
        return np.column_stack([times, np.where(halted, estimates, MISSING)])

    def columns(self, data: np.ndarray) -> list[str]:
        return ["stopping time", "estimate"]


class BestArmTarget(RegretTarget):
    """A rule that names an arm: an adversary sees the pulls of each arm, and the arm named."""

    kind = "rule"
    fewest_arms = 2

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        traces, answers = self.play(data, runs, rng, np.array([len(data)]))
        found = traces.sum(axis=1)
        return np.column_stack([found, np.where(np.isnan(answers), MISSING, answers)])

    def columns(self, data: np.ndarray) -> list[str]:
        return [*(f"pulls of arm {a}" for a in range(data.shape[1])), "arm named"]


TARGETS: dict[Question, type[DecisionTarget]] = {
    REGRET: RegretTarget,
    CONTEXTUAL: ContextualRegretTarget,
    STOPPING: StoppingTarget,
    BEST_ARM: BestArmTarget,
    HYPOTHESES: StoppingTarget,
}


def target_of(
    source: Algorithm, budget: float, values: Mapping[str, Any], *given: Any, **named: Any
) -> DecisionTarget:
    """Return the audit target for an algorithm or a stopping rule, by its question."""
    return TARGETS[source.question_played](source, budget, values, *given, **named)


def rounds(T: int) -> np.ndarray:
    """Return the rounds at which the audit observes actions: all rounds, or at most
    MOST_CHECKPOINTS of them.
    """
    if T <= MOST_CHECKPOINTS:
        return np.arange(1, T + 1)
    half = MOST_CHECKPOINTS // 2
    both = np.concatenate([np.geomspace(1, T, half), np.linspace(T / half, T, half)])
    return np.unique(np.rint(both).astype(np.int64))
