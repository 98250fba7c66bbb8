"""Findings that are stored, so that no audit is repeated."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..files import PACKAGE, read_text, sources_hash, write_atomically
from ..settings.setting import digest
from .alignment import report
from .auditor import audit
from .findings import record, write_witness
from .subjects import Subject


def finding_of(
    config: Mapping[str, Any],
    subject: Subject,
    folder: Path | None,
    progress: Callable[[float], object] = lambda share: None,
) -> dict[str, Any]:
    """The row of an audit, from the file in which it is stored if it was done before.

    Findings are stored in ``folder``, with the witness of a violation; None stores nothing.
    ``progress`` is called with each share of the work that is done.
    """
    runs = None if config["runs"] is None else int(float(config["runs"]))
    seed, confidence = int(config["seed"]), float(config["confidence"])
    sources = sources_hash(*sorted((PACKAGE / "audit").glob("*.py")))
    hashed = digest(*map(repr, (subject, runs, confidence, seed, sources)), length=12)
    budget = f"{subject.budget_name}{subject.budget:g}"
    file = folder and folder / f"{subject.name}-{budget}-{hashed}.json"
    try:
        row = json.loads(read_text(file)) if file else None
    except (OSError, ValueError, RecursionError):
        row = None
    if row is not None:
        progress(1.0)
        return row
    aligned = report(subject, seed)
    finding = audit(subject, runs, confidence, seed, config["jobs"], progress)
    row = record(finding, seed) | aligned | {"witness": None}
    if file:
        if finding.violated:
            row["witness"] = write_witness(finding, file.with_suffix(""))
        write_atomically(file, json.dumps(row).encode())
    return row
