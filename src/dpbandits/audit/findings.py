"""An audit that is asked for, and what it finds: a row of a table with one verdict.

Findings of samples are stored, so that none is made twice.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.versions import LIBRARIES, decides_a_run
from ..files import PACKAGE, read_text, write_atomically
from ..fingerprint import closure, fingerprint
from ..settings.setting import digest
from . import verdicts
from .alignment.align import report
from .exact.actions import exact_loss
from .exact.release import release_loss
from .sampling.auditor import Sampled, audit
from .subjects.players import Player
from .subjects.publishing import Release
from .subjects.subject import Promise, Subject

Row = dict[str, Any]
Progress = Callable[[float], object]  # called with each share of the work that is done
# What makes the findings of samples: these files, and all that they import of the package
MADE_BY = (
    "alignment/align.py",
    "exact/release.py",
    "sampling/auditor.py",
    "subjects/players.py",
    "subjects/publishing.py",
)


@cache
def made_by() -> str:
    """Hash of all that decides a finding of samples except the algorithm or rule itself: the
    sources of the audit, of the mechanisms and of what is promised, with what they import.
    """
    audit = PACKAGE / "audit"
    own = [Path(__file__), audit / "verdicts.py", *(audit / name for name in MADE_BY)]
    files = closure(own, PACKAGE)
    return fingerprint(
        *sorted(f for f in files if decides_a_run(f) or f.parent == PACKAGE / "contracts")
    )


@dataclass(frozen=True)
class Audit:
    """An audit of one subject.

    Attributes:
        subject: what is audited.
        jobs: number of workers.
    """

    subject: Promise
    jobs: int = field(default=1, kw_only=True)

    @property
    def name(self) -> str:
        return self.subject.name

    def row(self, folder: Path | None, progress: Progress = lambda share: None) -> Row:
        """What it finds; ``folder`` is for what is stored, None stores nothing."""
        raise NotImplementedError


@dataclass(frozen=True)
class ExactAudit(Audit):
    """The exact loss of an algorithm's actions with some arms, at one horizon."""

    subject: Player
    horizon: int
    arms: int

    def row(self, folder: Path | None, progress: Progress = lambda share: None) -> Row:
        """The loss and where it is attained; raises OutOfReach."""
        subject, T = self.subject, self.horizon
        values = dict(zip(subject.source.domains, subject.arguments(T), strict=True))
        found = exact_loss(subject.source, values, subject.budget, T, self.arms)
        progress(1.0)
        promised = subject.promised
        return {
            "algo": self.name, "eps": subject.budget, "horizon": T, "arms": self.arms,
            "promised": promised, "low": found.low, "high": found.high,
            "verdict": verdicts.of_exact(found.low, found.high, promised), "event": found.event,
            "rewards": found.rewards[0], "neighbours": found.rewards[1],
        }  # fmt: skip


@dataclass(frozen=True)
class SampledAudit(Audit):
    """Replays of a subject's alignment, the exact loss of a release, and samples.

    Attributes:
        runs, confidence, seed: see ``sampling.auditor.audit``.
    """

    subject: Subject
    runs: int | None = None
    confidence: float = 0.99
    seed: int = 0

    def row(self, folder: Path | None, progress: Progress = lambda share: None) -> Row:
        """All that was found, from the file in which it is stored if it was done before.

        The witness of a violation is stored too.
        """
        subject, settings = self.subject, (self.runs, self.confidence, self.seed)
        hashed = digest(*map(repr, (subject, *settings, made_by(), LIBRARIES)), length=12)
        budget = f"{subject.budget_name}{subject.budget:g}"
        file = folder and folder / f"{self.name}-{budget}-{hashed}.json"
        try:
            row = json.loads(read_text(file)) if file else None
        except (OSError, ValueError, RecursionError):
            row = None
        if row is not None:
            progress(1.0)
            return row
        aligned = report(subject, self.seed)
        exact = release_loss(subject)
        sampled = audit(subject, *settings, self.jobs, progress)
        word = verdicts.of_replays(aligned["aligned"], aligned["replays"])
        row = record(sampled, exact, word) | {"seed": self.seed} | aligned | {"witness": None}
        if file:
            if row["verdict"] == verdicts.VIOLATED:
                row["witness"] = _write_witness(sampled, file.with_suffix(""))
            write_atomically(file, json.dumps(row).encode())
        return row


def record(sampled: Sampled, exact: float | None = None, replayed: str = "") -> Row:
    """A finding as a row of the table; ``replayed`` is the verdict on replays."""
    subject, (x, y) = sampled.subject, sampled.pair
    where = tuple(np.argwhere(x != y)[0])
    promised = subject.promised
    words = [verdicts.of_samples(sampled.measured, promised), replayed]
    if isinstance(subject, Release) and exact is not None:  # the loss of the subject itself
        words.append(verdicts.of_exact(exact, exact, promised))
    return {
        "kind": subject.kind, "name": subject.name, "budget": subject.budget_name,
        subject.budget_name: subject.budget, "unit": subject.unit, "promised": promised,
        "measured": sampled.measured, "detectable": sampled.detectable,
        "exact": math.nan if exact is None else exact,
        "verdict": verdicts.combined(*words), "confidence": sampled.confidence,
        "runs": sampled.runs, "count_first": sampled.counts[0], "count_second": sampled.counts[1],
        "rewards": len(x), "arms": x.shape[1] if x.ndim > 1 else 1,
        "changed_round": int(where[0]) + 1, "changed_arm": int(where[1]) if x.ndim > 1 else 0,
        "first": float(x[where]), "second": float(y[where]),
        "event": sampled.event.in_words(subject.columns(x)) or "nothing differs",
    }  # fmt: skip


def _write_witness(sampled: Sampled, stem: Path) -> list[str]:
    """The two sequences as CSV files, which ``env=table env.file=...`` reads; their paths."""
    paths = [stem.with_name(f"{stem.name}-{which}.csv") for which in ("first", "second")]
    for data, path in zip(sampled.pair, paths, strict=True):
        table = pd.DataFrame(data.reshape(len(data), -1)).add_prefix("arm_")
        text = table.to_csv(index=False, float_format="%.17g", lineterminator="\n")
        write_atomically(path, text.encode())
    return [str(path) for path in paths]
