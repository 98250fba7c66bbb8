"""The configuration files of the package and of a user: keys with their defaults, and groups."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ..contracts.algorithm import Algorithm
from ..contracts.question import QUESTIONS, Question
from ..environments.catalogue import ARMS
from ..errors import ALMOST, BadInput, nearest, plain, similar
from ..files import package_folder

# The file of a group that reads data of a user, and the key that names them
READERS = {"env": ("empirical", "env.file"), "population": ("file", "population.path")}
OWN = ("algo", "rule", "env")  # groups whose files are often a user's


@dataclass(frozen=True)
class Groups:
    """The files that a configuration chooses, loaded.

    Attributes:
        contents: the contents of the files of each group, by name.
        algorithms: the algorithms, or stopping rules, by name.
    """

    contents: Mapping[str, Mapping[str, dict[str, Any]]]
    algorithms: Mapping[str, Algorithm] = field(default_factory=dict)


def refined(
    question: Question, algorithms: Mapping[str, Algorithm], given: Iterable[str] = ()
) -> Question:
    """The question of a command that its algorithms, by name, answer: all of them the same one.

    Raises:
        BadInput: two algorithms answer different questions, or a key that has been given belongs to
            another question.
    """
    (name, first), *others = algorithms.items()
    found = first.question
    for other, algorithm in others:
        if algorithm.question != found:
            raise BadInput(
                f"{found.group}={name},{other}: they answer different questions, {found.name} and "
                f"{algorithm.question.name}; run them separately"
            )
    family = [q for q in QUESTIONS if q.command == question.command]
    foreign = {key for q in family for key in q.own_keys} - found.own_keys
    for key in given:
        if key in foreign:
            own = ", ".join(sorted(found.own_keys))
            raise BadInput(f"{key}: no key of {name}, which takes {own}")
    return found


def is_name(value: Any) -> bool:
    """Whether a value is text that can name a file, without a path to it."""
    return isinstance(value, str) and re.fullmatch(r"\w[\w .+-]{0,199}", value) is not None


def names_in(group: str, folders: Iterable[str] = ()) -> list[str]:
    """The names that can be chosen in a group, the package's and the user's."""
    homes = [package_folder("conf"), *map(Path, folders)]
    return sorted({file.stem for home in homes for file in (home / group).glob("*.yaml")})


def file_of(group: str, name: str, folders: Iterable[str] = ()) -> Path:
    """The configuration file of a name in a group.

    Raises:
        BadInput: there is none.
    """
    if is_name(name):
        for home in (package_folder("conf"), *map(Path, folders)):
            if (home / group / f"{name}.yaml").is_file():
                return home / group / f"{name}.yaml"
    raise no_file(group, plain(name), names_in(group, folders), folders)


def no_file(group: str, name: str, known: Iterable[str], folders: Iterable[str]) -> BadInput:
    """The error for a name without a configuration file: for a file of data or the law of an arm in
    its place, for an algorithm that lacks it, and for one of a user whose folder was not given.
    """
    if group in READERS and re.search(r"\.(csv|tsv|txt|gz)$|[/\\~]", name, flags=re.I):
        reader, key = READERS[group]
        return BadInput(
            f"{group}={name}: a name is needed; {group}={reader} {key}={name} reads a file"
        )
    if group == "env" and name in ARMS and name not in known:
        return BadInput(
            f"env={name}: a law of one arm; env=mixed 'env.arms=[{{law: {name}, ...}}, ...]' has "
            "such arms"
        )
    for file in (Path(folder, group, f"{name}.py") for folder in folders if is_name(name)):
        if file.is_file():
            return BadInput(
                f"{group}={name}: {file} has no {name}.yaml beside it, with its parameters"
            )
    for inside in map(Path, folders):
        if inside.name == group and is_name(name) and (inside / f"{name}.yaml").is_file():
            return BadInput(f"{group}={name}: the folder above it is needed, {inside.parent}")
    found = nearest(name, known)
    if group in OWN and not folders and not similar(name, known, ALMOST):
        own = Path(name).stem if re.search(r"\.(py|yaml)$|/", name) else name
        files = f"DIR/{group}/{own}.yaml{f' and {own}.py' if group != 'env' else ''}"
        start = " One" if found.endswith("?") else "; one"
        one = f"{start} of your own is {files} with --config-dir DIR"
        found += one if is_name(own) else ""
    return BadInput(f"unknown {group} {name!r}: {found}")


def about(group: str, name: str) -> str:
    """The description of a configuration file: the comment that it begins with."""
    lines = file_of(group, name).read_text().splitlines()
    comments = itertools.takewhile(lambda line: line.startswith("# "), lines)
    return " ".join(line[2:] for line in comments)


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values of nested mappings and lists, each with the path to it."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, inner in pairs:
        if isinstance(inner, Mapping | list) and inner:
            yield from leaves(f"{path}{key}.", inner)
        else:
            yield f"{path}{key}", inner


def place(contents: Any, path: str, value: Any) -> bool:
    """Replace a value in nested mappings and lists; returns whether there is one at that path."""
    if (found := place_of(contents, path)) is None:
        return False
    inner, key = found
    inner[key] = value
    return True


def place_of(contents: Any, path: str) -> tuple[Any, Any] | None:
    """The mapping or list that has the value at a path in nested ones, and its key there."""
    inner: Any = {"": contents}
    key: Any = ""
    for name in path.split("."):
        inner = inner[key]
        known = range(len(inner)) if isinstance(inner, list) else inner
        key = int(name) if isinstance(inner, list) and name.isdecimal() else name
        if not (isinstance(inner, list | dict) and key in known):
            return None
    return inner, key


def read_file(file: Path) -> dict[str, Any]:
    """The contents of a configuration file: plain data."""
    try:
        loaded = OmegaConf.load(file)
        for key, value in leaves("", OmegaConf.to_container(loaded, resolve=False)):
            if isinstance(value, str) and re.search(r"\$\{\s*[\w.]+\s*:", value):
                raise BadInput(
                    f"{file}: {key}={value}: a value can refer to another key of its file only, "
                    "such as ${eps}"
                )
        contents = OmegaConf.to_container(loaded, resolve=True)
    except (OSError, ValueError, YAMLError, OmegaConfBaseException) as error:
        raise BadInput(f"{file}: not a readable YAML file ({error})") from None
    if not isinstance(contents, dict):
        raise BadInput(f"{file}: names with values are needed")
    if "defaults" in contents:
        raise BadInput(f"{file}: it has a list of defaults; a file chooses another by GROUP: NAME")
    return {str(key): value for key, value in contents.items()}


def read_group(group: str, name: str, folders: tuple[str, ...] = ()) -> dict[str, Any]:
    """The contents of a file of a group."""
    return whole_inlier(read_file(file_of(group, name, folders)), folders)


def whole_inlier(contents: dict[str, Any], folders: tuple[str, ...]) -> dict[str, Any]:
    """The contents of an environment, with those of the environment that its ``inlier`` names."""
    inner = contents.get("inlier")
    if not isinstance(inner, str):
        return contents
    return contents | {"inlier": read_file(file_of("env", inner, folders))}


@cache
def default_keys(keys_file: str) -> Mapping[str, Any]:
    """The keys of a command with their defaults, from its file in conf; groups are names."""
    return read_file(package_folder("conf") / f"{keys_file}.yaml")


def question_of(experiment: str, folders: Iterable[str] = ()) -> Question | None:
    """The question that an experiment asks, by the groups that its file names; None if unclear."""
    contents = read_file(file_of("experiment", experiment, folders))
    named = {word for path, _ in leaves("", contents) for word in re.split(r"[./ ]", path)}
    return next((q for q in QUESTIONS if q.group in named), None)


def read_experiment(name: str, folders: tuple[str, ...] = ()) -> dict[str, Any]:
    """The keys that an experiment sets."""
    return read_file(file_of("experiment", name, folders))
