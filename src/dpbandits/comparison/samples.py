"""The runs of a tidy table by setting, the settings by game, and the baseline of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..contracts.question import Question
from ..errors import BadInput, unknown
from ..results.tables import at_end, budgets_of, question_of_table, settings_of, without_privacy
from .limits import rounded
from .pairs import Located, located

ITSELF = "inf"  # the baseline that is each algorithm itself without privacy


class Samples:
    """The settings of a table, which of them make a game, and the runs of each."""

    def __init__(self, table: pd.DataFrame):
        self.question = question_of_table(table)
        columns, rows = settings_of(table), at_end(table)
        groups = rows.groupby(columns, sort=False, dropna=False)
        number = groups.ngroup().to_numpy()
        self.settings = rows[columns].iloc[np.unique(number, return_index=True)[1]]
        measured = rows[self.question.statistic].to_numpy(dtype=float)
        ends = np.cumsum(np.bincount(number))[:-1]
        self.values = np.split(measured[np.argsort(number, kind="stable")], ends)
        self.private = ~without_privacy(self.settings).to_numpy()
        self.of_game = game_columns(self.settings, self.question)
        self.games = self._grouped(self.of_game)

    def _grouped(self, columns: Sequence[str]) -> list[np.ndarray]:
        """The numbers of the settings that agree in some columns."""
        if not columns:
            return [np.arange(len(self.settings))]
        number = self.settings.groupby(list(columns), sort=False, dropna=False).ngroup().to_numpy()
        return [np.flatnonzero(number == k) for k in range(number.max() + 1)]

    def located(self, center: str, tail: float) -> Located:
        """The mean, or median, of each setting with limits at a tail."""
        found = located(self.values, center, tail)
        return found._replace(value=rounded(found.value))

    def references(self, game: np.ndarray, baseline: str | None) -> list[int | None]:
        """For each setting of a game the one that it is compared with."""
        if baseline is None:
            return [None] * len(game)
        group = self.question.group
        names = self.settings[group].to_numpy()
        if baseline != ITSELF and baseline not in names:
            raise unknown("baseline", baseline, [*map(str, dict.fromkeys(names)), ITSELF])
        like = self._elsewhere(game[0])
        if baseline == ITSELF:
            own = [
                c
                for c in self.settings.columns
                if c not in (*self.of_game, *budgets_of(self.settings))
            ]
            found = []
            for i in game:
                same = [j for j in like if self._agree(i, j, own)]
                found.append(int(i) if not self.private[i] else self._only(same, baseline))
            return found
        here = [int(j) for j in game if names[j] == baseline]
        one = self._only(here or [j for j in like if names[j] == baseline], baseline)
        return [one] * len(game)

    def _elsewhere(self, i: int) -> list[int]:
        """The settings without privacy that play the game of a setting."""
        budgets = budgets_of(self.settings)
        same = [c for c in self.of_game if c not in budgets]
        return [
            j for j in range(len(self.values)) if not self.private[j] and self._agree(i, j, same)
        ]

    def _agree(self, i: int, j: int, columns: Sequence[str]) -> bool:
        rows = self.settings[list(columns)]
        return not columns or rows.iloc[i].equals(rows.iloc[j])

    def _only(self, found: Sequence[int], baseline: str) -> int | None:
        if len(found) > 1:
            raise BadInput(f"baseline={baseline}: {len(found)} settings of one game have that name")
        return found[0] if found else None

    def name(self, i: int | None) -> str:
        """The name of the algorithm of a setting."""
        return "" if i is None else str(self.settings[self.question.group].iloc[i])


def game_columns(settings: pd.DataFrame, question: Question) -> list[str]:
    """The columns that make a game; the others, parameters of algorithms, are what is compared."""
    fixed = {*question.columns, *budgets_of(settings), *question.goal_names, "seed"} - {
        question.group
    }
    of_game = ("env.", "population")
    return [c for c in settings.columns if c in fixed or c.startswith(of_game)]
