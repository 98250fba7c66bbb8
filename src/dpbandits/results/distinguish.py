"""Columns that tell apart settings which a table would show alike, taken from their records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..contracts.parameters import BUDGETS
from ..errors import plain

OF_RUNS = ("seed", "checkpoints", "shuffle_arms")
LAST = "version"  # of an algorithm's sources: only if nothing else differs


def distinguishing(
    shown: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """For each of several settings, of which a table has the columns ``shown``, those by which its
    record differs from that of those that look like it. A setting has all columns that any other
    needs and whose name it knows.
    """
    details = [dict(_details(record)) for record in records]
    alike: dict[str, list[int]] = defaultdict(list)
    for i, columns in enumerate(shown):
        alike[plain({k: columns[k] for k in sorted(columns)})].append(i)
    names: dict[str, None] = {}
    for group in alike.values():
        varied = [
            name
            for name in details[group[0]]
            if name not in shown[group[0]] and len({plain(details[i].get(name)) for i in group}) > 1
        ]
        names |= dict.fromkeys([x for x in varied if x != LAST] or varied)
    return [{name: own[name] for name in names if name in own} for own in details]


def _details(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
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
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    else:
        yield path, plain(value) if isinstance(value, list) else value
