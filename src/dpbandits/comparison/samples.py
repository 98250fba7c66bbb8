"""Group the runs of a tidy table by setting and the settings by game, and find the baseline of each
setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ..contracts.question import Question
from ..errors import BadInput, unknown
from ..results.intervals import rounded
from ..results.table import Table
from ..results.varying import SETTING, with_budgets, without_privacy
from .pairs import Located, located
from .permutation import differing

ITSELF = "inf"  # as ``baseline``: compare each algorithm with itself without privacy


class Samples:
    """The settings of a table, their games, and the values of the runs of each setting. A game is
    an environment with a horizon and a budget.
    """

    def __init__(self, table: Table):
        self.question, self.budgets = table.question, table.budgets
        self.settings = table.settings[table.described].reset_index(names=SETTING)
        number = table.settings.index.get_indexer(pd.Index(table.ends[SETTING]))
        measured = table.ends[table.statistic].to_numpy(dtype=float)
        ends = np.cumsum(np.bincount(number))[:-1]
        self.values = np.split(measured[np.argsort(number, kind="stable")], ends)
        self.private = ~without_privacy(self.settings, unknown=False).to_numpy()
        self.of_game = game_columns(self.settings, self.question)
        game = self.alike(self.of_game)
        self.games: list[np.ndarray] = [np.flatnonzero(game == k) for k in range(game.max() + 1)]

    def alike(self, columns: list[str]) -> np.ndarray:
        """Return the group number of each setting. Settings of a group have equal values in
        ``columns``.
        """
        return self.settings.groupby(columns, sort=False, dropna=False).ngroup().to_numpy()

    def located(self, center: str, tail: float) -> Located:
        """Return each setting's mean (or median). Each limit fails with probability ``tail``."""
        found = located(self.values, center, tail)
        return found._replace(value=rounded(found.value))

    def references(self, game: Sequence[int], baseline: str | None) -> dict[int, int | None]:
        """Return, for each setting of a game, its baseline: the setting with which it is compared,
        or None.
        """
        if baseline is None:
            return dict.fromkeys(game)
        group = self.question.group
        names = self.settings[group].to_numpy()
        if baseline != ITSELF and baseline not in names:
            raise unknown("baseline", baseline, [*map(str, dict.fromkeys(names)), ITSELF])
        place = self.alike([c for c in self.of_game if c not in self.budgets])
        # the settings without privacy that play this game
        like = np.flatnonzero((place == place[game[0]]) & ~self.private).tolist()
        if baseline == ITSELF:
            fixed = {*self.of_game, *self.budgets, SETTING}
            own = self.alike([c for c in self.settings.columns if c not in fixed])
            same = {i: [j for j in like if own[i] == own[j]] for i in game}
            return {i: self._only(same[i], baseline) if self.private[i] else i for i in game}
        here = [j for j in game if names[j] == baseline]
        one = self._only(here or [j for j in like if names[j] == baseline], baseline)
        return dict.fromkeys(game, one)

    def _only(self, found: Sequence[int], baseline: str) -> int | None:
        if len(found) > 1:
            words = f"one game has {len(found)} settings of {baseline}; one setting is needed"
            raise BadInput(f"baseline={baseline}: {words}")
        return found[0] if found else None

    def differing(
        self, pairs: Iterable[tuple[int, int]], error: float
    ) -> dict[tuple[int, int], bool]:
        """Return whether the means of two settings differ, by one test for all pairs
        (``permutation.differing``).

        The result has each pair in both orders.
        """
        chosen = list(dict.fromkeys(pairs))
        found = differing([(self.values[i], self.values[j]) for i, j in chosen], error)
        differ = dict(zip(chosen, found.tolist(), strict=True))
        return {(j, i): apart for (i, j), apart in differ.items()} | differ


def game_columns(settings: pd.DataFrame, question: Question) -> list[str]:
    """Return the columns that define a game, such as the environment. The other columns are
    parameters of the compared algorithms.
    """
    fixed = {*with_budgets(question.columns, settings), *question.goal_names, "seed"}
    own = fixed - {question.group}
    return [c for c in settings.columns if c in own or c.startswith(("env.", "population"))]
