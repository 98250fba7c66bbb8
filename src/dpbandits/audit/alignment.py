"""Replays of alignments: the noise of a run, shifted as a proof says, on neighbouring rewards.

A replay has four runs in plain Python. The first, on one sequence of rewards, records the noise.
The second, on the other sequence, shifts it as the alignment says and finds the cost. The last two
play both sequences with these numbers and nothing else: their actions, and the stopping time and
the estimate of a stopping rule, must be the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..compiled import answer_of
from ..contracts.algorithm import Algorithm
from ..contracts.alignments import Alignment, Changed, Drawn, Run
from ..contracts.guarantees import Gaussian
from ..contracts.question import STOPPING
from ..environments.blocks import kept
from ..environments.populations import Population, homogeneous
from ..environments.users import arrival
from .fixed_games import game_on
from .parameters import arguments_at
from .players import Player
from .streams import DISCRETE, LAPLACE, SKELLAM, UNIFORM, Draw, Recorder, Replay, Shifted, Stream
from .subjects import Subject

REPLAYS = {"algo": 100, STOPPING.group: 30}  # of an audit; rules stop late
TOLERANCE = 1e-9  # relative, of a cost and of an estimate
NUDGES = 3  # a difference must remain when the noise changes a little, so often
NUDGE = 1e-6  # relative change of the noise
SIZES = (1.0, 1.0, 1e-3, 30.0)  # of the noise: small noise leaves decisions to the rewards
HORIZONS = {  # of games in blocks, of rounds, and of stopping rules
    False: (8, 32, 128, 512, 4096),
    True: (8, 16, 32, 64, 128),
    STOPPING.group: (64, 512, 2048, 8192),
}
SILENT = 0.05  # share that is replayed of the games in which no noise is drawn
ARMS = (1, 2, 2, 2, 3, 5)


class Reward(float):
    """A reward that notes at what level it is truncated around what center."""

    __array_ufunc__ = None

    noted: list[float]
    center: float

    def __new__(cls, value, noted, center=0.0):
        number = super().__new__(cls, value)
        number.noted, number.center = noted, center
        return number

    def __add__(self, x):
        return float(self) + x

    def __mul__(self, x):
        return float(self) * x

    def __sub__(self, center):
        return Reward(float(self) - float(center), self.noted, self.center + float(center))

    def __abs__(self):
        return Size(abs(float(self)), self.noted, self.center)


class Size(Reward):
    """The absolute value of a reward."""

    def __le__(self, level):
        self.noted[:] = [self.center, float(level)]
        return float(self) <= float(level)

    __lt__ = __le__

    def __gt__(self, level):
        return not self <= level

    __ge__ = __gt__
    __hash__ = float.__hash__


class Rewards:
    """A table of rewards that notes which are read.

    Attributes:
        reads: round and arm of each reward read, in turn.
        truncated: center and level of the truncation of watched rewards.
    """

    def __init__(self, table: np.ndarray, watched: Sequence[tuple[int, int]] = ()):
        self.table, self.shape = table, table.shape
        self.reads: list[tuple[int, int]] = []
        self.truncated: dict[tuple[int, int], list[float]] = {w: [0.0, math.inf] for w in watched}

    def __getitem__(self, place):
        place = int(place[0]), int(place[1])
        self.reads.append(place)
        x = self.table[place]
        noted = self.truncated.get(place)
        return x if noted is None else Reward(x, noted)


class Coins:
    """The uniform numbers by which rewards are rounded: those of a round and an arm are the same in
    all replays, whatever is read before.
    """

    def __init__(self, reads: Sequence[tuple[int, int]]):
        self.reads = reads

    def random(self) -> float:
        return float(np.random.default_rng(self.reads[-1]).random())


class Played(NamedTuple):
    """What a run did.

    Attributes:
        arms: int array, the arm of each round.
        answer: what the algorithm returned, NaN for nothing.
        rewards: what was read.
    """

    arms: np.ndarray
    answer: float
    rewards: Rewards


class Problem(NamedTuple):
    """Why a replay is no alignment.

    Attributes:
        why: in words.
        round: the first round whose action differs, or the number of rounds.
        actions: the two actions of this round; None if they are the same.
        change: round and arm of the reward that changes, before and after.
        noise: what was drawn, and the shifts that are not 0, in words.
    """

    why: str
    round: int
    actions: tuple[int, int] | None
    change: str
    noise: str


class Outcome(NamedTuple):
    """The result of a replay.

    Attributes:
        problem: why it is no alignment, or None.
        spent: its cost, as a share of the budget.
        entered: whether the reward that changes enters a shifted draw.
        draws: the draws of the shifted run.
    """

    problem: Problem | None
    spent: float
    entered: bool
    draws: Sequence[Draw]


@dataclass(frozen=True)
class Aligned:
    """The result of many replays.

    Attributes:
        replays: how many there were.
        aligned: how many succeeded.
        entered: in how many the changed reward entered a draw that was shifted.
        edges: how many failed at first, but not when the noise changed a little.
        spent: the largest cost, as a share of the budget.
        problem: the first counter-example, or None.
    """

    replays: int
    aligned: int
    entered: int
    edges: int
    spent: float
    problem: Problem | None

    @property
    def holds(self) -> bool:
        return self.aligned == self.replays

    def in_words(self) -> str:
        """A sentence, and the counter-example."""
        text = f"aligned in {self.aligned} of {self.replays} replays"
        if self.problem is None:
            edges = f"; {self.edges} at an edge of rounding" if self.edges else ""
            return (
                f"{text}; the changed reward entered noise in {self.entered}, at a cost of at most "
                f"{self.spent:.4g} of the budget{edges}"
            )
        p = self.problem
        actions = ""
        if p.actions is not None:
            actions = f"\n  actions    arm {p.actions[0]} and arm {p.actions[1]} in round {p.round}"
        return f"{text}: {p.why}\n  neighbours {p.change}{actions}\n  noise      {p.noise}"


MISSING = """\
no alignment is declared, so nothing is replayed. Name in the guarantee how the noise shifts when
one reward changes:
  from dpbandits.authoring import global_dp, one_release
  GUARANTEE = global_dp("SOURCE", alignment=one_release)   # each reward enters one noisy release
