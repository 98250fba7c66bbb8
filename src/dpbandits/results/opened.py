"""Tables as figures and comparisons take them: the rows at the horizon, and curves over time.

Of a table that is read from a file only the rows of some settings are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import BadInput
from .metrics import NASH
from .reading import read_table, scanned, with_ids
from .records import FILE, SETTINGS, Record, Records, records_for_nash, told_apart, with_metric
from .summary import mean_of
from .tables import at_end, with_words
from .varying import (
    SETTING,
    budgets_of,
    descriptive,
    question_of_table,
    settings_in,
    without_privacy,
)

ALIKE = (
    "the tables contain settings that look alike: no column and no manifest says how they differ; "
    "plot the tables separately"
)
QUANTILES = 0.1, 0.5, 0.9
RUN = [SETTING, "run"]
Parts = Callable[[], Iterable[pd.DataFrame]]


class Opened:
    """A table whose rows at the horizon are in memory.

    Attributes:
        ends: these rows, a tidy table; all rows of stopping times.
        parts: yields all rows of some settings at a time, with at least their ids, runs, rounds,
            horizons and regrets.
    """

    def __init__(self, ends: pd.DataFrame, parts: Parts):
        self.ends, self.parts = ends, parts

    @classmethod
    def of(cls, table: pd.DataFrame) -> Opened:
        """A tidy table in memory."""
        known = table if SETTING in table.columns else with_ids(table)
        return cls(at_end(known), lambda: [known])

    def with_ends(self, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Opened:
        """The table with other words or columns, or fewer settings."""
        return Opened(change(self.ends), self.parts)

    def measured(self, metric: str, folders: Sequence[str] = ()) -> Opened:
        """The table with another statistic, see ``with_metric``."""
        change = partial(with_metric, metric=metric, folders=folders)
        found = Opened(self.ends, lambda: map(change, self.parts()))
        if metric != NASH or "rule" in self.ends.columns:
            return found.with_ends(change)
        records_for_nash(self.ends, folders)
        last = pd.concat([at_end(part)[[*RUN, "regret"]] for part in found.parts()])
        values = self.ends[RUN].merge(last, how="left", on=RUN)["regret"].to_numpy()
        return found.with_ends(lambda ends: change(ends).assign(regret=values))

    def curves(
        self,
        band: str | None = "ci",
        most: int | None = None,
        pooled: Mapping[str, str] | None = None,
    ) -> pd.DataFrame:
        """The regret of each setting over the runs at each of its checkpoints, or at ``most`` of
        them: the columns of ``curve_of``, and the id of the setting. Settings whose ids ``pooled``
        maps to one of them have one curve together.
        """
        known, pooled = set(self.ends[SETTING]), pooled or {}
        held: list[pd.DataFrame] = []

        def parts() -> Iterator[pd.DataFrame]:
            for whole in self.parts():
                part = with_words(whole[whole[SETTING].isin(known)])
                part = part if most is None else thinned(part, most)
                several = part[SETTING].isin(pooled)
                held.append(part[several])
                yield part[~several]
            together = pd.concat(held, ignore_index=True)
            yield together.assign(**{SETTING: together[SETTING].map(pooled)})

        return pd.concat([curve_of(x, [SETTING, "t"], band) for x in filter(len, parts())])


def curve_of(rows: pd.DataFrame, by: str | list[str], band: str | None) -> pd.DataFrame:
    """The regret over the runs at each value of the columns ``by``, in ascending order.

    ``band`` is a key of ``figures.bands.BANDS``, or None for means alone; that of a single run has
    no width.

    Returns:
        The columns ``by``, ``mean``, ``middle`` (the line), ``low`` and ``high`` (its band).
    """
    by = [by] if isinstance(by, str) else by
    if band == "ci":
        found = mean_of(rows, by, "regret").sort_values(by, ignore_index=True)
        mean, low, high = found["mean"], found["ci_low"], found["ci_high"]
        return found.assign(middle=mean, low=low.fillna(mean), high=high.fillna(mean))
    regret = rows.groupby(by)["regret"]
    mean = regret.mean()
    low, middle, high = mean, mean, mean
    if band == "quantiles":
        low, middle, high = (regret.quantile(q) for q in QUANTILES)
    elif band == "std":
        std = regret.std().fillna(0.0)
        low, high = mean - std, mean + std
    columns = {"mean": mean, "middle": middle, "low": low, "high": high}
    return pd.DataFrame(columns).reset_index()


def thinned(table: pd.DataFrame, most: int) -> pd.DataFrame:
    """The rows of some checkpoints of each horizon, the first and the last among them."""

    def few(t: pd.Series) -> pd.Series:
        times = np.unique(t)
        return t.isin(times[np.unique(np.linspace(0, len(times) - 1, most).astype(int))])

    return table[table.groupby("horizon")["t"].transform(few)]


def open_tables(files: Sequence[Path]) -> Opened:
    """The tables of some files as one, see ``concat_tables``."""
    tables = [open_table(file) for file in files]
    if len(tables) == 1:
        return tables[0]
    ids = pd.concat([table.ends[SETTING].drop_duplicates() for table in tables])
    shared = set(ids[ids.duplicated()])

    ends = concat_tables([table.ends for table in tables])

    def parts() -> Iterator[pd.DataFrame]:
        held = []
        for part in (part for table in tables for part in table.parts()):
            several = part[SETTING].isin(shared)
            held.append(part[several])
            yield part[~several]
        whole = _rows_once(held)
        whole.attrs = dict(ends.attrs)
        yield whole

    for _ in parts() if shared else ():  # refuses other regrets of the same runs
        pass
    return Opened(ends, lambda: filter(len, parts()))


def open_table(file: Path) -> Opened:
    """The table of a file: read in pieces if the rows of each setting follow each other there.

    Raises:
        BadInput: see ``read_table``.
    """
    found = scanned(file)
    return Opened.of(read_table(file)) if found is None else Opened(*found)


def concat_tables(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several tables as one, with the columns of ``disambiguate`` where the records of settings
    tell those apart that look alike. A run in several tables is taken once.

    Raises:
        BadInput: the tables answer different questions, or no record tells settings apart.
    """
    questions = sorted({question_of_table(table).name for table in tables})
    if len(questions) > 1:
        raise BadInput(f"the tables answer different questions: {', '.join(questions)}")
    if len(tables) == 1:
        return tables[0]
    records: dict[str, Record] = {}
    lacking = []
    for table in tables:
        records |= table.attrs.get(SETTINGS, {})
        lacking += [table.attrs.get(FILE)] if SETTINGS not in table.attrs else []
    table = _joined_budgets(told_apart(_rows_once(tables), records))
    settings = settings_in(table)
    if settings.duplicated(descriptive(settings)).any():
        raise BadInput(ALIKE)
    table.attrs = {FILE: lacking[0]} if lacking else {SETTINGS: Records(records)}
    return table


def _rows_once(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of tables, one after the other; each run of a setting once.

    Raises:
        BadInput: a run has two results.
    """
    table, measured = pd.concat(tables, ignore_index=True), question_of_table(tables[0]).measured
    table = table[~table.duplicated([SETTING, "run", *measured])].reset_index(drop=True)
    if table.duplicated([SETTING, "run", *[name for name in measured if name == "t"]]).any():
        raise BadInput(ALIKE)
    return table


def _joined_budgets(table: pd.DataFrame) -> pd.DataFrame:
    """Joined tables, in which algorithms without any privacy have no blank budgets: they had no
    column of those that only other tables have.
    """
    group, free = question_of_table(table).group, without_privacy(table)
    never = free & ~table[group].isin(table.loc[~free, group])
    filled = {name: table[name].mask(never, np.inf) for name in budgets_of(table)}
    return table.assign(**filled)
