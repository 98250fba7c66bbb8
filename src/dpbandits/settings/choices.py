"""Requests from Python: algorithms, environments and populations as values, lists as sweeps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from numbers import Integral, Real
from operator import or_
from os import PathLike, fspath
from typing import Any, NoReturn

import numpy as np

from ..contracts.algorithm import Algorithm, find_file, from_function, load
from ..contracts.question import Question
from ..errors import BadInput, first_line, plain, unknown
from .groups import Groups, default_keys, question_of, read_experiment, read_group, refined
from .request import Request, make_request
from .sweep import names_chosen, names_varied
from .user_files import law_named

MANY_DIGITS = 10**4000  # Python writes no integer of more than 4300


@dataclass(frozen=True)
class Choice:
    """A file of a group, or a function, with values for its parameters.

    Attributes:
        name: its name, as it stands in tables.
        values: values of parameters; a list of values of an algorithm is a sweep.
        contents: the whole configuration, ``values`` included, if it is not that of a file.
        algorithm: the algorithm, if it is not that of a file.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    contents: Mapping[str, Any] | None = field(default=None, repr=False)
    algorithm: Algorithm | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={plain(v)}" for k, v in self.values.items())
        return f"{self.name}({inside})"

    def read(self, group: str, folders: tuple[str, ...]) -> dict[str, Any]:
        """The whole configuration, of a file in a group if it has none of its own."""
        if self.contents is None:
            return read_group(group, self.name, folders)
        found: dict[str, Any] = plain_data(group, self.contents)
        return found


def plain_data(key: str, value: Any) -> Any:
    """A value of Python, NumPy or pandas as a configuration holds it.

    Raises:
        BadInput: no configuration holds such a value, which is that of ``key``.
    """
    try:
        return _plain_data(value)
    except BadInput as error:
        raise BadInput(f"{key}: {error}") from None
    except Exception as error:  # of an object of the user's, or a list that contains itself
        raise BadInput(f"{key}={plain(value)}: not readable ({first_line(error)})") from None


def _plain_data(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind not in "biufUO" or isinstance(value, np.ma.MaskedArray):
            raise BadInput(f"an array of {value.dtype} is none of numbers or text")
        return _plain_data(value.tolist())
    if value is None or isinstance(value, bool | str):
        return value if value is None or isinstance(value, bool) else str.__str__(value)
    if isinstance(value, Integral):
        if abs(whole := int(value)) >= MANY_DIGITS:
            raise BadInput("an integer has more than 4000 digits")
        return whole
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, range | tuple | list):
        return [_plain_data(x) for x in value]
    if isinstance(value, Mapping):
        return {_name(key): _plain_data(x) for key, x in value.items()}
    if isinstance(value, Choice):
        return dict(value.contents or {})
    if isinstance(value, PathLike):
        return _plain_data(fspath(value))
    if hasattr(value, "to_numpy"):  # of pandas
        return _plain_data(value.to_numpy())
    if callable(value):  # a reward law
        return law_named(value)
    raise BadInput(f"{type(value).__name__} is no number, text, or list or mapping of them")


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise BadInput(f"{plain(key)}: the names of a mapping are text")
    return str.__str__(key)


def algorithm_choice(
    algorithm: str | Callable[..., Any] | Choice,
    group: str | None,
    values: Mapping[str, Any],
    rewards: Any = None,
    guarantee: Any = None,
) -> Choice:
    """An algorithm by its name, as a function or as chosen before, with values for its parameters.

    The group is None if it is not known yet. A function can be given what it assumes of the
    rewards and what it promises.
    """
    values = {key: plain_data(key, value) for key, value in values.items()}
    if isinstance(algorithm, Choice):
        made = algorithm.algorithm
        if made is not None and group is not None:
            made = replace(made, group=group)
        return replace(algorithm, values={**algorithm.values, **values}, algorithm=made)
    if callable(algorithm):
        made = from_function(algorithm, group or "algo", rewards, guarantee)
        return Choice(made.name, values, dict(made.defaults), made)
    if rewards is not None or guarantee is not None:
        raise BadInput(f"{plain(algorithm)}: only a function can be given rewards= and guarantee=")
    return Choice(plain(plain_data(group or "algo", algorithm)), values)


def algorithm_of(
    algorithm: str | Callable[..., Any] | Choice,
    group: str,
    values: Mapping[str, Any],
    folders: tuple[str, ...],
) -> tuple[Algorithm, dict[str, Any]]:
    """An algorithm, and the contents of its configuration with some values changed."""
    choice = algorithm_choice(algorithm, group, values)
    made = choice.algorithm or load(find_file(choice.name, folders, group))
    return made, {**choice.read(group, folders), **choice.values}


