"""Which settings of a table have equal runs, or too few runs for their tail, as lines."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ..contracts.question import Question
from .summary import equal_runs, too_few_runs

OTHERS = 5  # settings that are named besides the one whose runs are the fewest for its tail


def lines_of_tails(found: pd.DataFrame, question: Question) -> Iterator[str]:
    """The line of ``equal_runs`` about a summary, the line of ``too_few_runs`` about a summary or a
    comparison, and a short one for each of some other settings, those with the fewest runs for
    their tail first.
    """
    if "ci_low" in found.columns and (line := equal_runs(found, question)) is not None:
        yield line
    if (line := too_few_runs(found, question)) is None:
        return
    yield line
    found = found.reset_index(drop=True)
    lacking = (found["runs_needed"] / found["runs"]).sort_values(ascending=False, kind="stable")
    _, *others = lacking.index[lacking > 1]
    for i in others[:OTHERS]:
        alone = found.assign(runs_needed=found["runs_needed"].where(found.index == i, 0))
        where = str(too_few_runs(alone, question)).partition(": ")[0]
        yield f"also {where}: about {found['runs_needed'][i]}"
    if len(others) > OTHERS:
        yield f"and {len(others) - OTHERS} more"
