"""Tables of runs: the question that the runs answer, the settings, the last row of each run, and
all rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.display import declare_own, environment_title
from ..contracts.parameters import BUDGETS
from ..contracts.question import CONTEXTUAL, Question
from ..environments.written import refuse_changed_laws
from ..errors import BadInput
from ..settings.choices import all_of
from ..settings.composed import LABEL
from ..settings.request import LOOKS, SHOWN
from ..settings.setting import Setting
from ..settings.user_files import load_laws
from ..theory.problem import problem
from ..validation import OF_ROWS, refuse_alike
from .formats import NUMBER
from .frames import completed, plain_frame
from .metrics import COLUMNS, ERROR, METRICS, NASH, REGRET, nash, refuse_metric, resolution
from .reading import parts_of, pieces_of, read_whole
from .records import NO_RECORD, Record, agreeing, records_beside, records_of, with_ids
from .references import with_constant
from .run_store import Store
from .scan import Scan
from .summary import EXAMINED, QUANTILES, mean_of, summary_of
from .tables import WHOLE_OR_BLANK, batches, rows_in_store, rows_of_a_run, settings_table
from .varying import ROWS, SETTING, disambiguate, told_apart_by, with_budgets, without_privacy

RECORDS = "settings"  # the attribute of users' frames: the records of settings by id, as JSON
ALIKE = (
    "the tables contain settings that look alike: no column and no manifest says how they differ; "
    "plot the tables separately"
)
OF_FILES = 1e-11  # relative precision of the numbers in CSV files
FRAME = "the table"  # the name of a user's frame in messages
Rows = Callable[[], Iterator[pd.DataFrame]]


@dataclass(frozen=True)
class Table:
    """The runs of some settings."""

    question: Question
    settings: pd.DataFrame  # a row for each setting, by its id, with the columns that describe it
    ends: pd.DataFrame  # a row for each run at the horizon: setting, run, measured values
    rows: Rows  # yields all rows of some settings at a time: setting, run, t, statistic
    metric: str = REGRET  # the metric of a table of regret: one of METRICS
    # the records of settings, by setting id; a setting without a record has no entry
    records: Mapping[str, Record] = field(default_factory=dict)
    name: str = FRAME  # the name of the table in messages

    @classmethod
    def of_store(
        cls,
        store: Store,
        settings: Sequence[Setting],
        runs: int | Sequence[int],
        records: Mapping[str, Record] | None = None,
        played: Sequence[Setting] | None = None,
    ) -> Table:
        """Make a table of the first finished runs of settings with the same question. The rows of
        the table are loaded in batches, each time they are needed. A small table is held in memory.

        Args:
            store: the finished runs.
            settings: the settings.
            runs: one number of runs for all settings, or a number for each setting.
            records: the records of the settings, by setting id.
            played: the settings under which the runs are stored, if these settings have other
                checkpoints.
        """
        counts = np.broadcast_to(runs, len(settings)).tolist()
        several = list(zip(settings, played or settings, counts, strict=True))
        rows: Rows = partial(rows_in_store, store, several)
        if sum(n * rows_of_a_run(own) for _, own, n in several) <= ROWS:
            held = list(rows())
            rows = partial(iter, held)
        question, about = settings[0].question, settings_table(settings).set_index(SETTING)
        ends = pd.concat(_at_horizon(rows(), about) if question.plays_on else rows())
        return cls(question, about, ends.reset_index(drop=True), rows, records=records or {})

    @classmethod
    def of_file(cls, path: Path) -> Table:
        """Open the table in a file. If the rows of each setting are consecutive, the file is read
        in pieces.

        Raises:
            BadInput: the file is missing or not readable, or it is not a tidy table.
        """
        records = records_beside(path)
        scan = Scan.of(str(path), pieces_of(path))
        if scan is None or not (scan.in_order and scan.has_ids):
            return cls.of_frame(read_whole(path), str(path), records)
        columns = [SETTING, *scan.of_run]
        found = cls._of(scan, lambda: parts_of(scan.kept or pieces_of(path, columns)), records)
        if list(found.settings.index) != scan.heads[SETTING].tolist():
            return cls.of_frame(read_whole(path), str(path), records)
        return found

    @classmethod
    def of_frame(
        cls, frame: Any, name: str = FRAME, records: Mapping[str, Record] | None = None
    ) -> Table:
        """Make a table of a user's frame.

        The frame may be a result of ``dpbandits.run``, which the user may have filtered, sorted or
        joined with other frames. The frame may also come from elsewhere.

        Raises:
            BadInput: the frame is not a tidy table.
        """
        plain = completed(name, plain_frame(name, frame))
        scan = Scan(name, plain)
        scan.add_all(plain)
        if not scan.in_order:
            plain = scan.sorted(plain)
            scan = Scan(name, plain, whole=False)  # the whole was checked above
            scan.add_all(plain)
            scan.refuse(plain)

        def rows() -> Iterator[pd.DataFrame]:
            starts = np.append(0, np.cumsum(scan.counts))
            for some in batches(scan.counts):
                part = plain.iloc[starts[some.start] : starts[some.stop]][scan.of_run]
                part = part.reset_index(drop=True)
                part.insert(0, SETTING, np.repeat(ids[some].to_numpy(), scan.counts[some]))
                yield part

        known = records_of(getattr(frame, "attrs", {}).get(RECORDS)) if records is None else records
        found = cls._of(scan, rows, known)
        ids = found.settings.index
        return found

    @classmethod
    def _of(cls, scan: Scan, rows: Rows, records: Mapping[str, Record]) -> Table:
        """Make the table whose rows were scanned. Only the ``records`` that agree with the columns
        are kept. A setting that disagrees with its record gets another id.
        """
        scan.check_columns()
        settings = with_ids(scan.heads)
        known = agreeing(settings, records, scan.question)
        edited = settings.index.isin(records) & ~settings.index.isin(known)
        if edited.any():
            settings = with_ids(scan.heads.assign(**{SETTING: settings.index.where(~edited)}))
        ends = scan.ends.drop(columns="number")
        ends.insert(0, SETTING, settings.index.to_numpy()[scan.ends["number"]])
        for record in known.values():
            if isinstance(record.get(SHOWN), dict):
                declare_own(record["algo"], record[SHOWN])
        return cls(scan.question, settings, ends, rows, scan.metric, known, scan.name)

    @property
    def statistic(self) -> str:
        """The column of the measured quantity."""
        return COLUMNS[self.metric] if self.question.plays_on else self.question.statistic

    @property
    def budgets(self) -> list[str]:
        """The columns of privacy budgets."""
        return with_budgets(["eps"], self.settings)

    @property
    def names(self) -> list[str]:
        """The names of the algorithms or of the rules."""
        return list(map(str, self.settings[self.question.group].unique()))

    @property
    def varied(self) -> list[str]:
        """The columns that a sweep added, and ``seed`` if it varies."""
        fixed = {*self.question.columns, *BUDGETS}
        return [name for name in self.described if name not in fixed]

    @property
    def described(self) -> list[str]:
        """The columns that describe settings, except ``seed`` if it has only one value."""
        return told_apart_by(self.settings)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """The last row of each run, with the columns of its setting, and the measured quantity as
        ``value``. If the runs of some setting were examined several times, there is also the column
        EXAMINED.
        """
        runs = self._described(self.ends).assign(value=self.ends[self.statistic].to_numpy())
        return self._examined(runs)

    def _examined(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the column EXAMINED if the runs of some setting were examined several
        times.
        """
        looks = {own: x[LOOKS] for own, x in self.records.items() if LOOKS in x}
        if not looks:
            return rows
        return rows.assign(**{EXAMINED: rows[SETTING].map(looks).fillna(1).astype(int)})

    def pieces(self) -> Iterator[pd.DataFrame]:
        """Yield all rows as users see them, in pieces of about ROWS rows."""
        measured = (self.statistic if x == REGRET else x for x in self.question.measured)
        columns = [SETTING, "run", *measured]
        types = {name: "Int64" for name in WHOLE_OR_BLANK if name in columns}
        for part in self.rows() if self.question.plays_on else [self.ends]:
            for start in range(0, len(part), ROWS):
                some = part[columns].iloc[start : start + ROWS].astype(types)
                yield self._described(some)

    def _described(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows preceded by the columns of their settings."""
        about = self.settings.take(self.settings.index.get_indexer(pd.Index(rows[SETTING])))
        parts = [about.reset_index(drop=True), rows.reset_index(drop=True)]
        return pd.concat(parts, axis=1)

    def frame(self) -> pd.DataFrame:
        """Return all rows as users see them, in one frame. An attribute of the frame has the
        records.
        """
        found = pd.concat(self.pieces(), ignore_index=True)
        found.attrs[RECORDS] = json.dumps(dict(self.records), default=str)
        return found

    def where(self, keep: Any) -> Table:
        """Return the table of the settings for which ``keep`` is true; ``keep`` has a truth value
        for each setting.
        """
        return self.take(np.flatnonzero(np.asarray(keep, dtype=bool)))

    def take(self, numbers: Any) -> Table:
        """Return the table of the settings with the given row numbers, in this order."""
        settings = self.settings.iloc[numbers]
        place = settings.index.get_indexer(self.ends[SETTING])
        order = np.argsort(place, kind="stable")[np.count_nonzero(place < 0) :]
        ends = self.ends.iloc[order].reset_index(drop=True)

        def rows() -> Iterator[pd.DataFrame]:
            some = (part[part[SETTING].isin(settings.index)] for part in self.rows())
            return (part for part in some if len(part))

        return replace(self, settings=settings, ends=ends, rows=rows)

    def assign(self, **columns: Any) -> Table:
        """Return the table after adding or replacing columns of its settings."""
        return replace(self, settings=self.settings.assign(**columns))

    def with_labels(self) -> Table:
        """Return the table with the names of environments replaced by the labels in the records."""
        return self.assign(env=environment_names(self.settings["env"], self.records))

    def summary(self) -> pd.DataFrame:
        """Summarise the statistic of each setting, see ``summary_of``.

        For labelled data with records there is also a column ``of_constant``: the mean number of
        mistakes divided by the expected mistakes of the best constant action.
        """
        by = [*self.described, SETTING]
        found = summary_of(self.runs, by, self.question)
        return with_constant(found, self.records, averaged=self.metric != REGRET)

    def measured(self, metric: str, folders: Sequence[str] = ()) -> Table:
        """Return the table with a statistic in place of pseudo-regret, such as average regret. The
        column is named after the statistic.

        Average regret is the regret divided by the number of rounds. The error is also the regret
        divided by the number of rounds, for data with users, where regret counts mistakes (or
        losses on a log). Nash regret is not a mean over runs, but ``nash`` returns a value for each
        run, and the mean of these values is the estimate. The standard error of these values is
        right to first order, so summaries, figures and comparisons can use the values like regrets.

        Raises:
            BadInput: the metric does not exist, the table already has another metric, or the metric
                is not defined for these settings.
        """
        refuse_metric(metric)
        if metric in (REGRET, self.metric):
            return self
        needed = f"metric={metric}: a table of regret is needed"
        if not self.question.plays_on:
            raise BadInput(needed)
        if self.metric != REGRET:
            raise BadInput(f"{needed}, but this table holds {self.metric}")
        if metric == ERROR:
            specs = [record["env_spec"] for record in self.known(f"metric={ERROR}", folders)]
            if any(spec.get("law") not in OF_ROWS for spec in specs):
                raise BadInput(f"metric={ERROR}: a table of env=labels or env=log is needed")
        means = self._means(folders) if metric == NASH else {}

        def change(part: pd.DataFrame) -> pd.DataFrame:
            if metric == NASH:
                found = [nash(x, t, means[own][0]).ravel() for own, t, x in _arrays_of(part)]
                values = np.concatenate(found)
            else:
                values = (part[REGRET] / part["t"]).to_numpy()
            return part.drop(columns=REGRET).assign(**{COLUMNS[metric]: values})

        table = replace(self, rows=lambda: map(change, self.rows()), metric=metric)
        if metric != NASH:
            return replace(table, ends=change(self.ends))
        last = _at_horizon(table.rows(), self.settings)
        return replace(table, ends=pd.concat(last, ignore_index=True))

    def resolutions(self) -> np.ndarray:
        """Return, for each setting, by how much the true Nash regret at the horizon may exceed the
        estimate.

        The table must be a table of regret. Returns a float64 array.
        """
        means, found = self._means(), {}
        for own, t, regret in (x for part in self.rows() for x in _arrays_of(part)):
            found[own] = resolution(regret, t, *means[own])
        return np.array([found[own] for own in self.settings.index])

    def _means(self, folders: Sequence[str] = ()) -> dict[str, tuple[float, float]]:
        """Return the largest and the smallest mean of each setting's arms, for Nash regret."""
        found = {}
        for own, record in zip(
            self.settings.index, self.known(f"metric={NASH}", folders), strict=True
        ):
            if record.get("question") == CONTEXTUAL.name:
                raise BadInput(
                    f"metric=nash: env={record['env']}: arms with contexts have no means"
                )
            means = problem(record).instance.means
            if min(means) < 0.0 or max(means) <= 0.0:
                raise BadInput(f"metric=nash: env={record['env']}: an arm has a mean below 0")
            found[own] = float(max(means)), float(min(means))
        return found

    def known(self, needed: str, folders: Sequence[str] = ()) -> list[Record]:
        """Return the record of each setting, in the order of the settings.

        If records name reward laws of the user, the function loads these laws from the user's
        folders.

        Args:
            needed: the key that needs the records; error messages begin with this key.
            folders: the user's folders.

        Raises:
            BadInput: some setting has no record, or the code of a reward law has changed since the
                runs.
        """
        if not {*self.settings.index} <= self.records.keys():
            how = f"the .json file beside {self.name} is missing or does not contain them"
            if self.name == FRAME:
                how = "load the table of a command with dp.load"
                how += "; for several tables give a list, since pd.concat drops their settings"
            raise BadInput(f"{needed} needs the settings: {how}")
        found = [self.records[own] for own in self.settings.index]
        load_laws([record["env_spec"] for record in found], folders)
        for record in found:
            refuse_changed_laws(f"env={record['env']}", record.get("laws", {}))
        return found

    def curves(
        self, band: str | None = "ci", by: Sequence[str] = (SETTING,), most: int | None = None
    ) -> pd.DataFrame:
        """Compute the mean of the statistic over the runs and a band around it, at all checkpoints
        or at no more than ``most`` checkpoints.

        Settings with equal values in the columns ``by`` give one curve for all their runs. The
        other columns of the curve have the values of the first setting.

        Returns:
            The columns of each setting, ``t``, and the columns of ``curve_of``.

        Raises:
            BadInput: a point of a curve would be a mean over fewer runs than another point.
        """
        about = self.settings.reset_index(names=SETTING)
        alike = about.groupby(list(by), sort=False, dropna=False)
        first = about.assign(
            horizon=alike["horizon"].transform("max"), pooled=alike[SETTING].transform("first")
        )
        several = first[alike[SETTING].transform("size") > 1]
        pooled = dict(zip(several[SETTING], several["pooled"], strict=True))
        horizons = about.set_index(SETTING)["horizon"]

        def parts() -> Iterator[pd.DataFrame]:
            held = []
            for part in self.rows():
                some = part if most is None else thinned(part, part[SETTING].map(horizons), most)
                shared = some[SETTING].isin(pooled)
                held.append(some[shared])
                yield some[~shared]
            together = pd.concat(held, ignore_index=True)
            yield together.assign(**{SETTING: together[SETTING].map(pooled)})

        found = pd.concat(
            curve_of(
                self._examined(part.rename(columns={self.statistic: "value"})), [SETTING, "t"], band
            )
            for part in parts()
            if len(part)
        )
        lacking = found["runs"] < found.groupby(SETTING)["runs"].transform("max")
        if lacking.any():
            own, t = found.loc[lacking, [SETTING, "t"]].iloc[0]
            name = self.settings.loc[own, self.question.group]
            where = f"{self.name}: some runs of {name} have no row of t = {t:g}, but others have"
            raise BadInput(f"{where}; a mean over time needs the same rounds in all runs")
        shown = first[first[SETTING] == first["pooled"]].drop(
            columns=["pooled", *found.columns.drop(SETTING)], errors="ignore"
        )
        return shown.merge(found, on=SETTING)


def environment_names(names: pd.Series, records: Mapping[str, Record]) -> pd.Series:
    """Return the label of the environment of each setting, or its name if it has no label.

    If another environment has the same label or title, the name follows the label.

    Args:
        names: the names of the environments of settings, by the ids of settings.
        records: the records of settings, by their ids.
    """
    labels = {own: x[LABEL] for own, x in records.items() if LABEL in x}
    found = pd.Series([labels.get(str(own), env) for own, env in names.items()], names.index)
    alike = names.groupby(found.map(environment_title).to_numpy()).transform("nunique") > 1
    return found.mask(alike & names.index.isin(labels), found + " (" + names + ")")


def _arrays_of(part: pd.DataFrame) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield each setting's id, its checkpoints, and the regrets of its runs (runs, C).

    Raises:
        BadInput: a run lacks a checkpoint that other runs of its setting have.
    """
    for own, rows in part.groupby(SETTING, sort=False):
        t, regret = np.unique(rows["t"]), rows[REGRET].to_numpy(dtype=float)
        if len(rows) != len(t) * rows["run"].nunique():
            raise BadInput(
                f"metric={NASH}: a run lacks checkpoints that other runs of its setting have"
            )
        yield str(own), t, regret.reshape(-1, len(t))


def curve_of(rows: pd.DataFrame, by: str | list[str], band: str | None) -> pd.DataFrame:
    """Compute the mean of ``value`` over the runs and a band around it, for each value of the
    columns ``by``, in ascending order.

    ``band`` is a key of ``figures.choices.BANDS``, or None for means only.

    Returns:
        The columns ``by``, ``mean``, ``middle`` (the line), ``low`` and ``high`` (the band), and
            the number of ``runs``. The band is NaN where it is not defined: equal runs have no
            interval, and a single run has no standard deviation.
    """
    by = [by] if isinstance(by, str) else by
    if band == "ci":
        found = mean_of(rows, by).sort_values(by, ignore_index=True)
        mean, low, high = found["mean"], found["ci_low"], found["ci_high"]
        return found.assign(middle=mean, low=low, high=high)
    value = rows.groupby(by)["value"]
    mean = value.mean()
    low, middle, high = mean, mean, mean
    if band == "quantiles":
        middle, low, high = (value.quantile(q) for q in QUANTILES.values())
    elif band == "std":
        std = value.std()
        low, high = mean - std, mean + std
    columns = {"mean": mean, "middle": middle, "low": low, "high": high, "runs": value.size()}
    return pd.DataFrame(columns).reset_index()


def thinned(rows: pd.DataFrame, horizons: pd.Series, most: int) -> pd.DataFrame:
    """Return the rows of at most ``most`` checkpoints of each horizon, among them the first and the
    last.
    """

    def few(t: pd.Series) -> pd.Series:
        times = np.unique(t)
        return t.isin(times[np.unique(np.linspace(0, len(times) - 1, most).astype(int))])

    return rows[rows.groupby(horizons)["t"].transform(few)]


def load(file: Path) -> pd.DataFrame:
    """Read the table in a file as a frame for users.

    Raises:
        BadInput: see ``Table.of_file``.
    """
    rows = read_whole(file)
    table = Table.of_frame(rows, str(file), records_beside(file))
    if SETTING not in rows or not rows[SETTING].isin(table.settings.index).all():
        return table.frame()
    rows.attrs[RECORDS] = json.dumps(dict(table.records))
    return rows


def open_tables(files: Sequence[Path]) -> Table:
    """Open the tables in some files as one table, see ``join``."""
    return join([Table.of_file(file) for file in files])


def of_frames(frames: Any) -> Table:
    """Make one table of a user's frame, or of a list of frames, see ``join``.

    Raises:
        BadInput: the list is empty, see also ``Table.of_frame`` and ``join``.
    """
    several = all_of("table", frames)
    if not several:
        raise BadInput("table=[]: at least one table is needed")
    return join([Table.of_frame(frame) for frame in several])


def join(tables: Sequence[Table]) -> Table:
    """Join several tables. A run that several tables contain is taken once.

    If different settings look alike, the function adds columns from their records in which they
    differ, see ``disambiguate``.

    Raises:
        BadInput: the tables answer different questions or have different metrics, a run has two
            results, or settings look alike and have no records.
    """
    first = tables[0]
    if len(tables) == 1:
        return first
    questions = sorted({table.question.name for table in tables})
    if len(questions) > 1:
        raise BadInput(f"the tables answer different questions: {', '.join(questions)}")
    held = sorted({METRICS[table.metric] for table in tables})
    if len(held) > 1:
        raise BadInput(f"the tables hold different metrics: {', '.join(held)}")
    records = _joined_records(tables)
    settings = _joined_settings(tables, records)
    ids = Counter(own for table in tables for own in table.settings.index)
    shared = {own for own, count in ids.items() if count > 1}

    def rows() -> Iterator[pd.DataFrame]:
        held = []
        for part in (part for table in tables for part in table.rows()):
            several = part[SETTING].isin(shared)
            held.append(part[several])
            if not several.all():
                yield part[~several]
        if shared:
            yield _rows_once(pd.concat(held), [SETTING, "run", "t"])

    if shared and first.question.plays_on:
        for _ in rows():  # raises if a run has two regrets
            pass
    ends = _rows_once(pd.concat([table.ends for table in tables]), [SETTING, "run"])
    return Table(first.question, settings, ends, rows, first.metric, records, "the tables")


def _at_horizon(parts: Iterable[pd.DataFrame], settings: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the rows of several parts at the horizon of their settings."""
    return (part[part["t"] == part[SETTING].map(settings["horizon"])] for part in parts)


def _rows_once(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return each row of several tables once, sorted by setting, run and round.

    The same run may have passed through a CSV file, which keeps 12 digits of each number.

    Raises:
        BadInput: two different rows have the same key.
    """
    again = rows.duplicated(key)
    found = rows[~again]
    if again.any():
        both = rows[again].merge(found, on=key)
        for name in rows.columns.drop(key):
            one, other = (both[f"{name}_{end}"].to_numpy(dtype=float) for end in "xy")
            if not np.allclose(one, other, rtol=OF_FILES, atol=0.0, equal_nan=True):
                raise BadInput(ALIKE)
    keys = [found[x].to_numpy() for x in reversed(key[1:])]
    order = np.lexsort([*keys, pd.factorize(found[SETTING])[0]])
    return found.iloc[order].reset_index(drop=True)


def _joined_records(tables: Sequence[Table]) -> dict[str, Record]:
    """Return one record for each setting: the record in the table with the most runs of the
    setting. If several tables have equally many runs, the record of the runs that were examined
    most often is taken.
    """
    records: dict[str, Record] = {}
    most: dict[str, tuple[int, int]] = {}
    for table in tables:
        runs = table.ends[SETTING].value_counts()
        for own, x in table.records.items():
            rank = int(runs.get(own, 0)), x.get(LOOKS, 1)
            if rank >= most.get(own, rank):
                records[own], most[own] = x, rank
    return records


def _joined_settings(tables: Sequence[Table], records: Mapping[str, Record]) -> pd.DataFrame:
    """Return each setting of several tables once."""
    several = pd.concat([table.settings for table in tables])
    settings = several.groupby(level=0, sort=False).first().reindex(several.index.unique())
    rows = settings.drop(columns="seed").to_dict("records")
    shown = [{str(k): x for k, x in row.items() if pd.notna(x)} for row in rows]
    more = disambiguate(shown, [records.get(own, NO_RECORD) for own in settings.index])
    for name in dict.fromkeys(name for found in more for name in found):
        column = pd.Series([found.get(name) for found in more], settings.index)
        held = settings.get(name, column)
        settings[name] = held.where(held.notna(), column)
    for name in map(str, settings.select_dtypes("float")):  # 1/3 in a file is another number
        digits = settings[name].map(NUMBER.__mod__)
        settings[name] = settings[name].groupby(digits).transform("first")
        refuse_alike(f"the tables: {name}", settings[name])
    # a table of algorithms without privacy lacks the column of a budget that another table has
    group, free = tables[0].question.group, without_privacy(settings, unknown=False)
    never = free & ~settings[group].isin(settings.loc[~free, group])
    for name in with_budgets(["eps"], settings):
        settings[name] = settings[name].mask(never, np.inf)
    if settings.duplicated(told_apart_by(settings)).any():
        raise BadInput(ALIKE)
    return settings
