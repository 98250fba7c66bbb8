"""Estimate the size of a table before anything is played."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import BadInput
from ..settings.request import Request
from ..settings.setting import Setting
from .run_store import record_bytes
from .tables import rows_of_a_run

ANNOUNCED_ROWS = 1e7  # a larger table is announced
BYTES = 24  # approximate size of the run, the round and the measured values of a row
OF_A_RUN = 24  # bytes of the number, answer and time of a run in its file
OF_A_FILE = 1500  # further bytes of a file of runs: headers and checksum


class Size(NamedTuple):
    """The number of rows of a table, and the bytes of the table and of its runs."""

    rows: int  # number of rows of the table
    table: float  # the file of the table, as CSV
    stored: float  # upper bound for the files of its runs, which are compressed
    memory: float  # the pulls of its largest setting and a copy of them


def check_size(request: Request) -> None:
    """Refuse a request that is larger than its key ``max_rows`` allows.

    Raises:
        BadInput: the table would have more than ``max_rows`` rows.
    """
    size = size_of(request.settings, request.most_runs)
    if size.rows > request.max_rows:
        key = "runs" if request.auto is None else "max_runs"
        checkpoints = " or checkpoints" if request.question.plays_on else ""
        raise BadInput(
            f"max_rows={request.max_rows:g}: the table would have {_in_words(size)}; "
            f"reduce {key}{checkpoints}, divide the sweep, or raise max_rows"
        )


def announce_size(settings: Sequence[Setting], runs: int) -> None:
    """Print the size of a table with ``runs`` runs of each setting, if the table will be large."""
    size = size_of(settings, runs)
    if size.rows > ANNOUNCED_ROWS:
        print(f"a large table: {_in_words(size)}", file=sys.stderr, flush=True)


def size_of(settings: Sequence[Setting], runs: int) -> Size:
    """Estimate the sizes of the table and the files of ``runs`` runs of each setting."""
    rows = list(map(rows_of_a_run, settings))
    each = (
        n * (len(s.algo) + len(s.env) + 8 * (2 + len(s.columns)) + BYTES)
        for s, n in zip(settings, rows, strict=True)
    )
    arrays = list(map(record_bytes, settings))
    return Size(
        rows=runs * sum(rows),
        table=runs * sum(each),
        stored=runs * (sum(arrays) + OF_A_RUN * len(settings)) + OF_A_FILE * len(settings),
        memory=2 * runs * max(arrays, default=0),
    )


def rows_in_words(size: Size) -> str:
    """Return a text with the number of rows of a table and the size of its file."""
    return f"{size.rows:.2g} rows, about {_bytes(size.table)} as CSV"


def _in_words(size: Size) -> str:
    return f"{rows_in_words(size)}, and its largest setting needs {_bytes(size.memory)} of memory"


def _bytes(size: float) -> str:
    """Return a number of bytes as text with a suitable unit."""
    units = {"GB": 1e9, "MB": 1e6, "kB": 1e3}
    unit = next((name for name, one in units.items() if size >= 0.1 * one), "bytes")
    return f"{size / units.get(unit, 1.0):.2g} {unit}"
