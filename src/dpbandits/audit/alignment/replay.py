"""One replay of an alignment, which consists of four runs in plain Python.

The first run, on one sequence of rewards, records the noise. The second run, on a neighbouring
sequence, shifts the noise as the alignment says and computes the cost in privacy. The third and the
fourth run repeat the first and the second with the same noise as plain numbers. The third and the
fourth run must have the same actions, and for a stopping rule the same stopping time and estimate.
If contexts are private, the action in the changed round may differ: joint DP does not protect this
action, which depends on the contexts of the round.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...contracts.alignments import Changed, Drawn, Run
from ...environments.blocks import truncate
from ...parts.noise.shuffled_coins import eps_of_coins
from ..numbers.draws import CHOICE, COINS, DISCRETE, LAPLACE, NOISE, SKELLAM, UNIFORM, Draw, Draws
from ..numbers.streams import Recorder
from ..targets.decisions import DecisionTarget, Played
from .replayed_streams import OTHER_DRAWS, Replay, Shifted

TOLERANCE = 1e-9  # relative tolerance for a cost and for an estimate
OTHER_ACTIONS = "the actions differ"


class Problem(NamedTuple):
    """The reason why a replay failed.

    Attributes:
        why: the reason in words.
        example: the counter-example in words: the changed reward, the first different actions (if
            actions differ), and the draws of noise with a shift.
        pair: the two sequences of rewards.
    """

    why: str
    example: str
    pair: tuple[np.ndarray, np.ndarray]


class Outcome(NamedTuple):
    """The result of a replay.

    Attributes:
        problem: why the replay failed, or None.
        spent: the cost of the shifts, as a share of the budget.
        entered: whether a statistic with the changed reward was added to a shifted draw.
        chosen: whether the change of the reward changes the probabilities of a choice or a
            comparison.
        draws: the draws of the shifted run.
    """

    problem: Problem | None
    spent: float
    entered: bool
    chosen: bool
    draws: Draws


def replay(
    target: DecisionTarget, first: np.ndarray, second: np.ndarray, recorded: Recorder
) -> Outcome:
    """Record a run on one sequence of rewards, and replay it with shifted noise on another
    sequence.

    Limits on the cost and on the number of releases are checked only if the sequences are
    neighbours, which differ in one reward.
    """
    places = [(int(t), int(a)) for t, a in np.argwhere(first != second)]
    seen = target.play_traced(first, recorded, places)
    declared = declared_shifts(target, seen, recorded, first, second, places)
    shifted, plainly = Shifted(recorded.draws, declared), Replay(recorded.draws)
    target.play_traced(second, shifted)
    other = Replay(shifted.draws)
    one, two = target.play_traced(first, plainly), target.play_traced(second, other)
    spent = math.fsum(_cost(draw, target.gaussian, target.delta) for draw in shifted.draws)
    rounding = math.fsum(draw.rounding for draw in shifted.draws)
    releases = target.alignment.entered([shifted.draws[i].place for i in shifted.released])
    neighbours = len(places) == 1
    limit = target.limit(places[0], first.shape[1]) if neighbours else math.inf
    excepted = {t for t, _ in places} if target.of_contexts else set()
    most, chosen = limit * (1.0 + TOLERANCE), math.nan
    where, differ = _difference(one, two, excepted)
    affordable = spent <= most + rounding
    shifts = any(draw.shift and draw.place <= places[0][0] + 1 for draw in shifted.draws)
    if neighbours and not (shifts or (differ is None and affordable)):
        chosen = target.loss_of_choices((first, second), recorded.draws)
    why = None
    if _difference(seen, one)[1] or plainly.moved:
        why = "a random number is used in a way that the replay cannot follow"
    elif chosen <= most:
        spent = chosen
    elif differ:
        why = differ
    elif shifted.moved or other.moved or len(shifted.draws) != len(recorded.draws):
        why = shifted.moved or other.moved or OTHER_DRAWS
    elif not _equal_scales(recorded.draws, shifted):
        why = "the scale of a draw depends on the changed reward"
    elif neighbours and releases > target.alignment.releases:
        why = f"the changed reward enters {releases} releases"
    elif neighbours and shifted.bits > target.alignment.bits:
        why = f"the changed reward enters {shifted.bits} comparisons"
    elif neighbours and not affordable:
        why = f"the cost is {spent:.6g}, and the budget {limit:g}"
    elif neighbours:
        why = target.objection((first, second), recorded.draws, shifted.draws)
    problem = None
    if why is not None:
        unseen = _not_followed(recorded.draws) if why == differ else ""
        example = f"neighbours {_change(first, second, places)}\n"
        if why == OTHER_ACTIONS:
            a, b = one.arms[where], two.arms[where]
            example += f"  actions    arm {a} and arm {b} in round {where + 1}\n"
        example += f"  noise      {_noise(recorded.draws, shifted.draws)}"
        problem = Problem(why + unseen, example, (first, second))
    share = spent / limit if neighbours else 0.0
    by_choice = chosen <= most or any(draw.cost for draw in shifted.draws)
    return Outcome(problem, share, spent > 0.0, by_choice, shifted.draws)


def declared_shifts(target, seen, recorded, first, second, places) -> dict[int, float]:
    """Return the shift of each draw that the alignment declares, by the number of the draw.

    If several rewards that are read change, their shifts are added.
    """
    declare = target.alignment.shifts
    if declare is None:
        return {}
    counts: Counter[int] = Counter()
    # the position of each reward among the rewards of its arm; 0 before the first reward
    items = {(0, -1): 0}
    for reward in seen.rewards.reads:
        counts[reward[1]] += 1
        items[reward] = counts[reward[1]]
    last = list(items)
    noise = [draw for draw in recorded.draws if draw.is_noise]
    draws = [
        Drawn(last[place][1], items[last[place]], number)
        for place, together in groupby(noise, lambda draw: draw.place)
        for number, _ in enumerate(together)
    ]
    values = dict(zip(target.source.domains, target.arguments(len(first)), strict=True))
    run = Run(draws, values, seen.answer)
    found: dict[int, float] = defaultdict(float)
    for where in places:
        if where in items:
            center, level = seen.rewards.truncated[where]
            by = truncate(second[where] - center, level) - truncate(first[where] - center, level)
            changed = Changed(where[1], items[where], float(by))
            for i, shift in declare(run, changed).items():
                found[noise[i].number] += shift
    # if no shift was found, the shift 0 is declared for each draw of noise
    return found or {draw.number: 0.0 for draw in noise}


def _cost(draw: Draw, gaussian, delta: float) -> float:
    """Compute the cost of the shift of a draw, in nats or as the rho of zCDP.

    If coins hide a changed count, the cost is the change of the count times the eps that these
    coins give with this delta.
    """
    if draw.kind == COINS:
        return abs(draw.shift) * eps_of_coins(draw.shape, delta) if draw.shift else 0.0
    if draw.kind == SKELLAM:
        # the Renyi divergence is at most the order times this number (skellam_rho)
        return (draw.shift**2 / 2.0 + 0.75 * abs(draw.shift)) / draw.shape**2
    if draw.kind == DISCRETE:
        return abs(draw.shift) / draw.shape
    if draw.kind in (UNIFORM, CHOICE):
        loss = draw.cost
    elif draw.kind == LAPLACE or gaussian is not None:
        loss = abs(draw.shift)
    else:  # normal noise gives no pure DP
        loss = math.inf if draw.shift else 0.0
    return loss if gaussian is None else loss * loss / 2.0


def _difference(one: Played, two: Played, excepted: Collection[int] = ()) -> tuple[int, str | None]:
    """Return the first round in which two runs differ, and a text that says how they differ.

    Rounds in ``excepted`` and rounding errors of the answer are ignored. If the runs are equal, the
    result is the number of rounds and None.
    """
    n, m = len(one.arms), len(two.arms)
    for t in np.flatnonzero(one.arms[: min(n, m)] != two.arms[: min(n, m)]).tolist():
        if t not in excepted:
            return t, OTHER_ACTIONS
    if n != m:
        return min(n, m), f"the runs stop after {n} and after {m} rewards"
    if not _close(one.answer, two.answer):
        return n, f"the answers are {one.answer:.6g} and {two.answer:.6g}"
    return n, None


def _close(first: Any, second: Any, atol: float = TOLERANCE) -> bool:
    return np.allclose(first, second, rtol=TOLERANCE, atol=atol, equal_nan=True)


def _equal_scales(first: Draws, shifted: Shifted) -> bool:
    """Return whether the draws of a run and of the shifted run have equal scales.

    If noise is shifted because a statistic changed, and this statistic is 0 in one of the runs, the
    draw is left out: the 0 does not count as added, so a later factor counts as a part of the
    scale.
    """
    both = [
        (d.scale, e.scale) for i, (d, e) in enumerate(zip(first, shifted.draws, strict=True))
        if i not in shifted.released or any(d.added[:1]) == any(e.added[:1])
    ]  # fmt: skip
    scales = np.array(both, float).reshape(-1, 2)
    return _close(scales[:, 0], scales[:, 1], 0.0)


def _change(first, second, places) -> str:
    if len(places) != 1:
        return f"{len(places)} rewards change"
    [(t, a)] = places
    return f"the reward of arm {a} in round {t + 1} is {first[t, a]:g} or {second[t, a]:g}"


def _not_followed(draws: Draws) -> str:
    """Return a text about the draws that a replay cannot follow, or "" if there are none.

    A replay can follow noise only if it sees a number that is added to the noise.
    """
    noise = sum(d.is_noise for d in draws)
    lost = sum(d.is_noise and not any(d.added) for d in draws)
    found = [f"{lost} of {noise} draws of noise"] if lost else []
    if any(d.kind == UNIFORM and d.used for d in draws):
        found.append("uniform numbers that are transformed")
    laws = {d.kind for d in draws if d.kind not in (*NOISE, UNIFORM, CHOICE)}
    found += [f"noise of the law {law}" for law in sorted(laws)]
    return f"; the replay does not follow {' and '.join(found)}" if found else ""


def _noise(first: Draws, second: Draws) -> str:
    """Return a text with the shifts of the draws, each multiplied by the scale of its draw."""
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
