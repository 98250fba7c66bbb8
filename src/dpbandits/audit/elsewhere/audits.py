"""Audits of players: their noise is replayed, and else their actions or responses are sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...contracts.algorithm import Algorithm
from ...errors import BadInput
from ..alignment.align import Aligned, align
from ..findings import Row, record
from ..sampling.auditor import Sampled, audit
from ..sampling.events import Event
from .players import Players
from .subject import User, Visit, Visitor, promised

Stage = tuple[Visitor, int, int]  # with its runs, and pairs of neighbours at the start
# Horizons, the runs of a test under each of two neighbours, and pairs of neighbours at the start of
# the search. Decisions that are made early are cheap to observe, and those of long epochs are late.
STAGES = ((8, 200_000, 96), (64, 20_000, 96), (512, 2_000, 48), (4096, 800, 24))
REWARDS = 0.0, 1.0  # of a user, in two neighbours
NOT_FOLLOWED = "its random numbers cannot be replayed"


def audit_player(
    make: Players,
    eps: float,
    local: bool = False,
    horizons: Sequence[int] = (),
    runs: int | None = None,
    confidence: float = 0.99,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[float], object] = lambda share: None,
) -> Row:
    """The row of an audit of players that promise eps-DP.

    First their random numbers are recorded, and replayed on neighbouring rewards with all noise
    that holds the changed reward shifted by the change. If all actions stay the same at a cost of
    at most eps, every time, the promise is consistent and nothing is sampled. Otherwise samples
    decide: of the response of a user, or of the actions, at short horizons first, until the promise
    is refuted.

    Args:
        make: ``make(arms=K, horizon=T, eps=eps, rng=generator)`` returns a player.
        eps: the promised privacy loss.
        local: whether it is promised of each user's response, and not only of all actions.
        horizons: rounds of the games; empty for 8, 64, 512 and 4096.
        runs: the most runs of a test under each of two neighbours, at each horizon.
        confidence, seed, jobs, progress: see ``audit``.

    Raises:
        BadInput: it is no player, or what its users send cannot be told.
    """
    source = promised(make, local)
    visit = Visit(source, eps, {}, local=local)
    text, aligned = _replayed(visit, seed, horizons)
    columns = {"replays": aligned.replays, "aligned": aligned.aligned} if aligned else {}
    columns = {"seed": seed, "replays": 0, "aligned": 0, **columns, "alignment": text}
    if aligned is not None and aligned.holds and aligned.entered:
        progress(1.0)
        subject, *_ = (_users(visit) if local else _visitors(source, eps, horizons))[0]
        pair = subject.pairs(np.random.default_rng(seed), 1)[0](1)
        held = Sampled(subject, 0.0, confidence, pair, Event((), 0), (0, 0), 0, np.inf)
        return record(held) | columns
    every = _users(visit) if local else _visitors(source, eps, horizons)
    level = 1.0 - (1.0 - confidence) / len(every)
    heard = [s for s in every if not s[0].silent(np.random.default_rng(seed))] or every[-1:]
    found: list[Sampled] = []
    for subject, most, candidates in heard:
        found.append(audit(subject, runs or most, level, seed, jobs, candidates=candidates))
        progress(1.0 / len(heard))
        if found[-1].violated:
            break
    worst = max(found, key=lambda finding: finding.measured)
    return record(worst) | columns | {"confidence": confidence}


def _visitors(source: Algorithm, eps: float, horizons: Sequence[int]) -> list[Stage]:
    """What is sampled to test the privacy of actions, from short horizons to long ones."""
    stages = [_stage(T) for T in horizons] or STAGES
    return [(Visitor(source, eps, {}, (T,)), runs, n) for T, runs, n in stages]


def _stage(T: int) -> tuple[int, int, int]:
    """A horizon with its runs and pairs of neighbours: those of the next longer one of STAGES."""
    _, runs, candidates = next((s for s in STAGES if s[0] >= T), STAGES[-1])
    return T, runs, candidates


def _users(visit: Visit) -> list[Stage]:
    """What is sampled to test local privacy: the user whose replay failed, and the first user."""
    first, second = visit.tried if len(visit.tried) == 2 else (np.zeros((8, 2)),) * 2
    changed = np.argwhere(first != second) if first.shape == second.shape else np.zeros((0, 2), int)
    turn = int(changed[0][0]) if len(changed) else 0
    found = []
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
