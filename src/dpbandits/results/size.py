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

ANNOUNCED_ROWS = 1e7  # a request with more rows is announced
BYTES = 24  # the approximate bytes of the run, the round and the measured values of a row
OF_A_RUN = 24  # the bytes of a run's number, answer and time in the file of its setting
OF_A_FILE = 1500  # the other bytes of a file of runs: the headers and the checksum


class Size(NamedTuple):
    """The sizes of a table and its runs: the number of rows, and bytes."""

    rows: int  # the number of rows of the table
    table: float  # the bytes of the file of the table, as CSV
    # an upper bound on the bytes of the files of the table's runs, which are compressed
    stored: float
    memory: float  # the bytes of the pulls of the largest setting and of a copy


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
    """Print the size of the table of some runs of each setting if the table is large."""
    size = size_of(settings, runs)
    if size.rows > ANNOUNCED_ROWS:
        print(f"a large table: {_in_words(size)}", file=sys.stderr, flush=True)


def size_of(settings: Sequence[Setting], runs: int) -> Size:
    """Estimate the sizes of the table and the files of some runs of each setting."""
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
