"""Print the first lines of long lists, and the number of other lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MAX_LINES = 20


def shortened(lines: Sequence[Any], more: str = "more", most: int = MAX_LINES) -> list[Any]:
    """Return the first ``most`` lines and, if there are others, how many ``more`` there are."""
    rest = [f"and {len(lines) - most} {more}"] if len(lines) > most else []
    return [*lines[:most], *rest]


def print_some(name: str, what: str, lines: Sequence[str], more: str) -> None:
    """Print the first lines about ``what`` and, if there are others, how many ``more``
    there are.
    """
    for line in lines[:MAX_LINES]:
        print(f"{name}: {what}: {line}", file=sys.stderr)
    if len(lines) > MAX_LINES:
        print(f"{name}: {what}: {len(lines) - MAX_LINES} more{more}", file=sys.stderr)


def print_rest(rows: int, page: Path) -> None:
    """Print how many rows of a table are not shown, and which page has all rows."""
    if rows > MAX_LINES:
        print(f"and {rows - MAX_LINES} more rows: {page} has all")
