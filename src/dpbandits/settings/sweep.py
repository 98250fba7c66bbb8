"""Sweeps: grids of values, the points of these grids, and the keys that change the grids."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from ..contracts.question import Question
from ..errors import BadInput, plain, unknown
from .choices import Choice, Several, plain_data

MOST_POINTS = 100_000  # largest number of points of one grid
# Keys of every request that decide its settings, and that a sweep can vary
OF_RUNS = ("seed", "checkpoints", "shuffle_arms", "assume")
Grid = dict[str, list[Any]]
Point = Mapping[str, Any]  # the values that a sweep sets in one setting; never modified


def grids(config: Mapping[str, Any]) -> list[Grid]:
    """Return the grids of a configuration's sweep as a list; without a sweep, one empty grid.

    Raises:
        BadInput: the sweep is not a grid of lists, or has too many points.
    """
    given = config.get("sweep")
    if given is None:
        return [{}]
    found = given if isinstance(given, list) else [given]
    for grid in found or [given]:
        if not (isinstance(grid, Mapping) and grid):
            words = "names with lists of values are needed, such as sweep={eps:[0.5,1]}"
            raise BadInput(f"sweep={plain(given)}: {words}")
        for name, values in grid.items():
            if not isinstance(name, str):
                raise BadInput(f"sweep.{plain(name)}: the name of a key is needed")
            if not isinstance(values, list) or not values:
                needed = "at least one value" if values == [] else "a list of values"
                raise BadInput(f"sweep.{name}={plain(values)}: {needed} is needed")
        size = math.prod(map(len, grid.values()))
        if size > MOST_POINTS:
            raise BadInput(
                f"sweep: {size} settings are too many; at most {MOST_POINTS} are allowed"
            )
    return found


def swept_names(config: Mapping[str, Any]) -> set[str]:
    """Return the keys that a sweep varies."""
    return {name for grid in grids(config) for name in grid}


def names_varied(question: Question, config: Mapping[str, Any]) -> set[str]:
    """Return the keys whose single values have no effect, since a sweep varies these keys.

    The horizon (or cap) is one of these keys only if every grid varies it.
    """
    everywhere = all(question.limit in grid for grid in grids(config))
    return swept_names(config) - ({question.limit} if not everywhere else set())


def points(config: Mapping[str, Any]) -> Iterator[Point]:
    """Yield the points of a sweep, one grid after the other."""
    for grid in grids(config):
        for combination in itertools.product(*grid.values()):
            yield dict(zip(grid, combination, strict=True))


def names_chosen(group: str, config: Mapping[str, Any]) -> list[str]:
    """Return the names that a configuration and its sweep choose in a group, without
    repetitions.
    """
    names = [name for grid in grids(config) for name in grid.get(group, [config[group]])]
    return list(dict.fromkeys(map(str, names)))


def set_grids(config: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Change the grids of a configuration. The key ``sweep.NAME`` sets the values of one name, in
    all grids with this name. The key ``sweep`` sets all grids. But if there already is a sweep,
    ``sweep`` with a mapping changes only the names in the mapping.
    """
    swept: dict[str, Any] = {}
    for key, value in given.items():
        if key.partition(".")[0] != "sweep":
            continue
        if isinstance(value, Several):
            text = shown(value)
            raise BadInput(f"{key}={text}: a list of values is needed, {key}=[{text}]")
        if key != "sweep":
            swept[key.removeprefix("sweep.")] = value
        elif isinstance(value, dict) and config["sweep"] is not None:
            grids({"sweep": value})
            swept |= value
        else:
            config["sweep"] = value
    if swept and config["sweep"] is None:
        config["sweep"] = swept
    elif swept:
        every = [dict(grid) for grid in grids(config)]
        for name, values in swept.items():
            having = [grid for grid in every if name in grid]
            if not having and len(every) == 1 and name.startswith("env."):
                having = every
            if not having:
                known = [f"sweep.{n}" for n in swept_names(config)]
                raise unknown("key", f"sweep.{name}", known)
            for grid in having:
                grid[name] = values
        config["sweep"] = every if isinstance(config["sweep"], list) else every[0]


def refuse_varied(
    question: Question, config: Mapping[str, Any], given: Mapping[str, Any], typed: bool
) -> None:
    """Refuse a value of a key that a sweep varies, since the value would be ignored. The message
    says what to type.
    """
    varied, experiment = names_varied(question, config), config["experiment"]
    frame = "the sweep" if experiment is None else f"experiment {experiment}"
    values = dict(given)
    for group in question.groups:
        if isinstance(choice := given.get(group), Choice):
            values |= {f"{group}.{name}": value for name, value in choice.values.items()}
    for key, value in values.items():
        name = key.removeprefix(f"{question.group}.")
        if name in varied:
            text = shown(value if isinstance(value, Several | Choice) else plain_data(name, value))
            swept = text if text.startswith("[") else f"[{text}]"
            hint = f"; write sweep.{name}={swept}" if typed else ""
            raise BadInput(f"{key if typed else name}={text}: {frame} varies {name}{hint}")


def shown(value: Any) -> str:
    """Return a value as a user types it. Several values are separated by commas."""
    return ",".join(map(plain, value)) if isinstance(value, Several) else plain(value)


def refuse_twice(key: str, value: Any, choice: Choice) -> NoReturn:
    """Refuse a key that also has a value in the choice of an algorithm."""
    raise BadInput(
        f"{key}={plain(plain_data(key, value))}: {choice} sets {key}, too; give {key} once"
    )