def environment_choice(group: str, name: str, values: Mapping[str, Any]) -> Choice:
    """An environment, or a population, by the name of its file, with other values."""
    name = plain_data(group, name)
    contents = read_group(group, name)
    changed = {key: plain_data(f"{group}.{key}", value) for key, value in values.items()}
    for key in changed:
        if key not in contents:
            raise unknown(
                f"parameter of {name}:", f"{group}.{key}", [f"{group}.{k}" for k in contents]
            )
    return Choice(name, changed, contents | changed)


def request_from(
    question: Question,
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
    folders: tuple[str, ...] = (),
) -> Request:
    """The request of the arguments of a call.

    A list is a sweep over its values. What is chosen once sets no column of the table; what varies
    does, exactly as in a sweep of the commands.

    Args:
        question: the question.
        given: keys of the command with their values, None for the default; groups may be names,
            values or lists.
        parameters: parameters of the algorithm.
        folders: the user's configuration folders.
    """
    keys = list(given)
    given = {
        key: listed(key, value) if key in question.groups else plain_data(key, value)
        for key, value in given.items()
        if value is not None
    }
    defaults = default_keys(question.keys_file)
    config = {**defaults, "results": None}
    if "experiment" in given:
        name = given["experiment"]
        config |= read_experiment(name, folders)
        asked = question_of(name, folders) or question
        if asked != question:
            function = asked.command.replace("bandit-", "dp.")
            raise BadInput(f"experiment={name}: an experiment of {asked.noun}s; {function} runs it")
        _refuse_varied(question, config, given, parameters)
    sweep = _Sweep(question, folders, given)
    for key, value in given.items():
        if key not in question.groups:
            config[key] = value
    for group in question.groups:
        of_algorithm = parameters if group == question.group else {}
        if group in given or of_algorithm:
            sweep.choose(group, given.get(group, config[group]), of_algorithm, config)
    question = sweep.question = refined(question, sweep.algorithms_of(config), given)
    for key in question.swept:
        if isinstance(config[key], list):
            if not config[key]:
                raise BadInput(f"{key}=[]: at least one is needed")
            sweep.refuse_twice(key, config[key])
            sweep.others[key] = config[key]
            config[key] = defaults[key]
    known = {name for algorithm in sweep.algorithms.values() for name in algorithm.domains}
    for name in parameters:
        if name not in known:
            raise unknown("key or parameter", name, known.union(keys))
    grids = sweep.grids()
    if grids and config.get("sweep"):
        raise BadInput(f"experiment={given['experiment']}: it has a sweep of its own")
    if grids:
        config["sweep"] = grids if len(grids) > 1 else grids[0]
    return make_request(question, config, sweep.groups(config), {}, (), folders)


def listed(key: str, value: Any) -> Any:
    """A list or tuple as a list, a mapping as a dictionary; anything else as it is."""
    try:
        if isinstance(value, Mapping):
            return dict(value.items())
        return [*value] if isinstance(value, list | tuple) else value
    except Exception as error:  # of a class of the user's
        raise BadInput(f"{key}: not readable ({first_line(error)})") from None


