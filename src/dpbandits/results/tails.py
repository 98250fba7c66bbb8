"""Lines about the settings of a table that have equal runs, or too few runs for their tail."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ..contracts.question import Question
from .summary import equal_runs, too_few_runs

OTHERS = 5  # settings that are named besides the one whose runs are the fewest for its tail


def lines_of_tails(found: pd.DataFrame, question: Question) -> Iterator[str]:
    """Yield lines about settings with equal runs and settings with too few runs for their tail.

    The first line is that of ``equal_runs`` (for a summary only), the second that of
    ``too_few_runs``. Short lines about some other settings follow, those with the fewest runs for
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