or releases(n), one_bit, counter_nodes, nodes(of, says), sparse_vector(sign), or an Alignment whose
shifts(run, changed) returns {number of the draw: shift}. See docs/privacy.md."""


def report(subject: Subject, seed: int) -> dict[str, Any]:
    """The columns of an audit's table about the alignment of its subject: the number of replays,
    how many of them were aligned, and both in words with the counter-example, or what is missing.
    """
    if not isinstance(subject, Player):  # a release, or a response of a user of a player
        return {"replays": 0, "aligned": 0, "alignment": ""}
    guarantee = subject.source.guarantee
    if guarantee is None or guarantee.alignment is None:
        return {"replays": 0, "aligned": 0, "alignment": MISSING}
    try:
        coupling = Coupling(subject.source, subject.budget, subject.values)
        found = align(coupling, seed=seed, horizons=subject.horizons)
    except Exception as error:  # of a user's algorithm, on numbers that note what is done to them
        text = f"it cannot be replayed ({type(error).__name__}: {error})"
        return {"replays": 0, "aligned": 0, "alignment": text}
    return {"replays": found.replays, "aligned": found.aligned, "alignment": found.in_words()}


def refuted(row: Mapping[str, Any]) -> bool:
    """Whether a row of an audit's table holds a counter-example to the alignment."""
    return row["aligned"] < row["replays"]


