"""Read the rows of a table once. The scan finds the settings and the last row of each run, and
checks that the runs are complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..errors import BadInput
from .frames import DIFFERS, DIFFERS_BETWEEN_RUNS, check_column, check_frame, check_settings
from .metrics import COLUMNS
from .reading import UNREADABLE
from .varying import ROWS, SETTING

BLANK = "estimate", "answer", "correct"  # these may be blank for runs that met their cap
MOST_KEPT = 4_000_000  # largest number of rows that are kept, which takes 100 MB
MOST_APART = 0.7  # largest ratio of settings to runs; above it a column is suspected of naming runs


class Scan:
    """The facts about a table that are known after its pieces were read one after another.

    A table is ``in_order`` if the rows of each setting are consecutive, the rows of each run are
    consecutive, and the rounds of each run ascend up to its horizon. A table that is not in order
    must be sorted and read again.

    Attributes:
        of_run: the columns that describe a run: its number, and the measured values.
        counts: the number of rows of each setting.
        kept: the ids and the runs of all pieces that ``of`` read, if the pieces have few rows in
            total; otherwise empty.
    """

    def __init__(self, name: str, first: pd.DataFrame, whole: bool = True):
        """Check the columns of the first rows, or of the ``whole`` table."""
        self.name = name
        self.question, self.metric = check_frame(name, first, whole)
        own = COLUMNS[self.metric]
        self.of_run = ["run", *(own if x == "regret" else x for x in self.question.measured)]
        self.describing = [str(x) for x in first if x not in self.of_run]
        self._shown = [x for x in self.describing if x != SETTING]
        self._fixed = {*self.question.columns, *BUDGETS, "seed", SETTING}  # columns of all tables
        self.counts = np.zeros(0, dtype=np.int64)
        self.kept: list[pd.DataFrame] = []
        self._in_order = True
        self._heads: list[pd.DataFrame] = []
        self._ends: list[pd.DataFrame] = []
        # the setting, the run and the round of the last row, and whether it is at the horizon
        self._last: list[Any] = [-1, -1, -1, True]

    @classmethod
    def of(cls, name: str, pieces: Iterator[pd.DataFrame]) -> Scan | None:
        """Scan all pieces; return None if the rows are not in order, or if a column has mixed
        types.
        """
        found = None
        try:
            for piece in pieces:
                found = found or cls(name, piece, whole=False)
                found.add(piece)
                if not found._in_order:
                    return None
                if SETTING in piece:
                    kept = piece[[SETTING, *found.of_run]]
                    found.kept.append(kept.astype({SETTING: "category"}))
                if found.counts.sum() > MOST_KEPT:
                    found.kept.clear()
        except (BadInput, *UNREADABLE):
            return None
        return found

    def add(self, piece: pd.DataFrame) -> None:
        """Read the next rows.

        Raises:
            BadInput: a measured value is not allowed in a tidy table.
        """
        new = _changed(piece[self.describing])
        heads = piece.loc[new, self.describing]
        check_settings(self.name, self.question, heads)
        for name in self.of_run:
            column = piece[name].dropna() if name in BLANK else piece[name]
            check_column(f"{self.name}: column {name}", name, column)
        if (
            self._heads
            and len(pd.concat([self._heads[-1].tail(1), heads.head(1)]).drop_duplicates()) == 1
        ):
            new[0], heads = False, heads.iloc[1:]
        if len(heads):
            self._heads.append(heads)
        number = len(self.counts) - 1 + np.cumsum(new)
        counts = np.bincount(number, minlength=len(self.counts) + len(heads))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        ends = np.ones(len(piece), dtype=bool)
        if self.question.plays_on:
            ends = self._runs(number, *(piece[x].to_numpy() for x in ("run", "t", "horizon")))
        found = piece.loc[ends, self.of_run]
        found.insert(0, "number", number[ends])
        self._ends.append(found)

    def add_all(self, table: pd.DataFrame) -> None:
        """Read the rows of a whole table, piece by piece, which needs little memory."""
        for start in range(0, max(len(table), 1), ROWS):
            self.add(table.iloc[start : start + ROWS])

    def _runs(
        self, number: np.ndarray, run: np.ndarray, t: np.ndarray, horizon: np.ndarray
    ) -> np.ndarray:
        """Return which rows are at the horizon. Also record whether the rounds of each run ascend
        up to the horizon.
        """
        rows = number, run, t, t == horizon
        before = [np.append(last, x[:-1]) for last, x in zip(self._last, rows, strict=True)]
        begins = (number != before[0]) | (run != before[1])
        self._in_order &= bool(np.where(begins, before[3], t > before[2]).all())
        self._last = [x[-1] for x in rows]
        return rows[3]

    @cached_property
    def heads(self) -> pd.DataFrame:
        """The columns that describe settings, with a row for each setting."""
        return pd.concat(self._heads, ignore_index=True)

    @cached_property
    def ends(self) -> pd.DataFrame:
        """The rows at the horizon, with the number of the setting of each row."""
        return pd.concat(self._ends, ignore_index=True)

    @cached_property
    def in_order(self) -> bool:
        """Whether the rows can be used without sorting."""
        check_settings(self.name, self.question, self.heads)
        return (
            self._in_order
            and bool(self._last[3])
            and not self.heads.duplicated().any()
            and not self._doubled(self._shown).any()
        )

    def check_columns(self) -> None:
        """Refuse a user's column with a different value in nearly every run, such as the run's
        time. Without this check, each run would become a separate setting.

        Raises:
            BadInput: several settings differ in one column only, no two of them have a run of the
                same number, and the table has hardly more runs than settings.
        """
        about = self.heads[self._shown]
        if len(about.drop_duplicates()) <= MOST_APART * len(self.ends):
            return
        for name in (x for x in self._shown if x not in self._fixed):
            others = [x for x in self._shown if x != name]
            if about.duplicated(others).any() and not self._doubled(others).any():
                raise BadInput(f"{self.name}: column {name} {DIFFERS_BETWEEN_RUNS}")

    def _doubled(self, columns: list[str]) -> np.ndarray:
        """Return which rows of ``ends`` have the run number of an earlier row, and the same values
        of its setting in ``columns``.
        """
        alike = self.heads.groupby(columns, sort=False, dropna=False).ngroup().to_numpy()
        runs = self.ends[["run"]].assign(number=alike[self.ends["number"]])
        return runs.duplicated().to_numpy()

    @property
    def has_ids(self) -> bool:
        """Whether each setting has an id, and all ids differ."""
        ids = self.heads.get(SETTING, pd.Series([None]))
        return bool(ids.map(lambda x: isinstance(x, str)).all() and ids.is_unique)

    def sorted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return all rows of the table, sorted by setting, run and round."""
        groups = rows.groupby(self.describing, sort=False, dropna=False)
        keys = [rows[x].to_numpy() for x in ("t", "run") if x in self.of_run]
        order = np.lexsort([*keys, groups.ngroup().to_numpy()])
        return rows.iloc[order].reset_index(drop=True)

    def refuse(self, rows: pd.DataFrame) -> None:
        """Refuse a table with incomplete or repeated runs; ``rows`` are all rows, sorted.

        Raises:
            BadInput: no row is at the horizon, a run appears twice, a run does not reach its
                horizon, a run has two rows of one round, or a column has two values in one run.
        """
        group = self.question.group
        if self.ends.empty:
            raise BadInput(f"{self.name}: no row is at its {self.question.limit}")
        doubled = self._doubled(self._shown)
        if doubled.any():
            row = self.ends[doubled].iloc[0]
            place, columns = int(row["number"]), self.heads.columns.drop(SETTING, errors="ignore")
            name = self.heads[group].iloc[place]
            alike = self.heads.duplicated(columns, keep=False).iloc[place]
            hint = f": two settings look alike; rename {name} in one, give the tables as a list, "
            hint += "or add a column in which their games differ, such as env.set"
            twice = f"run {row['run']:g} of {name} appears twice{hint * bool(alike)}"
            raise BadInput(f"{self.name}: {twice}")
        if not self.question.plays_on:
            return
        number = np.repeat(np.arange(len(self.counts)), self.counts)
        run, t, horizon = (rows[x].to_numpy() for x in ("run", "t", "horizon"))
        same = (number[1:] == number[:-1]) & (run[1:] == run[:-1])
        short = np.append(~same, True) & (t != horizon)
        if short.any():
            place = int(short.argmax())
            self._refuse_column(rows, number, place)
            raise BadInput(
                f"{self.name}: run {run[place]:g} of {rows[group].iloc[place]} ends at t = "
                f"{t[place]:g}, but its horizon is {horizon[place]:g} (column horizon)"
            )
        twice = same & (t[1:] == t[:-1])
        if twice.any():
            place = int(twice.argmax())
            where = f"{self.name}: run {run[place]:g} of {rows[group].iloc[place]}"
            raise BadInput(f"{where} has t = {t[place]:g} twice")

    def _refuse_column(self, rows: pd.DataFrame, number: np.ndarray, place: int) -> None:
        """Refuse a user's column if its value changes within the run to which the row ``place``
        belongs.
        """
        fixed = self._fixed
        own = [SETTING] if SETTING in rows else [x for x in self.describing if x in fixed]
        of_run = np.full(len(rows), True)
        for name in [*own, "run"]:
            of_run &= rows[name].isin([rows[name].iloc[place]]).to_numpy()  # blanks are equal, too
        found = rows[of_run]
        for name in () if found["t"].duplicated().any() else self.describing:
            if name not in fixed and found[name].nunique(dropna=False) > 1:
                raise BadInput(f"{self.name}: column {name} {DIFFERS}")


def _changed(rows: pd.DataFrame) -> np.ndarray:
    """Return which rows differ from the previous row; the first row counts as different."""
    found = np.zeros(len(rows), dtype=bool)
    found[:1] = True
    for _, column in rows.items():
        values = column.to_numpy()
        values = pd.factorize(values)[0] if values.dtype == object else values
        differ = values[1:] != values[:-1]
        if values.dtype.kind == "f":
            differ &= ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
        found[1:] |= differ
    return found
