"""Compose a request from keys and values of a command line or of a call in Python.

A key is a key of a command, such as ``runs``, or a parameter ``GROUP.NAME`` of a file. Hydra
composes the chosen files. After this composition, the given values replace values in the result,
and the keys with several values become grids of a sweep.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from ..contracts.algorithm import find_file, load
from ..contracts.question import QUESTIONS, Question
from ..environments.catalogue import build
from ..errors import BadInput, plain
from ..validation import OF_ROWS
from .choices import Choice, Several, algorithm_choice, listed, plain_data
from .composed import (
    INLIER,
    LABEL,
    LABELS,
    Composed,
    Groups,
    compose_files,
    refers_to_others,
    unlabelled,
)
from .groups import default_keys, file_of, question_of, refined
from .hints import means_of, unknown_key
from .request import Request, make_request, refuse_taken_names
from .resolve import ROWS
from .sweep import (
    OF_RUNS,
    Grid,
    Point,
    grids,
    names_chosen,
    refuse_twice,
    refuse_varied,
    set_grids,
    shown,
    swept_names,
)


@dataclass(frozen=True)
class Given:
    """The keys of a command line or of a call, with their values.

    Attributes:
        values: the values of keys; if a key has several values, all values are run.
        added: keys that need not exist, as ``+KEY=VALUE`` adds them.
        removed: keys that are reset to their value in ``conf/config.yaml``, as ``~KEY`` does.
        file: the file with all keys and their defaults, as given by ``--config-name``; None for the
            usual file.
        python: the names of the arguments of a call in Python; None for a command line.
    """

    values: Mapping[str, Any]
    added: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()
    file: str | None = None
    python: Sequence[str] | None = None


def request_from(
    question: Question,
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
    folders: tuple[str, ...] = (),
) -> Request:
    """Return the request for a call from Python. An argument that is a list is a sweep over its
    values.

    Args:
        question: the question.
        given: keys of the command with their values; None stands for the default. The value of a
            group, such as ``env``, may be a name, a choice or a list of these.
        parameters: parameters of the algorithm.
        folders: the user's configuration folders.
    """
    values: dict[str, Any] = {"results": None}
    group, sweepable = question.group, swept_keys(question)
    for key, value in given.items():
        if value is not None:
            value = listed(key, value) if key in question.groups else plain_data(key, value)
            values[key] = _swept(value) if key in {*question.groups, *sweepable} else value
    if "experiment" in values:
        name = values["experiment"]
        answered = question_of(name, folders) or question
        if answered != question:
            function = answered.command.replace("bandit-", "dp.")
            raise BadInput(
                f"experiment={name}: this is an experiment of {answered.noun}s; use {function}"
            )
    values |= {f"{group}.{name}": _swept(_parameter(name, x)) for name, x in parameters.items()}
    if isinstance(choice := values.get(group), Choice):
        for name, value in choice.values.items():
            key = name if name in sweepable else f"{group}.{name}"
            if key in values:
                refuse_twice(name, values[key], choice)
            values[key] = _swept(value)
    return compose(question, Given(values, python=list(given)), folders)


def _parameter(name: str, value: Any) -> Any:
    """Return the value of an algorithm's parameter as plain data. A function or a class is no such
    value: it stays as text, so that a message may say that ``name`` is no parameter.
    """
    if callable(value):
        return plain(value)
    several = isinstance(value, list | tuple)
    return plain_data(name, [plain(x) if callable(x) else x for x in value] if several else value)


def _swept(value: Any) -> Any:
    """Return a list as several values of a key, and any other value unchanged."""
    return Several(value) if isinstance(value, list) else value


def swept_keys(question: Question) -> set[str]:
    """Return the keys of a command that decide a setting and that a sweep can vary."""
    family = [q for q in QUESTIONS if q.command == question.command]
    of_runs = {*OF_RUNS} & {*default_keys(question.keys_file)}
    return {key for q in family for key in q.swept} | of_runs


def compose(
    question: Question, given: Given, folders: tuple[str, ...] = (), changed: tuple[str, ...] = ()
) -> Request:
    """Compose the request of some keys.

    The given values replace the values in an experiment's file, which replace the defaults. A key
    with several values becomes a column of the table.

    Args:
        question: the question of the command.
        given: the keys.
        folders: the user's configuration folders.
        changed: the words of a command line that decide what is run.

    Raises:
        BadInput: the request cannot be run.
    """
    made = _Composition(question, given, folders)
    config, groups, question = made.config, made.groups, made.question
    limit, swept = question.limit, swept_names(config)
    usual = config[limit] == default_keys(question.keys_file)[limit]
    if question.plays_on and usual and limit not in {*given.values, *swept}:
        environments = [groups.at(g, name, {})[0] for g, name in groups.sources if g == "env"]
        laws = [contents.get("law") for contents in environments]
        if all(law in OF_ROWS for law in laws):
            config[limit] = ROWS
        elif laws == ["table"] and not any(name.startswith("env.") for name in swept):
            config[limit] = build(*environments).rounds
    return make_request(question, config, groups, made.runner, changed)


class _Composition:
    """The work of ``compose``: the configuration of a request, and the configuration that Hydra
    composes for each choice in a group.

    Attributes:
        question: the question that the chosen algorithms answer.
        base: the configuration that Hydra composes for the groups that have a single choice.
        config: the keys with their values, the names of the choices, and the sweep.
        groups: the choices in the groups.
        keys: the given keys that are neither groups nor part of the sweep.
        runner: the parameters of the runner.
    """

    def __init__(self, question: Question, given: Given, folders: tuple[str, ...]):
        self.question, self.given, self.folders = question, given, folders
        for key, value in given.values.items():
            if isinstance(value, Several) and not value:
                typed = key if given.python is None else key.removeprefix(f"{question.group}.")
                raise BadInput(f"{typed}=[]: at least one value is needed")
            if isinstance(value, Several) and ("@" in key or key in ("experiment", "runner")):
                raise cannot_be_swept(key, value)
        groups = (*question.groups, "experiment", "runner")
        self.chosen = {g: self._given_choices(g) for g in groups if g in given.values}
        outer_first = sorted(given.values.items(), key=lambda item: item[0].count("."))
        self.keys = {
            key: value
            for key, value in outer_first
            if key not in groups and "@" not in key and key.partition(".")[0] != "sweep"
        }
        self.base = self._base()
        self.config = {**default_keys(question.keys_file), **self.base.tree}
        self.config |= {group: self.base.choices.get(group) for group in groups}
        set_grids(self.config, given.values)
        refuse_varied(question, self.config, given.values, given.python is None)
        self.groups = Groups(folders, self.base)
        for group in question.groups:
            self._load(group)
        self._refuse_unknown()
        self._set_values()

    def _given_choices(self, group: str) -> list[Choice]:
        """Return the choices that the user gave for a group."""
        value, python = self.given.values[group], self.given.python is not None
        if means := means_of(group, value, self.folders, python):
            raise BadInput(f"{group}={shown(value)}: names are needed; {means}")
        return [self._choice(group, one) for one in _each(value)]

    def _choice(self, group: str, one: Any) -> Choice:
        if group == self.question.group:
            found = algorithm_choice(one, group, {})
            keys = default_keys(self.question.keys_file).keys() - swept_keys(self.question)
            for key in found.values.keys() & keys:
                beside = f"{key} is a key of the call; give it beside {group}"
                raise BadInput(f"{found}: {beside}")
            return found
        if isinstance(one, Choice):
            return one
        data = plain_data(group, one)
        if isinstance(data, Mapping) and self.given.python is not None:
            law = data.get("law")
            return Choice(law if isinstance(law, str) else group, data, data)
        return Choice(plain(data))

    def _base(self) -> Composed:
        """Compose the files of the groups in which the user chose a single file."""
        self.names = {key: plain(x) for key, x in self.given.values.items() if "@" in key}
        for group, (choice, *_) in self.chosen.items():
            if choice.contents is None and not isinstance(self.given.values[group], Several):
                file_of(group, choice.name, self.folders)
                self.names[group] = choice.name
        found, inlier = self._composed({}), self.given.values.get(INLIER)
        if isinstance(inlier, str) and (key := f"env@{INLIER}") in found.choices:
            file_of("env", inlier, self.folders)
            self.names[key] = inlier
            found = self._composed({})
        return found

    def _composed(self, names: Mapping[str, str]) -> Composed:
        """Compose the files with Hydra; ``names`` replaces the choices in some groups."""
        file = self.given.file or self.question.keys_file
        found = compose_files(file, {**self.names, **names}, self.folders)
        if self.given.removed:
            found = _without(found, self.given.removed)
        if isinstance(found.tree.get("experiment"), Mapping):
            name = found.choices["experiment"]
            raise BadInput(
                f"experiment={name}: the first line of its file must be '# @package _global_'"
            )
        figure = found.tree.get("figure")
        for key, value in figure.items() if isinstance(figure, Mapping) else ():
            if refers_to_others(value):
                alone = "a figure does not refer to other values; write the value itself"
                raise BadInput(f"figure.{key}={plain(value)}: {alone}")
        for group in (*self.question.groups, "runner"):
            if group not in found.choices:
                first = f"defaults: [{self.question.keys_file}, _self_]"
                raise BadInput(
                    f"{group}: no file is chosen; a file for --config-name begins with {first}"
                )
            contents = found.tree.get(group, {})
            if not isinstance(contents, Mapping):
                how = f"defaults: [override /{group}: {plain(contents)}, _self_]"
                raise BadInput(f"{group}: {plain(contents)}: write {how} in the file")
        return found

    def _load(self, group: str) -> None:
        """Compose the choices in a group: the given choices, the choices of the sweep, or the
        default choice.
        """
        if group in swept_names(self.config):
            self.chosen[group] = [Choice(x) for x in names_chosen(group, self.config)]
        elif group not in self.chosen:
            self.chosen[group] = [Choice(self.config[group])]
        elif self._is_single(group):
            self.config[group] = self.chosen[group][0].name
        for choice in self.chosen[group]:
            self.groups.sources.setdefault((group, choice.name), self._source(group, choice))
            if group == self.question.group:
                made = choice.algorithm or load(find_file(choice.name, self.folders, group))
                if self.groups.algorithms.setdefault(choice.name, made) != made:
                    raise BadInput(
                        f"{group}={choice.name}: two functions have this name; rename one of them"
                    )
                refuse_taken_names(made)
        if group == self.question.group:
            keys = [key for key in self.given.values if "." not in key]
            self.question = refined(self.question, self.groups.algorithms, keys)

    def _source(self, group: str, choice: Choice) -> Composed:
        """Return the configuration in which the given choice is the only choice of its group."""
        if choice.contents is not None:
            tree = {**self.base.tree, group: plain_data(group, choice.contents)}
            return replace(self.base, tree=tree)
        file_of(group, choice.name, self.folders)
        if self.base.choices.get(group) == choice.name:
            return self.base
        return self._composed({group: choice.name})

    def _is_single(self, group: str) -> bool:
        """Return whether a single file of a group is chosen."""
        several = isinstance(self.given.values.get(group), Several)
        return not several and group not in swept_names(self.config)

    def _refuse_unknown(self) -> None:
        """Refuse a key that is neither a key of the command nor a parameter of a chosen file."""
        groups, own = self.question.groups, self.groups.parameters()
        for key, value in self.keys.items():
            group, _, name = key.partition(".")
            if group == self.question.group:
                if name not in own:
                    raise self._unknown_parameter(name, value, own)
            elif group in groups and not self._is_single(group):
                if key == f"env.{LABEL}":
                    label = "a label is for one environment, but env names several"
                    raise BadInput(f"{key}={shown(value)}: {label}; leave {key} out")
            elif group in groups:
                source = self.groups.sources[group, self.config[group]]
                if key == f"env.{LABEL}" and source.tree["env"].get("law") != LABELS:
                    if isinstance(value, Several):
                        raise BadInput(f"{key}={shown(value)}: one label is needed")
                elif not (source.has(key) or key in self.given.added):
                    raise self._unknown(key, value)
            elif not (self.base.has(key) or key in self.config or key in self.given.added):
                raise self._unknown(key, value)
            elif isinstance(value, Several) and key not in swept_keys(self.question):
                raise cannot_be_swept(key, value)

    def _set_values(self) -> None:
        """Set the keys that have one value, and add the keys that vary to the sweep."""
        group = self.question.group
        swept = group in swept_names(self.config)
        values: dict[str, Any] = {}
        varied: Grid = {}
        own: dict[str, Any] = {}  # the parameters of the given algorithms
        for key, value in self.keys.items():
            head, _, name = key.partition(".")
            varies = isinstance(value, Several) or not self._is_single(head)
            if varies and head == group and not swept:
                own[name] = value
            elif varies:
                varied[name if head == group else key] = [*_each(value)]
            elif key != INLIER or not isinstance(value, str):
                values[key] = value
            elif f"env@{INLIER}" not in self.names:
                values[key] = self.groups.file("env", value)
        self.groups.values = values
        self.groups.first = {
            key: x[0] for key, x in self.keys.items() if isinstance(x, Several) and key != INLIER
        }
        known = self._known({})
        self.runner = known["runner"]
        chosen = {*self.question.groups, "runner", "experiment"}
        self.config |= {k: x for k, x in known.items() if k not in chosen | varied.keys()}
        self._vary(varied, own)
        self._refuse_references(known)

    def _known(self, point: Point) -> dict[str, Any]:
        """Return all keys with the values that they have at a point of the sweep."""
        groups = self.groups
        whole = groups.beside(self.base, None, point) if groups.refers else self.base
        return groups.filled(whole, whole.named(point))

    def _refuse_references(self, known: Mapping[str, Any]) -> None:
        """Refuse a key of the command whose value refers to a key that varies.

        A key of the command has one value for the whole sweep: the value in ``known``. Only values
        in files of algorithms, environments and populations may refer to keys that vary, since
        these files are evaluated at each point.
        """
        if not self.groups.refers:
            return
        fixed = known.keys() - {*self.question.groups, *swept_names(self.config)}
        for point in self._some_points():
            found = self._known(point)
            for key in sorted(key for key in fixed if found[key] != known[key]):
                text = plain({**self.base.tree, **self.groups.values}[key])
                one = f"{key} has one value, but refers to a key that varies"
                raise BadInput(f"{key}={text}: {one}")

    def _some_points(self) -> Iterator[Point]:
        """Yield some points of the sweep. The points contain all choices of groups, and the first
        and the last value of each key.
        """
        for grid in grids(self.config):
            choices = [len(grid[group]) for group in self.question.groups if group in grid]
            for i in (*range(max(choices, default=1)), -1):
                yield {name: values[min(i, len(values) - 1)] for name, values in grid.items()}

    def _vary(self, varied: Grid, own: dict[str, Any]) -> None:
        """Add keys that vary, and the choices of groups, to the grids of the sweep."""
        parts = [x for group in self.question.groups if (x := self._alternatives(group, own))]
        for grid in itertools.chain.from_iterable(parts):
            for key in grid.keys() & varied.keys():
                (name,) = grid[self.question.group]
                refuse_twice(key, varied[key], Choice(name, {key: grid[key]}))
        if parts or varied:
            order = [*self.question.swept, *varied]
            last = {key: varied[key] for key in order if key in varied}
            found = [
                {**reduce(or_, alternatives, {}), **last, **grid}
                for grid in grids(self.config)
                for alternatives in itertools.product(*parts)
            ]
            self.config["sweep"] = found if len(found) > 1 else found[0]

    def _alternatives(self, group: str, own: dict[str, Any]) -> list[Grid]:
        """Return the grids of the choices in a group: one grid if the choices are only names, else
        one grid for each choice. The list is empty if nothing in the group varies.

        ``own`` maps parameters of the given algorithms to their values.
        """
        choices, several = self.chosen[group], not self._is_single(group)
        if group in swept_names(self.config):
            return []
        if group != self.question.group:
            each = self._distinguishing(group)
        elif several:
            each = [_parameters(choice, own) for choice in choices]
        else:
            each = [own]
        if not any(each):
            return [{group: [choice.name for choice in choices]}] if several else []
        return [
            {group: [choice.name], **{name: [*_each(x)] for name, x in values.items()}}
            for choice, values in zip(choices, each, strict=True)
        ]

    def _distinguishing(self, group: str) -> list[dict[str, Any]]:
        """Return, for each choice, the values in which the choice differs from other choices of the
        same name. The key of a value is ``GROUP.NAME``.
        """
        choices = self.chosen[group]
        if len({choice.name for choice in choices}) == len(choices):
            return [{} for _ in choices]
        sources = [(choice.name, self._source(group, choice)) for choice in choices]
        if group == "env":
            _refuse_two_labels(sources)
        found = [(name, unlabelled(group, source.tree[group])) for name, source in sources]
        for (name, own), (other, x) in itertools.product(found, found):
            if name == other and (missing := sorted(own.keys() - x.keys())):
                key = f"{group}.{missing[0]}"
                raise BadInput(f"{key} is missing: {group} chooses {name} twice, once with {key}")
        return [
            {
                f"{group}.{key}": value
                for key, value in own.items()
                if any(name == other and x[key] != value for other, x in found)
            }
            for name, own in found
        ]

    def _unknown_parameter(self, name: str, value: Any, known: set[str]) -> BadInput:
        """Return the error for a parameter that no chosen algorithm has."""
        group, python = self.question.group, self.given.python
        if python is None:
            return self._unknown(f"{group}.{name}", value)
        chosen = {group: ", ".join(self.groups.algorithms)}
        if self._is_single("env"):
            chosen["env"] = self.config["env"]
        return unknown_key(name, value, {*known, *python}, chosen, self.folders, python=True)

    def _unknown(self, key: str, value: Any) -> BadInput:
        """Return the error for a key that is neither a key of the command nor a chosen
        file's parameter.
        """
        chosen = {}
        for group in (*self.question.groups, "runner"):
            several = self.given.values.get(group)
            chosen[group] = plain(several if isinstance(several, Several) else self.config[group])
        known = [*self.config]
        for (group, _), found in {**self.groups.sources, ("runner", ""): self.base}.items():
            known += [f"{group}.{name}" for name in found.tree.get(group, {})]
        return unknown_key(key, value, known, chosen, self.folders)


def cannot_be_swept(key: str, values: Several) -> BadInput:
    """Return the error for several values of a key that no sweep can vary."""
    return BadInput(f"{key}={shown(values)}: one value is needed; {key} cannot be swept")


def _each(value: Any) -> Sequence[Any]:
    """Return the values of a key as a sequence, with one element if the key has one value."""
    return value if isinstance(value, Several) else [value]


def _parameters(choice: Choice, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an algorithm: the parameters that are given as keys (``own``), and
    the parameters in its choice.
    """
    for key in choice.values.keys() & own.keys():
        refuse_twice(key, _each(own[key])[0], choice)
    return {**own, **{name: _swept(value) for name, value in choice.values.items()}}


def _refuse_two_labels(chosen: Sequence[tuple[str, Composed]]) -> None:
    """Refuse environments that have the same name but different labels. For labelled data the key
    ``label`` names a column, so it is ignored.
    """
    labels: dict[str, Any] = {}
    for name, source in chosen:
        contents = source.tree["env"]
        label = None if contents.get("law") == LABELS else contents.get(LABEL)
        if labels.setdefault(name, label) != label:
            other = f"with the label {labels[name]}" if labels[name] else "once without a label"
            raise BadInput(
                f"env.{LABEL}={plain(label)}: env chooses {name} twice, {other}; run each alone"
            )


def _without(found: Composed, removed: Sequence[str]) -> Composed:
    """Return a composed configuration without some keys."""
    tree: dict[str, Any] = deepcopy(dict(found.tree))
    for key in removed:
        *path, name = key.split(".")
        inner = reduce(lambda x, k: x.get(k, {}) if isinstance(x, dict) else {}, path, tree)
        if key in found.choices:
            raise BadInput(f"~{key}: {key} cannot be removed; {key}=NAME chooses another file")
        if not isinstance(inner, dict) or name not in inner:
            raise BadInput(f"~{key}: there is no key {key}")
        del inner[name]
    return replace(found, tree=tree)
