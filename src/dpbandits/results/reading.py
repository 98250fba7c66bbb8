"""Read the files of tables in pieces or as a whole. A process that reads a whole table needs little
more memory than the table itself.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput
from ..validation import CSV, DAMAGED, as_words, check_header, file_at, header_of, read_csv
from .formats import csv_of, format_of, parquet_pieces, read_parquet
from .frames import WORDS, of_arrays
from .summary import value_text
from .varying import ROWS, SETTING

NAMES = (SETTING, *WORDS)  # columns of words, even if a word looks like a number
KINDS = [{"b"}, {"i"}, {"f"}, {"i", "f"}, {"O"}]  # allowed types of the pieces of a column
UNREADABLE = (*DAMAGED, pd.errors.ParserWarning)  # of a piece; the whole may be readable


def pieces_of(path: Path, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
    """Yield a table, or some of its columns, in pieces that are read from its file.

    Raises:
        BadInput: the file does not exist, or its header is not the header of a table.
        UNREADABLE: the file is damaged, or a column holds words in some pieces only.
    """
    kinds: dict[Any, set[str]] = {}
    with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
        for piece in _pieces(path, columns):
            for name, column in piece.items():
                kinds.setdefault(name, set()).add(_kind_of(column))
            yield piece
    if any(own not in KINDS for own in kinds.values()):
        raise ValueError("the types of the pieces differ")


def _pieces(path: Path, columns: list[str] | None) -> Iterator[pd.DataFrame]:
    if format_of(path) == "parquet":
        yield from parquet_pieces(path, ROWS, columns)
        return
    header = header_of(str(path), path)
    check_header(str(path), header)
    options = as_words(header, NAMES)
    with (
        pd.option_context("mode.string_storage", "python"),  # pyarrow would copy each word
        pd.read_csv(
            file_at(path), chunksize=ROWS, low_memory=False, usecols=columns, **options, **CSV
        ) as reader,
    ):
        yield from reader


def parts_of(pieces: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Yield the rows of a table in parts. A part has all rows of one or several settings.

    In the pieces, the rows of each setting must be consecutive.
    """
    held: list[pd.DataFrame] = []  # the rows of one setting
    for piece in pieces:
        piece = piece.astype({SETTING: object})
        last = piece[SETTING].iloc[-1]
        before = piece[SETTING] != last
        if before.any() or (held and held[0][SETTING].iloc[0] != last):
            yield pd.concat([*held, piece[before]], ignore_index=True)
            held, piece = [], piece[~before]
        held.append(piece)
    yield pd.concat(held, ignore_index=True)


def read_whole(path: Path) -> pd.DataFrame:
    """Read the table in a file. pandas gives the same result, but needs three times the memory of
    the table.

    Raises:
        BadInput: the file is missing, or not readable.
    """
    columns: dict[str, np.ndarray] = {}  # arrays with spare room for more rows
    words: dict[Any, Any] = {}
    size = 0
    try:
        for piece in pieces_of(path):
            for label, column in piece.items():
                name, values = str(label), _array_of(column, words)
                columns[name] = _joined(columns.get(name, values[:0]), size, values)
            size += len(piece)
    except UNREADABLE:
        columns = {}
    if not columns:  # the whole file is read, or refused with the reason
        if format_of(path) != "parquet":
            return read_csv(str(path), path, words=NAMES)
        whole = read_parquet(path)
        own = [str(name) for name in whole if _kind_of(whole[name]) == "O"]
        arrays = of_arrays({name: _array_of(whole[name], words) for name in own})
        return whole.assign(**arrays.set_axis(whole.index))
    for values in columns.values():
        values.resize(size, refcheck=False)
    return of_arrays(columns)


def _joined(first: np.ndarray, size: int, values: np.ndarray) -> np.ndarray:
    """Return an array with the first ``size`` values of an array, followed by new values.

    The array grows in place, since concatenating arrays would take twice the memory.
    """
    needed, kind = size + len(values), np.result_type(first, values) if size else values.dtype
    joined = first.astype(kind, copy=len(first) == 0)
    if needed > len(joined):
        joined.resize(needed + needed // 64, refcheck=False)
    joined[size:needed] = values
    return joined


def _kind_of(column: pd.Series) -> str:
    """Return the kind of a column's type: O for words, and the name of other types of pandas."""
    if isinstance(column.dtype, pd.StringDtype | pd.CategoricalDtype):
        return "O"
    return column.dtype.kind if isinstance(column.dtype, np.dtype) else str(column.dtype)


def _array_of(column: pd.Series, words: dict[Any, Any]) -> np.ndarray:
    """Return the values of a column. To save memory, equal words are the same object, stored in
    ``words``.
    """
    if _kind_of(column) != "O":
        return column.to_numpy()
    codes, found = pd.factorize(column)
    return np.array([*(words.setdefault(x, x) for x in found), np.nan], dtype=object)[codes]


def refuse_other_words(where: str, table: pd.DataFrame) -> None:
    """Refuse a table with a word that would be another value after it is read from a CSV file: 01
    would be the number 1, and NA would be a blank.
    """
    for name in (str(name) for name in table if _kind_of(table[name]) == "O"):
        words = [word for word in table[name].unique() if isinstance(word, str) and word]
        content = io.BytesIO(csv_of(pd.DataFrame({name: words})))
        read = pd.read_csv(content, **as_words([name], NAMES), **CSV)[name]
        for word, value, again in zip(words, read, read.duplicated(), strict=True):
            if again or pd.isna(value) or word not in (str(value), value_text(value)):
                found = "a blank" if pd.isna(value) else f"{value!r}"
                held = f"a CSV file cannot hold the word {word!r}, which would be read as {found}"
                raise BadInput(
                    f"{where}: column {name}: {held}; write a .parquet file, or change the word"
                )
