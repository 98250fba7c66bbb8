"""Configurations that Hydra composes from files. Values can be changed after the composition.

The folder ``conf`` and a user's folder are on Hydra's search path. Hydra merges the files that a
defaults list names. The values of a sweep are set after this merge, so that Hydra composes each
chosen file only once.
"""

from __future__ import annotations

import json
import math
import os
import re
import threading
import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import InterpolationKeyError, MissingMandatoryValue, OmegaConfBaseException

from ..contracts.algorithm import HOMES, Algorithm
from ..contracts.question import REGRET
from ..errors import BadInput, in_a_line, nearest, plain
from ..files import package_folder
from ..validation import to_float
from .groups import file_of, names_in, question_of
from .user_files import load_laws

OF_HYDRA = ("job_logging", "hydra_logging", "launcher", "sweeper", "help", "hydra_help", "output")
PLACED = "; an experiment begins with '# @package _global_', and overrides /algo, with a slash"
OVERLAID = (
    "; the defaults of a file for --config-name begin with config, or with stop for bandit-stop; "
    "what --cfg job prints is an experiment: DIR/experiment/NAME.yaml, experiment=NAME"
)
UNUSED = [f"~hydra/{group}" for group in OF_HYDRA]  # left out; they take a quarter of the time
MAX_HYDRA_CHARACTERS = 600  # longest reason from Hydra in a message
REFERENCE, NEEDED = "${", "???"  # a value that refers to another; a missing value
RESOLVING = "raised while resolving interpolation: "  # text of OmegaConf between two reasons
LABEL = "label"  # the name of an environment in figures; it changes no run
LABELS = "labels"  # the law of labelled data, whose key ``label`` names a column
NO_VALUE = ("sweep", "figure")  # keys to which no value refers
INLIER = "env.inlier"  # the contaminated environment, or its name
LONGEST_LABEL = 80  # characters
LARGEST_EXACT = 2**53  # every whole number up to this one is a float
LOCK = threading.Lock()  # Hydra composes in global variables


