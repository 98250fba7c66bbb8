"""Read the files of tables: in pieces, or whole in little more memory than the table takes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..validation import CSV, DAMAGED, as_words, check_header, file_at, header_of, read_csv
from .checks import WORDS
from .formats import format_of, parquet_pieces, read_parquet
from .varying import ROWS, SETTING

NAMES = (SETTING, *WORDS)  # columns of words, even if these look like numbers
KINDS = [{"b"}, {"i"}, {"f"}, {"i", "f"}, {"O"}]  # of the types of the pieces of a column


def pieces_of(path: Path, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
    """Yield a table, or some of its columns, in pieces that are read from its file.

    Raises:
        BadInput: the file does not exist, or its header is not that of a table.
        ValueError, OSError and others of DAMAGED: the file is damaged.
    """
    if format_of(path) == "parquet":
        yield from parquet_pieces(path, ROWS, columns)
        return
    header = header_of(str(path), path)
    check_header(str(path), header)
    options = as_words(header, NAMES)
    with (
        pd.option_context("mode.string_storage", "python"),  # pyarrow would copy each word
        warnings.catch_warnings(action="error", category=pd.errors.ParserWarning),
        pd.read_csv(
            file_at(path), chunksize=ROWS, low_memory=False, usecols=columns, **options, **CSV
        ) as reader,
    ):
        yield from reader


def parts_of(path: Path, columns: list[str]) -> Iterator[pd.DataFrame]:
    """Yield the rows of a table in parts, each with all rows of some settings.

    The rows of each setting must follow each other in the file.
    """
    held: list[pd.DataFrame] = []  # rows of one setting
    for piece in pieces_of(path, columns):
        piece = piece.astype({SETTING: object})
        last = piece[SETTING].iloc[-1]
        before = piece[SETTING] != last
        if before.any() or (held and held[0][SETTING].iloc[0] != last):
            yield pd.concat([*held, piece[before]], ignore_index=True)
            held, piece = [], piece[~before]
        held.append(piece)
    yield pd.concat(held, ignore_index=True)


def read_whole(path: Path) -> pd.DataFrame:
    """Read the table in a file in pieces; the result is the same as if pandas had read it at once,
    which would take three times the table's memory.

    Raises:
        BadInput: the file is missing, or not readable.
    """
    if format_of(path) == "parquet":
        return read_parquet(path)
    columns: dict[str, _Column] = {}
    try:
        for piece in pieces_of(path):
            for name, values in piece.items():
                columns.setdefault(str(name), _Column()).add(values)
    except (*DAMAGED, pd.errors.ParserWarning):
        columns = {}
    if not columns or any(column.kinds not in KINDS for column in columns.values()):
        return read_csv(str(path), path, words=NAMES)  # of all types, or refused with the reason
    found: dict[str, Any] = {name: columns.pop(name).series() for name in list(columns)}
    return pd.DataFrame(found, copy=False)


def kind_of(column: pd.Series) -> str:
    """Return the kind of a column's type; it is O for words, whatever pandas calls their type."""
    return column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"


class _Column:
    """A column to which pieces are added. Words are stored as numbers."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.words: dict[Any, int] = {}
        self.size, self.values = 0, np.empty(0, dtype=bool)

    def add(self, piece: pd.Series) -> None:
        """Add values. The array grows in place, since joining a list of arrays would take twice the
        memory.
        """
        self.kinds.add(kind_of(piece))
        if kind_of(piece) != "O":
            values = piece.to_numpy()
        else:
            codes, words = pd.factorize(piece)
            numbers = [self.words.setdefault(word, len(self.words)) for word in words]
            values = np.array([*numbers, -1], dtype=np.int32)[codes]
        kind = np.result_type(self.values, values) if self.size else values.dtype
        if kind != self.values.dtype:
            self.values = self.values.astype(kind)
        size = self.size + len(values)
        if size > len(self.values):
            self.values.resize(size + self.size // 16, refcheck=False)
        self.values[self.size : size] = values
        self.size = size

    def series(self) -> pd.Series:
        """Return all values as a series."""
        self.values.resize(self.size, refcheck=False)
        if self.kinds != {"O"}:
            return pd.Series(self.values, copy=False)
        words = np.array([*self.words, np.nan], dtype=object)
        return pd.Series(words[self.values], dtype=object, copy=False)
