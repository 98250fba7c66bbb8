"""Comparisons over several environments: on how many environments one algorithm is better than
another, and the ranks of the algorithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from ..contracts.question import Question
from ..errors import BadInput
from ..results.intervals import TAIL, clopper_pearson, rounded
from ..results.summary import FORMATS, describing, significant, value_text
from ..results.table import Table
from ..results.varying import SETTING, WITHOUT, of_game, with_budgets
from .samples import Samples
from .text import is_free

FEWEST_SETS, FEWEST = 3, 3  # environments, and algorithms, that Friedman's test needs
ERROR = 0.05
NEEDED = (
    "sets: three environments are needed, and three algorithms with one setting on each of them"
)


def over_sets(table: Table) -> pd.DataFrame:
    """Count over environments, at each budget, how often one algorithm is better than another.

    An algorithm without a budget is compared at every budget. The comparison at a budget omits
    algorithms that were not run on every environment at this budget.

    Args:
        table: a table of regret or of stopping times, with several environments.

    Returns:
        A row for each ordered pair of algorithms and budget, with the budget, ``algo`` (or
            ``rule``) and ``other``, and the number of ``sets`` (environments). ``below`` is the
            number of sets on which the mean of ``algo`` is below the mean of ``other``. ``wins``,
            ``ties`` and ``losses`` count sets by one permutation test for all pairs of the table
            (with an error probability of 5 % in total), where a tie is a pair that the test does
            not distinguish. ``share`` is below / sets, with its 95 % interval over sets (Clopper &
            Pearson). ``rank`` and ``other_rank`` are the means over sets of the ranks of means.
            ``p`` belongs to Friedman's test of equal ranks, and ``critical_difference`` is the
            critical difference of two ranks (Nemenyi, 5 %).

    Raises:
        BadInput: the table has fewer than three environments, or fewer than three algorithms were
            run on all of them.
    """
    samples = Samples(table)
    levels = list(_levels(samples))
    if not levels:
        raise BadInput(NEEDED)
    pairs = (pair for _, _, ids in levels for own in ids.tolist() for pair in combinations(own, 2))
    differ = samples.differing(pairs, ERROR)
    return pd.DataFrame([row for level in levels for row in _rows(samples, *level, differ)])


def has_sets(table: Table) -> bool:
    """Return whether a table has enough environments and algorithms for ``over_sets``."""
    return any(True for _ in _levels(Samples(table)))


def _levels(samples: Samples) -> Iterator[tuple[dict[str, Any], list[str], np.ndarray]]:
    """Yield each level that has enough environments and algorithms.

    A level is a budget, together with values of other columns in which games of one environment
    differ.

    Yields:
        The values of the level's columns, the names of its algorithms, and their settings, int
        array (sets, algorithms).
    """
    settings, question = samples.settings, samples.question
    sets = [x for x in samples.of_game if x in ("env", "population") or of_game(x)]
    level = [x for x in samples.of_game if x not in sets]
    places = settings.groupby(sets, sort=False, dropna=False)
    if places[question.limit].nunique().max() == 1:  # the horizon belongs to the environment
        level = [x for x in level if x != question.limit]
    budgets = with_budgets(["eps"], settings)
    fixed = {*sets, *budgets, question.group, question.limit, SETTING, "seed"}
    name = settings[question.group].astype(str)
    varied = [x for x in settings if x not in fixed and settings[x].nunique(dropna=False) > 1]
    for column in varied:
        words = settings[column]
        name = name.where(words.isna(), name + " " + words.astype(str))
    about = settings.assign(_name=name, _set=places.ngroup(), _number=settings.index)
    has_budget = pd.Series(samples.private).groupby(name.to_numpy()).any()
    free = ~about["_name"].map(has_budget)
    if free.all():
        free[:] = False
    by: list[Any] = level or [lambda _: 0]
    others = [x for x in level if x not in budgets]  # such as the horizon
    alike = samples.alike(others) if others else np.zeros(len(about))
    for values, rows in about[~free].groupby(by, sort=True, dropna=False):
        own = pd.concat([rows, about[free & (alike == alike[rows.index[0]])]])
        found = own.pivot_table("_number", "_set", "_name", ["size", "first"], sort=False)
        # a size is blank if an algorithm was not run on an environment
        names = [str(x) for x, sizes in found["size"].items() if (sizes == 1).all()]
        if len(found) >= FEWEST_SETS and len(names) >= FEWEST:
            ids = found["first"][names].to_numpy(dtype=int)
            yield dict(zip(level, values, strict=False)), names, ids


def _rows(
    samples: Samples, level: dict[str, Any], names: list[str], ids: np.ndarray, differ: Any
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a level for ``over_sets``."""
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    means = rounded(np.array([[samples.values[i].mean() for i in own] for own in ids]))
    n, K = means.shape
    ranks = rounded(rankdata(means, axis=1).mean(axis=0))
    p = float(rounded(friedmanchisquare(*means.T).pvalue)) if np.ptp(means, axis=1).any() else 1.0
    q = studentized_range.ppf(1.0 - ERROR, K, np.inf) / np.sqrt(2.0)
    critical = float(rounded(q * np.sqrt(K * (K + 1) / (6.0 * n))))
    for i, j in permutations(range(K), 2):
        apart = np.array([differ[a, b] for a, b in ids[:, [i, j]].tolist()])
        lower = means[:, i] < means[:, j]
        wins, below = int((apart & lower).sum()), int(lower.sum())
        low, high = (float(rounded(x)) for x in clopper_pearson(np.array(below), n, TAIL))
        yield {
            **level, samples.question.group: names[i], "other": names[j], "sets": n, "below": below,
            "wins": wins, "ties": int((~apart).sum()), "losses": int((apart & ~lower).sum()),
            "share": below / n, "share_low": low, "share_high": high,
            "rank": float(ranks[i]), "other_rank": float(ranks[j]),
            "critical_difference": critical, "p": p,
        }  # fmt: skip