@dataclass(frozen=True)
class Composed:
    """A configuration that Hydra composed. A value may refer to another value, as in ``${eps}``.

    Attributes:
        choices: the name of the file that is chosen in each group, or for each ``GROUP@KEY``.
        tree: the keys with their values; the value of a group is a mapping.
    """

    choices: Mapping[str, str]
    tree: Mapping[str, Any]

    @cached_property
    def values(self) -> dict[str, Any]:
        """The tree without the keys ``sweep`` and ``figure``, to which no value refers."""
        return {key: value for key, value in self.tree.items() if key not in NO_VALUE}

    @cached_property
    def refers(self) -> bool:
        """Whether a value refers to another value, or is a placeholder that must be replaced."""
        return refers_to_others(self.values)

    def has(self, path: str) -> bool:
        """Return whether there is a value at a path such as ``env.arms.0.mean``, which consists of
        names and of positions in lists.
        """
        inner: Any = self.tree
        name: Any
        for name in path.split("."):
            if isinstance(inner, list):
                inner = dict(enumerate(inner))
                name = int(name) if name.isdecimal() else name
            if not isinstance(inner, Mapping) or name not in inner:
                return False
            inner = inner[name]
        return True

    def named(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values at a point of a sweep, under the keys of this configuration.

        A parameter ``NAME`` of an algorithm has the key ``algo.NAME`` or ``rule.NAME``.
        """
        found = {}
        for name, value in point.items():
            for key in (name, f"algo.{name}", f"rule.{name}"):
                if self.has(key) and not isinstance(self.tree.get(key), Mapping):
                    found[key] = value
        return found

    def at(self, changes: Mapping[str, Any], resolve: bool = True) -> dict[str, Any]:
        """Return ``values`` with some ``changes``. With ``resolve``, references are replaced by the
        values to which they refer.

        Raises:
            BadInput: a value refers to a key that does not exist, or the user did not give a value
                that must be given (``???``).
        """
        if not changes and not self.refers:
            return deepcopy(self.values)
        try:
            config = OmegaConf.create(self.values)
            for key, value in sorted(changes.items(), key=lambda item: item[0].count(".")):
                # the value replaces the whole law
                whole = isinstance(value, Mapping) and "law" in value
                OmegaConf.update(config, key, value, merge=not whole, force_add=True)
            found: Any = OmegaConf.to_container(config, resolve=resolve, throw_on_missing=resolve)
        except MissingMandatoryValue as error:
            full = error.full_key
            raise BadInput(f"{full}=???: a value is needed; write {full}=VALUE") from None
        except RecursionError:
            raise BadInput(
                "values refer to each other in a circle, or lists are nested too deeply"
            ) from None
        except (OmegaConfBaseException, ValueError, TypeError, AttributeError) as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            reason = reason.rpartition(RESOLVING)[2]
            where = getattr(error, "full_key", None)
            if isinstance(error, InterpolationKeyError):
                missing = reason.split("'")[1]
                near = nearest(missing, self.values)
                reason = f"${{{missing}}}: there is no key {missing}; {near}"
            if reason.startswith("Recursive interpolation"):
                itself = "the value refers to itself, perhaps through other keys"
                reason = f"{itself}; write {where}=VALUE"
            raise BadInput(f"{where}: {reason}" if where else reason) from None
        return dict(found)


@dataclass
class Groups:
    """The choices in the groups of a request, and the values that the request sets in their files.

    Attributes:
        folders: the user's configuration folders.
        base: the configuration that Hydra composed for the groups with a single choice.
        sources: for each group and chosen name, the configuration that Hydra composed.
        algorithms: the algorithms, or stopping rules, by name.
        values: keys whose values the request sets in every configuration.
        first: the first value of each key that varies, since values in files may refer to it.
        labels: the labels of environments, by name.
    """

    folders: tuple[str, ...]
    base: Composed
    sources: dict[tuple[str, str], Composed] = field(default_factory=dict)
    algorithms: dict[str, Algorithm] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    _found: dict[str, dict[str, Any]] = field(default_factory=dict)
    _files: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    @property
    def refers(self) -> bool:
        """Whether a value of ``base``, or a value in ``values``, refers to another value."""
        return self.base.refers or refers_to_others(self.values)

    @property
    def names(self) -> dict[str, str]:
        """The first name that is chosen in each group."""
        return dict(reversed(self.sources))

    def beside(self, source: Composed, group: str | None, point: Mapping[str, Any]) -> Composed:
        """Return the configuration of a choice, completed by the choices in the other groups at a
        point of a sweep. The values of the choice may refer to values of these groups.
        """
        names = {g: str(point.get(g, name)) for g, name in self.names.items() if g != group}
        others = {g: self.sources[g, name].tree.get(g, {}) for g, name in names.items()}
        return replace(source, tree={**source.tree, **others})

    def filled(
        self, source: Composed, changes: Mapping[str, Any], resolve: bool = True
    ) -> dict[str, Any]:
        """Return the values of a configuration after setting the values for all configurations, and
        then the values in ``changes``.
        """
        return source.at({**source.named(self.first), **self.values, **changes}, resolve)

    def file(self, group: str, name: str) -> dict[str, Any]:
        """Return the contents of a file without labels. References are not yet resolved."""
        if (group, name) not in self._files:
            contents = read_group(group, name, self.folders, resolve=False)
            self._files[group, name] = unlabelled(group, contents)
        return self._files[group, name]

    def set_for_all(self, group: str) -> dict[str, Any]:
        """Return the values that a request sets for all choices in a group with several choices."""
        found: dict[str, Any] = {}
        for (other, name), source in self.sources.items():
            if other == group:
                own = read_group(group, name, self.folders, resolve=False)
                found |= {k: x for k, x in source.tree[group].items() if own.get(k, own) != x}
        return found

    def parameters(self) -> set[str]:
        """Return the parameters of all algorithms that are not keys of the command."""
        return {x for algorithm in self.algorithms.values() for x in own_parameters(algorithm)}

    def at(
        self, group: str, name: str, point: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the contents of a chosen file at a point of a sweep, and the values that the point
        sets in the contents.
        """
        source, chosen = self.sources[group, name], {}
        taken = {k: x for k, x in point.items() if k.startswith(f"{group}.") and source.has(k)}
        named = {k: x for k, x in source.named(point).items() if k.startswith(f"{group}.")}
        taken |= {k: x for k, x in named.items() if refers_to_others(x)}
        changes = dict(taken)
        if isinstance(inner := changes.get(INLIER), str):
            changes[INLIER] = self.file("env", inner)
        if source.refers or self.refers or refers_to_others(changes):
            chosen = {g: point[g] for g in self.names if g in point}
            source = self.beside(source, group, point)
            changes = {**source.named(point), **changes}
        key = json.dumps([group, name, chosen, changes])
        if key not in self._found:
            contents = self.filled(source, changes).get(group, {})
            if group not in HOMES:
                has_file = name in names_in(group, self.folders)  # a mapping of a call has none
                contents = same_numbers(contents, self.file(group, name) if has_file else {})
            self._found[key] = self._own(group, name, contents)
        found = self._found[key]
        for path in (k for k, x in taken.items() if refers_to_others(x)):
            taken[path] = reduce(getitem, path.split(".")[1:], found)
        return found, taken

    def _own(self, group: str, name: str, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Return the contents of a file without keys of the command. The label of an environment is
        left out, too, and stored in ``labels``.
        """
        load_laws(contents, self.folders)
        if group not in ("env", "population"):
            keys = keys_of_command(self.algorithms[name])
            return {key: x for key, x in contents.items() if key not in keys}
        found = unlabelled(group, contents)
        if contents.get(LABEL) is not None and LABEL not in found:
            label = _label(contents[LABEL])
            if (first := self.labels.setdefault(name, label)) != label:
                # it refers to a key that varies
                needed = f"the label of {name} is {first} at another point; one label is needed"
                raise BadInput(f"env.{LABEL}={plain(label)}: {needed}")
        return found


def _label(label: Any) -> str:
    """Check the name of an environment in figures, and return it."""
    if isinstance(label, str) and label.isprintable() and 0 < len(label) <= LONGEST_LABEL:
        return label
    line = f"a line of at most {LONGEST_LABEL} characters is needed"
    raise BadInput(f"env.{LABEL}={plain(label)}: {line}")


def keys_of_command(algorithm: Algorithm) -> set[str]:
    """Return the keys of the command that can be parameters of an algorithm."""
    return {str(algorithm.budget), "eps_min", *algorithm.question.goal_names}


def own_parameters(algorithm: Algorithm) -> list[str]:
    """Return the parameters of an algorithm that are not keys of the command."""
    keys = keys_of_command(algorithm)
    return [name for name in algorithm.domains if name not in keys]


def refers_to_others(value: Any) -> bool:
    """Return whether a value, or a value inside it, refers to another value or is missing."""
    if isinstance(value, str):
        return REFERENCE in value or value == NEEDED
    inner = value.values() if isinstance(value, Mapping) else value
    return isinstance(value, Mapping | list) and any(map(refers_to_others, inner))


def same_numbers(value: Any, written: Any) -> Any:
    """Return a value in which equal numbers are written equally, as 11 for 11.0, so that settings
    that differ only in this way have the same id.

    A whole number is an int. A text is read as a number only where ``written``, the value in the
    file, is a number.
    """
    if isinstance(value, Mapping):
        known = written if isinstance(written, Mapping) else {}
        return {key: same_numbers(x, known.get(key)) for key, x in value.items()}
    if isinstance(value, list):
        items = written if isinstance(written, list) and written else [None]
        return [same_numbers(x, items[min(i, len(items) - 1)]) for i, x in enumerate(value)]
    number, known = to_float(value), written if isinstance(value, str) else value
    if isinstance(known, str) or not (math.isfinite(number) and math.isfinite(to_float(known))):
        return value
    return int(number) if number.is_integer() and abs(number) <= LARGEST_EXACT else number


def compose_files(file: str, choices: Mapping[str, str], folders: tuple[str, ...] = ()) -> Composed:
    """Compose a file of keys with Hydra, with chosen files in its groups.

    Args:
        file: the name of the file in ``conf`` or in a user's folder.
        choices: the names of files by groups, or by ``GROUP@KEY``.
        folders: the user's configuration folders.

    Raises:
        BadInput: a file cannot be read, or its defaults list cannot be followed.
    """
    return (_compose if folders else _compose_ours)(file, tuple(choices.items()), folders)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _compose(file: str, choices: tuple[tuple[str, str], ...], folders: tuple[str, ...]) -> Composed:
    import hydra  # this import takes a third of a second
    from hydra.errors import HydraException, MissingConfigException

    from .search_path import UserFolders

    home = str(package_folder("conf").resolve())
    words = [f"{group}={_quoted(name)}" for group, name in choices]
    shown = " ".join(f"{group}={name}" for group, name in choices) or file
    others = OmegaConfBaseException, ValueError, TypeError, AssertionError, AttributeError
    try:
        with (
            LOCK,
            warnings.catch_warnings(),
            UserFolders.on_path(folders),
            hydra.initialize_config_dir(home, "dpbandits", version_base="1.3"),
        ):
            warnings.filterwarnings("ignore", "In .*: Defaults list is missing")  # _self_ is last
            found = hydra.compose(file, [*UNUSED, *words], return_hydra_config=True)
    except MissingConfigException as error:
        missing = str(error.missing_cfg_file).removesuffix(".yaml")
        for folder in folders:
            if os.path.lexists(path := Path(folder, f"{missing}.yaml")):
                raise BadInput(f"{path}: no such file, or not a regular file") from None
        group, _, name = missing.rpartition("/")
        at_top = (path.stem for folder in folders for path in Path(folder).glob("*.yaml"))
        near = nearest(name, names_in(group, folders) if group else at_top)
        where = f"--config-name {file}" if missing == file else shown
        raise BadInput(f"{where}: there is no file {missing}.yaml; {near}") from None
    except RecursionError:
        raise BadInput(f"{shown}: the defaults list of a file includes the file itself") from None
    except (HydraException, *others) as error:
        reason = in_a_line(str(error.__cause__ or error), MAX_HYDRA_CHARACTERS)
        of_file = any(words in reason for words in ("Could not override", "Multiple values for"))
        hint = PLACED if of_file and "experiment=" in shown else ""
        if of_file and not Path(home, f"{file}.yaml").is_file():
            shown, hint = f"--config-name {file}", OVERLAID
        unused = r"no chosen file has \1 in its defaults list"
        reason = re.sub(r"Could not override '(.+?)'\..*", unused, reason)
        raise BadInput(f"{shown}: {reason or type(error).__name__}{hint}") from None
    chosen = found.hydra.runtime.choices.items()
    names = {str(k): str(v) for k, v in chosen if v is not None and not k.startswith("hydra/")}
    own = OmegaConf.masked_copy(found, [str(key) for key in found if key != "hydra"])
    return Composed(names, OmegaConf.to_container(own))  # type: ignore[arg-type]


# Caching is possible, since the package's files do not change
_compose_ours = lru_cache(maxsize=4096)(_compose)


def composed_experiment(name: str, folders: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """Return the keys of an experiment with all keys of the command, without resolved references.
    Keys of files that the experiment extends are included.
    """
    question = question_of(name, folders) or REGRET
    return compose_files(question.keys_file, {"experiment": name}, folders).tree


def read_group(
    group: str, name: str, folders: tuple[str, ...] = (), resolve: bool = True
) -> dict[str, Any]:
    """Return the keys of a group's file, and of the files that it extends or includes. With
    ``resolve``, references are resolved with the default values of all other keys.
    """
    file_of(group, name, folders)
    found = compose_files("stop" if group == "rule" else "config", {group: name}, folders)
    return dict(found.at({}, resolve).get(group, {}))


def unlabelled(group: str, contents: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contents of a file without the label of an environment and of its inlier."""
    if group != "env" or contents.get("law") == LABELS:
        return dict(contents)
    found = {key: value for key, value in contents.items() if key != LABEL}
    if isinstance(inlier := found.get("inlier"), Mapping):
        found["inlier"] = unlabelled("env", inlier)
    return found