@dataclass(frozen=True)
class Coupling:
    """An algorithm or stopping rule whose alignment is replayed.

    Attributes:
        algorithm: the algorithm, which declares an alignment.
        budget: its privacy budget; for local privacy the level of all users.
        values: its other parameters, as a configuration holds them.
        crowd: whether users have levels of their own, for algorithms that know them.
    """

    algorithm: Algorithm
    budget: float
    values: Mapping[str, Any]
    crowd: bool = False

    @property
    def alignment(self) -> Alignment:
        guarantee = self.algorithm.guarantee
        assert guarantee is not None and guarantee.alignment is not None
        return guarantee.alignment

    @property
    def gaussian(self) -> Gaussian | None:
        """What Gaussian noise promises; None for pure DP."""
        assert self.algorithm.guarantee is not None
        return self.algorithm.guarantee.gaussian

    @property
    def parameters(self) -> dict[str, Any]:
        algorithm = self.algorithm
        own = {"eps_min": self.budget} if algorithm.per_user else {}
        return {**own, **self.values, str(algorithm.budget): self.budget}

    @cached_property
    def function(self) -> Callable:
        """The algorithm in plain Python, with the draws that its proof speaks of."""
        plain: Any = getattr(self.algorithm.function, "py_func", self.algorithm.function)
        if not self.alignment.literal:
            return plain
        names = plain.__globals__ | dict(self.alignment.literal)
        return FunctionType(plain.__code__, names, closure=plain.__closure__)

    def arguments(self, T: int) -> tuple[float, ...]:
        """The arguments of the function at a horizon."""
        return arguments_at(self.algorithm, self.parameters, T)

    def extremes(self) -> tuple[float, float] | None:
        """The smallest and the largest reward, if the guarantee needs bounded rewards."""
        rewards = self.algorithm.rewards
        if rewards is not None:
            return rewards.extremes(self.parameters)
        return None

    @property
    def population(self) -> Population:
        if not (self.crowd and self.algorithm.per_user):
            return homogeneous(self.budget)
        levels = self.budget * np.array([0.5, 1.0, 2.0])
        return Population(levels, np.full(3, 1 / 3))

    def limit(self, place: tuple[int, int]) -> float:
        """The budget for a change of the reward of a place: of its user, if levels differ."""
        guarantee = self.algorithm.guarantee
        assert guarantee is not None
        if self.gaussian is not None:
            return self.gaussian.rho(self.parameters)
        if not self.algorithm.per_user:
            return guarantee.epsilon(self.parameters)
        users, coins = self.population.users(), np.random.default_rng(0)
        for _ in range(place[0] + 1):
            user = arrival(users, coins)
        return float(users.level[user])

    def play(
        self,
        table: np.ndarray,
        stream: Callable[[Sequence[Any]], Stream],
        watched: Sequence[tuple[int, int]] = (),
    ) -> tuple[Played, Any]:
        """Play rewards, float array (T, K), with the numbers of a stream."""
        T = len(table)
        rewards: Any = Rewards(table, watched)
        coins: Any = np.random.default_rng(0) if self.algorithm.per_user else Coins(rewards.reads)
        users = self.population.users()
        game = game_on(self.algorithm, rewards, users, coins, np.arange(1, T + 1))
        rng = stream(rewards.reads)
        answer = answer_of(self.function(game, rng, *self.arguments(T)))
        arms = game.trace[: int(game.clock[0])].argmax(axis=1)
        if not self.algorithm.asked.record.per_arm:  # every reward is read
            arms = np.array([a for _, a in rewards.reads])
        return Played(arms, answer, rewards), rng

    def replay(
        self,
        first: np.ndarray,
        second: np.ndarray,
        record: Callable[[Sequence[Any]], Stream],
    ) -> Outcome:
        """Record a run on one sequence of rewards and replay it, shifted, on another one.

        Costs and the numbers of releases are limited for neighbours only, which differ in one
        reward.
        """
        places = [(int(t), int(a)) for t, a in np.argwhere(first != second)]
        seen, recorded = self.play(first, record, places)
        declared = self._declared(seen, recorded, first, second, places)
        _, shifted = self.play(second, lambda reads: Shifted(reads, recorded.draws, declared))
        one, plainly = self.play(first, lambda reads: Replay(reads, recorded.draws))
        two, other = self.play(second, lambda reads: Replay(reads, shifted.draws))
        charges = [_cost(draw, self.gaussian) for draw in shifted.draws]
        spent = math.fsum(charges)
        rounding = math.fsum(draw.rounding for draw in shifted.draws)
        neighbours = len(places) == 1
        limit = self.limit(places[0]) if neighbours else math.inf
        why, where = None, len(one.arms)
        if not _equal(seen, one) or plainly.moved:
            why = "a random number is used in a way that the replay cannot follow"
        elif not _equal(one, two):
            n = min(len(one.arms), len(two.arms))
            where = next((t for t in range(n) if one.arms[t] != two.arms[t]), n)
            if where < n:
                why = "the actions differ"
            elif len(one.arms) != len(two.arms):
                why = f"it stops after {len(one.arms)} and after {len(two.arms)} rewards"
            else:
                why = f"the answers are {one.answer:.6g} and {two.answer:.6g}"
        elif shifted.moved or other.moved or len(shifted.draws) != len(recorded.draws):
            why = shifted.moved or other.moved or "the draws are others"
        elif _scales_differ(recorded.draws, shifted.draws):
            why = "the scale of a draw depends on the changed reward"
        elif neighbours and (n := self._entered(shifted)) > self.alignment.releases:
            why = f"the changed reward enters {n} releases"
        elif neighbours and shifted.bits > self.alignment.bits:
            why = f"the changed reward enters {shifted.bits} comparisons"
        elif neighbours and not spent <= limit * (1.0 + TOLERANCE) + rounding:
            why = f"the cost is {spent:.6g}, and the budget {limit:g}"
        problem = None
        if why is not None:
            differ = why == "the actions differ"
            pair = (int(one.arms[where]), int(two.arms[where])) if differ else None
            change = _change(first, second, places)
            problem = Problem(why, where + 1, pair, change, _noise(recorded.draws, shifted.draws))
        share = spent / limit if neighbours else 0.0
        return Outcome(problem, share, spent > 0.0, shifted.draws)

    def _entered(self, shifted: Shifted) -> int:
        """How many releases the changed reward enters."""
        return self.alignment.entered([shifted.draws[i].place for i in shifted.released])

    def _declared(self, seen, recorded, first, second, places):
        """The shifts that the alignment declares, for all rewards that change and were read."""
        declare = self.alignment.shifts
        if declare is None:
            return {}
        draws, numbers = [], []
        counts: dict[int, int] = {}
        place, reads = 0, seen.rewards.reads
        arm, number, items = -1, 0, {}
        for i, draw in enumerate(recorded.draws):
            while place < draw.place:
                arm = reads[place][1]
                counts[arm] = counts.get(arm, 0) + 1
                items[reads[place]] = counts[arm]
                place, number = place + 1, 0
            if draw.is_noise:
                draws.append(Drawn(arm, counts.get(arm, 0), number))
                numbers.append(i)
                number += 1
        for t, a in reads[place:]:
            counts[a] = counts.get(a, 0) + 1
            items[t, a] = counts[a]
        values = dict(zip(self.algorithm.domains, self.arguments(len(first)), strict=True))
        run = Run(draws, values, seen.answer)
        found: dict[int, float] = {}
        for where in places:
            if where in items:
                center, level = seen.rewards.truncated[where]
                by = kept(second[where] - center, level) - kept(first[where] - center, level)
                changed = Changed(where[1], items[where], float(by))
                for i, shift in declare(run, changed).items():
                    found[numbers[i]] = found.get(numbers[i], 0.0) + shift
        if not found:  # nothing changes: nor does the noise
            return dict.fromkeys(numbers, 0.0)
        return found


