"""Instances from data: rewards fixed in advance, and empirical laws of columns of a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..errors import SURE_SIMILARITY, BadInput, plain, similar, unknown
from ..validation import (
    as_integer,
    check_header,
    entries,
    header_of,
    path_in,
    read_csv,
    refuse_cells,
    yes_no,
)
from .instances import Instance, environment_of, of_arms
from .laws import TABLE
from .reward_laws.arm import Arm
from .reward_laws.points import discrete_moment
from .reward_laws.points import empirical as uniform_on

CSV_OF_NUMBERS = "CSV of numbers"
# Names of the columns of a log, which has one row per play: of arms, and of rewards
ARM, REWARD = ("arm", "action"), "reward"
MOST_NAMES = 20  # the largest number of columns that a message lists by name


def table(
    rewards: Any, file: Any, columns: Any = None, header: Any = None, rounds: Any = None
) -> Instance:
    """Rewards fixed in advance: row t contains the reward of every arm in round t + 1.

    The rewards are given on the command line, or as a CSV file with one column per arm. Only the
    first ``rounds`` rows are played, or all rows if ``rounds`` is None. The mean of an arm is the
    mean over these rows.
    """
    if (rewards is None) == (file is None):
        both = ", not both" if file is not None else ""
        raise BadInput(f"rewards=[[...],[...]] or file=PATH.csv is needed{both}")
    if file is not None:
        where, _, values = matrix_of(file, columns, header)
    else:
        where = "rewards"
        for key, value in (("columns", columns), ("header", header)):
            if value is not None:
                raise BadInput(f"{key}={plain(value)}: only the columns of a file have names")
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
    if rounds is not None:
        values = values[: as_integer("rounds", rounds, at_least=1)]
    each = np.full(len(values), 1 / len(values))
    found = tuple(
        Arm(TABLE, (), mean, column.min(), column.max(), partial(discrete_moment, column, each))
        for column, mean in zip(values.T, values.mean(axis=0), strict=True)
    )
    return Instance(environment_of(found)._replace(table=values), found)


@dataclass(frozen=True)
class Logged(Instance):
    """The arms of a log of plays. The package ignores the other columns of the log."""

    notes: tuple[str, ...] = ()


def empirical(
    file: Any, columns: Any = None, header: Any = None, drop_blanks: Any = False
) -> Instance:
    """Arms whose laws are empirical laws. In a CSV file with one column per arm, the law of an arm
    is the empirical law of its column. In a log with the columns ``arm`` (or ``action``) and
    ``reward``, the law of an arm is the empirical law of its rewards in the log.

    Args:
        file: a CSV file.
        columns: names of the columns that are arms, or None for all columns.
        header: the names of the columns if the file has no header, else None.
        drop_blanks: whether blanks at the end of a column are left out.
    """
    if file is None:
        raise BadInput("file=PATH.csv is needed, with a header and one column per arm")
    drop = yes_no("drop_blanks", drop_blanks)
    where, table, log = read_file(file, columns, header)
    others: list[str] = []
    if log:
        found = rewards_logged(where, table[log[0]], table[log[1]])
        others = [plain(name) for name in table.columns if name not in log]
    else:
        found = [numbers_in(where, table[name], drop) for name in table.columns]
    if len(table) < 1 or len(found) < 2:
        raise BadInput(f"{where}: at least one row and two arms (columns) are needed")
    laws = of_arms([uniform_on(values) for values in found])
    if not others:
        return laws
    note = (
        "each arm has its rewards in a log of plays; the other columns are not used: "
        f"{', '.join(others[:MOST_NAMES])}; env=log env.source=FILE plays a log with features"
    )
    return Logged(laws.environment, laws.arms, notes=(note,))


def matrix_of(file: Any, columns: Any, header: Any) -> tuple[str, list[str], np.ndarray]:
    """Return three values for a CSV file: the text with which messages about the file begin, the
    names of its columns, and its numbers, float64 array (rows, columns). For the arguments see
    ``empirical``.
    """
    where, table, log = read_file(file, columns, header)
    if log:
        which = "law empirical reads such a log, and law log one with features"
        raise BadInput(f"{where}: columns {' and '.join(log)}: {which}")
    names = [plain(name) for name in table.columns]
    return where, names, np.column_stack([numbers_in(where, table[name]) for name in table])


def read_file(file: Any, columns: Any, header: Any) -> tuple[str, pd.DataFrame, list[str]]:
    """Return three values for a CSV file: the text with which messages about the file begin, its
    table, and, for a log, the names of the columns of arms and rewards. For the arguments see
    ``empirical``.
    """
    where = f"file={plain(path_in(file))}"
    names = None if columns is None else _names("columns", columns)
    if header is not None:
        header = _names("header", header)
        check_header(f"header={plain(header)}", header)
    else:
        present = header_of(where, path_in(file), CSV_OF_NUMBERS)
        if all(map(is_number, present)):
            chosen = {_meant(name, present) for name in names or [""]}
            if len(set(present)) < len(present) or not chosen <= set(present):
                raise BadInput(f"{where}: {_offer(present)}")
    log = log_in(where, header or present) if names is None else []
    table = read_csv(where, file, CSV_OF_NUMBERS, header, words=log[:1])
    if names is not None:
        table = table[chosen_columns("columns", columns, list(table.columns), path_in(file))]
    elif table.columns[0] == "index" and _counts_rows(table["index"]):
        raise BadInput(
            f"{where}: column index holds the numbers of the rows; leave it out, or choose the "
            "arms with env.columns"
        )
    return where, table, log


def numbers_in(where: str, column: pd.Series, drop_blanks: bool | None = None) -> np.ndarray:
    """Return the numbers in a column, float64 array (rows,). ``drop_blanks`` says whether blanks at
    the end of the column are left out; None means that the user has no such option.
    """
    found = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    filled = np.flatnonzero(column.notna())
    end = int(filled[-1]) + 1 if len(filled) else 0
    if drop_blanks and len(column):
        found = found[:end]
        if end == 0:
            raise BadInput(f"{where}: column {column.name} has only blanks")
    bad = ~np.isfinite(found) | (column.dtype == bool)
    needed = f"a {CSV_OF_NUMBERS} is needed"
    if drop_blanks is False and 0 < end <= bad.argmax():
        needed += "; env.drop_blanks=true leaves out the blanks at the end of a column"
    refuse_cells(where, column, bad, needed)
    return found


def log_in(where: str, names: Collection[str]) -> list[str]:
    """Return the names of the columns of arms and of rewards in a log. Upper and lower case do not
    matter. If the file is not a log, the list is empty.

    Raises:
        BadInput: one column of arms and one column of rewards have names that are only similar to
            the names in a log, so it is not clear whether the file is a log.
    """
    given = {name.casefold(): name for name in names} | {x: x for x in names}
    arm = next((given[name] for name in ARM if name in given), None)
    if arm is not None and REWARD in given:
        return [arm, given[REWARD]]
    arms = [x for x in names if _is_nearly(x.casefold(), ARM)]
    rewards = [x for x in names if _is_nearly(x.casefold(), (REWARD,))]
    is_one_each = len(arms) == len(rewards) == 1 or len(names) == 2
    if is_one_each and arms and rewards and arms != rewards:
        meant = [x for x in names if x in (*arms, *rewards)]
        raise BadInput(
            f"{where}: columns {' and '.join(meant)}: in a log of plays the columns are named arm "
            f"and reward; env.columns={_listed([*names])} says that each column is an arm"
        )
    return []


def _is_nearly(name: str, meant: Sequence[str]) -> bool:
    """Return whether a column's name contains one of the words ``meant``, or is similar to one of
    these words.
    """
    words = re.split(r"[\W_\d]+", name)
    return any(word in words for word in meant) or similar(name, meant, SURE_SIMILARITY) is not None


def rewards_logged(where: str, names: pd.Series, rewards: pd.Series) -> list[np.ndarray]:
    """Return the rewards of each arm in a log of plays. Arms are in alphabetical order, or in
    numerical order if all names are numbers.
    """
    refuse_cells(where, names, names.isna().to_numpy(), "the name of an arm is needed")
    values = pd.Series(numbers_in(where, rewards), rewards.index)
    found = {str(arm): own.to_numpy() for arm, own in values.groupby(names)}
    by_number = all(is_number(arm) and np.isfinite(float(arm)) for arm in found)
    order = sorted(found, key=lambda arm: (by_number and float(arm), arm))
    return [found[arm] for arm in order]


def is_number(text: str) -> bool:
    """Return whether the name of a column is a number, as in a file without a header."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def chosen_columns(key: str, value: Any, known: Sequence[str], of: str) -> list[str]:
    """Check that a value is a list of different columns of a file, and return the list."""
    names = [_meant(name, known) for name in _names(key, value)]
    for name in names:
        check_column(key, name, known, of)
    if len(set(names)) < len(names):
        raise BadInput(f"{key}={plain(value)}: each column can be taken once")
    return names


