"""Instances from data: rewards fixed in advance, and empirical laws of the columns of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput, plain, unknown
from ..validation import read_csv
from . import arms, moments
from .arms import Arm
from .instances import Instance, environment_of, of_arms
from .laws import TABLE


def table(rewards: Any, file: Any) -> Instance:
    """Rewards fixed in advance: row t contains the reward of every arm in round t + 1.

    They are given on the command line, or as a CSV file with one column per arm. The mean of an
    arm is the mean of its column.
    """
    if (rewards is None) == (file is None):
        raise BadInput("rewards: either these, as [[...],[...]], or file=PATH.csv is needed")
    where = "rewards" if file is None else f"file={file}"
    if file is not None:
        values = read_columns(file).to_numpy()
    else:
        try:
            values = np.array([[float(x) for x in row] for row in rewards])
        except (TypeError, ValueError):
            raise BadInput(
                "rewards: a list of rounds is needed, each a list of one number per arm"
            ) from None
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        raise BadInput(f"{where}: at least one round (row) and two arms (columns) are needed")
    if not np.isfinite(values).all():
        raise BadInput(f"{where}: every reward must be a finite number")
    each = np.full(len(values), 1 / len(values))
    columns = tuple(
        Arm(TABLE, (), mean, column.min(), column.max(), partial(moments.discrete, column, each))
        for column, mean in zip(values.T, values.mean(axis=0), strict=True)
    )
    return Instance(environment_of(columns)._replace(table=values), columns)


def empirical(file: Any, columns: Any) -> Instance:
    """Arms whose laws are the empirical laws of the columns of a CSV file.

    Args:
        file: a CSV file with a header.
        columns: names of the columns, or None for all of them.
    """
    if file is None:
        raise BadInput("file=PATH.csv is needed, with a header and one column per arm")
    table = read_columns(file, columns)
    if table.shape[0] < 1 or table.shape[1] < 2:
        raise BadInput(f"file={file}: at least one row and two arms (columns) are needed")
    for name in table.columns:
        if table[name].nunique() < 2:
            raise BadInput(
                f"file={file}: column {name} is constant ({table[name].iloc[0]:g}); "
                "rewards that vary are needed"
            )
    return of_arms([arms.empirical(table[name].tolist()) for name in table.columns])


def read_columns(file: Any, columns: Any = None) -> pd.DataFrame:
    """Read columns of numbers from a CSV file."""
    table = read_csv(f"file={plain(file)}", file, "CSV of numbers")
    if not isinstance(table.index, pd.RangeIndex):
        raise BadInput(f"file={plain(file)}: not a CSV of numbers (rows exceed the header)")
    if all(is_number(name) for name in table.columns):
        raise BadInput(f"file={plain(file)}: a header with the arms' names is needed")
    if columns is not None:
        if not isinstance(columns, Sequence) or isinstance(columns, str) or not columns:
            raise BadInput(f"columns={plain(columns)}: a list of columns is needed")
        names = [plain(name) for name in columns]
        for name in names:
            if name not in table.columns:
                raise BadInput(f"columns: {unknown(f'column of {file}:', name, table.columns)}")
        if len(set(names)) < len(names):
            raise BadInput(f"columns={plain(columns)}: each column can be taken once")
        table = table[names]
    for name in table.columns:
        found = pd.to_numeric(table[name], errors="coerce")
        bad = ~np.isfinite(found.to_numpy(dtype=float))
        if bad.any() or table[name].dtype == bool:
            row = int(bad.argmax()) + 1
            value = table[name].iloc[row - 1]
            what = "a blank" if pd.isna(value) else repr(plain(value))
            raise BadInput(
                f"file={plain(file)}: not a CSV of numbers (row {row} of column {name} "
                f"holds {what})"
            )
    return table.astype(float)


def is_number(text: str) -> bool:
    """Whether the name of a column is a number, as in a file without a header."""
    try:
        float(text)
    except ValueError:
        return False
    return True
