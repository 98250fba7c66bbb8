"""The random choices of an external policy in one round, played with all their outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..alignment.replayed_streams import Branch, Replay, Shifted
from ..numbers.draws import Draw
from ..numbers.streams import Recorder
from ..targets.decisions import DecisionTarget

# The probability of each outcome. An outcome is the actions of all rounds, together with the laws
# of all later draws as text
Law = dict[tuple[tuple[int, ...], str], float]
MOST_BRANCHES = 64  # the largest number of branches that the choices in a round may have
PROBES = 16  # number of games in which the response of the first user is examined
AGAIN = 8  # how often each branch is played: the actions must be the same each time
PROBED = 32  # number of rounds of these games


def law_of_choices(
    target: DecisionTarget, table: np.ndarray, draws: Sequence[Draw], own: int, again: int = 1
) -> Law:
    """Compute the law of the actions if only the choices in one round are random.

    A branch is one sequence of outcomes of these choices. A branch is left out if the round draws
    anything but choices. The law is empty if there are too many branches, or if two of ``again``
    games with the same choices have different actions.

    Args:
        target: the policy that is played.
        table: the rewards.
        draws: the numbers of the other rounds.
        own: how many rewards have been read when the choices of this round are made.
        again: how often each branch is played.
    """
    law: Law = {}
    paths: list[tuple[int, ...]] = [()]
    for _ in range(MOST_BRANCHES):
        if not paths:
            return law
        path = paths.pop()
        branches = [Branch(draws, own, path) for _ in range(again)]
        actions = {tuple(target.play_traced(table, x).arms.tolist()) for x in branches}
        branch = branches[0]
        outcomes = [k for k, _ in branch.taken]
        for i in range(len(path), len(outcomes)):
            others = (k for k, p in enumerate(branch.taken[i][1]) if p > 0.0)
            paths += [(*outcomes[:i], k) for k in others if k != outcomes[i]]
        if branch.chosen_alone:
            if len(actions) > 1:
                return {}
            key = actions.pop(), branch.laws
            law[key] = law.get(key, 0.0) + math.prod(p[k] for k, p in branch.taken)
    return {}


def loss_between(*laws: Law) -> float:
    """Compute the largest |ln(p/q)| of two laws, which is infinite if one law is empty."""
    ratios = [x / q[k] if q.get(k) else math.inf
              for p, q in (laws, laws[::-1]) for k, x in p.items()]  # fmt: skip
    return math.log(max(ratios, default=math.inf))


def response_loss(target: DecisionTarget, seed: int) -> float:
    """Compute a lower bound on the privacy loss of the first user's response, from the random
    choices in this response.

    The bound compares, for two rewards of the user, the law of the actions if only these choices
    are random. The bound is 0 if the response always contains noise, if more than one law explains
    the actions, or if the policy raises an error. A game does not count if numbers are drawn before
    the first reward, or if noise of a later round is added to this reward, since both could hide
    the response.
    """
    rng, worst = np.random.default_rng([seed, 21]), 0.0
    with suppress(Exception):  # a policy may not accept numbers that record operations
        for probe in range(PROBES):
            table = np.where(rng.random((PROBED, 2)) < 0.5, 1.0, 0.0)
            if probe % 2:
                table = rng.random(table.shape)
            other = table.copy()
            table[0], other[0] = rng.permutation([0.0, 1.0]) if probe % 3 else rng.random(2)
            size = 1.0 if probe % 4 < 2 else 1e-3
            record = Recorder(rng, size)
            target.play_traced(table, record)
            draws = record.draws
            if not record.reads or any(draw.place == 0 for draw in draws):
                continue
            laws = [law_of_choices(target, x, draws, 1, AGAIN) for x in (table, other)]
            if _hidden_later(target, table, other, draws):
                continue
            if all(laws) and math.isclose(*(sum(law.values()) for law in laws)):
                worst = max(worst, loss_between(*laws))
        return worst
    return 0.0


def _hidden_later(target: Any, first: Any, second: Any, draws: Sequence[Draw]) -> bool:
    """Return whether the first reward is added to noise of a later round, which hides a change of
    the reward.
    """
    shifted = Shifted(draws, {})
    one, two = target.play_traced(first, Replay(draws)), target.play_traced(second, shifted)
    later = any(draw.shift and (draw.entered or 0) > 1 for draw in shifted.draws)
    return later and one.arms.tolist() == two.arms.tolist()
