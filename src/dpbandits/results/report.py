"""Writing what a request gave: the table, its summaries, and the manifest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ..files import write_atomically
from ..settings.request import Request
from .formats import SUMMARY_CSV, beside, write_pieces
from .manifest import summary_endings, write_manifest
from .naming import table_path
from .run_store import Store
from .summary import render, summary_of
from .table import Table
from .tables import batches, settings_table, write_table

FRAMES = 100  # of summaries, each of which takes kilobytes, before they are made one


def write_report(request: Request, store: Store, seconds: float) -> tuple[Path, pd.DataFrame]:
    """Write a table, its summaries, and its manifest.

    All runs are finished; they took some seconds, 0 if they were finished before.

    Returns:
        The path of the table, and its summary.
    """
    path = table_path(request)
    summaries: list[pd.DataFrame] = []
    question, about = request.question, settings_table(request.settings)
    labels = {s.id: request.labels[s.env] for s in request.settings if s.env in request.labels}

    def pieces() -> Iterator[pd.DataFrame]:
        for some in batches(request.settings, request.runs):
            table = Table.of_store(store, some, request.runs, about)
            yield from table.pieces()
            shown = table.with_labels(labels)
            by = [str(x) for x in about if x != "seed" or about["seed"].nunique() > 1]
            summaries.append(summary_of(shown.runs, by, question, question.statistic))
            if len(summaries) == FRAMES:
                summaries[:] = [pd.concat(summaries)]

    write_pieces(path, pieces())
    summary = pd.concat(summaries, ignore_index=True)
    for suffix, style in ((".md", "pipe"), (".tex", "latex")):
        text = render(summary, request.question, style) + "\n"
        write_atomically(beside(path, suffix), text.encode())
    if SUMMARY_CSV in summary_endings(request.config):
        write_table(beside(path, SUMMARY_CSV), summary)
    write_manifest(path, request, seconds, store.played_with)
    return path, summary