def check_column(key: str, name: str, known: Collection[str], of: str) -> None:
    """Refuse a name that no column of a file has."""
    if name not in known:
        raise BadInput(f"{key}: {unknown(f'column of {of}:', name, known)}")


def _names(key: str, value: Any) -> list[str]:
    """Check that a value is a list of columns, and return the list."""
    return [plain(name) for name in entries(key, value, "a list of columns is needed")]


def _meant(name: str, known: Sequence[str]) -> str:
    """Return the column of the file with this name. If the name is a number, a column with the same
    number as its name also counts, such as 0.50 for 0.5. If there is no such column, return the
    name.
    """
    if name in known or not is_number(name):
        return name
    return next((x for x in known if is_number(x) and float(x) == float(name)), name)


def _offer(present: Sequence[str]) -> str:
    """Return the part of an error message that helps if the first row of a file has numbers."""
    names = _listed([f"c{i + 1}" for i in range(len(present))])
    offer = f"env.header={names} names the columns of a file without a header"
    if len(set(present)) == len(present):
        offer += f", env.columns={_listed(present)} says that these are their names"
    return f"the first row holds numbers: a header with the arms' names is needed; {offer}"


def _listed(names: Sequence[str]) -> str:
    """Return a list of columns as a user types it; the middle of a long list is left out."""
    shown = names if len(names) <= MOST_NAMES else [names[0], "...", names[-1]]
    return f"[{','.join(shown)}]"


def _counts_rows(column: pd.Series) -> bool:
    """Return whether a column holds 0, 1, 2, ..., as the index that pandas gives to rows."""
    return pd.api.types.is_integer_dtype(column) and bool((column == np.arange(len(column))).all())
