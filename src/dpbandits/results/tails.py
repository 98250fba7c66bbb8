"""Messages about settings whose runs are all equal, or too few to show the tail of the regret."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ..contracts.question import Question
from .intervals import another_value
from .summary import in_words, percent

OTHERS = 5  # the largest number of settings that are named besides the first


def lines_of_tails(found: pd.DataFrame, question: Question) -> Iterator[str]:
    """Yield lines of text about settings whose runs are all equal, and about settings with too few
    runs to show the tail of the regret.

    Equal runs give no interval. For a summary, the first line is about the setting with the fewest
    runs among the settings with equal runs, and says what equal runs show. The next lines are about
    the settings with too few runs, with the setting first that needs the largest multiple of its
    runs.

    Args:
        found: a summary or a comparison, with the columns ``runs`` and ``runs_needed``.
        question: the question that the runs answer.
    """
    if "halted" in found:  # cut times have no interval and no tail
        found = found[found["halted"] == found["runs"]]
    if "ci_low" in found:
        equal = found[(found["runs"] > 1) & found["ci_low"].isna() & found["mean"].notna()]
        if len(equal):
            row = equal.iloc[int(equal["runs"].argmin())]
            share = percent(another_value(row["runs"]), 2)
            others = f" ({len(equal)} of {len(found)} settings have equal runs)"
            yield (
                f"{in_words(found, row, question)}: all {row['runs']} runs are equal, so there is "
                f"no interval; they show that another value has a probability of at most {share}"
                f"{others if len(equal) > 1 else ''}"
            )
    found = found.reset_index(drop=True)
    lacking = (found["runs_needed"] / found["runs"]).sort_values(ascending=False, kind="stable")
    short = found.loc[lacking.index[lacking > 1]]
    for place, (_, row) in enumerate(short[: 1 + OTHERS].iterrows()):
        where, needed = in_words(found, row, question), row["runs_needed"]
        if place > 0:
            yield f"also {where}: about {needed}"
            continue
        others = f" ({len(short)} of {len(found)} settings have too few)"
        yield (
            f"{where}: {row['runs']} runs are too few for its tail, and the interval may be too "
            f"narrow; about {needed} would do{others if len(short) > 1 else ''}"
        )
    if len(short) > 1 + OTHERS:
        yield f"and {len(short) - 1 - OTHERS} more"
