"""Compare the algorithms of a tidy table: one row for each algorithm and game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.question import COMPARED, Question
from ..errors import BadInput
from ..results.intervals import rounded, runs_needed
from ..results.summary import describing
from ..results.table import Table
from ..results.varying import SETTING
from .best import against_best, letters
from .pairs import Located, difference, ratio, smaller
from .samples import Samples, game_columns

ERROR = 0.05  # the probability that any comparison of a table with the best, or baseline, is wrong
CENTERS = {"mean": "", "median": "median_"}  # by center, the prefix of its columns
NOTHING = Located(np.nan, np.nan, np.nan)


def compare(table: Table, baseline: str | None = None, looks: int = 1) -> pd.DataFrame:
    """Compare the algorithms in each game of a tidy table with the best algorithm, or with a
    baseline.

    A game is an environment with a budget and a horizon. One test for all pairs of algorithms in
    all games, and for the pairs with a baseline, finds which means differ. This test determines
    ``differs``, ``tied`` and ``letters``. With probability 95 %, the test finds no difference
    between algorithms with the same law. With probability 95 %, too, all intervals in a column
    contain their true values. If there are C comparisons with the best (or baseline), each end of
    an interval fails with probability at most .05 / (2 C).

    Args:
        table: a table of regret or of stopping times.
        baseline: the name of an algorithm; ``inf`` to compare each algorithm with itself without
            privacy; None for the best algorithm. If the baseline was not run in a game, its runs
            without privacy in this environment are used.
        looks: how often this comparison was made while runs were added; each comparison adds to the
            error probability.

    Returns:
        A row for each setting: the columns of the setting, then the columns in COMPARED; see
            ``dpbandits.compare``.

    Raises:
        BadInput: no algorithm has the name ``baseline``, or several settings in one game have this
            name.
    """
    samples = Samples(table)
    names = samples.settings[table.question.group]
    references: dict[int, int | None] = {}  # the baseline of each setting
    for game in samples.games:
        references |= samples.references(game.tolist(), baseline)
    compared = sum(len(game) - 1 for game in samples.games)
    others = compared
    if baseline is not None:
        others = sum(j is not None and i != j for i, j in references.items())
        if not others:
            raise BadInput(f"baseline={baseline}: no setting can be compared with this baseline")
    to_best, to_reference = (ERROR / 2 / looks / max(n, 1) for n in (compared, others))
    best, reference = (
        {center: samples.located(center, tail) for center in CENTERS}
        for tail in (to_best, to_reference)
    )
    differ = _differ(samples, references, ERROR / looks)
    rows: dict[int, dict[str, Any]] = {}
    for game in samples.games:
        order = np.argsort(best["mean"].value[game], kind="stable")
        first = int(game[order[0]])
        apart = np.array([[differ[i, j] for j in game.tolist()] for i in game.tolist()])
        found = {
            "mean": against_best(best["mean"].of(game), ~apart[:, order[0]]),
            "median": against_best(best["median"].of(game)),
        }
        marks = letters(apart, order)
        for place, i in enumerate(game.tolist()):
            j = first if baseline is None else references[i]
            values = samples.values[i]
            row = rows[i] = {"against": "" if j is None else str(names[j]), "runs": len(values)}
            row["runs_needed"] = int(runs_needed(values[:, np.newaxis])[0])
            row["differs"] = j is not None and differ[i, j]
            for center, start in CENTERS.items():
                row[center] = best[center].value[i]
                row[f"{start}tied"] = bool(found[center].tied[place])
                if baseline is None:
                    one = found[center].ratio.of(place)
                    away = _from_best(best[center], i, game[found[center].tied])
                else:
                    away, one = _against(reference[center], i, j)
                row |= _columns(f"{start}difference", away) | _columns(f"{start}ratio", one)
            p = NOTHING if j is None or i == j else smaller(values, samples.values[j], to_reference)
            row |= _columns("smaller", p) | {"letters": marks[place]}
    results = pd.DataFrame([rows[i] for i in range(len(rows))])[list(COMPARED)]
    about = samples.settings[[*table.described, SETTING]]
    return pd.concat([about, results], axis=1)


def complete(found: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``found``, with the columns added that only the table ``other`` has.

    One of the two tables is a summary, and the other table is a comparison. Users choose the
    columns of a table for a paper from the result.
    """
    more = other.set_index(SETTING).loc[found[SETTING]]
    return found.assign(**{str(x): more[x].to_numpy() for x in more if x not in found})


def _differ(
    samples: Samples, references: Mapping[int, int | None], error: float
) -> dict[tuple[int, int], bool]:
    """Return whether the means of two settings differ, for all pairs in a game and for each setting
    with its reference.
    """
    pairs = {
        (min(i, j), max(i, j))
        for game in samples.games
        for i in game.tolist()
        for j in (*game.tolist(), references[i])
        if j is not None and i != j
    }
    itself = {(i, i): False for i in references}
    return samples.differing(sorted(pairs), error) | itself


def contradicted(comparison: pd.DataFrame) -> pd.Series:
    """Return, for each row, whether the test and the interval of the ratio disagree, so that only
    one of the two shows a difference of the means.
    """
    excludes = (comparison["ratio_low"] > 1.0) | (comparison["ratio_high"] < 1.0)
    return excludes != comparison["differs"]


def _columns(name: str, found: Located) -> dict[str, float]:
    """Return an estimate and its limits as columns."""
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(float, found), strict=True))


def _against(found: Located, i: int, j: int | None) -> tuple[Located, Located]:
    """Return the difference and the ratio of the means of setting i and its reference j."""
    if j is None:
        return NOTHING, NOTHING
    if i == j:
        return Located(0.0, 0.0, 0.0), Located(1.0, 1.0, 1.0)
    return difference(found.of(i), found.of(j)), ratio(found.of(i), found.of(j))


def _from_best(found: Located, i: int, tied: np.ndarray) -> Located:
    """Return the difference between setting i and the best setting, which may be any of the
    ``tied`` settings.
    """
    others = tied[tied != i]
    if not len(others):
        return Located(0.0, 0.0, 0.0)
    each = difference(found.of(np.full(len(others), i)), found.of(others))
    low = 0.0 if i in tied else max(each.low.min(), 0.0)
    return Located(rounded(found.value[i] - found.value[tied].min()), low, max(each.high.max(), 0))


def games(comparison: pd.DataFrame, question: Question) -> list[pd.DataFrame]:
    """Return the rows of each game of a comparison."""
    columns = game_columns(comparison[describing(comparison)], question)
    return [rows for _, rows in comparison.groupby(columns, sort=False, dropna=False)]
