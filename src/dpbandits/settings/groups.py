"""The configuration files of the package and of a user: keys with their defaults, and groups."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..contracts.algorithm import HOMES, Algorithm, load
from ..contracts.question import QUESTIONS, Question
from ..environments.catalogue import ARMS
from ..errors import SURE_SIMILARITY, BadInput, nearest, plain, similar
from ..files import package_folder
from .yaml_files import keys_of, read_yaml

# The file of a group that reads data of a user, and the key that names them
READERS = {"env": ("empirical", "env.file"), "population": ("file", "population.path")}
USER_GROUPS = ("algo", "rule", "env")  # of which files are often a user's


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
    found = {file.stem for home in homes for file in (home / group).glob("*.yaml")}
    for home in homes[1:] if group in HOMES else ():
        found |= {file.stem for file in (home / group).glob("*.py") if is_algorithm(file)}
    return sorted(found)


def is_algorithm(file: Path) -> bool:
    """Whether a Python file of a user, which is not imported, defines a function of its name, or a
    class.
    """
    start = rf"^(def {re.escape(file.stem)}\(|{re.escape(file.stem)} *=|class [^_])"
    return re.search(start, file.read_text(errors="replace"), re.MULTILINE) is not None


def file_of(group: str, name: str, folders: Iterable[str] = ()) -> Path:
    """The configuration file of a name in a group, or the Python file of an algorithm of a user
    that has no configuration file: its values are then the defaults of its signature.

    Raises:
        BadInput: there is none.
    """
    if is_name(name):
        homes = [package_folder("conf"), *map(Path, folders)]
        ours, *others = (home / group / f"{name}.yaml" for home in homes)
        if ours.is_file():
            for own in (x.with_suffix(end) for x in others for end in (".yaml", ".py")):
                if own.is_file():
                    raise BadInput(f"{own}: {name} is one of ours; give yours another name")
            return ours
        for own in others:
            if own.is_symlink() or own.exists():
                return own  # which is read, if it is a file
            code = own.with_suffix(".py")
            if group in HOMES and code.is_file():
                if is_algorithm(code):
                    return code
                needed = f"a function {name}(game, rng, ...)" + " or a class" * (group == "algo")
                raise BadInput(f"{group}={name}: {code} needs {needed}")
    raise no_file(group, plain(name), names_in(group, folders), folders)


def no_file(group: str, name: str, known: Iterable[str], folders: Iterable[str]) -> BadInput:
    """The error for a name without a configuration file: for a file of data or the law of an arm in
    its place, and for a file of a user whose folder was not given.
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
    for inside in map(Path, folders):
        files = [inside / f"{name}{end}" for end in (".yaml", ".py")] if is_name(name) else []
        if any(map(Path.is_file, files)):
            if inside.name == group:
                return BadInput(f"{group}={name}: the folder above it is needed, {inside.parent}")
            return BadInput(f"{group}={name}: the file is needed in the folder {inside / group}")
    found = nearest(name, known)
    if group in USER_GROUPS and not folders and not similar(name, known, SURE_SIMILARITY):
        own = Path(name).stem if re.search(r"\.(py|yaml)$|/", name) else name
        place = f"DIR/{group}/{own}.{'yaml' if group == 'env' else 'py'}"
        start = " One" if found.endswith("?") else "; one"
        one = f"{start} of your own is {place} with --config-dir DIR"
        found += one if is_name(own) else ""
    return BadInput(f"unknown {group} {name!r}: {found}")


def about(group: str, name: str, folders: Iterable[str] = ()) -> str:
    """The description of a configuration file: the comment that it begins with; none if the file
    cannot be read.
    """
    try:
        lines = file_of(group, name, folders).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    comments = itertools.takewhile(lambda line: line.startswith("# "), lines)
    return " ".join(line[2:] for line in comments if not line.startswith("# @"))


def file_keys(group: str, name: str, folders: Iterable[str] = ()) -> dict[str, Any]:
    """The keys in the file of a name, see ``keys_of``."""
    file = file_of(group, name, folders)
    return defaults_of(file) if file.suffix == ".py" else keys_of(file)


def defaults_of(file: Path) -> dict[str, Any]:
    """The defaults in the signature of an algorithm, which are its values without a YAML file."""
    return dict(load(file).defaults)


@cache
def default_keys(keys_file: str) -> Mapping[str, Any]:
    """The keys of a command with their defaults, from its file in conf; groups are names."""
    return keys_of(package_folder("conf") / f"{keys_file}.yaml")


def read_experiment(name: str, folders: Iterable[str] = ()) -> dict[str, Any]:
    """The keys in the file of an experiment; not those of files that it extends."""
    found = read_yaml(file_of("experiment", name, folders))
    found.pop("defaults", None)
    return found


def question_of(experiment: str, folders: Iterable[str] = ()) -> Question | None:
    """The question that an experiment asks, by the groups that its file names, or a file that it
    extends; None if unclear.
    """
    seen: list[str] = [experiment]
    for name in seen:  # which grows
        contents = read_yaml(file_of("experiment", name, folders))
        words = set(re.findall(r"\w+", " ".join(_names(contents))))
        if found := next((q for q in QUESTIONS if q.group in words), None):
            return found
        known = contents.get("defaults", [])
        seen += [
            x for x in known if isinstance(x, str) and is_name(x) and x not in (*seen, "_self_")
        ]
    return None


def _names(value: Any) -> Iterator[str]:
    """The names in nested mappings and lists."""
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield str(key)
        if isinstance(inner, Mapping | list):
            yield from _names(inner)
