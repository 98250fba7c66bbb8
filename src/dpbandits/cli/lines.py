"""Print the first lines of long lists, and how many lines are left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

MAX_LINES = 20


def shortened(lines: Sequence[Any], more: str = "more", most: int = MAX_LINES) -> list[Any]:
    """Return the first ``most`` lines. If there are more than ``most`` lines, add a line such as
    "and 3 more".
    """
    rest = [f"and {len(lines) - most} {more}"] if len(lines) > most else []
    return [*lines[:most], *rest]


def print_rest(rows: int, page: Path) -> None:
    """Print how many rows of a table are not shown, and which page has all rows."""
    if rows > MAX_LINES:
        print(f"and {rows - MAX_LINES} more rows: {page} has all")
