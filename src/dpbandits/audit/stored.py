"""Findings that are stored, so that no audit is repeated."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import joblib

from ..files import PACKAGE, read_text, sources_hash, write_atomically
from ..running.children import follow, safe_children
from ..settings.setting import digest
from .alignment import report
from .auditor import audit
from .findings import record, write_witness
from .subjects import Subject

Audit = tuple[Mapping[str, Any], Subject]  # with its configuration
Result = tuple[str, dict[str, Any] | str]  # a name with the row of an audit, or why there is none


def findings_of(
    audits: Sequence[Audit], folder: Path | None, progress: Callable[[float], object]
) -> Iterator[Result]:
    """The results of audits in their order; ``progress`` is called with each number of them done.

    Those of several algorithms or mechanisms are worked out side by side, each by a process.
    """
    groups = [list(group) for _, group in groupby(audits, lambda audit: audit[1].name)]
    jobs = audits[0][0]["jobs"]
    if len(groups) == 1 or jobs == 1:
        yield from _results(audits, folder, progress)
        return
    workers = joblib.Parallel(jobs, backend="loky", return_as="generator")
    tasks = (joblib.delayed(_in_process)(os.getpid(), group, folder) for group in groups)
    with safe_children():
        for results in workers(tasks):
            progress(len(results))
            yield from results


def _in_process(parent: int, audits: Sequence[Audit], folder: Path | None) -> list[Result]:
    """The results of audits, by a child of a process."""
    follow(parent)
    alone = [(dict(config) | {"jobs": 1}, subject) for config, subject in audits]
    return list(_results(alone, folder, lambda share: None))


def _results(
    audits: Sequence[Audit], folder: Path | None, progress: Callable[[float], object]
) -> Iterator[Result]:
    for config, subject in audits:
        try:
            yield subject.name, finding_of(config, subject, folder, progress)
        except Exception:
            yield subject.name, traceback.format_exc()


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