def _refuse_varied(
    question: Question,
    config: Mapping[str, Any],
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> None:
    """Refuse a value that would be ignored, since the sweep of an experiment varies it."""
    varied = names_varied(question, config)
    asked = [*given.items(), *parameters.items()]
    for group in question.groups:
        if isinstance(choice := given.get(group), Choice):
            start = "" if group == question.group else f"{group}."
            asked += [(f"{start}{name}", value) for name, value in choice.values.items()]
    clashes = [(name, value, name) for name, value in asked if name in varied]
    if question.group in varied:
        clashes += [(name, value, question.group) for name, value in parameters.items()]
    for name, value, key in clashes:
        value = value if isinstance(value, Choice) else plain_data(name, value)
        raise BadInput(f"{name}={plain(value)}: experiment {given['experiment']} varies {key}")


def _refuse_twice(key: str, value: Any, choice: Choice) -> NoReturn:
    raise BadInput(f"{key}={plain(plain_data(key, value))}: {choice} has values of its own")


class _Sweep:
    """The choices of a call: what is fixed, what varies."""

    def __init__(self, question: Question, folders: tuple[str, ...], given: Mapping[str, Any]):
        self.question, self.folders, self.given = question, folders, given
        self.contents: dict[str, dict[str, dict[str, Any]]] = {g: {} for g in question.groups}
        self.algorithms: dict[str, Algorithm] = {}
        self.choices: list[list[dict[str, list[Any]]]] = []  # alternatives, for each group
        self.others: dict[str, list[Any]] = {}

    def choose(
        self, group: str, given: Any, parameters: Mapping[str, Any], config: dict[str, Any]
    ) -> None:
        """Choose the files of a group: one, or each of a list."""
        many = isinstance(given, list)
        if many and not given:
            raise BadInput(f"{group}=[]: at least one is needed")
        chosen = [self._choice(group, x, parameters) for x in (given if many else [given])]
        for choice in chosen:
            self._load(group, choice)
        first = chosen[0]
        if many:
            self.choices.append(self._alternatives(group, chosen))
            return
        config[group] = first.name
        if group == self.question.group:
            swept = {k: v for k, v in first.values.items() if isinstance(v, list)}
            fixed = {k: v for k, v in first.values.items() if k not in swept}
            for key in fixed.keys() & set(self.question.swept):
                if key in self.given:
                    _refuse_twice(key, self.given[key], first)
                config[key] = fixed.pop(key)
            self.contents[group][first.name] |= fixed
            if swept:
                self.choices.append([{group: [first.name], **swept}])

    def _alternatives(self, group: str, chosen: Sequence[Choice]) -> list[dict[str, list[Any]]]:
        """Grids that choose from a list: one if it holds names alone, else one for each choice."""
        own = group == self.question.group
        each = [choice.values for choice in chosen] if own else self._distinguishing(group, chosen)
        if not any(each):
            return [{group: [choice.name for choice in chosen]}]
        return [
            {group: [choice.name], **{k: v if isinstance(v, list) else [v] for k, v in x.items()}}
            for choice, x in zip(chosen, each, strict=True)
        ]

    def _distinguishing(self, group: str, chosen: Sequence[Choice]) -> list[Mapping[str, Any]]:
        """For each choice the values, as ``GROUP.NAME``, that tell it from others of its name."""
        contents = [choice.read(group, self.folders) for choice in chosen]
        first: dict[str, dict[str, Any]] = {}
        varied: dict[str, set[str]] = {}
        for choice, own in zip(chosen, contents, strict=True):
            one = first.setdefault(choice.name, own)
            differing = {k for k in own | one if own.get(k) != one.get(k)}
            varied.setdefault(choice.name, set()).update(differing)
        return [
            {f"{group}.{k}": [own[k]] for k in own if k in varied[choice.name]}
            for choice, own in zip(chosen, contents, strict=True)
        ]

    def _choice(self, group: str, one: Any, parameters: Mapping[str, Any]) -> Choice:
        if group == self.question.group:
            if isinstance(one, Choice):
                for key in one.values.keys() & parameters.keys():
                    _refuse_twice(key, parameters[key], one)
            return algorithm_choice(one, group, parameters)
        if isinstance(one, Choice):
            return one
        data = plain_data(group, one)
        if isinstance(data, Mapping):
            law = data.get("law")
            return Choice(law if isinstance(law, str) else group, data, data)
        return Choice(plain(data))

    def _load(self, group: str, choice: Choice) -> None:
        self.contents[group].setdefault(choice.name, choice.read(group, self.folders))
        if group != self.question.group:
            return
        made = choice.algorithm
        if made is None:
            made = load(find_file(choice.name, self.folders, group))
        elif self.algorithms.get(choice.name, made) != made:
            raise BadInput(f"{group}={choice.name}: two functions have that name; rename one")
        self.algorithms[choice.name] = made
        for key in (made.budget, "eps_min", *made.question.goal_names):  # keys of the command
            self.contents[group][choice.name].pop(str(key), None)

    def refuse_twice(self, key: str, values: Sequence[Any]) -> None:
        """Refuse to sweep over a key of which an algorithm has values of its own."""
        for grid in itertools.chain.from_iterable(self.choices):
            if key in grid:
                (name,) = grid[self.question.group]
                _refuse_twice(key, values, Choice(name, {key: grid[key]}))

    def grids(self) -> list[dict[str, list[Any]]]:
        """The grids of the sweep, none if nothing varies."""
        if not self.choices and not self.others:
            return []
        return [reduce(or_, parts) for parts in itertools.product(*self.choices, [self.others])]

    def algorithms_of(self, config: Mapping[str, Any]) -> dict[str, Algorithm]:
        """The algorithms that are chosen, or by the configuration if none is."""
        if not self.algorithms:
            group = self.question.group
            for name in names_chosen(self.question, config)[group]:
                self._load(group, Choice(name))
        return self.algorithms

    def groups(self, config: Mapping[str, Any]) -> Groups:
        """The contents of all files that the configuration chooses."""
        question = self.question
        for group, names in names_chosen(question, config).items():
            for name in names:
                if name not in self.contents[group]:
                    self._load(group, Choice(name))
        return Groups(self.contents, self.algorithms)
