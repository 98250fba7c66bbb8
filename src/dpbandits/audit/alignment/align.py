"""Replays of an alignment on many cases, until it fails."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...contracts.question import STOPPING
from ..numbers.draws import Draw
from ..numbers.streams import Recorder
from ..subjects.neighbours import first_change
from ..subjects.players import Player
from ..subjects.subject import Subject
from .cases import Case, cases
from .coupling import Coupling
from .replay import Outcome, Problem, replay

REPLAYS = {"algo": 100, STOPPING.group: 30}  # of an audit; rules stop late
NUDGES = 3  # a difference must remain when the noise changes a little, so often
NUDGE = 1e-6  # relative change of the noise


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
    replays = aligned = 0
    text = ""
    guarantee = subject.source.guarantee
    if isinstance(subject, Player) and (guarantee is None or guarantee.alignment is None):
        text = MISSING
    elif isinstance(subject, Player):  # no release, and no response of a user
        try:
            coupling = Coupling(subject.source, subject.budget, subject.values)
            found = align(coupling, seed=seed, horizons=subject.horizons)
            replays, aligned, text = found.replays, found.aligned, found.in_words()
        except Exception as error:  # of a user's algorithm, on numbers that note what happens
            text = f"it cannot be replayed ({type(error).__name__}: {error})"
    return {"replays": replays, "aligned": aligned, "alignment": text}


def check(coupling: Coupling, case: Case) -> Outcome:
    """Replay a case: neighbours, and tables far from each other, on which the decisions must also
    be the same, at any cost; if they are not, two neighbours between them are the counter-example.
    An alignment of one change is instead replayed on two neighbours between them that, with the
    same noise, stop at different times.
    """

    def fresh(given=()):
        return lambda reads: Recorder(reads, np.random.default_rng(case.seed), case.size, given)

    def table(m):
        rewards = case.first.copy()
        rewards[tuple(walk[:m].T)] = case.far[tuple(walk[:m].T)]
        return rewards

    near = replay(coupling, case.first, case.second, fresh())
    if near.problem is not None:
        return near
    walk = np.argwhere(case.first != case.far)
    if coupling.alignment.one_change:

        def stops(m):
            played, _ = coupling.play(table(m), fresh())
            return len(played.arms), math.isnan(played.answer)

        start = stops(0)
        if stops(len(walk)) == start:
            return near
        m = first_change(len(walk), lambda m: stops(m) == start)
        there = replay(coupling, table(m - 1), table(m), fresh())
        back = replay(coupling, table(m), table(m - 1), fresh())
        return next((found for found in (there, back) if found.problem is not None), near)
    draws: dict[int, Sequence[Draw]] = {0: ()}  # of replays that succeeded

    def succeeds(m):
        found = replay(coupling, case.first, table(m), fresh())
        if found.problem is None:
            draws[m] = found.draws
        return m in draws

    if succeeds(len(walk)):
        return near
    m = first_change(len(walk), succeeds)
    return replay(coupling, table(m - 1), table(m), fresh(draws[m - 1]))


def align(
    coupling: Coupling, replays: int | None = None, seed: int = 0, horizons: Sequence[int] = ()
) -> Aligned:
    """Replay an alignment on random rewards, horizons and noise, until it fails.

    Args:
        coupling: what is replayed.
        replays: how often; None for as often as in an audit.
        seed: the result depends on it and on the other arguments.
        horizons: the horizons; empty for several that are cheap.
    """
    rng = np.random.default_rng([seed, 20])
    replays = replays or REPLAYS[coupling.source.group]
    aligned = entered = edges = 0
    spent = 0.0
    for number, case in zip(range(replays), cases(coupling, rng, horizons), strict=False):
        mixed = replace(coupling, mixed_levels=number % 2 == 1)
        found = check(mixed, case)
        if found.problem is not None:
            nudged = [case.size * (1.0 + NUDGE * (k + 1)) for k in range(NUDGES)]
            if all(check(mixed, case._replace(size=x)).problem is not None for x in nudged):
                return Aligned(number + 1, aligned, entered, edges, spent, found.problem)
            edges += 1
        aligned += 1
        entered += found.entered
        spent = max(spent, found.spent)
    return Aligned(replays, aligned, entered, edges, spent, None)
