"""Long lists: their first lines are printed, and how many more there are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MAX_LINES = 20


def shortened(lines: Sequence[Any], more: str = "more", most: int = MAX_LINES) -> list[Any]:
    """Lines; of many only the first ``most``, and how many ``more`` there are."""
    rest = [f"and {len(lines) - most} {more}"] if len(lines) > most else []
    return [*lines[:most], *rest]


def print_some(name: str, what: str, lines: Sequence[str], more: str) -> None:
    """Print lines about ``what``; of many only the first, and how many ``more``."""
    for line in lines[:MAX_LINES]:
        print(f"{name}: {what}: {line}", file=sys.stderr)
    if len(lines) > MAX_LINES:
        print(f"{name}: {what}: {len(lines) - MAX_LINES} more{more}", file=sys.stderr)


def print_rest(rows: int, page: Path) -> None:
    """Say how many rows of a table are not printed, and which page has all."""
    if rows > MAX_LINES:
        print(f"and {rows - MAX_LINES} more rows: {page} has all")
