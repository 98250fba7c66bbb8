"""Find and read the configuration files of the package and of a user."""

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

# For each group, the file that reads a user's data, and the key with the data's path
READERS = {"env": ("empirical", "env.file"), "population": ("file", "population.path")}
USER_GROUPS = ("algo", "rule", "env")  # groups to which users often add files


def refined(
    question: Question, algorithms: Mapping[str, Algorithm], given: Iterable[str] = ()
) -> Question:
    """Return the question that all algorithms of a command answer. The keys of ``algorithms`` are
    the names of the algorithms.

    Raises:
        BadInput: two algorithms answer different questions, or one of the ``given`` keys belongs to
            another question.
    """
    (name, first), *others = algorithms.items()
    found = first.question
    for other, algorithm in others:
        if algorithm.question != found:
            raise BadInput(
                f"{found.group}={name},{other}: {name} takes {', '.join(found.goal_names)}, and "
                f"{other} takes {', '.join(algorithm.question.goal_names)}, so they do not fit in "
                "one table; run each alone"
            )
    family = [q for q in QUESTIONS if q.command == question.command]
    foreign = {key for q in family for key in q.own_keys} - found.own_keys
    for key in given:
        if key in foreign:
            own = ", ".join(sorted(found.own_keys))
            raise BadInput(f"{key}: {name} takes no {key}; it takes {own}")
    return found


def is_name(value: Any) -> bool:
    """Return whether a value is text that can name a file, without a path."""
    return isinstance(value, str) and re.fullmatch(r"\w[\w .+-]{0,199}", value) is not None


def names_in(group: str, folders: Iterable[str] = ()) -> list[str]:
    """Return the names that a group offers: names of the package and of the user."""
    homes = [package_folder("conf"), *map(Path, folders)]
    found = {file.stem for home in homes for file in (home / group).glob("*.yaml")}
    for home in homes[1:] if group in HOMES else ():
        found |= {file.stem for file in (home / group).glob("*.py") if is_algorithm(file)}
    return sorted(found)


def is_algorithm(file: Path) -> bool:
    """Return whether a user's Python file defines a function of the file's name, or a class.

    The function searches the text of the file, and does not import the file.
    """
    start = rf"^(def {re.escape(file.stem)}\(|{re.escape(file.stem)} *=|class [^_])"
    return re.search(start, file.read_text(errors="replace"), re.MULTILINE) is not None


def file_of(group: str, name: str, folders: Iterable[str] = ()) -> Path:
    """Return the configuration file of a name in a group.

    If a user's algorithm has no configuration file, its Python file is returned. The values of its
    parameters are then the defaults in the function's signature.

    Raises:
        BadInput: there is no such file.
    """
    if is_name(name):
        homes = [package_folder("conf"), *map(Path, folders)]
        ours, *others = (home / group / f"{name}.yaml" for home in homes)
        if ours.is_file():
            for own in (x.with_suffix(end) for x in others for end in (".yaml", ".py")):
                if own.is_file():
                    raise BadInput(f"{own}: the package has a file {name}; rename yours")
            return ours
        for own in others:
            if own.is_symlink() or own.exists():
                return own  # if it is no file, reading it will fail
            code = own.with_suffix(".py")
            if group in HOMES and code.is_file():
                if is_algorithm(code):
                    return code
                needed = f"a function {name}(game, rng, ...)" + " or a class" * (group == "algo")
                raise BadInput(f"{group}={name}: {code} needs {needed}")
    raise no_file(group, plain(name), names_in(group, folders), folders)


def no_file(group: str, name: str, known: Iterable[str], folders: Iterable[str]) -> BadInput:
    """Return the error for a name for which a group has no configuration file.

    The message has a hint if the name is a data file, the law of a single arm, a rule instead of an
    algorithm, or a file of the user in a folder that was not given correctly.
    """
    if group in READERS and re.search(r"\.(csv|tsv|txt|gz)$|[/\\~]", name, flags=re.I):
        reader, key = READERS[group]
        return BadInput(
            f"{group}={name}: a name is needed; {group}={reader} {key}={name} reads a file"
        )
    if group == "env" and name in ARMS and name not in known:
        return BadInput(
            f"env={name}: {name} is the law of one arm; write env=mixed "
            f"'env.arms=[{{law: {name}, ...}}, ...]'"
        )
    for question in QUESTIONS if group in HOMES else ():
        if question.group != group and name in names_in(question.group, folders):
            written = f"{question.group}={name}, as for {question.command}"
            return BadInput(f"{group}={name}: write {written}")
    for inside in map(Path, folders):
        files = [inside / f"{name}{end}" for end in (".yaml", ".py")] if is_name(name) else []
        if any(map(Path.is_file, files)):
            if inside.name == group:
                return BadInput(f"{group}={name}: give the folder above, {inside.parent}")
            return BadInput(f"{group}={name}: move the file to the folder {inside / group}")
    found = nearest(name, known)
    if group in USER_GROUPS and not folders and not similar(name, known, SURE_SIMILARITY):
        own = Path(name).stem if re.search(r"\.(py|yaml)$|/", name) else name
        place = f"DIR/{group}/{own}.{'yaml' if group == 'env' else 'py'}"
        start = " A" if found.endswith("?") else "; a"
        one = f"{start} file of your own must be {place}, with --config-dir DIR"
        found += one if is_name(own) else ""
    return BadInput(f"unknown {group} {name!r}: {found}")


def about(group: str, name: str, folders: Iterable[str] = ()) -> str:
    """Return the description of a configuration file: the comment at its beginning.

    The result is empty if the file cannot be read.
    """
    try:
        lines = file_of(group, name, folders).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    comments = itertools.takewhile(lambda line: line.startswith("# "), lines)
    return " ".join(line[2:] for line in comments if not line.startswith("# @"))


def file_keys(group: str, name: str, folders: Iterable[str] = ()) -> dict[str, Any]:
    """Return the keys in the file of a name, see ``keys_of``."""
    file = file_of(group, name, folders)
    return dict(load(file).defaults) if file.suffix == ".py" else keys_of(file)


@cache
def default_keys(keys_file: str) -> Mapping[str, Any]:
    """Return a command's keys with their defaults, from its file in conf. The value of a group is
    the name of a file.
    """
    return keys_of(package_folder("conf") / f"{keys_file}.yaml")


def read_experiment(name: str, folders: Iterable[str] = ()) -> dict[str, Any]:
    """Return the keys in the file of an experiment, without the keys of files that it extends."""
    return read_yaml(file_of("experiment", name, folders))


def question_of(experiment: str, folders: Iterable[str] = ()) -> Question | None:
    """Return the question that an experiment answers. The groups, such as ``rule``, in the
    experiment's file and in the files that this file extends determine the question.

    The result is None if no group occurs in these files.
    """
    seen: list[str] = [experiment]
    for name in seen:  # the loop extends this list
        contents = read_experiment(name, folders)
        words = set(re.findall(r"\w+", " ".join(_names(contents))))
        if found := next((q for q in QUESTIONS if q.group in words), None):
            return found
        known = contents.get("defaults", [])
        seen += [
            x for x in known if isinstance(x, str) and is_name(x) and x not in (*seen, "_self_")
        ]
    return None


def _names(value: Any) -> Iterator[str]:
    """Yield the names in nested mappings and lists."""
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield str(key)
        if isinstance(inner, Mapping | list):
            yield from _names(inner)
