"""Compose a request from keys and values of a command line or of a call in Python.

A key is that of a command, or ``GROUP.NAME``, a parameter of a file. Hydra composes the files; the
values of keys are then set on the result.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import reduce
from operator import or_
from typing import Any

from ..contracts.algorithm import Algorithm, find_file, load
from ..contracts.question import QUESTIONS, Question
from ..environments.catalogue import build
from ..errors import BadInput, plain, unknown
from ..validation import OF_ROWS
from .choices import Choice, algorithm_choice, listed, plain_data
from .composed import INLIER, LABEL, Composed, Groups, compose_files, read_group
from .groups import default_keys, file_keys, file_of, names_in, question_of, refined
from .hints import SURE_SIMILARITY, means_of, of_other_command, takes_no, unknown_key
from .request import Request, make_request, refuse_taken_names
from .resolve import LABELS, ROWS
from .sweep import (
    OF_RUNS,
    Grid,
    grids,
    names_chosen,
    refuse_twice,
    refuse_varied,
    set_grids,
    shown,
    swept_names,
)

LONGEST_LABEL = 80  # characters
NO_VALUE = ("sweep", "figure")  # keys that are no values of a setting


@dataclass(frozen=True)
class Given:
    """The keys of a command line or of a call, with their values.

    Attributes:
        values: keys with one value.
        swept: keys with several values in a list, each of which is run.
        added: keys that need not exist, as ``+KEY=VALUE`` adds them.
        removed: keys that are reset to their value in ``conf/config.yaml``, as ``~KEY`` does.
        file: the file of all keys and defaults, as ``--config-name`` gives it; None for the usual
            file.
        python: the arguments of a call from Python, for messages; None for a command line.
    """

    values: Mapping[str, Any]
    swept: Mapping[str, list[Any]] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()
    file: str | None = None
    python: Sequence[str] | None = None

    def of_group(self, group: str) -> dict[str, list[Any]]:
        """Return the parameters of a group, each with a list of its values; outer keys come
        first.
        """
        start = f"{group}."
        found = {key: [x] for key, x in self.values.items()} | {**self.swept}
        names = sorted((key for key in found if key.startswith(start)), key=lambda k: k.count("."))
        return {key.removeprefix(start): [*found[key]] for key in names}


def request_from(
    question: Question,
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
    folders: tuple[str, ...] = (),
) -> Request:
    """Return the request of the arguments of a call, in which a list is a sweep over its values.

    Args:
        question: the question.
        given: keys of the command with their values, None for the default; the value of a group may
            be a name, a choice or a list.
        parameters: parameters of the algorithm.
        folders: the user's configuration folders.
    """
    keys: dict[str, Any] = {"results": None}
    swept: dict[str, list[Any]] = {}
    many = {*question.groups, *swept_keys(question)}
    for key, value in given.items():
        if value is None:
            continue
        value = listed(key, value) if key in question.groups else plain_data(key, value)
        (swept if isinstance(value, list) and key in many else keys)[key] = value
    if "experiment" in keys:
        name = keys["experiment"]
        answered = question_of(name, folders) or question
        if answered != question:
            function = answered.command.replace("bandit-", "dp.")
            raise BadInput(
                f"experiment={name}: this is an experiment of {answered.noun}s; use {function}"
            )
    for name, value in parameters.items():
        data = plain_data(name, value)
        (swept if isinstance(data, list) else keys)[f"{question.group}.{name}"] = data
    return compose(question, Given(keys, swept, python=list(given)), folders)


def swept_keys(question: Question) -> set[str]:
    """Return the keys of a command that decide a setting and that a sweep can vary."""
    family = [q for q in QUESTIONS if q.command == question.command]
    of_runs = {*OF_RUNS} & {*default_keys(question.keys_file)}
    return {key for q in family for key in q.swept} | of_runs


def compose(
    question: Question, given: Given, folders: tuple[str, ...] = (), changed: tuple[str, ...] = ()
) -> Request:
    """Compose the request of some keys.

    Their values replace those of the experiment, which replace the defaults. A key with one value
    adds no column to the table; a key that varies does.

    Args:
        question: the question of the command.
        given: the keys.
        folders: the user's configuration folders.
        changed: the words of a command line that decide what is run.

    Raises:
        BadInput: the request cannot be run.
    """
    composition = _Composition(question, folders, given)
    for group in question.groups:
        composition.choose(group)
    config, groups = composition.config, composition.groups
    keys = [key for key in (*given.values, *given.swept) if "." not in key]
    composition.question = question = refined(question, groups.algorithms, keys)
    config["sweep"] = composition.sweep()
    limit, swept = question.limit, swept_names(config)
    usual = config[limit] == default_keys(question.keys_file)[limit]
    fixed = not any(name == limit or name.startswith("env.") for name in swept)
    if question.plays_on and usual and limit not in (*given.values, *swept):
        environments = groups.contents["env"].values()
        if all(contents.get("law") in OF_ROWS for contents in environments):
            config[limit] = ROWS
        elif fixed:
            config[limit] = _rounds_of_table(groups.contents["env"]) or config[limit]
    request = make_request(question, config, groups, composition.runner, changed, folders)
    included = {k: name for k, name in composition.base.choices.items() if "@" in k}
    return replace(request, labels=composition.labels, included=included)


def _rounds_of_table(environments: Mapping[str, Mapping[str, Any]]) -> int | None:
    """Return the number of rounds of the only environment if it is a table of rewards, else None.

    The number is the horizon of a request that gives no horizon.
    """
    tables = [contents.get("law") == "table" for contents in environments.values()]
    return build(*environments.values()).rounds if tables == [True] else None


class _Composition:
    """The files that a configuration chooses, with the values of their keys, and the varied
    keys.
    """

    def __init__(self, question: Question, folders: tuple[str, ...], given: Given):
        self.question, self.folders, self.given = question, folders, given
        self.labels: dict[str, str] = {}  # of environments, by name
        self._choices: list[list[Grid]] = []  # alternatives, for each group
        self._varied: Grid = {}  # what varies besides
        self._names: dict[str, str] = {}  # that Hydra is given, by groups
        self._chosen = {g: self._single(g) for g in (*question.groups, "experiment", "runner")}
        self._names |= {key: plain(x) for key, x in given.values.items() if "@" in key}
        self.base = self._composed({})
        inlier = given.values.get(INLIER)
        if isinstance(inlier, str) and (key := f"env@{INLIER}") in self.base.choices:
            file_of("env", inlier, folders)
            self._names[key] = inlier
            self.base = self._composed({})
        self.groups = Groups({g: {} for g in question.groups})
        self.config = {**default_keys(question.keys_file), **self.base.tree}
        for group in (*question.groups, "experiment", "runner"):
            self.config[group] = self.base.choices.get(group)
        set_grids(self.config, {**given.values, **given.swept}, given.swept)
        refuse_varied(question, self.config, given.values, given.swept, given.python is None)
        self._set_keys()

    def _single(self, group: str) -> Choice | None:
        """Return the only choice of a group that is given; if it is a file, note its name
        for Hydra.
        """
        value = self.given.values.get(group)
        if group not in self.given.values or (group == "experiment" and value is None):
            return None
        self._refuse_means(group, value)
        choice = self._choice(group, value)
        if choice.contents is None and choice.algorithm is None:
            file_of(group, choice.name, self.folders)
            self._names[group] = choice.name
        return choice

    def _refuse_means(self, group: str, value: Any, many: bool = False) -> None:
        """Refuse means of arms where names of environments are needed."""
        if means := means_of(group, value, self.folders, self.given.python is not None):
            raise BadInput(f"{group}={shown(value, many)}: names are needed; {means}")

    def _composed(self, names: Mapping[str, str]) -> Composed:
        """Compose the files with Hydra, with other names chosen in some groups."""
        file = self.given.file or self.question.keys_file
        found = compose_files(file, {**self._names, **names}, self.folders)
        if self.given.removed:
            found = self._without(found)
        if isinstance(found.tree.get("experiment"), Mapping):
            name = found.choices["experiment"]
            raise BadInput(
                f"experiment={name}: the first line of its file must be '# @package _global_'"
            )
        for group in (*self.question.groups, "runner"):
            if group not in found.choices:
                first = f"defaults: [{self.question.keys_file}, _self_]"
                raise BadInput(
                    f"{group}: no file is chosen; a file of all keys begins with {first}"
                )
            contents = found.tree.get(group, {})
            if not isinstance(contents, Mapping):
                how = f"defaults: [override /{group}: {plain(contents)}, _self_]"
                raise BadInput(f"{group}: {plain(contents)}: a file chooses another by {how}")
        return found

    def _without(self, found: Composed) -> Composed:
        """Return a composed configuration without the removed keys."""
        tree: dict[str, Any] = deepcopy(dict(found.tree))
        for key in self.given.removed:
            *path, name = key.split(".")
            inner = reduce(lambda x, k: x.get(k, {}) if isinstance(x, dict) else {}, path, tree)
            if key in found.choices or not isinstance(inner, dict) or name not in inner:
                raise BadInput(
                    f"~{key}: {'one is needed' if key in found.choices else 'no such key'}"
                )
            del inner[name]
        return replace(found, tree=tree)

    def _set_keys(self) -> None:
        """Set the keys that do not choose an algorithm, an environment or a population."""
        swept, values = swept_keys(self.question), {}
        for key, value in self.given.values.items():
            head = key.partition(".")[0]
            if (
                head in (*self.question.groups, "sweep", "experiment")
                or "@" in key
                or key == "runner"
            ):
                continue
            if not (self.base.has(key) or key in self.config or key in self.given.added):
                raise self._unknown(key, value)
            values[key] = value
        for key, several in self.given.swept.items():
            if key.partition(".")[0] in (*self.question.groups, "sweep"):
                continue
            if not (self.base.has(key) or key in self.config):
                raise self._unknown(key, several)
            if key not in swept:
                one = "one value is needed; {key} cannot be swept"
                raise BadInput(f"{key}={shown(several, True)}: {one.format(key=key)}")
            if not several:
                raise BadInput(f"{key}=[]: at least one is needed")
            self._varied[key] = [*several]
        parameters = {
            key: value
            for key, value in self.given.values.items()
            if key.partition(".")[0] in self.question.groups and "." in key
            if self._is_single(key.partition(".")[0])
            and (key != f"env.{LABEL}" or self._shows_labels())
        }
        if isinstance(parameters.get(INLIER), str):
            name = parameters.pop(INLIER)
            if f"env@{INLIER}" not in self._names:
                parameters[INLIER] = read_group("env", name, self.folders)
        self.groups.values = values | parameters
        there = {k: x for k, x in self.groups.values.items() if self.base.has(k)}
        known = _without_grids(self.base).at(self._first | there | values)
        self.runner = known["runner"]
        groups = (*self.question.groups, "runner", "experiment")
        self.config |= {k: x for k, x in known.items() if k not in groups and k not in self._varied}

    @property
    def _first(self) -> dict[str, Any]:
        """The first value of each varied key: values in files may refer to these keys."""
        first = {key: x[0] for key, x in self.given.swept.items() if x and key != INLIER}
        return self.base.named(first)

    def _is_single(self, group: str) -> bool:
        """Return whether a single file of a group is chosen."""
        return group not in self.given.swept and group not in swept_names(self.config)

    def _shows_labels(self) -> bool:
        """Return whether the only environment shows labelled data, whose ``label`` names a
        column.
        """
        chosen = self.base.tree.get("env") or {}
        return self._is_single("env") and chosen.get("law") == LABELS

    def choose(self, group: str) -> None:
        """Choose the files of a group: a single one, each of a list, or those of the sweep."""
        own, several = self.given.of_group(group), self.given.swept.get(group)
        named = group == "env" and not self._shows_labels()
        label = own.pop(LABEL, None) if named else None
        if label is not None and not self._is_single(group):
            raise BadInput(f"env.{LABEL}={shown(label[0])}: env chooses several environments")
        self._refuse_means(group, several, many=True)
        if group in swept_names(self.config):
            for name in names_chosen(self.question, self.config)[group]:
                self._load(group, Choice(name))
            self._refuse_unknown(group, own)
            start = "" if group == self.question.group else f"{group}."
            self._varied |= {f"{start}{k}": v for k, v in own.items()}
        elif several is not None:
            if not several:
                raise BadInput(f"{group}=[]: at least one is needed")
            choices = [self._choice(group, one) for one in several]
            for choice in choices:
                self._load(group, choice)
            self._refuse_unknown(group, own)
            if group != self.question.group:
                self._varied |= {f"{group}.{k}": v for k, v in own.items()}
            self._choices.append(self._alternatives(group, choices, own))
        else:
            choice = self._chosen[group] or Choice(self.config[group])
            self.config[group] = choice.name
            self._load(group, choice)
            self._refuse_unknown(group, own)
            if group == self.question.group:
                self._set_parameters(choice, own)
                return
            if label is not None:
                many = f"env.{LABEL}" in self.given.swept
                self.labels[choice.name] = _label(label if many else label[0], many)
            source = self.groups.composed[group, choice.name]
            for path, values in own.items():
                key = f"{group}.{path}"
                if not (source.has(key) or key in self.given.added):
                    raise self._unknown(key, self.given.values.get(key, values))
                if key in self.given.swept:
                    self._varied[key] = values

    def _set_parameters(self, choice: Choice, own: Mapping[str, list[Any]]) -> None:
        """Set the parameters of the only algorithm: fixed ones in its contents, varied ones
        in a grid.
        """
        group, (values, many) = self.question.group, self._values(choice, own)
        swept = {name: x for name, x in values.items() if name in many}
        fixed = {name: x[0] for name, x in values.items() if name not in many}
        for key in fixed.keys() & swept_keys(self.question):
            if key in self.given.values or key in self.given.swept:
                refuse_twice(key, {**self.given.values, **self.given.swept}[key], choice)
            self.config[key] = fixed.pop(key)
        self.groups.contents[group][choice.name] |= fixed
        if swept:
            self._choices.append([{group: [choice.name], **swept}])

    def _values(
        self, choice: Choice, own: Mapping[str, list[Any]]
    ) -> tuple[dict[str, list[Any]], set[str]]:
        """Return the lists of values of an algorithm's parameters, and the names of those
        that vary.
        """
        for key in choice.values.keys() & own.keys():
            refuse_twice(key, own[key][0], choice)
        lists = {k: x if isinstance(x, list) else [x] for k, x in choice.values.items()}
        many = {k for k, x in choice.values.items() if isinstance(x, list)}
        many |= {k for k in own if f"{self.question.group}.{k}" in self.given.swept}
        return {**own, **lists}, many

    def _alternatives(
        self, group: str, chosen: Sequence[Choice], own: Mapping[str, list[Any]]
    ) -> list[Grid]:
        """Return grids that choose from a list: one grid for a list of names, else one for
        each choice.
        """
        if group == self.question.group:
            each = [self._values(choice, own)[0] for choice in chosen]
        else:
            each = self._distinguishing(group, chosen)
        if not any(each):
            return [{group: [choice.name for choice in chosen]}]
        pairs = zip(chosen, each, strict=True)
        return [{group: [choice.name], **values} for choice, values in pairs]

    def _distinguishing(self, group: str, chosen: Sequence[Choice]) -> list[dict[str, list[Any]]]:
        """Return for each choice the values, as ``GROUP.NAME``, that differ between choices
        of its name.
        """
        contents = [self._read(group, choice) for choice in chosen]
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

    def _choice(self, group: str, one: Any) -> Choice:
        if group == self.question.group:
            return algorithm_choice(one, group, {})
        if isinstance(one, Choice):
            return one
        data = plain_data(group, one)
        if isinstance(data, Mapping) and self.given.python is not None:
            law = data.get("law")
            return Choice(law if isinstance(law, str) else group, data, data)
        return Choice(plain(data))

    def _read(self, group: str, choice: Choice) -> dict[str, Any]:
        """Return the contents of a choice; the label of an environment is stored separately."""
        if choice.contents is None:
            file_of(group, choice.name, self.folders)
            same = self.base.choices.get(group) == choice.name
            found = self.base if same else self._composed({group: choice.name})
        else:
            found = replace(
                self.base, tree={**self.base.tree, group: plain_data(group, choice.contents)}
            )
        found = _without_grids(found)
        self.groups.composed.setdefault((group, choice.name), found)
        own = self._is_single(group) and self.config[group] == choice.name
        values = {
            key: x
            for key, x in self.groups.values.items()
            if own or not key.startswith(f"{group}.")
        }
        contents: dict[str, Any] = found.at(found.named(self._first) | values).get(group, {})
        if group == "env" and contents.get("law") != LABELS:
            if isinstance(contents.get("inlier"), dict):
                contents["inlier"].pop(LABEL, None)
            label, name = contents.pop(LABEL, None), choice.name
            if label is not None and self.labels.setdefault(name, _label(label)) != label:
                other = f"env chooses {name} twice, with the label {self.labels[name]}"
                raise BadInput(f"env.{LABEL}={label}: {other}")
        return contents

    def _load(self, group: str, choice: Choice) -> None:
        self.groups.contents[group].setdefault(choice.name, self._read(group, choice))
        if group != self.question.group:
            return
        made = choice.algorithm or load(find_file(choice.name, self.folders, group))
        if self.groups.algorithms.get(choice.name, made) != made:
            raise BadInput(f"{group}={choice.name}: two functions have that name; rename one")
        refuse_taken_names(made)
        self.groups.algorithms[choice.name] = made
        for key in self._of_command(made):
            self.groups.contents[group][choice.name].pop(key, None)

    @staticmethod
    def _of_command(algorithm: Algorithm) -> set[str]:
        """Return the parameters of an algorithm that are keys of the command."""
        return {str(algorithm.budget), "eps_min", *algorithm.question.goal_names}

    def _refuse_unknown(self, group: str, own: Mapping[str, list[Any]]) -> None:
        """Refuse a parameter that no chosen algorithm has."""
        if group != self.question.group:
            return
        algorithms, python = self.groups.algorithms, self.given.python
        known = set().union(*({*a.domains} - self._of_command(a) for a in algorithms.values()))
        for name, values in own.items():
            if name in known:
                continue
            value = self.given.values.get(f"{group}.{name}", values)
            if python is None:
                raise self._unknown(f"{group}.{name}", value)
            if meant := of_other_command(name, value, python, True):
                raise meant
            error = unknown("key or parameter", name, {*known, *python})
            if not get_close_matches(name, {*known, *python}, cutoff=SURE_SIMILARITY):
                chosen = {group: ", ".join(algorithms), **self._environment()}
                error = takes_no(name, value, chosen, self.folders, True) or error
            raise error

    def _environment(self) -> dict[str, str]:
        """Return the environment's group and name if the environment is one file, else nothing."""
        name = self.config["env"]
        is_file = self._is_single("env") and name in names_in("env", self.folders)
        return {"env": name} if is_file else {}

    def _unknown(self, key: str, value: Any) -> BadInput:
        """Return the error for a key that is neither a key of the command nor a chosen
        file's parameter.
        """
        names = {}
        for group in self.question.groups:
            choice = self._chosen[group]
            several = self.given.swept.get(group)
            names[group] = plain(several or (choice.name if choice else self.config[group]))
        names["runner"] = self.config["runner"]
        known = [*self.config]
        for group, name in names.items():
            with suppress(BadInput):
                known += [f"{group}.{x}" for x in file_keys(group, name, self.folders)]
        return unknown_key(key, value, known, names, self.folders)

    def sweep(self) -> Any:
        """Return the grids of the whole sweep: those of the configuration, with all other
        varied keys.
        """
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
                if name not in self.groups.contents[group]:
                    self._load(group, Choice(name))
        inner = [name for grid in grids(self.config) for name in grid.get(INLIER, [])]
        for name in inner:
            if isinstance(name, str) and name not in self.groups.contents["env"]:
                self._load("env", Choice(name))
        return self.config["sweep"]


def _without_grids(found: Composed) -> Composed:
    """Return a composed configuration without the keys to which no value refers."""
    return replace(found, tree={k: x for k, x in found.tree.items() if k not in NO_VALUE})


def _label(label: Any, many: bool = False) -> str:
    """Check the name of an environment in figures, and return it."""
    if isinstance(label, str) and label.isprintable() and 0 < len(label) <= LONGEST_LABEL:
        return label
    line = f"a line of at most {LONGEST_LABEL} characters"
    needed = "one label" if many else line
    raise BadInput(f"env.{LABEL}={shown(label, many)}: {needed} is needed")
