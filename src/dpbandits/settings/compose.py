"""One composition: from keys with values, typed or given in Python, to a request.

A key is that of a command, or ``GROUP.NAME``, a parameter of a file. Files set the same keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from difflib import get_close_matches
from functools import reduce
from operator import or_
from typing import Any

from ..contracts.algorithm import Algorithm, find_file, load
from ..contracts.question import QUESTIONS, Question
from ..environments.catalogue import build
from ..errors import BadInput, plain, unknown
from .choices import LABEL, Choice, algorithm_choice, listed, plain_data
from .groups import (
    Groups,
    default_keys,
    names_in,
    place,
    question_of,
    read_experiment,
    read_group,
    refined,
    whole_inlier,
)
from .hints import ALMOST, means_of, takes_no, unknown_key
from .request import Request, make_request, refuse_taken_names
from .resolve import ROWS
from .sweep import (
    OF_RUNS,
    Grid,
    Values,
    grids,
    names_chosen,
    refuse_twice,
    refuse_varied,
    set_grids,
    shown,
    swept_names,
)

LONGEST_LABEL = 80  # characters


def request_from(
    question: Question,
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
    folders: tuple[str, ...] = (),
) -> Request:
    """The request of the arguments of a call, in which a list is a sweep over its values.

    Args:
        question: the question.
        given: keys of the command with their values, None for the default; groups may be names,
            values or lists.
        parameters: parameters of the algorithm.
        folders: the user's configuration folders.
    """
    swept = swept_keys(question)
    keys: dict[str, Any] = {"results": None}
    for key, value in given.items():
        if value is None:
            continue
        value = listed(key, value) if key in question.groups else plain_data(key, value)
        many = isinstance(value, list) and key in (*question.groups, *swept)
        keys[key] = Values(value) if many else value
    if "experiment" in keys:
        name = keys["experiment"]
        answered = question_of(name, folders) or question
        if answered != question:
            function = answered.command.replace("bandit-", "dp.")
            raise BadInput(
                f"experiment={name}: an experiment of {answered.noun}s; {function} runs it"
            )
    for name, value in parameters.items():
        data = plain_data(name, value)
        keys[f"{question.group}.{name}"] = Values(data) if isinstance(data, list) else data
    return compose(question, keys, folders, python=list(given))


def swept_keys(question: Question) -> set[str]:
    """The keys of a command that decide a setting, and that a sweep can vary."""
    family = [q for q in QUESTIONS if q.command == question.command]
    of_runs = {*OF_RUNS} & {*default_keys(question.keys_file)}
    return {key for q in family for key in q.swept} | of_runs


def compose(
    question: Question,
    given: Mapping[str, Any],
    folders: tuple[str, ...] = (),
    changed: tuple[str, ...] = (),
    python: Sequence[str] | None = None,
) -> Request:
    """The request of some keys: their values, over those of the experiment, over the defaults.

    What is chosen once sets no column of the table; what varies does.

    Args:
        question: the question of the command.
        given: keys with their values, ``Values`` for a sweep.
        folders: the user's configuration folders.
        changed: the words of a command line that decide what is run.
        python: the arguments of a call from Python, for messages; None for a command line.

    Raises:
        BadInput: it cannot be run.
    """
    config = dict(default_keys(question.keys_file))
    experiment = given.get("experiment")
    if experiment is not None:
        config |= {**read_experiment(experiment, folders), "experiment": experiment}
    set_grids(config, given)
    refuse_varied(question, config, given, python is None)
    composition = _Composition(question, folders, config, given, python)
    composition.set_keys()
    for group in question.groups:
        composition.choose(group)
    keys = [key for key in given if "." not in key]
    composition.question = question = refined(question, composition.algorithms, keys)
    config["sweep"] = composition.sweep()
    limit, swept = question.limit, swept_names(config)
    usual = config[limit] == default_keys(question.keys_file)[limit]
    fixed = not any(name == limit or name.startswith("env.") for name in swept)
    if question.plays_on and usual and limit not in (*given, *swept):
        environments = composition.contents["env"].values()
        if all(contents.get("law") == "labels" for contents in environments):
            config[limit] = ROWS
        elif fixed:
            config[limit] = _rounds_of_table(composition.contents["env"]) or config[limit]
    groups = Groups(composition.contents, composition.algorithms)
    request = make_request(question, config, groups, composition.runner, changed, folders)
    return replace(request, labels=composition.labels)


def _rounds_of_table(environments: Mapping[str, Mapping[str, Any]]) -> int | None:
    """The number of rounds of the only environment, the horizon of a run that gives none; None if
    it is no table of rewards.
    """
    tables = [contents.get("law") == "table" for contents in environments.values()]
    return build(*environments.values()).rounds if tables == [True] else None


class _Composition:
    """The files that a configuration chooses, and what varies."""

    def __init__(
        self,
        question: Question,
        folders: tuple[str, ...],
        config: dict[str, Any],
        given: Mapping[str, Any],
        python: Sequence[str] | None,
    ):
        self.question, self.folders, self.python = question, folders, python
        self.config, self.given = config, given
        self.contents: dict[str, dict[str, dict[str, Any]]] = {g: {} for g in question.groups}
        self.algorithms: dict[str, Algorithm] = {}
        self.labels: dict[str, str] = {}  # of environments, by name
        self.runner = read_group("runner", given.get("runner", config["runner"]))
        self._choices: list[list[Grid]] = []  # alternatives, for each group
        self._varied: Grid = {}  # what varies besides

    def set_keys(self) -> None:
        """Set the keys that choose no algorithm, environment or population."""
        swept = swept_keys(self.question)
        for key, value in self.given.items():
            head, _, path = key.partition(".")
            if head in (*self.question.groups, "sweep"):
                continue
            if head == "runner" and path and place(self.runner, path, value):
                continue
            if key not in self.config:
                raise self._unknown(key, value)
            if not isinstance(value, Values):
                self.config[key] = value
            elif key not in swept:
                raise BadInput(f"{key}={shown(value)}: one value is needed; {key} cannot be swept")
            elif not value:
                raise BadInput(f"{key}=[]: at least one is needed")
            else:
                self._varied[key] = [*value]

    def choose(self, group: str) -> None:
        """Choose the files of a group: one, each of several, or those of the sweep."""
        of_group = [key for key in self.given if key.startswith(f"{group}.")]
        own = {
            k.partition(".")[2]: self.given[k] for k in sorted(of_group, key=lambda k: k.count("."))
        }
        chosen = self.given.get(group, self.config[group])
        label = own.pop(LABEL, None) if group == "env" else None
        if means := means_of(group, chosen, self.folders, self.python is not None):
            raise BadInput(f"{group}={shown(chosen)}: names are needed; {means}")
        if label is not None and (isinstance(chosen, Values) or group in swept_names(self.config)):
            raise BadInput(f"env.{LABEL}={shown(label)}: env chooses several environments")
        if group in swept_names(self.config):
            chosen = [Choice(name) for name in names_chosen(self.question, self.config)[group]]
            for choice in chosen:
                self._load(group, choice)
            start = "" if group == self.question.group else f"{group}."
            self._refuse_unknown(group, own)
            self._varied |= {f"{start}{k}": [*_each(v)] for k, v in own.items()}
        elif isinstance(chosen, Values):
            if not chosen:
                raise BadInput(f"{group}=[]: at least one is needed")
            several = [self._choice(group, one) for one in chosen]
            for choice in several:
                self._load(group, choice)
            self._refuse_unknown(group, own)
            if group != self.question.group:
                self._varied |= {f"{group}.{k}": [*_each(v)] for k, v in own.items()}
            self._choices.append(self._alternatives(group, several, own))
        else:
            choice = self._choice(group, chosen)
            self.config[group] = choice.name
            self._load(group, choice)
            self._refuse_unknown(group, own)
            if group == self.question.group:
                self._set_parameters(choice, own)
                return
            if label is not None:
                self.labels[choice.name] = _label(label)
            contents = self.contents[group][choice.name]
            for path, value in own.items():
                many = isinstance(value, Values)
                if not place(deepcopy(contents) if many else contents, path, value):
                    raise self._unknown(f"{group}.{path}", value)
                if many:
                    self._varied[f"{group}.{path}"] = [*value]
                self.contents[group][choice.name] = contents = whole_inlier(contents, self.folders)

    def _set_parameters(self, choice: Choice, own: Mapping[str, Any]) -> None:
        """Set the parameters of the only algorithm: in its contents, or in a grid."""
        group, values = self.question.group, self._values(choice, own)
        swept = {name: [*value] for name, value in values.items() if isinstance(value, Values)}
        fixed = {name: value for name, value in values.items() if name not in swept}
        for key in fixed.keys() & swept_keys(self.question):
            if key in self.given:
                refuse_twice(key, self.given[key], choice)
            self.config[key] = fixed.pop(key)
        self.contents[group][choice.name] |= fixed
        if swept:
            self._choices.append([{group: [choice.name], **swept}])

    def _values(self, choice: Choice, own: Mapping[str, Any]) -> dict[str, Any]:
        """The values of an algorithm's parameters; a list that was chosen with it is a sweep."""
        for key in choice.values.keys() & own.keys():
            refuse_twice(key, own[key], choice)
        return {
            **own,
            **{k: Values(v) if isinstance(v, list) else v for k, v in choice.values.items()},
        }

    def _alternatives(
        self, group: str, chosen: Sequence[Choice], own: Mapping[str, Any]
    ) -> list[Grid]:
        """Grids that choose from a list: one if it holds names alone, else one for each choice."""
        if group == self.question.group:
            each = [self._values(choice, own) for choice in chosen]
        else:
            each = self._distinguishing(group, chosen)
        if not any(each):
            return [{group: [choice.name for choice in chosen]}]
        return [
            {group: [choice.name], **{k: [*_each(v)] for k, v in values.items()}}
            for choice, values in zip(chosen, each, strict=True)
        ]

    def _distinguishing(self, group: str, chosen: Sequence[Choice]) -> list[dict[str, Any]]:
        """For each choice the values, as ``GROUP.NAME``, that tell it from others of its name."""
        contents = [self._read(group, choice) for choice in chosen]
        first: dict[str, dict[str, Any]] = {}
        varied: dict[str, set[str]] = {}
        for choice, own in zip(chosen, contents, strict=True):
            one = first.setdefault(choice.name, own)
            differing = {k for k in own | one if own.get(k) != one.get(k)}
            varied.setdefault(choice.name, set()).update(differing)
        return [
            {f"{group}.{k}": own[k] for k in own if k in varied[choice.name]}
            for choice, own in zip(chosen, contents, strict=True)
        ]

    def _choice(self, group: str, one: Any) -> Choice:
        if group == self.question.group:
            return algorithm_choice(one, group, {})
        if isinstance(one, Choice):
            return one
        data = plain_data(group, one)
        if isinstance(data, Mapping) and self.python is not None:
            law = data.get("law")
            return Choice(law if isinstance(law, str) else group, data, data)
        return Choice(plain(data))

    def _read(self, group: str, choice: Choice) -> dict[str, Any]:
        """The configuration of a choice; the label of an environment is set aside."""
        contents = choice.read(group, self.folders)
        if group == "env":
            if isinstance(contents.get("inlier"), dict):
                contents["inlier"].pop(LABEL, None)
            label, name = contents.pop(LABEL, None), choice.name
            if label is not None and self.labels.setdefault(name, _label(label)) != label:
                other = f"env chooses {name} twice, with the label {self.labels[name]}"
                raise BadInput(f"env.{LABEL}={label}: {other}")
        return contents

    def _load(self, group: str, choice: Choice) -> None:
        self.contents[group].setdefault(choice.name, self._read(group, choice))
        if group != self.question.group:
            return
        made = choice.algorithm or load(find_file(choice.name, self.folders, group))
        if self.algorithms.get(choice.name, made) != made:
            raise BadInput(f"{group}={choice.name}: two functions have that name; rename one")
        refuse_taken_names(made)
        self.algorithms[choice.name] = made
        for key in self._of_command(made):
            self.contents[group][choice.name].pop(key, None)

    @staticmethod
    def _of_command(algorithm: Algorithm) -> set[str]:
        """The parameters of an algorithm that are keys of the command."""
        return {str(algorithm.budget), "eps_min", *algorithm.question.goal_names}

    def _refuse_unknown(self, group: str, own: Mapping[str, Any]) -> None:
        """Refuse a parameter that no algorithm has."""
        if group != self.question.group:
            return
        found = [set(a.domains) - self._of_command(a) for a in self.algorithms.values()]
        known = set().union(*found)
        for name, value in own.items():
            if name not in known and self.python is not None:
                error = unknown("key or parameter", name, {*known, *self.python})
                if not get_close_matches(name, {*known, *self.python}, cutoff=ALMOST):
                    chosen = {group: ", ".join(self.algorithms), **self._environment()}
                    error = takes_no(name, value, chosen, self.folders, True) or error
                raise error
            if name not in known:
                raise self._unknown(f"{group}.{name}", value)

    def _environment(self) -> dict[str, str]:
        """The group and the name of the environment, if it is one file."""
        name, swept = self.given.get("env", self.config["env"]), swept_names(self.config)
        is_file = isinstance(name, str) and name in names_in("env", self.folders)
        return {"env": name} if is_file and "env" not in swept else {}

    def _unknown(self, key: str, value: Any) -> BadInput:
        """The error for a key that is none of the command, and no parameter of what is chosen."""
        names = {g: plain(self.given.get(g, self.config[g])) for g in self.question.groups}
        names["runner"] = self.config["runner"]
        known = [*self.config, *(f"runner.{name}" for name in self.runner)]
        for group, name in names.items():
            with suppress(BadInput):
                known += [f"{group}.{x}" for x in read_group(group, name, self.folders)]
        return unknown_key(key, value, known, names, self.folders)

    def sweep(self) -> Any:
        """The grids of the whole sweep: those of the configuration with all that varies besides."""
        for grid in itertools.chain.from_iterable(self._choices):
            for key in grid.keys() & self._varied.keys():
                (name,) = grid[self.question.group]
                refuse_twice(key, self._varied[key], Choice(name, {key: grid[key]}))
        order = [*self.question.swept, *self._varied]
        varied = {key: self._varied[key] for key in order if key in self._varied}
        found = [
            {**reduce(or_, parts), **grid}
            for grid in grids(self.config)
            for parts in itertools.product(*self._choices, [varied])
        ]
        if self._choices or self._varied:
            self.config["sweep"] = found if len(found) > 1 else found[0]
        for group, names in names_chosen(self.question, self.config).items():
            for name in names:
                if name not in self.contents[group]:
                    self._load(group, Choice(name))
        inner = [name for grid in grids(self.config) for name in grid.get("env.inlier", [])]
        for name in inner:
            if isinstance(name, str) and name not in self.contents["env"]:
                self._load("env", Choice(name))
        return self.config["sweep"]


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, Values) else [value]


def _label(label: Any) -> str:
    """The name of an environment in figures, checked."""
    if isinstance(label, str) and label.isprintable() and 0 < len(label) <= LONGEST_LABEL:
        return label
    line = f"a line of at most {LONGEST_LABEL} characters"
    needed = "one label" if isinstance(label, Values) else line
    raise BadInput(f"env.{LABEL}={shown(label)}: {needed} is needed")
