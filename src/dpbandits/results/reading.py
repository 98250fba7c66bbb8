"""Tidy tables, read again or given: completed, and refused where they are none."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..errors import BadInput, plain
from ..settings.setting import digest
from ..validation import (
    CSV,
    DAMAGED,
    as_words,
    check_header,
    file_at,
    header_of,
    read_csv,
)
from .checks import ENOUGH, WORDS, check_column, check_runs, check_table, faulty
from .formats import format_of, parquet_pieces, read_parquet
from .manifest import UNREADABLE, read_manifest
from .records import FILE, SETTINGS, records_in, with_known
from .tables import at_end
from .varying import (
    ROWS,
    SETTING,
    descriptive,
    numbers_of,
    settings_in,
)

MEASURED = ["run", "t", "regret"]
OF_CURVES = [SETTING, "horizon", *MEASURED]  # the columns that curves over time need
NAMES = (SETTING, *WORDS)
KINDS = [{"b"}, {"i"}, {"f"}, {"i", "f"}, {"O"}]  # of the types of a column's pieces


def read_table(path: Path) -> pd.DataFrame:
    """Read a tidy table, of regret or of stopping times, with the records of its settings if the
    manifest beside it has them.

    Raises:
        BadInput: the file is missing, is not readable, or its columns or numbers are not those of a
            tidy table.
    """
    found = read_parquet(path) if format_of(path) == "parquet" else _csv_of(path)
    return _checked_of(path, found)


def _checked_of(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """The table of a file, checked, with the records in the manifest beside it and no others."""
    table.attrs[FILE] = str(path)
    found = checked(str(path), table)
    with suppress(*UNREADABLE):
        found.attrs[SETTINGS] = records_in(read_manifest(path))
    return found


def scanned(path: Path) -> tuple[pd.DataFrame, Callable[[], Iterator[pd.DataFrame]]] | None:
    """The rows of a table at the horizon, and a function that reads the rows of some of its
    settings at a time; None if anything is not as commands write it.

    Raises:
        BadInput: as ``read_table``.
    """
    if format_of(path) != "parquet":
        check_header(str(path), header_of(str(path), path))
    found = _Settings(str(path))
    types, words = _types_of(path, found.add)
    if any(types[name] != {np.dtype(object)} for name in words & types.keys()):
        found = _Settings(str(path))
        types, _ = _types_of(path, found.add, words)
    if not types or not found.described():
        return None
    try:
        ends = _checked_of(path, pd.concat(found.ends, ignore_index=True))
    except BadInput:  # or all rows tell that it is none
        return None
    return ends, _by_settings(path, ends.attrs)


class _Settings:
    """What the pieces of a table tell of its settings.

    Attributes:
        known: whether each row has the id of its setting and what curves need, the rows of each
            setting follow each other, and each run is whole.
        ends: the rows at the horizon.
    """

    def __init__(self, where: str):
        self.where, self.known, self.last = where, True, None
        self.ends: list[pd.DataFrame] = []
        self.held: list[pd.DataFrame] = []  # of the last setting the columns of curves
        self.rows: list[pd.DataFrame] = []  # of each setting those that describe it differently
        self.ids: set[str] = set()

    def add(self, piece: pd.DataFrame) -> None:
        """Add a piece; refuse one with other measurements than a tidy table's."""
        self.known &= {*OF_CURVES} <= {*piece} and bool(piece[SETTING].notna().all())
        self.known &= not piece.empty
        if not self.known:
            return
        for name in MEASURED:
            check_column(f"{self.where}: column {name}", name, piece[name])
        own = piece[SETTING]
        firsts = own[own != own.shift(fill_value=self.last)]
        self.known &= firsts.is_unique and self.ids.isdisjoint(firsts)
        self.ids, self.last = self.ids.union(firsts), own.iloc[-1]
        whole, self.held = _settings_ended(self.held, piece[OF_CURVES])
        self.known &= not whole or _whole(pd.concat(whole))
        self.ends.append(at_end(piece))
        self.rows.append(piece.drop(columns=MEASURED).drop_duplicates())

    def described(self) -> bool:
        """Whether each setting is known, has one description, and a row at its horizon."""
        if not (self.known and self.held and _whole(pd.concat(self.held))):
            return False
        return bool(pd.concat(self.rows).drop_duplicates()[SETTING].is_unique)


