"""Write the results of a request: the table, its summaries, and the manifest."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..files import write_atomically
from ..settings.request import LOOKS, Request
from ..settings.setting import Setting
from .formats import SUMMARY_CSV, beside, write_pieces
from .manifest import summary_endings, table_path, write_manifest
from .references import lines_of_references, with_constant
from .run_store import Store
from .summary import summary_of, text_of_summary
from .table import Table
from .tables import write_table
from .varying import SETTING


class Means(NamedTuple):
    """The runs from which the summary computes means, if these are other runs than the runs of the
    table.
    """

    settings: Sequence[Setting]  # the settings of the table, perhaps with fewer checkpoints
    runs: Sequence[int]  # number of runs of each setting
    looks: Sequence[int]  # how often the runs of each setting are examined


class Played(NamedTuple):
    """The finished runs of a request's settings."""

    store: Store
    runs: Sequence[int]  # number of runs of each setting in the table
    played: int  # number of runs that were missing and were played
    means: Means | None = None  # None if the means use the runs of the table

    def total(self, settings: Sequence[Setting]) -> int:
        """Return the number of different runs of ``settings`` that the table and the means use."""
        runs = dict(zip(settings, self.runs, strict=True))
        for setting, n in zip(*self.means[:2], strict=True) if self.means else ():
            runs[setting] = max(n, runs.get(setting, 0))
        return sum(runs.values())


def table_of_means(request: Request, found: Played) -> Table:
    """Return the runs from which the summary of a request is computed."""
    records, settings = request.records, request.settings
    played, runs, looks = found.means or (settings, found.runs, None)
    if looks is not None:
        examined = zip(settings, looks, strict=True)
        records = {setting.id: {**records[setting.id], LOOKS: n} for setting, n in examined}
    return Table.of_store(found.store, settings, runs, records, played)


def write_report(request: Request, found: Played, seconds: float) -> tuple[Path, pd.DataFrame]:
    """Write a table, its summaries, and its manifest.

    Args:
        request: the request.
        found: its runs.
        seconds: the time that the runs took, 0 if they were finished before.

    Returns:
        The path of the table, and its summary.
    """
    path, question, records = table_path(request), request.question, request.records
    table = Table.of_store(found.store, request.settings, found.runs, records)
    checksum = write_pieces(path, table.pieces())
    table = table if found.means is None else table_of_means(request, found)
    summary = summary_of(table.with_labels().runs, [*table.described, SETTING], question)
    lines = lines_of_references(summary, records, question)
    below = "".join(f"\n{escape(line, quote=False)}\n" for line in lines)
    for suffix, style, more in ((".md", "pipe", below), (".tex", "latex", "")):
        text = text_of_summary(summary, question, style) + "\n" + more
        write_atomically(beside(path, suffix), text.encode())
    if SUMMARY_CSV in summary_endings(request.config):
        write_table(beside(path, SUMMARY_CSV), with_constant(summary, records))
    write_manifest(path, checksum, request, seconds, found.store.played_with)
    return path, summary
