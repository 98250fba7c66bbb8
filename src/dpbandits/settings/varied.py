"""What a sweep varies: its grids, set from keys, and values that it would ignore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ..contracts.question import Question
from ..errors import BadInput, plain, unknown
from .choices import Choice, plain_data
from .sweep import grids, names_varied, swept_names


class Values(list[Any]):
    """Values of a key that are run one and all: a sweep of the key."""


def set_grids(config: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Set the grids of a configuration: ``sweep``, or ``sweep.NAME`` for a name that they vary."""
    swept: dict[str, Any] = {}
    for key, value in given.items():
        if isinstance(value, Values) and key.partition(".")[0] == "sweep":
            raise BadInput(
                f"{key}={shown(value)}: a list of values is needed, {key}=[{shown(value)}]"
            )
        if key == "sweep" and isinstance(value, dict) and config["sweep"] is not None:
            grids({"sweep": value})
            swept |= value
        elif key == "sweep":
            config["sweep"] = value
        elif key.startswith("sweep."):
            swept[key.removeprefix("sweep.")] = value
    if swept and config["sweep"] is None:
        config["sweep"] = swept
        return
    every = [dict(grid) for grid in grids(config)]
    for name, values in swept.items():
        having = [grid for grid in every if name in grid]
        if not having and len(every) == 1 and name.startswith("env."):
            having = every
        if not having:
            raise unknown("key", f"sweep.{name}", [f"sweep.{n}" for n in swept_names(config)])
        for grid in having:
            grid[name] = values
    if swept:
        config["sweep"] = every if isinstance(config["sweep"], list) else every[0]


def refuse_varied(
    question: Question, config: Mapping[str, Any], given: Mapping[str, Any], typed: bool
) -> None:
    """Refuse a value that would be ignored, since a sweep varies its key; say what to type."""
    varied, experiment = names_varied(question, config), config["experiment"]
    frame = "the sweep" if experiment is None else f"experiment {experiment}"
    values = dict(given)
    for group in question.groups:
        if isinstance(choice := given.get(group), Choice):
            values |= {f"{group}.{name}": value for name, value in choice.values.items()}
    for key, value in values.items():
        name = key.removeprefix(f"{question.group}.")
        if name in varied:
            known = isinstance(value, Choice | Values)
            text = shown(value if known else plain_data(name, value))
            swept = text if text.startswith("[") else f"[{text}]"
            hint = f"; write sweep.{name}={swept}" if typed else ""
            raise BadInput(f"{key if typed else name}={text}: {frame} varies {name}{hint}")


def shown(value: Any) -> str:
    """A value as it is typed; those of a sweep with commas."""
    return ",".join(map(plain, value)) if isinstance(value, Values) else plain(value)


def refuse_twice(key: str, value: Any, choice: Choice) -> NoReturn:
    """Refuse a key whose value was chosen with an algorithm, too."""
    raise BadInput(f"{key}={plain(plain_data(key, value))}: {choice} has values of its own")