def _whole(rows: pd.DataFrame) -> bool:
    """Whether all runs of some settings are whole."""
    return not np.any(faulty(rows))


def _settings_ended(
    held: list[pd.DataFrame], piece: pd.DataFrame
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """The pieces with all rows of some settings, of those that are held and of the next one, and
    the pieces of its last setting, which may go on.
    """
    last = piece[SETTING].iloc[-1]
    if held and held[0][SETTING].iloc[0] == last:
        return [], [*held, piece]
    of_last = piece[SETTING] == last
    return [x for x in (*held, piece[~of_last]) if len(x)], [piece[of_last]]


def _by_settings(path: Path, attributes: dict[Any, Any]) -> Callable[[], Iterator[pd.DataFrame]]:
    """A function that reads all rows of some settings of a file at a time."""

    def joined(pieces: list[pd.DataFrame]) -> pd.DataFrame:
        whole = pd.concat(pieces, ignore_index=True)
        whole.attrs = dict(attributes)
        return whole

    def parts() -> Iterator[pd.DataFrame]:
        held: list[pd.DataFrame] = []  # rows of one setting
        for piece in _pieces(path, columns=OF_CURVES):
            whole, held = _settings_ended(held, piece)
            if whole:
                yield joined(whole)
        yield joined(held)

    return parts


def _csv_of(path: Path) -> pd.DataFrame:
    """A CSV file as pandas reads it at once, which would take three times the memory of the table:
    it is read twice in pieces, to learn the types of its columns, and to fill them. The ids of
    settings, which are many rows' words, are categories.
    """
    check_header(str(path), header_of(str(path), path))
    rows = 0
    ids: dict[str, int] = {}

    def add(piece: pd.DataFrame) -> None:
        nonlocal rows
        rows += len(piece)
        for own in piece[SETTING].dropna().unique() if SETTING in piece else ():
            ids.setdefault(own, len(ids))

    types, words = _types_of(path, add)
    if not types:  # pandas refuses it
        return read_csv(str(path), path, words=NAMES)
    if SETTING in types:
        types[SETTING] = {np.dtype(np.int32)}  # codes
    columns: dict[str, Any] = {
        name: np.empty(rows, np.result_type(*kinds)) for name, kinds in types.items()
    }
    start = 0
    for piece in _pieces(path, words):
        if SETTING in piece:
            piece = piece.assign(**{SETTING: piece[SETTING].map(ids).fillna(-1)})
        for name, column in columns.items():
            column[start : start + len(piece)] = piece[name]
        start += len(piece)
    if SETTING in columns:
        columns[SETTING] = pd.Categorical.from_codes(columns[SETTING], pd.Index(list(ids)))
    return pd.DataFrame(columns, copy=False)


def _types_of(
    path: Path, add: Callable[[pd.DataFrame], None], words: Collection[str] = ()
) -> tuple[dict[str, set[np.dtype]], set[str]]:
    """The types of each column in the pieces of a CSV file, each of which is given to ``add``, and
    the columns of words, in which numbers are words; no types if pandas cannot read it, or if the
    types of a column do not go together.
    """
    types: dict[str, set[np.dtype]] = {}
    found = {*words}
    try:
        for piece in _pieces(path, words):
            add(piece)
            for name, kind in piece.dtypes.items():
                types.setdefault(str(name), set()).add(kind)
                if kind.kind == "O" and pd.api.types.infer_dtype(piece[name]) == "string":
                    found.add(str(name))
    except (*DAMAGED, pd.errors.ParserWarning):
        return {}, found
    kinds = {name: {x.kind for x in some} for name, some in types.items()}
    together = all(kinds[name] in KINDS for name in types if name not in found)
    return types if together else {}, found


def _pieces(
    path: Path, words: Collection[str] = (), columns: list[str] | None = None
) -> Iterator[pd.DataFrame]:
    """A file, or some of its columns, in pieces; words are objects, and so is all in columns of CSV
    that are ``words``.
    """
    parquet = format_of(path) == "parquet"
    raw = parquet_pieces(path, ROWS, columns) if parquet else _csv_pieces(path, words, columns)
    for piece in raw:
        found = piece.select_dtypes(exclude=["number", "bool"]).columns
        yield piece.astype(dict.fromkeys(found, object))


def _csv_pieces(
    path: Path, words: Collection[str], columns: list[str] | None
) -> Iterator[pd.DataFrame]:
    options = as_words(header_of(str(path), path), NAMES)
    options["dtype"] |= dict.fromkeys(words, str)
    with (
        pd.option_context("mode.string_storage", "python"),  # pyarrow would copy each word
        warnings.catch_warnings(action="error", category=pd.errors.ParserWarning),
        pd.read_csv(
            file_at(path), chunksize=ROWS, low_memory=False, usecols=columns, **options, **CSV
        ) as reader,
    ):
        yield from reader


def checked(where: str, table: Any) -> pd.DataFrame:
    """A table, completed, that is a tidy one; messages begin with ``where``."""
    table = completed(frame(where, table))
    check_table(where, table)
    known = with_ids(with_known(table))
    check_runs(where, known, table)
    return known


def frame(where: str, table: Any) -> pd.DataFrame:
    """A table of pandas whose columns have names, each its own; messages begin with ``where``."""
    if not isinstance(table, pd.DataFrame):
        found = type(table).__name__
        raise BadInput(f"{where}: a tidy table is needed, such as dp.run returns, not {found}")
    names = table.columns
    if not (names.is_unique and all(isinstance(name, str) for name in names)):
        raise BadInput(f"{where}: each column of a tidy table needs a unique name")
    return table


def completed(table: pd.DataFrame) -> pd.DataFrame:
    """A table with at least ``algo``, ``t`` and ``regret`` as a tidy table: runs of a game without
    a name, in the order of their rows, until the last round. Any other table is returned unchanged.
    """
    if not set(ENOUGH) <= set(table.columns) or table.empty:
        return table
    budget = {} if set(BUDGETS) & set(table.columns) else {"eps": np.inf}
    given = {"env": "", **budget, "horizon": table["t"].max(), "seed": 0}
    if "run" not in table.columns:
        others = [name for name in table.columns if name != "regret"]
        given["run"] = table.groupby(others, dropna=False).cumcount()
    return table.assign(**{k: v for k, v in given.items() if k not in table.columns})


def with_ids(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an id of each setting. A setting without one, since the table was made by hand
    or concatenated, has a hash of the columns that describe it; so have settings that share one,
    since their values were edited.
    """
    found = settings_in(table)
    ids = found.get(SETTING, pd.Series(np.nan, found.index)).astype(object)
    lacking = ~ids.map(lambda x: isinstance(x, str)) | ids.duplicated(keep=False)
    if not lacking.any():
        return table
    columns, seed = descriptive(table), str(table["seed"].iloc[0])  # if it does not vary
    rows = found.loc[lacking, columns].itertuples(index=False)
    ids[lacking] = [_hash_of(seed, dict(zip(columns, row, strict=True))) for row in rows]
    of_rows = ids.to_numpy()[numbers_of(table, found)]
    table = table.drop(columns=SETTING, errors="ignore")
    table.insert(table.columns.get_loc("run"), SETTING, of_rows)  # type: ignore[arg-type]
    return table


def _hash_of(seed: str, setting: dict[str, Any]) -> str:
    """The id of a setting of which nothing but columns is known: the same after it was written."""
    shown = (
        f"{name}={x:.12g}" if isinstance(x, Real) else f"{name}={plain(x)}"
        for name, x in setting.items()
        if not pd.isna(x)
    )
    return digest(seed, *shown, length=16)
