"""Reference results on data with users: the mistakes of uniform play, and of the best constant
action. The records of settings contain these numbers, so the data need not be read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import Question
from ..errors import plain
from ..settings.request import REFERENCES
from ..theory.problem import budget_of
from .records import NO_RECORD, Record
from .summary import in_words
from .varying import SETTING, of_game

MAX_LOG_LINES = 20  # settings on a log whose mean rewards are printed


class References(NamedTuple):
    """The reference results in a record of a setting, see ``LabelledInstance.recorded``."""

    uniform: float  # the expected mistakes, or losses, of uniform play at the horizon
    constant: float
    action: str  # the best constant action
    words: str  # a sentence with these numbers
    better: str  # what a better algorithm does, such as "make fewer mistakes"
    is_log: bool  # whether the numbers are estimates

    @classmethod
    def of(cls, record: Record) -> References | None:
        """Return the reference results in a record, or None if the record has none."""
        with suppress(KeyError, TypeError, ValueError):
            found, law = record[REFERENCES], record["env_spec"]["law"]
            numbers = float(found["uniform"]), float(found["constant"])
            action, words, better = (plain(found[x]) for x in ("action", "words", "better"))
            return cls(*numbers, action, words, better, law == "log")
        return None


def with_constant(
    summary: pd.DataFrame, records: Mapping[str, Record], averaged: bool = False
) -> pd.DataFrame:
    """Return a summary, with a further column ``of_constant`` if some settings have labelled data.

    ``of_constant`` is the mean number of mistakes divided by the expected mistakes of the best
    constant action.

    Args:
        summary: a summary of regret, or of an average over rounds.
        records: the records of its settings by their ids.
        averaged: whether means are divided by the number of rounds.
    """
    lines = [References.of(records.get(own, NO_RECORD)) for own in summary[SETTING]]
    constant = np.array([np.nan if x is None or x.is_log else x.constant for x in lines])
    if not np.isfinite(constant).any():
        return summary
    rounds = summary["horizon"] if averaged else 1.0
    return summary.assign(of_constant=summary["mean"] * rounds / constant)


def lines_of_references(
    summary: pd.DataFrame, records: Mapping[str, Record], question: Question
) -> Iterator[str]:
    """Yield the messages that compare the algorithms of a summary with uniform play and the best
    constant action on each data set.

    The messages state the results of uniform play and of the best constant action. If no private
    algorithm is significantly better than the best constant action, a message says so.

    Args:
        summary: a summary of regret, see ``summary_of``.
        records: the records of its settings by their ids; settings without a record are left out.
        question: the question that the runs answer.
    """
    games: dict[tuple[str, float], list[int]] = {}
    for i, own in enumerate(summary[SETTING]):
        if References.of(record := records.get(own, NO_RECORD)):
            games.setdefault((str(record["env_spec"]), record["horizon"]), []).append(i)
    for places in games.values():
        rows = summary.iloc[places]
        of_rows = [records[own] for own in rows[SETTING]]
        known = References.of(of_rows[0])
        assert known is not None
        swept = [x for x in filter(of_game, map(str, summary)) if pd.notna(rows.iloc[0][x])]
        env = " ".join([of_rows[0]["env"], *(f"{x}={rows.iloc[0][x]}" for x in swept)])
        yield f"{env}: {known.words}"
        if known.is_log:
            for (_, row), record in zip(rows[:MAX_LOG_LINES].iterrows(), of_rows, strict=False):
                yield f"{env}: {_mean_reward(summary, row, record, question)}"
        highs = rows["ci_high"][[math.isfinite(budget_of(record)[1]) for record in of_rows]]
        if len(highs) and not (highs < known.constant).any():
            yield (
                f"{env}: no private algorithm here is seen (with 95 %) to {known.better} than "
                f"playing always {known.action}"
            )


def _mean_reward(summary: pd.DataFrame, row: pd.Series, record: Record, question: Question) -> str:
    """Return a line with the mean reward of a setting on a log, computed from its mean loss."""
    mean, high, low = (1.0 - row[x] / record["horizon"] for x in ("mean", "ci_low", "ci_high"))
    is_known = math.isfinite(high - low)  # one run has no interval, and equal runs have none
    interval = f" ({low:.4g} to {high:.4g} over permutations)" if is_known else ""
    free = record["notion"] in (None, "none") and math.isinf(budget_of(record)[1])
    of_env = filter(of_game, map(str, summary))
    without = ["algo", "env", "horizon", *of_env, *(BUDGETS if free else [])]
    about = in_words(summary.drop(columns=without, errors="ignore"), row, question)
    return f"{record['algo']} {about}".strip() + f": mean reward {mean:.4g}{interval}"
