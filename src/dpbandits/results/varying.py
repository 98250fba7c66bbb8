"""The columns of tables that describe a setting. Some columns are added only if different settings
would look alike without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..errors import plain
from ..settings.sweep import OF_RUNS

SETTING = "setting"  # the column of the ids of settings
ROWS = 100_000  # approximate number of rows of a piece of a table
WITHOUT = "without privacy"  # what is printed in place of an infinite privacy budget
VERSION = "version"  # the version of an algorithm's sources
HASH = re.compile(r" \([0-9a-f]{8}\)$")  # the hash of a file, after its path


def varying(
    settings: pd.DataFrame, among: Iterable[str], within: Sequence[str] = (), blank: bool = False
) -> list[str]:
    """Return the columns of ``among`` in which settings have different values.

    Args:
        settings: a row for each setting, or several rows.
        among: the names of the columns that are checked.
        within: the columns such that only settings with equal values in these columns are compared.
        blank: whether a blank counts as a value.
    """
    names = list(among)
    if not within:
        return [name for name in names if settings[name].nunique(dropna=not blank) > 1]
    groups = settings.groupby(list(within), sort=False, dropna=False)
    return [name for name in names if groups[name].nunique(dropna=not blank).max() > 1]


def told_apart_by(settings: pd.DataFrame) -> list[str]:
    """Return the columns that describe settings, except ``seed`` if it has only one value."""
    return [str(x) for x in settings if x != "seed" or settings["seed"].nunique() > 1]


def disambiguate(
    shown: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return, for each setting, the values of its record that a table must show so that no two
    settings look alike.

    ``shown`` has the values that a table already shows of each setting. The function returns a
    value of the records in three cases. First, it differs between two settings that look alike.
    Second, it differs between two environments of the same name. Third, it describes an environment
    or a population and is already shown for some setting. If an algorithm has several versions, its
    version is returned, too.
    """
    known = [dict(details(record)) for record in records]
    looks = pd.DataFrame([{k: comparable(x) for k, x in own.items()} for own in shown])
    # the values in records for which there is no column yet
    hidden = pd.DataFrame(
        [
            {k: plain(x) for k, x in found.items() if x is not None and k not in own}
            for found, own in zip(known, shown, strict=True)
        ]
    )

    def differing(alike: Callable[[str], bool], among: Callable[[str], bool]) -> Iterator[str]:
        """Yield the hidden columns ``among`` which differ between settings with equal values in the
        shown columns ``alike``. Settings without any hidden value are left out.
        """
        by = list(filter(alike, looks.columns))
        groups = looks.groupby(by, sort=False, dropna=False).indices if by else {}
        for numbers in groups.values() if by else [np.arange(len(looks))]:
            if len(numbers) > 1:
                rows = hidden.iloc[numbers].dropna(how="all")
                yield from varying(rows, filter(among, hidden.columns), blank=True)

    found = [
        *differing(lambda name: True, lambda name: name != VERSION),
        *differing(lambda name: name == "env" or _of_env(name), _of_env),
        *(name for own in shown for name in filter(of_game, own)),
        *differing(lambda name: name in ("algo", "rule"), lambda name: name == VERSION),
    ]
    return [{name: own[name] for name in dict.fromkeys(found) if name in own} for own in known]


def comparable(value: Any) -> Any:
    """Return a value that can be compared; a list or a mapping becomes text."""
    return plain(value) if isinstance(value, list | dict) else value


def of_game(name: str) -> bool:
    """Return whether a column describes the environment or the population."""
    return name.startswith(("env.", "population."))


def _of_env(name: str) -> bool:
    return name.startswith("env.")


def details(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the part of a record for which not every table has a column."""
    for name, value in record["parameters"].items():
        if name not in BUDGETS:
            yield name, value
    yield from _leaves("env", record["env_spec"])
    yield from _leaves("env.law", record.get("laws", {}))  # the versions of reward laws
    yield from _leaves("population", record["population"] or {})
    for name in (*OF_RUNS, VERSION):
        if name in record:
            yield name, record[name]


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and "sha256" in value:
        yield path, f"{value['path']} ({value['sha256'][:8]})"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    else:
        yield path, comparable(value)


def with_budgets(names: Iterable[str], found: Container[object]) -> list[str]:
    """Replace ``eps`` in the names of columns by the privacy budgets that are in ``found``."""
    budgets = [name for name in BUDGETS if name in found] or ["eps"]
    return [column for name in names for column in (budgets if name == "eps" else [name])]


def without_privacy(rows: pd.DataFrame, unknown: bool = True) -> pd.Series:
    """Return which settings have no finite privacy budget, as bool series. For a row whose budgets
    are all blank, the value is ``unknown``.
    """
    budgets = rows[with_budgets(["eps"], rows)].to_numpy(dtype=float)
    free = ~np.isfinite(budgets).any(axis=1)
    return pd.Series(free if unknown else free & np.isinf(budgets).any(axis=1), rows.index)
