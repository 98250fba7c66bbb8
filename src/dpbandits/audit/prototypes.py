"""Audits of players from elsewhere: their noise is replayed, or what they do is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import BadInput
from . import verdicts
from .alignment.align import Aligned, align
from .alignment.visit import Visit
from .findings import Audit, Progress, Row, record
from .sampling.auditor import Sampled, audit
from .sampling.events import Event
from .subjects.neighbours import Pair
from .subjects.visitors import User, Visitor

Stage = tuple[Visitor, int, int]  # with its runs, and pairs of neighbours at the start
# Horizons, the runs of a test under each of two neighbours, and pairs of neighbours at the start of
# the search. Decisions that are made early are cheap to observe, and those of long epochs are late.
STAGES = ((8, 200_000, 96), (64, 20_000, 96), (512, 2_000, 48), (4096, 800, 24))
USUAL = tuple(T for T, *_ in STAGES)
REWARDS = 0.0, 1.0  # of a user, in two neighbours
# Of the probability of a false alarm: the part that given neighbours get, if users' responses are
# among them or not
GIVEN = {True: 0.5, False: 0.1}
NOT_FOLLOWED = "its random numbers cannot be replayed"


@dataclass(frozen=True)
class PrototypeAudit(Audit):
    """An audit of players that promise eps-DP.

    First their random numbers are recorded, and replayed on neighbouring rewards with all noise
    that holds the changed reward shifted by the change. If all actions stay the same at a cost of
    at most eps, every time, the promise is consistent and nothing is sampled. Otherwise samples may
    refute it: of the response of a user, if the promise is local, and of the actions, between the
    neighbours of the replay that failed and then others, at short horizons first. If they do not,
    the promise is undecided.

    Attributes:
        subject: the players and their promise.
        horizons: rounds of the games; empty for 8, 64, 512 and 4096.
        runs: the most runs of a test under each of two neighbours, at each horizon.
        confidence, seed: see ``sampling.auditor.audit``.
    """

    subject: Visit
    horizons: tuple[int, ...] = ()
    runs: int | None = None
    confidence: float = 0.99
    seed: int = 0

    def row(self, folder: Path | None, progress: Progress = lambda share: None) -> Row:
        """What it finds; nothing is stored.

        Raises:
            BadInput: it is no player.
        """
        visit, horizons, seed = self.subject, self.horizons, self.seed
        text, aligned = _replayed(visit, seed, horizons)
        replays, held = (aligned.replays, aligned.aligned) if aligned else (0, 0)
        columns: Row = {"seed": seed, "replays": replays, "aligned": held, "alignment": text}
        failed = aligned.problem.pair if aligned and aligned.problem else None
        given = _users(visit, failed) if visit.local else []
        if failed is not None:
            given.append(_visitor(visit, len(failed[0]), failed))
        usual = [_visitor(visit, T) for T in horizons or USUAL]
        first, limit = (given or usual)[0][0], visit.promised * (1.0 + verdicts.ROUNDING)
        if aligned is not None and aligned.holds and aligned.entered:
            progress(1.0)
            return record(_unsampled(first, 0.0, self.confidence)) | columns
        if visit.local and (loss := _of_response(visit, seed)) > limit:
            progress(1.0)
            found = record(_unsampled(first, loss, 1.0), loss)
            return found | columns | {"event": "what a response without noise leads to"}
        heard = [s for s in usual if not s[0].silent(np.random.default_rng(seed))] or usual[-1:]
        part = GIVEN[visit.local] if given else 0.0  # of the probability of a false alarm
        shares = [part / len(given)] * len(given) + [(1.0 - part) / len(usual)] * len(heard)
        sampled: list[Sampled] = []
        for (subject, most, pairs), share in zip([*given, *heard], shares, strict=True):
            level = 1.0 - (1.0 - self.confidence) * share
            most = self.runs or most
            sampled.append(audit(subject, most, level, seed, self.jobs, candidates=pairs))
            progress(1.0 / len(shares))
            if sampled[-1].violated:
                break
        worst = max(sampled, key=lambda finding: finding.measured)
        word = verdicts.CONSISTENT if aligned is not None and aligned.holds else verdicts.UNDECIDED
        return record(worst, replayed=word) | columns | {"confidence": self.confidence}


def _unsampled(subject: Visitor, loss: float, confidence: float) -> Sampled:
    """A finding without samples: its first pair of neighbours, and a loss."""
    pair = subject.pairs(np.random.default_rng(0), 1)[0](1)
    return Sampled(subject, loss, confidence, pair, Event((), 0), (0, 0), 0, np.inf)


def _of_response(visit: Visit, seed: int) -> float:
    """The loss of a response as far as it follows from its choices; 0 if that cannot be told."""
    try:
        return visit.response_loss(seed)
    except Exception:  # of a player, on numbers that note what is done to them
        return 0.0


def _visitor(visit: Visit, T: int, pair: Pair | None = None) -> Stage:
    """What is sampled to test the privacy of actions at a horizon, between given neighbours or
    random ones. Its runs and pairs of neighbours are those of the next longer one of STAGES.
    """
    _, runs, candidates = next((s for s in STAGES if s[0] >= T), STAGES[-1])
    return Visitor(visit.source, visit.budget, {}, (T,), pair), runs, candidates


def _users(visit: Visit, failed: Pair | None) -> list[Stage]:
    """What is sampled to test local privacy: the user whose replay failed, and the first user."""
    first, second = failed or (np.zeros((8, 2)),) * 2
    changes = [(int(t), (first[t, a], second[t, a])) for t, a in np.argwhere(first != second)[:1]]
    found: list[Stage] = []
    for t, rewards in dict.fromkeys([*changes, (0, REWARDS)]):
        pair = first.copy(), first.copy()
        pair[0][t], pair[1][t] = rewards
        found.append((User(visit.source, visit.budget, {}, (len(first),), pair), User.runs, 2))
    return found


def _replayed(visit: Visit, seed: int, horizons: Sequence[int]) -> tuple[str, Aligned | None]:
    """What replays show, in words; None if they cannot be made."""
    try:
        found = align(visit, seed=seed, horizons=horizons)
    except BadInput:
        raise
    except Exception as error:  # of a player, on numbers that note what is done to them
        return f"{NOT_FOLLOWED} ({type(error).__name__}: {error})", None
    if found.holds and not found.entered:
        return f"no reward entered noise in {found.replays} replays; try longer horizons", found
    return found.in_words(), found