def _cost(draw: Draw, gaussian) -> float:
    """The cost of the shift of a draw: in nats, or the rho of zCDP."""
    if draw.kind == SKELLAM:  # a Renyi divergence of at most order times this (skellam_rho)
        return (draw.shift**2 / 2.0 + 0.75 * abs(draw.shift)) / draw.shape**2
    if draw.kind == DISCRETE:
        return abs(draw.shift) / draw.shape
    if draw.kind == UNIFORM:
        loss = draw.cost
    elif draw.kind == LAPLACE or gaussian is not None:
        loss = abs(draw.shift)
    else:  # normal noise gives no pure privacy
        loss = math.inf if draw.shift else 0.0
    return loss if gaussian is None else loss * loss / 2.0


def _equal(one: Played, two: Played) -> bool:
    """Whether two runs are the same except for rounding of the answer."""
    same = np.array_equal(one.arms, two.arms)
    return same and bool(
        np.isclose(one.answer, two.answer, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    )


def _scales_differ(first: Sequence[Draw], second: Sequence[Draw]) -> bool:
    def differ(x, y):
        return (x is None) != (y is None) or (
            x is not None and abs(x - y) > TOLERANCE * max(abs(x), abs(y))
        )

    return any(differ(d.scale, e.scale) for d, e in zip(first, second, strict=True))


def _change(first, second, places) -> str:
    if len(places) != 1:
        return f"{len(places)} rewards change"
    [(t, a)] = places
    return f"the reward of arm {a} in round {t + 1} is {first[t, a]:g} or {second[t, a]:g}"


def _noise(first: Sequence[Draw], second: Sequence[Draw]) -> str:
    """The shifts in words, each at the scale of its draw."""
    found = []
    for i, (d, e) in enumerate(zip(first, second, strict=False)):
        if e.shift:
            scale = d.scale or 1.0
            found.append(f"draw {i + 1}: {d.z * scale:.4g} becomes {e.z * scale:.4g}")
        elif e.cost:
            found.append(f"bit {i + 1} costs {e.cost:.4g}")
    shown = ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
    noise = sum(d.is_noise for d in first)
    return f"{noise} draws of noise; {shown or 'no shift'}"


class Case(NamedTuple):
    """What is replayed.

    Attributes:
        first: float array (T, K).
        second: the same where one reward changes.
        far: the same where all rewards of an arm change.
        size: the size of the noise.
        seed: of the noise.
        noisy: whether noise is drawn for the first one; for stopping rules, whether it stops.
    """

    first: np.ndarray
    second: np.ndarray
    far: np.ndarray
    size: float
    seed: int
    noisy: bool = True


def check(coupling: Coupling, case: Case) -> Outcome:
    """Replay a case: neighbours, and tables far from each other, on which the decisions must also
    be the same, at any cost; if they are not, two neighbours between them are the counter-example.
    An alignment of one change is instead replayed on two neighbours between them that, with the
    same noise, stop at different times.
    """

    def fresh(given=()):
        return lambda reads: Recorder(reads, np.random.default_rng(case.seed), case.size, given)

    near = coupling.replay(case.first, case.second, fresh())
    if near.problem is not None:
        return near
    walk = np.argwhere(case.first != case.far)

    def table(m):
        rewards = case.first.copy()
        rewards[tuple(walk[:m].T)] = case.far[tuple(walk[:m].T)]
        return rewards

    if coupling.alignment.one_change:

        def stops(m):
            played, _ = coupling.play(table(m), fresh())
            return len(played.arms), math.isnan(played.answer)

        low, high, start = 0, len(walk), stops(0)
        if stops(high) == start:
            return near
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if stops(middle) == start else (low, middle)
        there = coupling.replay(table(low), table(high), fresh())
        back = coupling.replay(table(high), table(low), fresh())
        return there if there.problem is not None else back if back.problem is not None else near
    found = coupling.replay(case.first, case.far, fresh())
    if found.problem is None:
        return near
    draws: Sequence[Draw] = ()
    low, high = 0, len(walk)
    while high - low > 1:
        middle = (low + high) // 2
        tried = coupling.replay(case.first, table(middle), fresh())
        if tried.problem is None:
            low, draws = middle, tried.draws
        else:
            high = middle
    return coupling.replay(table(low), table(high), fresh(draws))


def _nudged(coupling: Coupling, case: Case, k: int) -> Outcome:
    """The case with noise that differs a little."""
    size = case.size * (1.0 + NUDGE * (k + 1))
    return check(coupling, case._replace(size=size))


def align(
    coupling: Coupling,
    replays: int | None = None,
    seed: int = 0,
    horizons: Sequence[int] = (),
) -> Aligned:
    """Replay an alignment on random rewards, horizons and noise, until it fails.

    Args:
        coupling: what is replayed.
        replays: how often; None for as often as in an audit.
        seed: the result depends on it and on the other arguments.
        horizons: the horizons; empty for several that are cheap.
    """
    rng = np.random.default_rng([seed, 20])
    replays = replays or REPLAYS[coupling.algorithm.group]
    aligned = entered = edges = 0
    spent = 0.0
    for number, case in zip(range(replays), cases(coupling, rng, horizons), strict=False):
        mixed = replace(coupling, crowd=number % 2 == 1)
        found = check(mixed, case)
        if found.problem is not None:
            nudged = [_nudged(mixed, case, k) for k in range(NUDGES)]
            if all(outcome.problem is not None for outcome in nudged):
                return Aligned(number + 1, aligned, entered, edges, spent, found.problem)
            edges += 1
        aligned += 1
        entered += found.entered
        spent = max(spent, found.spent)
    return Aligned(replays, aligned, entered, edges, spent, None)


def cases(
    coupling: Coupling, rng: np.random.Generator, horizons: Sequence[int] = ()
) -> Iterator[Case]:
    """Random cases of random horizons and numbers of arms."""
    stops = coupling.algorithm.group == STOPPING.group
    usual = HORIZONS[STOPPING.group if stops else coupling.algorithm.round_by_round]
    lengths = np.array(horizons or usual)
    shares = lengths**-0.5 / (lengths**-0.5).sum()
    longer = False  # the last game was too short
    while True:
        T = int(lengths.max() if longer else rng.choice(lengths, p=shares))
        K = max(int(rng.choice(ARMS)), 1 + stops)
        K = 1 if coupling.algorithm.question.one_arm else K
        case = case_of(coupling, rng, T, K)
        longer = not (case.noisy or longer)
        if case.noisy or rng.random() < SILENT:
            yield case


def case_of(coupling: Coupling, rng: np.random.Generator, T: int, K: int) -> Case:
    """A random case of some rounds and arms.

    Rewards are at their extremes, or anywhere; arms are alike, or not. The reward that changes is
    one that is read, if possible before the last draw of noise.
    """
    low, high = coupling.extremes() or _reach(rng)
    shares = rng.choice([0.0, 0.5, 1.0, rng.random()], size=K)
    first = np.where(rng.random((T, K)) < shares, high, low)
    if rng.random() < 0.3:
        first = low + (high - low) * rng.random((T, K)) ** 2
    size, seed = float(rng.choice(SIZES)), int(rng.integers(2**32))
    far, arm = first.copy(), int(rng.integers(K))
    far[:, arm] = high if rng.random() < 0.5 else low
    if (first == far).all():
        far[:, arm] = low + high - far[:, arm]
    if coupling.alignment.one_change:  # a sum near 0 stops late; looking for where is slow
        far = first.copy()
        if rng.random() < 0.3:
            far[:, arm] = np.where(np.arange(T) % 2, high, low)

    def record(reads):
        return Recorder(reads, np.random.default_rng(seed), size)

    seen, recorded = coupling.play(first, record)
    reads = seen.rewards.reads
    until = max((d.place for d in recorded.draws), default=0) or len(reads)
    some = until > 0 and rng.random() < 0.8
    chosen = int(rng.integers(until)) if some else 0  # the first reward is in most nodes
    place = reads[chosen] if reads else (0, 0)
    if coupling.extremes() is None:
        noted, _ = coupling.play(first, record, [place])
        center, level = noted.rewards.truncated[place]
        if level < math.inf and rng.random() < 0.7:  # the largest change that is not truncated
            low, high = center - level * (1.0 - 1e-9), center + level * (1.0 - 1e-9)
    before, after = (low, high) if rng.random() < 0.5 else (high, low)
    first[place], second = before, first.copy()
    second[place] = after
    noisy = any(draw.is_noise or draw.kind == UNIFORM for draw in recorded.draws)
    if coupling.algorithm.question.one_arm:
        noisy = not math.isnan(seen.answer)
    return Case(first, second, far, size, seed, noisy)


def _reach(rng: np.random.Generator) -> tuple[float, float]:
    """Rewards without bounds: of any size, of both signs or of one."""
    high = 10.0 ** rng.uniform(-1.5, 1.2)
    return (-high, high) if rng.random() < 0.7 else (0.0, high)
