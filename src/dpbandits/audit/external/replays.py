"""Replays of an external policy: all noise that holds the changed reward is shifted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..alignment.replayed_policy import Played, ReplayedPolicy
from ..alignment.replayed_streams import CLOSE, Branch, Replay, Shifted
from ..alignment.rewards import Rewards
from ..numbers.draws import Draw
from ..numbers.streams import Recorder, Stream

MOST_BRANCHES = 64  # of the choices that are made in a round
PROBES = 16  # games in which the response of the first user is examined
AGAIN = 8  # times that each branch is played: what it decides must be the same
PROBED = 32  # rounds of these games


@dataclass(frozen=True)
class ReplayedExternalPolicy(ReplayedPolicy):
    """An external policy that is replayed: its random numbers are recorded wherever they come from.

    Attributes:
        local: whether the changed reward may enter noise of its own user only.
    """

    local: bool = False

    @property
    def fewest_arms(self) -> int:
        """Published code compares arms: a single one is no bandit to most of it."""
        return 2

    def play(
        self,
        table: np.ndarray,
        stream: Callable[[Sequence[Any]], Stream],
        watched: Sequence[tuple[int, int]] = (),
    ) -> tuple[Played, Any]:
        T, K = table.shape
        rewards = Rewards(table, watched)
        rng = stream(rewards.reads)
        reward = lambda t, a: float(rewards[t, a])  # noqa: E731
        arms = self.source.function.play(reward, K, T, self.budget, rng)
        return Played(np.array(arms, int), math.nan, rewards), rng

    def objection(
        self, first: np.ndarray, second: np.ndarray, before: Sequence[Draw], draws: Sequence[Draw]
    ) -> str | None:
        """Local noise is that of the user's own round, or hides the user's reward itself."""
        place = tuple(np.argwhere(first != second)[0])
        own = place[0] + 1  # the number of rewards read when the user's noise is added

        def foreign(d: Draw) -> bool:
            hidden = [e.added[:1] for e in (before[d.number], d)]
            itself = [[first[place]], [second[place]]]
            late = d.entered != own and not (d.shift and d.place > own and _close(hidden, itself))
            return bool((d.shift or d.cost) and late)

        if self.local and any(map(foreign, draws)):
            return "the reward enters noise of other users"
        return None

    def loss_of_choices(
        self, first: np.ndarray, second: np.ndarray, draws: Sequence[Draw]
    ) -> float:
        t = int(np.argwhere(first != second)[0][0])
        laws = [self._law(x, draws, t + 1) for x in (first, second)]
        return math.inf if not all(laws) else max(_loss(*laws), _loss(*laws[::-1]))

    def _law(self, table, draws, own, again=1) -> dict[tuple[int, ...], float]:
        """The probabilities of the actions of all rounds by the choices made in one round, where
        nothing else is drawn in it; empty if there are too many choices, or ``again`` games with
        the same choices have other actions.
        """
        law: dict[tuple[int, ...], float] = {}
        paths: list[tuple[int, ...]] = [()]
        for _ in range(MOST_BRANCHES):
            if not paths:
                return law
            path = paths.pop()
            plays = [self.play(table, lambda reads: Branch(reads, draws, own, path))  # noqa: B023
                     for _ in range(again)]  # fmt: skip
            actions = {tuple(seen.arms.tolist()) for seen, _ in plays}
            branch = plays[0][1]
            outcomes = [k for k, _ in branch.taken]
            for i in range(len(path), len(outcomes)):
                others = (k for k, p in enumerate(branch.taken[i][1]) if p > 0.0)
                paths += [(*outcomes[:i], k) for k in others if k != outcomes[i]]
            if branch.chosen_alone:
                if len(actions) > 1:
                    return {}
                [acted] = actions
                law[acted] = law.get(acted, 0.0) + math.prod(p[k] for k, p in branch.taken)
        return {}

    def _hidden_later(self, first, second, draws: Sequence[Draw]) -> bool:
        """Whether noise that the first reward enters in a later round hides its change."""
        one, _ = self.play(first, lambda reads: Replay(reads, draws))
        two, shifted = self.play(second, lambda reads: Shifted(reads, draws, {}))
        later = any(draw.shift and (draw.entered or 0) > 1 for draw in shifted.draws)
        return later and one.arms.tolist() == two.arms.tolist()

    def response_loss(self, seed: int) -> float:
        """A lower bound on the loss of the first user's response, by what the choices that it is
        made with, and no noise, lead to; 0 if it has noise always, or more than one law explains
        what is seen.

        Nothing may be drawn before the first reward: the response could be hidden by it.
        """
        rng, worst = np.random.default_rng([seed, 21]), 0.0
        for probe in range(PROBES):
            table = np.where(rng.random((PROBED, 2)) < 0.5, 1.0, 0.0)
            if probe % 2:
                table = rng.random(table.shape)
            other = table.copy()
            values = rng.permutation([0.0, 1.0]) if probe % 3 else rng.random(2)
            table[0], other[0] = values
            _, record = self.play(
                table,
                lambda reads: Recorder(reads, rng, 1.0 if probe % 4 < 2 else 1e-3),  # noqa: B023
            )
            if not record.reads or any(draw.place == 0 for draw in record.draws):
                continue
            if self._hidden_later(table, other, record.draws):
                continue
            laws = [self._law(x, record.draws, 1, AGAIN) for x in (table, other)]
            if all(laws) and math.isclose(*(sum(law.values()) for law in laws)):
                worst = max(worst, _loss(*laws), _loss(*laws[::-1]))
        return worst


def _close(one: Sequence[Any], two: Sequence[Any]) -> bool:
    """Whether two lists of lists of numbers are equal except for rounding."""
    return np.shape(one) == np.shape(two) and np.allclose(one, two, rtol=CLOSE, atol=CLOSE)


def _loss(p: dict[Any, float], q: dict[Any, float]) -> float:
    """The largest logarithm of a ratio of probabilities, p over q."""
    ratios = (x / q[k] if q.get(k) else math.inf for k, x in p.items())
    return math.log(max(ratios, default=1.0))
