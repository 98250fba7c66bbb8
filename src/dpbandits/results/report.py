"""Write the results of a request: the table, its summaries, and the manifest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from .table import Table, environment_names
from .tables import batches, rows_of_a_run, settings_table, write_table
from .varying import SETTING, told_apart_by

FRAMES = 100  # summaries are joined at this number, since each frame takes kilobytes


class Means(NamedTuple):
    """The runs that give the means of the summary, if these are not the runs of the table."""

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
        """Return how many runs of ``settings`` the table and the means use together."""
        runs = dict(zip(settings, self.runs, strict=True))
        for setting, n in zip(*self.means[:2], strict=True) if self.means else ():
            runs[setting] = max(n, runs.get(setting, 0))
        return sum(runs.values())


def write_report(request: Request, found: Played, seconds: float) -> tuple[Path, pd.DataFrame]:
    """Write a table, its summaries, and its manifest.

    Args:
        request: the request.
        found: its runs.
        seconds: the time that the runs took, 0 if they were finished before.

    Returns:
        The path of the table, and its summary.
    """
    path, question = table_path(request), request.question
    settings, records, means = request.settings, request.records, found.means
    about = settings_table(settings)
    by, names = told_apart_by(about), environment_names(about.set_index(SETTING)["env"], records)
    looks = {own: record.get(LOOKS, 1) for own, record in records.items()}
    if means is not None:
        looks = {s.id: n for s, n in zip(settings, means.looks, strict=True)}
    summaries: list[pd.DataFrame] = []

    def tables(played: Sequence[Setting], runs: Sequence[int]) -> Iterator[Table]:
        rows = [n * rows_of_a_run(s) for s, n in zip(played, runs, strict=True)]
        for some in batches(rows):
            yield Table.of_store(found.store, settings[some], runs[some], about, played[some])

    def add(table: Table) -> None:
        runs = table.assign(env=names[table.settings.index]).runs
        summaries.append(summary_of(runs, by, question, looks))
        if len(summaries) == FRAMES:
            summaries[:] = [pd.concat(summaries)]

    def pieces() -> Iterator[pd.DataFrame]:
        for table in tables(settings, found.runs):
            yield from table.pieces()
            if means is None:
                add(table)

    checksum = write_pieces(path, pieces())
    for table in tables(*means[:2]) if means is not None else ():
        add(table)
    summary = pd.concat(summaries, ignore_index=True)
    lines = lines_of_references(summary, records, question)
    below = "".join(f"\n{escape(line, quote=False)}\n" for line in lines)
    for suffix, style, more in ((".md", "pipe", below), (".tex", "latex", "")):
        text = text_of_summary(summary, question, style) + "\n" + more
        write_atomically(beside(path, suffix), text.encode())
    if SUMMARY_CSV in summary_endings(request.config):
        write_table(beside(path, SUMMARY_CSV), with_constant(summary, records))
    write_manifest(path, checksum, request, seconds, found.store.played_with)
    return path, summary
