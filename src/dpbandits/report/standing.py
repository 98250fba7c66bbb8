"""A sentence for the top of the page: which algorithm is best in how many games, and ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import pandas as pd

from ..comparison.table import games
from ..contracts.display import display_name
from ..contracts.question import Question

MAX_NAMED_ALGORITHMS = 4  # in the sentence


def best_of_games(comparison: pd.DataFrame, question: Question) -> list[set[str]]:
    """Return the best algorithms of each game with several algorithms.

    These have the smallest mean or are tied with it; in a summary, which has no ties, it is the one
    with the smallest mean.
    """
    found = []
    for game in games(comparison, question):
        if game[question.group].nunique() > 1:
            best = game["tied"] if "tied" in game else game["mean"] == game["mean"].min()
            found.append({*game[question.group][best]})
    return found


def standing(best: Iterable[Sequence[set[str]]], untested: int) -> str:
    """Say in one sentence in how many games an algorithm has the smallest mean, or is tied with it.

    Args:
        best: the best algorithms of the games of each table.
        untested: how many of these games have no runs, so that nothing is known about ties.
    """
    every = [names for games in best for names in games]
    if not every:
        return ""
    if len(every) == 1:
        [names] = every
        tied = len(names) > 1
        have = "have the smallest mean, and are tied" if tied else "has the smallest mean"
        return f"{' and '.join(map(display_name, sorted(names)))} {have}."
    counts = Counter(name for names in sorted(map(sorted, every)) for name in names)
    named = [f"{display_name(name)} in {n}" for name, n in counts.most_common(MAX_NAMED_ALGORITHMS)]
    if len(counts) > MAX_NAMED_ALGORITHMS:
        named[-1] += f" (and {len(counts) - MAX_NAMED_ALGORITHMS} further algorithms in fewer)"
    several = sum(len(names) > 1 for names in every)
    said = (
        f"Of {len(every)} games (an environment, a budget and a horizon with several algorithms) "
    )
    said += f"the smallest mean, alone or tied, belongs to {', '.join(named)}"
    said += f"; in {several} several algorithms tie" * bool(several)
    said += f"; {untested} have no runs in this folder, so that ties are unknown" * bool(untested)
    return f"{said}."
