"""The bounds that apply to a problem, as rows of a table."""

from __future__ import annotations

import math
from typing import Any

from .bounds import KINDS, UPPER, bounds_for
from .problem import Problem


def bound_rows(problem: Problem) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The bounds that apply, those with a number first, and why the others do not.

    Returns:
        A row for each bound: ``bound`` (paper and theorem), ``side``, ``kind``, ``value`` (NaN if
        its constants are not known) and ``formula``; and the reasons, by paper and theorem.
    """
    applying, reasons = bounds_for(problem)
    rows = []
    for bound in sorted(applying, key=lambda b: (KINDS.index(b.status), b.side != UPPER)):
        value = bound.value(problem) if bound.is_number else math.nan
        formula = bound.statement + (f" ({bound.note})" if bound.note else "")
        row = {"bound": bound.source, "side": bound.side, "kind": bound.status}
        rows.append({**row, "value": value, "formula": formula})
    return rows, reasons
