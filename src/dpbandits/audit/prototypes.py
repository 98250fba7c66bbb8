"""Audits of players from elsewhere: their noise is replayed, or what they do is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import BadInput
from .alignment.align import Aligned, align
from .alignment.visit import Visit
from .findings import Audit, Progress, Row, record
from .sampling.auditor import Sampled, audit
from .sampling.events import Event
from .subjects.visitors import User, Visitor

Stage = tuple[Visitor, int, int]  # with its runs, and pairs of neighbours at the start
# Horizons, the runs of a test under each of two neighbours, and pairs of neighbours at the start of
# the search. Decisions that are made early are cheap to observe, and those of long epochs are late.
STAGES = ((8, 200_000, 96), (64, 20_000, 96), (512, 2_000, 48), (4096, 800, 24))
REWARDS = 0.0, 1.0  # of a user, in two neighbours
NOT_FOLLOWED = "its random numbers cannot be replayed"


@dataclass(frozen=True)
class PrototypeAudit(Audit):
    """An audit of players that promise eps-DP.

    First their random numbers are recorded, and replayed on neighbouring rewards with all noise
    that holds the changed reward shifted by the change. If all actions stay the same at a cost of
    at most eps, every time, the promise is consistent and nothing is sampled. Otherwise samples
    decide: of the response of a user, or of the actions, at short horizons first, until the promise
    is refuted.

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
            BadInput: it is no player, or what its users send cannot be told.
        """
        visit, horizons, seed = self.subject, self.horizons, self.seed
        text, aligned = _replayed(visit, seed, horizons)
        replays, held = (aligned.replays, aligned.aligned) if aligned else (0, 0)
        columns: Row = {"seed": seed, "replays": replays, "aligned": held, "alignment": text}
        every = _users(visit) if visit.local else _visitors(visit, horizons)
        if aligned is not None and aligned.holds and aligned.entered:
            progress(1.0)
            subject = every[0][0]
            pair = subject.pairs(np.random.default_rng(seed), 1)[0](1)
            none = Sampled(subject, 0.0, self.confidence, pair, Event((), 0), (0, 0), 0, np.inf)
            return record(none) | columns
        level = 1.0 - (1.0 - self.confidence) / len(every)
        heard = [s for s in every if not s[0].silent(np.random.default_rng(seed))] or every[-1:]
        found: list[Sampled] = []
        for subject, most, pairs in heard:
            most = self.runs or most
            found.append(audit(subject, most, level, seed, self.jobs, candidates=pairs))
            progress(1.0 / len(heard))
            if found[-1].violated:
                break
        worst = max(found, key=lambda finding: finding.measured)
        return record(worst) | columns | {"confidence": self.confidence}


def _visitors(visit: Visit, horizons: Sequence[int]) -> list[Stage]:
    """What is sampled to test the privacy of actions, from short horizons to long ones."""
    stages = [_stage(T) for T in horizons] or STAGES
    return [(Visitor(visit.source, visit.budget, {}, (T,)), runs, n) for T, runs, n in stages]


def _stage(T: int) -> tuple[int, int, int]:
    """A horizon with its runs and pairs of neighbours: those of the next longer one of STAGES."""
    _, runs, candidates = next((s for s in STAGES if s[0] >= T), STAGES[-1])
    return T, runs, candidates


def _users(visit: Visit) -> list[Stage]:
    """What is sampled to test local privacy: the user whose replay failed, and the first user."""
    first, second = visit.tried if len(visit.tried) == 2 else (np.zeros((8, 2)),) * 2
    changed = np.argwhere(first != second) if first.shape == second.shape else np.zeros((0, 2), int)
    turn = int(changed[0][0]) if len(changed) else 0
    found: list[Stage] = []
    for t in dict.fromkeys((turn, 0)):
        pair = first.copy(), first.copy()
        pair[0][t], pair[1][t] = REWARDS
        user = User(visit.source, visit.budget, {}, (len(first),), pair=pair)
        found.append((user, User.runs, 2))
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
