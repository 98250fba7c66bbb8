"""The auditor: a search for the worst neighbours, then a test of what they prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import joblib
import numpy as np

from .events import Event, epsilon_bound, learn
from .neighbours import Pair
from .subjects import Subject

PLAIN = 25  # runs of a compiled algorithm in the place of one in plain Python
CANDIDATES = 96  # pairs of neighbours that the search begins with
# Of the search: how many candidates remain, after what part of the runs, and the privacy loss
# between the data compared: at a small eps the neighbours of neighbours are easier to tell apart.
ROUNDS = ((24, 48, 2.0), (6, 12, 1.0), (2, 4, 0.0))
LARGEST_SAMPLE = 50_000  # half of that on which an event is proposed and chosen
LENIENT = 0.02  # level of the bounds that only rank
ROUNDING = 1e-9  # of an exact loss
CHUNK = 5_000  # runs of one generator


@dataclass(frozen=True)
class Finding:
    """What an audit found.

    Attributes:
        subject: what was audited.
        epsilon: the lower confidence bound on the privacy loss, in nats.
        confidence: with which it holds.
        pair: the neighbours, two arrays.
        event: what tells them apart.
        counts: how often it happened under each.
        runs: in how many runs under each.
        exact: the exact loss of the release beneath, or None.
    """

    subject: Subject
    epsilon: float
    confidence: float
    pair: Pair
    event: Event
    counts: tuple[int, int]
    runs: int
    exact: float | None

    @property
    def violated(self) -> bool:
        """Whether more is spent than was promised, for certain but for the confidence; or, of what
        is itself a release, exactly.
        """
        itself = self.subject.kind in ("mechanism", "response")
        exact = (self.exact or 0.0) / (1.0 + ROUNDING) if itself else 0.0
        return max(self.epsilon, exact) > self.subject.promised


def audit(
    subject: Subject,
    runs: int | None = None,
    confidence: float = 0.99,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[float], None] = lambda share: None,
) -> Finding:
    """Measure from outside how much privacy is spent at least.

    Pairs of neighbours compete by successive halving. For each of the last few an event is chosen
    on one sample and counted on another, fresh one; the bounds hold together with the confidence.

    Args:
        subject: what is audited.
        runs: independent runs of a test under each of two neighbours.
        confidence: probability that the bound is not too large.
        seed: everything depends on it and on nothing else.
        jobs: workers; the finding does not depend on them.
        progress: told the share of the work that each step was.
    """
    runs = runs or (subject.runs if subject.compiled else subject.runs // PLAIN)
    sample = min(runs, LARGEST_SAMPLE)
    level = (1.0 - confidence) / ROUNDS[-1][0]
    exact = subject.exact()
    seeds = np.random.SeedSequence(seed)
    proposing, *searching, choosing, testing = seeds.spawn(3 + len(ROUNDS))
    candidates = subject.pairs(np.random.default_rng(proposing), CANDIDATES)
    progress(0.2)
    for (keep, part, loss), sequence in zip(ROUNDS, searching, strict=True):
        steps = max(round(loss / subject.eps), 1)
        wide = [neighbours(steps) for neighbours in candidates]
        n = max(sample // part, 50)
        tasks = [(subject, pair, n, s, LENIENT) for pair, s in _spawn(wide, sequence)]
        learned = _parallel(_learn, tasks, subject, jobs)
        scores = [score / (x != y).sum() for (x, y), (score, _) in zip(wide, learned, strict=True)]
        best = np.argsort(-np.array(scores), kind="stable")[:keep]
        candidates = [candidates[i] for i in best]
        progress(0.15)
    pairs = [neighbours(1) for neighbours in candidates]
    tasks = [(subject, pair, 2 * sample, s, level) for pair, s in _spawn(pairs, choosing)]
    events = [event for _, event in _parallel(_learn, tasks, subject, jobs)]
    progress(0.2)
    tests = [
        (subject, pair, runs, s, event)
        for (pair, s), event in zip(_spawn(pairs, testing), events, strict=True)
    ]
    counts = list(_parallel(_count, tests, subject, jobs))
    progress(0.15)
    bounds = [
        float(epsilon_bound(np.array(k[e.side]), np.array(k[1 - e.side]), runs, level))
        for k, e in zip(counts, events, strict=True)
    ]
    i = int(np.argmax(bounds))
    return Finding(subject, bounds[i], confidence, pairs[i], events[i], counts[i], runs, exact)


def _spawn(pairs: Sequence[Pair], sequence: np.random.SeedSequence) -> Iterator:
    return zip(pairs, sequence.spawn(len(pairs)), strict=True)


def _parallel(function: Callable, tasks: Sequence[tuple], subject: Subject, jobs: int) -> Iterator:
    if subject.compiled:  # before several workers need it
        subject.sample(tasks[0][1][0], 1, np.random.default_rng(0))
    backend = "threading" if subject.compiled else "loky"
    return joblib.Parallel(n_jobs=jobs, backend=backend)(
        joblib.delayed(function)(*task) for task in tasks
    )


def _sample(subject, data, runs, sequence):
    sizes = [CHUNK] * (runs // CHUNK) + ([runs % CHUNK] if runs % CHUNK else [])
    for size, s in zip(sizes, sequence.spawn(len(sizes)), strict=True):
        yield subject.sample(data, size, np.random.Generator(np.random.SFC64(s)))


def _learn(subject, pair, runs, sequence, level):
    seen = [
        np.concatenate(list(_sample(subject, data, runs, s))) for data, s in _spawn(pair, sequence)
    ]
    return learn((seen[0], seen[1]), level)


def _count(subject, pair, runs, sequence, event):
    first, second = (
        sum(event.count(seen) for seen in _sample(subject, data, runs, s))
        for data, s in _spawn(pair, sequence)
    )
    return first, second
