"""Columns that tell apart settings which a table would show alike, taken from their records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from ..contracts.parameters import BUDGETS
from ..errors import plain

OF_RUNS = ("seed", "checkpoints", "shuffle_arms")
LAST = "version"  # of an algorithm's sources: only if nothing else differs


def distinguishing(
    shown: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """For each of several settings, of which a table has the columns ``shown``, those by which its
    record differs from that of those that look like it, and by which its environment differs from
    those of the same name, whatever plays it. A setting has all columns that any other needs or
    shows of its game, and whose name it knows.
    """
    known = [dict(details(record)) for record in records]
    names: dict[str, None] = {}
    for group in _alike(shown):
        varied = _varied(group, shown, known)
        names |= dict.fromkeys([x for x in varied if x != LAST] or varied)
    places = [{k: x for k, x in own.items() if k == "env" or _of_env(k)} for own in shown]
    for group in _alike(places):
        names |= dict.fromkeys(filter(_of_env, _varied(group, shown, known)))
    names |= dict.fromkeys(name for own in shown for name in filter(of_game, own))
    return [{name: own[name] for name in names if name in own} for own in known]


def of_game(name: str) -> bool:
    """Whether a column describes the environment, or the population."""
    return name.startswith(("env.", "population."))


def _of_env(name: str) -> bool:
    return name.startswith("env.")


def _alike(shown: Sequence[Mapping[str, Any]]) -> Iterable[list[int]]:
    """The numbers of the settings that look alike; of numbers 1 and 1.0 are the same."""
    alike: dict[str, list[int]] = defaultdict(list)
    for i, columns in enumerate(shown):
        alike[plain({k: _number(columns[k]) for k in sorted(columns)})].append(i)
    return alike.values()


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value


def _varied(
    group: Sequence[int], shown: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The names of what varies in a group of settings and is no column yet."""
    return [
        name
        for name in known[group[0]]
        if name not in shown[group[0]] and len({plain(known[i].get(name)) for i in group}) > 1
    ]


def details(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names and values in a record that are not columns of every table."""
    for name, value in record["parameters"].items():
        if name not in BUDGETS:
            yield name, value
    yield from _leaves("env", record["env_spec"])
    yield from _leaves("population", record["population"] or {})
    for name in (*OF_RUNS, LAST):
        if name in record:
            yield name, record[name]


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and "sha256" in value:
        yield path, f"{value['path']} ({value['sha256'][:8]})"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    else:
        yield path, plain(value) if isinstance(value, list) else value
