"""Audits one after the other, or those of several algorithms side by side."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import joblib

from ..errors import BadInput
from ..running.children import ended_with_this, without_cwd_imports
from .findings import Audit, Progress, Row

Result = tuple[str, Row | Exception]  # a name with a row, or why there is none


class Failed(Exception):
    """An audit failed in another process; its message is the traceback."""


def findings_of(
    audits: Sequence[Audit], folder: Path | None, progress: Progress
) -> Iterator[Result]:
    """The results of audits in their order; ``progress`` is called with each number of them done.

    Those of several algorithms or mechanisms are worked out side by side, each by a process.
    """
    groups = [list(group) for _, group in groupby(audits, lambda audit: audit.name)]
    jobs = next((audit.jobs for audit in audits), 1)
    if len(groups) == 1 or jobs == 1:
        yield from _results(audits, folder, progress)
        return
    workers = joblib.Parallel(jobs, backend="loky", return_as="generator", **ended_with_this())
    tasks = (joblib.delayed(_in_process)(group, folder) for group in groups)
    with without_cwd_imports():
        for results in workers(tasks):
            progress(len(results))
            yield from results


def _in_process(audits: Sequence[Audit], folder: Path | None) -> list[Result]:
    """The results of audits, by a child of a process."""
    found = _results([replace(audit, jobs=1) for audit in audits], folder, lambda share: None)
    return [(name, result if isinstance(result, dict | BadInput) else Failed(text_of(result)))
            for name, result in found]  # fmt: skip


def text_of(error: Exception) -> str:
    """An error as text: of bad input a line, of others the traceback."""
    if isinstance(error, BadInput | Failed):
        return f"{error}\n"
    return "".join(traceback.format_exception(error))


def _results(audits: Sequence[Audit], folder: Path | None, progress: Progress) -> Iterator[Result]:
    for audit in audits:
        try:
            yield audit.name, audit.row(folder, progress)
        except Exception as error:
            yield audit.name, error
