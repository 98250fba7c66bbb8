"""Sweeps: grids of values, and their points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..contracts.question import Question
from ..errors import BadInput, plain

MOST_POINTS = 100_000  # of one grid
# Keys of every run that decide its setting, and that a sweep can vary
OF_RUNS = {"seed", "checkpoints", "shuffle_arms", "assume"}
Grid = dict[str, list[Any]]
Point = Mapping[str, Any]  # what a sweep sets in one setting; it is read, never changed


def grids(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The grids of a sweep: a single one, or a list of them."""
    given = config.get("sweep")
    if given is None:
        return [{}]
    found = given if isinstance(given, list) else [given]
    for grid in found or [given]:
        if not (isinstance(grid, Mapping) and grid):
            raise BadInput(f"sweep={plain(config['sweep'])}: names with lists of values are needed")
        for name in grid:
            if not isinstance(name, str):
                raise BadInput(f"sweep.{plain(name)}: the name of a key is needed")
    return found


def swept_names(config: Mapping[str, Any]) -> set[str]:
    """The keys that a sweep varies."""
    return {name for grid in grids(config) for name in grid}


def names_varied(question: Question, config: Mapping[str, Any]) -> set[str]:
    """The keys that have no effect beside a sweep: those that it varies, but the largest number of
    rounds if some grid does not vary it.
    """
    swept = swept_names(config)
    everywhere = all(question.limit in grid for grid in grids(config))
    return swept if everywhere else swept - {question.limit}


def points(config: Mapping[str, Any]) -> Iterator[Point]:
    """The points of a sweep, grid after grid."""
    for grid in _checked(config):
        for combination in itertools.product(*grid.values()):
            yield dict(zip(grid, combination, strict=True))


def names_chosen(question: Question, config: Mapping[str, Any]) -> dict[str, list[str]]:
    """The names that a configuration and its sweep choose in each group, each once."""
    chosen: dict[str, dict[str, None]] = {group: {} for group in question.groups}
    for grid in _checked(config):
        for group, names in chosen.items():
            names |= dict.fromkeys(map(str, grid.get(group, [config[group]])))
    return {group: list(names) for group, names in chosen.items()}


def _checked(config: Mapping[str, Any]) -> Iterator[Mapping[str, list[Any]]]:
    for grid in grids(config):
        for name, choices in grid.items():
            if not isinstance(choices, list) or not choices:
                raise BadInput(f"sweep.{name}={plain(choices)}: a list of values is needed")
        size = math.prod(len(choices) for choices in grid.values())
        if size > MOST_POINTS:
            raise BadInput(f"sweep: {size} settings, more than {MOST_POINTS}")
        yield grid
