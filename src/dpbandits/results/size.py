"""The size of a table, estimated before anything is played."""

from __future__ import annotations

import sys

from ..errors import BadInput
from ..settings.request import Request
from .tables import rows_of_a_run

MANY = 1e7  # rows above which a request is announced
BYTES = 24  # of the run, the round and the measured values of a row, approximately
EACH = 8  # of one arm's pulls up to one checkpoint


def check_size(request: Request) -> None:
    """Refuse a request that is larger than its key ``max_rows`` allows.

    Raises:
        BadInput: its table would have too many rows.
    """
    if _rows(request) > request.max_rows:
        raise BadInput(
            f"max_rows={request.max_rows:g}: the table would have {_in_words(request)}; "
            "reduce runs or checkpoints, divide the sweep, or raise max_rows"
        )


def announce_size(request: Request) -> None:
    """Print the size of a large table."""
    if _rows(request) > MANY:
        print(f"a large table: {_in_words(request)}", file=sys.stderr, flush=True)


def _rows(request: Request) -> int:
    return request.runs * sum(map(rows_of_a_run, request.settings))


def _in_words(request: Request) -> str:
    """The size of the table as a file, and of its largest setting's pulls and a copy of them."""
    each = (
        rows_of_a_run(s) * (len(s.algo) + len(s.env) + 8 * (2 + len(s.columns)) + BYTES)
        for s in request.settings
    )
    largest = max(
        len(s.rounds()) * s.question.record.width(len(s.instance.means)) for s in request.settings
    )
    file, memory = (request.runs * size / 1e9 for size in (sum(each), 2 * EACH * largest))
    return (
        f"{_rows(request):.2g} rows, about {file:.2g} GB as CSV, and need {memory:.2g} GB of "
        "memory for its largest setting"
    )