def matrices(pairs: pd.DataFrame, question: Question) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each level of ``over_sets``, with a text for the level, such as "eps = 1"
    or "without privacy".
    """
    names = describing(pairs, question.group)
    by: list[Any] = names or [lambda _: 0]
    values: Any
    for values, rows in pairs.groupby(by, sort=False, dropna=False):
        given = {n: x for n, x in zip(names, values, strict=False) if not pd.isna(x)}
        free = [WITHOUT for n, x in given.items() if is_free(n, x)]
        at = [
            f"{n} = {FORMATS.get(n, value_text)(x)}" for n, x in given.items() if not is_free(n, x)
        ]
        yield ", ".join([*free, *at]), rows


def sections(pairs: pd.DataFrame, question: Question) -> list[str]:
    """Return, for each level, a sentence about the ranks, and the matrix of wins in Markdown."""
    found = []
    for said, rows in matrices(pairs, question):
        ranks = rows.groupby(question.group)["rank"].first().sort_values(kind="stable")
        one = rows.iloc[0]
        words = ", ".join(f"{name} {significant(x)}" for name, x in ranks.items())
        place = " " if said.startswith(WITHOUT) else " at " * bool(said)
        line = (
            f"Over {one['sets']} environments{place}{said}, mean ranks: {words}. "
            f"Ranks that differ by less than {significant(one['critical_difference'])} are not "
            f"told apart (Nemenyi, 5 %; Friedman's p = {one['p']:.2g})."
        )
        own = zip(rows[question.group], rows["other"], strict=True)
        cells = dict(zip(own, map(_cell, rows.itertuples()), strict=True))
        body = [[x, *(cells.get((x, y), "") for y in ranks.index)] for x in ranks.index]
        head = ["below", *ranks.index]
        table = tabulate(body, head, "pipe", disable_numparse=True)
        found.append(f"{line}\n\n{table}")
    return found


def _cell(row: Any) -> str:
    """Return the text for a pair of algorithms in the matrix, such as 8 (6) [44-97 %].

    In this example, the first algorithm has the smaller mean on 8 environments, and the test
    confirms this on 6 of them. The interval in brackets is for the share of environments.
    """
    return f"{row.below} ({row.wins}) [{100 * row.share_low:.0f}-{100 * row.share_high:.0f} %]"
