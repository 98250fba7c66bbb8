"""Search for the neighbouring data that are easiest to distinguish. Then measure a lower bound on
the privacy loss in fresh runs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple

import joblib
import numpy as np
from scipy.stats import norm

from ...errors import WorkersLost
from ...running.children import ended_with_this, without_cwd_imports
from ..targets.neighbours import Neighbours, Pair, Tried
from ..targets.target import CANDIDATES, AuditTarget, Progress, ignored
from ..verdicts import VIOLATED, of_samples
from .betting import PROMISED, Bets, gaussian_line, pure_line
from .betting import pairs as pairs_of
from .events import Event, learn, ratio

# For each round of the search: the number of candidates that remain after it, the number by which
# the runs of a sample are divided, and the privacy loss between the compared data. If the promised
# loss is small, data that differ in several rewards are easier to rank.
ROUNDS = ((24, 48, 2.0), (6, 12, 1.0), (2, 4, 0.0))
# An event is proposed in one half of a sample and chosen in the other half. Each half has 1/SAMPLE
# of the runs of a test
SAMPLE = 8
PROPOSED = 0.1  # the approximate share of the proposal of candidates in the work
LENIENT = 0.02  # the level of the bounds that only rank candidates
CHUNK_RUNS = 5_000  # the number of runs that use the same generator
# The number of runs in plain Python that use the same generator. The time limit is checked after
# these runs
PLAIN_CHUNK_RUNS = 10
MIN_TEST_PART = 4  # a test that refutes nothing takes at least 1/MIN_TEST_PART of its runs
# Runs of the first batch of a test; a later batch has as many runs as all earlier batches together,
# at most CHUNK_RUNS. The test may stop after each batch
FIRST_BATCH_RUNS = 500


class Sampled(NamedTuple):
    """The result of the runs of an audit.

    Attributes:
        measured: the lower confidence bound on the privacy loss, in the target's unit.
        pair: the two neighbours, as arrays.
        event: the event that distinguishes the neighbours.
        counts: the number of runs with the event, for each of the two neighbours.
        runs: the number of runs that the test needed, for each neighbour.
        detectable: the smallest loss that the allowed number of runs would detect on average, if
            the loss showed in this event. The loss is given as a multiple of the promised loss.
        tried: the ranges of rewards, horizons and numbers of arms that were compared.
    """

    target: AuditTarget
    measured: float
    pair: Pair
    event: Event = Event((), 0)
    counts: tuple[int, int] = (0, 0)
    runs: int = 0
    detectable: float = math.inf
    tried: Tried = Tried()

    @property
    def violated(self) -> bool:
        """Whether the samples refute the promise: then the promised loss is at most
        ``measured``.
        """
        return of_samples(self.measured, self.target.promised) == VIOLATED


class TimeUp(Exception):
    """The error if the time of an audit runs out before its search is finished."""


def audit(
    target: AuditTarget,
    runs: int | None = None,
    confidence: float = 0.99,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress = ignored,
    candidates: int = CANDIDATES,
    deadline: float = math.inf,
) -> Sampled:
    """Measure a lower bound on the privacy loss from the outputs of a target.

    The search has several rounds; each round keeps the pairs of neighbours with the largest loss.
    For each of the last few pairs, an event is chosen on one sample and tested on a fresh sample.
    The test bets against the promised loss (see ``betting``) until the bets decide or the runs are
    used up. With probability ``confidence``, the bounds for all these pairs hold at once.

    Args:
        target: the target of the audit.
        runs: the largest number of independent runs of a test under each of two neighbours.
        confidence: probability that the bound is at most the true loss.
        seed: the seed of all random numbers of the audit.
        jobs: the number of workers.
        progress: a function that is called with each further share of the work when it is done.
        candidates: pairs of neighbours at the start of the search.
        deadline: the time, in seconds since the epoch, at which the tests stop; bounds remain
            valid.

    Raises:
        TimeUp: the search is not finished by the deadline.
    """
    runs = runs or target.usual_runs
    level = (1.0 - confidence) / ROUNDS[-1][0]
    seeds = np.random.SeedSequence(seed)
    proposing, *searching, choosing, testing = seeds.spawn(3 + len(ROUNDS))
    pool: list[Neighbours] = []
    for neighbours in target.pairs(np.random.default_rng(proposing), candidates):
        _check_time(deadline)
        pool.append(neighbours)
        progress(PROPOSED / candidates)
    if target.compiled:  # compile before several workers need it
        target.sample(pool[0](1)[0], 1, np.random.default_rng(0))
    backend = "threading" if target.compiled else "loky"
    tried = Tried()
    plan = schedule(runs, len(pool))
    left = (1.0 - PROPOSED * len(pool) / candidates) / sum(pairs * n for pairs, n in plan)

    def each(function, runs, pairs, sequence, *arguments):
        """Call a function for each pair of neighbours, with a separate seed; return the results."""
        nonlocal tried
        tried = tried.add(chain.from_iterable(pairs))
        tasks = zip(pairs, sequence.spawn(len(pairs)), *arguments, strict=True)
        results = []
        for result in in_workers(partial(function, target, runs=runs), tasks, jobs, backend):
            results.append(result)
            progress(left * runs)
        return results

    test = partial(_test, least=runs // MIN_TEST_PART, level=level, deadline=deadline)
    for (remaining, _, loss), sequence, (_, n) in zip(ROUNDS, searching, plan, strict=False):
        steps = max(round(loss / target.promised), 1)
        wide = [neighbours(steps) for neighbours in pool]
        learned = each(partial(_learn, level=LENIENT, deadline=deadline), n, wide, sequence)
        scores = [score / (x != y).sum() for (x, y), (score, *_) in zip(wide, learned, strict=True)]
        best = np.argsort(-np.array(scores), kind="stable")[:remaining]
        pool = [pool[i] for i in best]
    pairs = [neighbours(1) for neighbours in pool]
    learned = each(partial(_learn, level=level, deadline=deadline), plan[-2][1], pairs, choosing)
    tested = each(test, runs, pairs, testing, learned)
    i = int(np.argmax([measured for measured, *_ in tested]))
    measured, counts, used, detectable = tested[i]
    event = learned[i][1]
    return Sampled(target, measured, pairs[i], event, counts, used, detectable, tried)


def _check_time(deadline: float) -> None:
    if time.time() > deadline:
        raise TimeUp


def in_workers(
    task: Callable[..., Any], given: Iterable[tuple], jobs: int, backend: str = "loky"
) -> Iterator[Any]:
    """Let joblib's workers run a task for several arguments. Yield the results in their order.

    Raises:
        WorkersLost: a worker process died.
    """
    own = ended_with_this() if backend == "loky" else {}
    workers = joblib.Parallel(jobs, backend=backend, return_as="generator", **own)
    with without_cwd_imports():
        try:
            yield from workers(joblib.delayed(task)(*x) for x in given)
        except BrokenExecutor:
            raise WorkersLost("a worker has died, perhaps for lack of memory") from None


def unsampled(target: AuditTarget, loss: float, pair: Pair | None = None) -> Sampled:
    """Return the result for a loss that is known without samples.

    The neighbours are ``pair``, or the first neighbours of the target if ``pair`` is None.
    """
    pair = pair or next(iter(target.pairs(np.random.default_rng(0), 1)))(1)
    return Sampled(target, loss, pair)


def schedule(runs: int, candidates: int) -> list[tuple[int, int]]:
    """Return, for each step of an audit, the number of pairs, and of runs for each neighbour.

    The steps are the rounds of the search, the choice of events, and the tests of the events.
    """
    sample, found = max(runs // SAMPLE, min(runs, FIRST_BATCH_RUNS)), []
    for remaining, part, _ in ROUNDS:
        found.append((candidates, max(sample // part, 50)))
        candidates = min(remaining, candidates)
    return [*found, (candidates, 2 * sample), (candidates, runs)]


def _learn(target, pair, sequence, runs, level, deadline):
    """Return the best event on a fresh sample, its score and its probabilities, see ``learn``."""
    chunk = CHUNK_RUNS if target.compiled else PLAIN_CHUNK_RUNS
    sizes = [min(chunk, runs - done) for done in range(0, runs, chunk)]

    def sampled(chunks):
        for part in chunks:
            _check_time(deadline)
            yield part

    samples = _samples(target, pair, sequence, sizes)
    x, y = (np.concatenate(list(sampled(chunks))) for chunks in samples)
    return learn((x, y), level, ratio if target.unit == "eps" else norm.ppf)


def _test(target, pair, sequence, learned, runs, least, level, deadline):
    """Test an event by bets in fresh runs. Return the bound, the counts, the runs and the smallest
    detectable loss.

    The test ends as soon as the promise is refuted, at the deadline, or after ``runs`` runs. The
    test also ends if bets have shown, after at least ``least`` runs, that this event cannot refute
    the promise.
    """
    _, event, (p, q) = learned
    pure = partial(pure_line, delta=target.delta)
    line = pure if target.unit == "eps" else gaussian_line
    bets = Bets(target.promised, line, p, q, runs, level)
    sizes: list[int] = []
    while sum(sizes) < runs:
        sizes.append(min(max(sum(sizes), FIRST_BATCH_RUNS), CHUNK_RUNS, runs - sum(sizes)))
    total, used, best = np.zeros(4, int), 0, np.full(len(bets.losses), -np.inf)
    for seen in zip(*_samples(target, pair, sequence, sizes), strict=True):
        first, second = (event.happens(seen[s]) for s in (event.side, 1 - event.side))
        total, used = total + pairs_of(first, second), used + len(first)
        against, doubt = bets.log_wealth(total)
        best = np.maximum(best, against)
        decided = best[PROMISED] >= 0.0 or (used >= least and doubt[PROMISED] >= 0.0)
        if decided or time.time() > deadline:
            break
    k = total[0] + total[1], total[0] + total[2]
    counts = (int(k[event.side]), int(k[1 - event.side]))
    return bets.bound(best), counts, used, bets.detectable((k[1] + 0.5) / (used + 1.0))


def _samples(target, pair, sequence, sizes) -> Iterator[Iterator[np.ndarray]]:
    """Yield, for each of two neighbours, the outputs that an adversary sees, in chunks of runs."""
    for data, half in zip(pair, sequence.spawn(2), strict=True):
        generators = (np.random.Generator(np.random.SFC64(s)) for s in half.spawn(len(sizes)))
        yield map(target.sample, repeat(data), sizes, generators)
