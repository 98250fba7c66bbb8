"""Writing what a request gave: the table, its summaries, and the manifest."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..files import write_atomically
from ..settings.request import Request
from .manifest import write_manifest
from .naming import table_path
from .summary import render, summarize
from .tables import write_table


def write_report(request: Request, table: pd.DataFrame, seconds: float, alone: bool = True) -> Path:
    """Write a table, its summary in Markdown and LaTeX, and its manifest.

    Args:
        request: what was requested.
        table: the tidy table.
        seconds: how long its runs took, 0 if all were finished before.
        alone: whether it is the only job that is run now; see ``table_path``.

    Returns:
        The path of the table.
    """
    path = table_path(request, alone)
    write_table(path, table)
    summary = summarize(table)
    for suffix, style in ((".md", "pipe"), (".tex", "latex_booktabs")):
        text = render(summary, request.question, style) + "\n"
        write_atomically(path.with_suffix(suffix), text.encode())
    write_manifest(path, request.config, request.settings, seconds, request.changed)
    return path
