"""The search for the worst neighbours, then a test of the loss that they prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import joblib
import numpy as np
from scipy.stats import norm

from ...running.children import without_cwd_imports
from ..subjects.neighbours import Pair
from ..subjects.subject import Subject
from ..verdicts import VIOLATED, of_samples
from .betting import PROMISED, Bets, Line, gaussian_line, pure_line
from .betting import pairs as pairs_of
from .events import Event, Scale, learn, ratio

PLAIN = 25  # runs of a compiled algorithm that take as long as one in plain Python
CANDIDATES = 96  # pairs of neighbours at the start of the search
# Of the search: the number of candidates that remain, the fraction of the runs (one in so many),
# and the privacy loss between the data compared: at a small loss distant data are easier to rank.
ROUNDS = ((24, 48, 2.0), (6, 12, 1.0), (2, 4, 0.0))
SAMPLE = 8  # half of the sample on which an event is proposed and chosen: one in so many runs
LENIENT = 0.02  # level of the bounds that only rank candidates
CHUNK = 5_000  # runs of one generator
LEAST = 4  # a test that refutes nothing lasts for one in so many runs at least
# by the unit of the loss: what it promises of every event, and the scale that ranks events
PROMISES: dict[str, tuple[Line, Scale]] = {
    "eps": (pure_line, ratio),
    "mu": (gaussian_line, norm.ppf),
}
FIRST = 500  # runs after which a test may stop first; each later batch doubles them, up to CHUNK


@dataclass(frozen=True)
class Sampled:
    """What the runs of an audit have shown.

    Attributes:
        measured: the lower confidence bound on the privacy loss, in the subject's unit.
        confidence: of the bound.
        pair: the neighbours, two arrays.
        event: what distinguishes them.
        counts: how often it happened under each.
        runs: the number of runs under each, those that the test needed.
        detectable: the least loss, as a multiple of the promised one, that as many runs as were
            allowed would have refuted, if this event showed it.
    """

    subject: Subject
    measured: float
    confidence: float
    pair: Pair
    event: Event
    counts: tuple[int, int]
    runs: int
    detectable: float

    @property
    def violated(self) -> bool:
        """Whether the promised budget is refuted, as are all losses up to ``measured``."""
        return of_samples(self.measured, self.subject.promised) == VIOLATED


def audit(
    subject: Subject,
    runs: int | None = None,
    confidence: float = 0.99,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[float], object] = lambda share: None,
    candidates: int = CANDIDATES,
) -> Sampled:
    """Measure from outside how much privacy is spent at least.

    Pairs of neighbours compete by successive halving. For each of the last few an event is chosen
    on one sample and tested on another, fresh one, by betting, until it is decided; their bounds
    hold jointly with the confidence.

    Args:
        subject: what is audited.
        runs: the most independent runs of a test under each of two neighbours.
        confidence: probability that the bound is not too large.
        seed: the result depends on it and on the arguments above alone.
        jobs: workers.
        progress: called with each share of the work that is done.
        candidates: pairs of neighbours at the start of the search.
    """
    runs = runs or (subject.runs if subject.compiled else subject.runs // PLAIN)
    sample = max(runs // SAMPLE, min(runs, FIRST))
    level = (1.0 - confidence) / ROUNDS[-1][0]
    seeds = np.random.SeedSequence(seed)
    proposing, *searching, choosing, testing = seeds.spawn(3 + len(ROUNDS))
    pool = subject.pairs(np.random.default_rng(proposing), candidates)
    if subject.compiled:  # compile before several workers need it
        subject.sample(pool[0](1)[0], 1, np.random.default_rng(0))
    workers = joblib.Parallel(jobs, backend="threading" if subject.compiled else "loky")

    def each(function, pairs, sequence, *arguments):
        """The results of a function for each pair, each with its own seed and arguments."""
        tasks = zip(pairs, sequence.spawn(len(pairs)), *arguments, strict=True)
        with without_cwd_imports():
            return workers(joblib.delayed(function)(subject, *task) for task in tasks)

    progress(0.2)
    for (remaining, part, loss), sequence in zip(ROUNDS, searching, strict=True):
        steps = max(round(loss / subject.promised), 1)
        wide = [neighbours(steps) for neighbours in pool]
        n = max(sample // part, 50)
        learned = each(partial(_learn, runs=n, level=LENIENT), wide, sequence)
        scores = [score / (x != y).sum() for (x, y), (score, *_) in zip(wide, learned, strict=True)]
        best = np.argsort(-np.array(scores), kind="stable")[:remaining]
        pool = [pool[i] for i in best]
        progress(0.15)
    pairs = [neighbours(1) for neighbours in pool]
    learned = each(partial(_learn, runs=2 * sample, level=level), pairs, choosing)
    progress(0.2)
    test = partial(_test, runs=runs, least=runs // LEAST, level=level)
    tested = each(test, pairs, testing, learned)
    progress(0.15)
    i = int(np.argmax([measured for measured, *_ in tested]))
    measured, counts, used, detectable = tested[i]
    return Sampled(subject, measured, confidence, pairs[i], learned[i][1], counts, used, detectable)


def _learn(subject, pair, sequence, runs, level):
    """The best event on a fresh sample, with its score."""
    sizes = [min(CHUNK, runs - done) for done in range(0, runs, CHUNK)]
    x, y = (np.concatenate(list(found)) for found in _samples(subject, pair, sequence, sizes))
    return learn((x, y), level, PROMISES[subject.unit][1])


def _test(subject, pair, sequence, learned, runs, least, level):
    """Bets on an event in fresh runs until its promise is refuted, or, after ``least`` runs, that
    the event refutes it: the bound, the counts, the runs and the least detectable loss.
    """
    _, event, (p, q) = learned
    bets = Bets(subject.promised, PROMISES[subject.unit][0], p, q, runs, level)
    sizes: list[int] = []
    while sum(sizes) < runs:
        sizes.append(min(max(sum(sizes), FIRST), CHUNK, runs - sum(sizes)))
    total, used, best = np.zeros(4, int), 0, np.full(len(bets.losses), -np.inf)
    for seen in zip(*_samples(subject, pair, sequence, sizes), strict=True):
        first, second = (event.happens(seen[s]) for s in (event.side, 1 - event.side))
        total, used = total + pairs_of(first, second), used + len(first)
        against, doubt = bets.log_wealth(total)
        best = np.maximum(best, against)
        if best[PROMISED] >= 0.0 or (used >= least and doubt[PROMISED] >= 0.0):
            break
    k = total[0] + total[1], total[0] + total[2]
    counts = (int(k[event.side]), int(k[1 - event.side]))
    return bets.bound(best), counts, used, bets.detectable((k[1] + 0.5) / (used + 1.0))


def _samples(subject, pair, sequence, sizes) -> Iterator[Iterator[np.ndarray]]:
    """What an adversary sees of each of two neighbours, chunk by chunk."""
    for data, half in zip(pair, sequence.spawn(2), strict=True):
        generators = (np.random.Generator(np.random.SFC64(s)) for s in half.spawn(len(sizes)))
        yield map(subject.sample, repeat(data), sizes, generators)
