"""Replay an alignment (the shifts of noise in a privacy proof) on many random cases, until one
fails.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ...contracts.question import STOPPING
from ..numbers.draws import Draw
from ..numbers.streams import Recorder
from ..targets.decisions import DecisionTarget
from ..targets.neighbours import Tried, Walk, first_change
from ..targets.target import AuditTarget, Progress, ignored
from .cases import Case, cases
from .replay import Outcome, Problem, replay

# Number of replays in an audit; a stopping rule has fewer, since it stops late
REPLAYS = {"algo": 100, STOPPING.group: 30}
NUDGES = 3  # a failure counts only if this many replays with slightly changed noise fail, too
NUDGE = 1e-6  # relative change of the noise in these replays


@dataclass
class Aligned:
    """The result of many replays.

    Attributes:
        asked: the number of requested replays. Fewer replays are made if a replay fails, or if the
            time is up. The number is 0 if the target has no replays.
        aligned: the number of replays that succeeded.
        entered: the number of replays in which a statistic with the changed reward was added to a
            shifted draw.
        chosen: the number of replays in which the changed reward changed the probabilities of a
            choice.
        edges: the number of replays that failed at first, but succeeded after the noise was changed
            a little.
        spent: the largest cost of a replay, as a share of the budget.
        problem: the first counter-example, or None.
        tried: the ranges of rewards, horizons and numbers of arms in the replays.
        text: the result in words, with the counter-example, or with the declaration that is
            missing.
        why: a short reason why the alignment does not hold, or "".
    """

    asked: int = 0
    aligned: int = 0
    entered: int = 0
    chosen: int = 0
    edges: int = 0
    spent: float = 0.0
    problem: Problem | None = None
    tried: Tried = field(default_factory=Tried)
    text: str = ""
    why: str = ""

    @property
    def replays(self) -> int:
        """The number of replays."""
        return self.aligned + (self.problem is not None)

    @property
    def holds(self) -> bool:
        return self.aligned == self.asked

    def in_words(self) -> str:
        """Return the result in a sentence, and the counter-example if there is one."""
        text = f"aligned in {self.aligned} of {self.replays} replays"
        if self.holds and not self.entered:
            return f"no reward entered noise in {self.replays} replays; try longer horizons"
        if self.problem is None:
            edges = f"; {self.edges} at an edge of rounding" if self.edges else ""
            return (
                f"{text}; the changed reward entered noise in {self.entered}, at a cost of at most "
                f"{self.spent:.4g} of the budget{edges}"
            )
        return f"{text}: {self.problem.why}\n  {self.problem.example}"


MISSING = """\
no alignment is declared, so nothing is replayed. Name in the guarantee how the noise shifts when
one reward changes:
  from dpbandits.authoring import global_dp, one_release
  GUARANTEE = global_dp("SOURCE", alignment=one_release)   # each reward enters one noisy release
or releases(n), one_bit, counter_nodes, nodes(of, says), sparse_vector(sign), or an Alignment whose
shifts(run, changed) returns {number of the draw: shift}. See docs/privacy.md."""


def replay_report(
    target: AuditTarget,
    seed: int,
    deadline: float = math.inf,
    progress: Progress = ignored,
) -> Aligned:
    """Replay the alignment of a target, and say in words what this shows; see ``align``."""
    if not isinstance(target, DecisionTarget):
        return Aligned()  # a release or the response of a user
    if target.alignment is None:
        return Aligned(text=MISSING)
    try:
        found = align(target, None, seed, deadline, progress)
        found.text = found.in_words()
        unused = found.holds and not found.entered
        found.why = found.problem.why if found.problem else found.text if unused else ""
    except Exception as error:
        # users' code may raise any error on numbers that record operations
        why = "the runs cannot be replayed"
        found = Aligned(text=f"{why} ({type(error).__name__}: {error})", why=why)
    if found.why and target.caveat:
        found.why, found.text = target.caveat, f"{target.caveat}.\n{found.text}"
    return found


def check(target: DecisionTarget, case: Case) -> Outcome:
    """Replay an alignment on two neighbours, and on two tables of rewards that differ in one arm.

    On the two tables, ``case.first`` and ``case.far``, the decisions must also be the same, but the
    cost is not limited. If the decisions differ, the counter-example is a step of a walk from one
    table to the other; each step changes one reward. Alignments that hold only if a single reward
    changes (``one_change``) are not replayed on the two tables. But if such an algorithm stops at
    different times on the two tables with equal noise, the alignment is replayed on the step of the
    walk at which the stopping time changes.
    """
    fresh = partial(Recorder, case.seed, case.size)
    near = replay(target, case.first, case.second, fresh())
    if near.problem is not None:
        return near
    walk = Walk(case.first, case.far, np.argwhere(case.first != case.far))
    table, steps = walk.table, len(walk.order)
    if target.alignment.one_change:

        def stops(m):
            played = target.play_traced(table(m), fresh())
            return len(played.arms), math.isnan(played.answer)

        start = stops(0)
        if stops(steps) == start:
            return near
        m = first_change(steps, lambda m: stops(m) == start)
        there = replay(target, table(m - 1), table(m), fresh())
        back = replay(target, table(m), table(m - 1), fresh())
        return next((found for found in (there, back) if found.problem is not None), near)
    draws: dict[int, Sequence[Draw]] = {0: ()}  # the draws of the replays that succeeded, by m

    def succeeds(m):
        found = replay(target, case.first, table(m), fresh())
        if found.problem is None:
            draws[m] = found.draws
        return m in draws

    if succeeds(steps):
        return near
    m = first_change(steps, succeeds)
    return replay(target, table(m - 1), table(m), fresh(draws[m - 1]))


def align(
    target: DecisionTarget,
    replays: int | None = None,
    seed: int = 0,
    deadline: float = math.inf,
    progress: Progress = ignored,
) -> Aligned:
    """Replay an alignment with random rewards, horizons and noise, until a replay fails.

    Args:
        target: the target to replay. If the target has no horizons, several small horizons are
            used.
        replays: the number of replays; None for the usual number of an audit (REPLAYS).
        seed: the seed. Together with the other arguments, the seed determines the result.
        deadline: the time, in seconds since the epoch, after which no replay begins.
        progress: a function that is called with the share of replays made since the last call.
    """
    rng = np.random.default_rng([seed, 20])
    found = Aligned(replays or REPLAYS[target.source.group])
    for number, case in enumerate(cases(target, rng, found.asked)):
        if time.time() > deadline:
            break
        progress(1.0 / found.asked)
        mixed = replace(target, mixed_levels=number % 2 == 1)
        found.tried = found.tried.add((case.first, case.second, case.far))
        one = check(mixed, case)
        if one.problem is not None:
            nudged = (case.size * (1.0 + NUDGE * (k + 1)) for k in range(NUDGES))
            others = [check(mixed, case._replace(size=x)) for x in nudged if time.time() < deadline]
            if all(other.problem is not None for other in others):
                found.problem = one.problem if len(others) == NUDGES else None
                break
            found.edges += 1
        found.aligned += 1
        found.entered += one.entered
        found.chosen += one.chosen
        found.spent = max(found.spent, one.spent)
    return found
