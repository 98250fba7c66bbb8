"""Hints in error messages: what the user may mean by a word without a key, or by a parameter that
belongs to another file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..contracts.question import QUESTIONS
from ..errors import SUGGESTED_SIMILARITY, SURE_SIMILARITY, BadInput, plain, similar, unknown
from .groups import file_keys, names_in, no_file

GROUPS = ("algo", "rule", "env", "population", "experiment")  # groups that may have a bare word
MAX_NAMED_FILES = 3  # largest number of files in a message
MAKERS = {"env": "environment", "population": "population"}  # the functions of Python by groups


def bare_word(word: str) -> BadInput:
    """Return the error for a word without a key. The message suggests the groups that have a file
    of this name.
    """
    found = [f"{group}={word}" for group in GROUPS if word in names_in(group)]
    hint = f"; did you mean {' or '.join(found)}?" if found else ", without spaces around ="
    return BadInput(f"{word}: KEY=VALUE is needed{hint}")


def _of_other_command(
    key: str, value: Any, folders: tuple[str, ...], python: bool
) -> BadInput | None:
    """Return the error for a key of another command, such as ``rule`` for bandit-run; the result is
    None for other keys.
    """
    for question in QUESTIONS:
        if key == question.group:
            others = {q.group for q in QUESTIONS} - {key}
            if any(plain(value) in names_in(other, folders) for other in others):
                return no_file(key, plain(value), (), folders)
            command, written = question.command, f" {key}={plain(value)}"
            if python:
                command = command.replace("bandit-", "dpbandits.")
                written = f"({key}={value!r}, ...)"
            return BadInput(f"{key} is a key of {command}: write {command}{written}")
    return None


def unknown_key(
    key: str,
    value: Any,
    known: Iterable[str],
    chosen: Mapping[str, str],
    folders: tuple[str, ...],
    python: bool = False,
) -> BadInput:
    """Return the error for a key that cannot be set.

    The message names files that have such a parameter, or the most similar key.

    Args:
        key: the key, which may be ``GROUP.NAME``; in a call from Python, the name of an argument.
        value: its value.
        known: the keys and parameters that can be set.
        chosen: the file that is used in each group.
        folders: the user's configuration folders.
        python: whether the key was given in a call from Python.
    """
    known = list(known)
    if key in known:  # the called function fixes this key
        return BadInput(f"{key}={plain(value)}: this function takes no {key}")
    group, _, name = key.partition(".")
    if python or not name or group not in chosen:
        meant = _of_other_command(key, value, folders, python)
        if not meant and not similar(key, known, SURE_SIMILARITY):
            meant = _takes_no(key, value, chosen, folders, python)
        return meant or unknown("key or parameter" if python else "key", key, known)
    file = chosen[group]
    own = list(dict.fromkeys(x for x in known if x.startswith(f"{group}.")))
    names = [x.partition(".")[2] for x in own]
    having = _owners(group, name, folders, file)
    if near := similar(name, names, SURE_SIMILARITY if having else SUGGESTED_SIMILARITY):
        return BadInput(f"unknown key {key!r}: did you mean {group}.{near}?")
    if not having and (near := similar(name, [x for x in known if "." not in x])):
        return BadInput(f"unknown key {key!r}: did you mean {near}?")
    takes = f"{file} takes {', '.join(own) or 'no parameters'}"
    if having:
        files, verb = _named(having)
        takes = f"{files} {verb} it, as in {group}={having[0]} {key}={plain(value)}; {takes}"
    return BadInput(f"unknown key {key!r}: {takes}")


def means_of(group: str, values: Any, folders: tuple[str, ...] = (), python: bool = False) -> str:
    """Return a hint for a user who gave the means of arms instead of an environment.

    The result is empty if the values are not means.
    """
    several = isinstance(values, list) and len(values) > 1
    if group != "env" or not several or not all(map(_is_mean, values)):
        return ""
    if any(plain(x) in names_in("env", folders) for x in values):
        return ""
    means = plain(values)
    written = f"env=dp.bernoulli({means})" if python else f"env=bernoulli env.means={means}"
    return f"{written} has arms of these means"


def _is_mean(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and 0 <= x <= 1


def _takes_no(
    name: str, value: Any, chosen: Mapping[str, str], folders: tuple[str, ...], python: bool
) -> BadInput | None:
    """Return the error for a parameter that the chosen files lack but other files have.

    The message names these other files. The result is None if no file has such a parameter. For the
    other arguments see ``unknown_key``.
    """
    for group, given in chosen.items():
        files = [x.strip() for x in given.strip("[]").split(",")]  # a sweep may choose several
        file = ", ".join(files)
        having = _owners(group, name, folders, file) if group in GROUPS else []
        if own := [x for x in files if x in having]:
            right = f"{group}.{name}={plain(value)}"
            if python and group in MAKERS:
                right = f"dpbandits.{MAKERS[group]}({file!r}, {name}=...)"
            return BadInput(
                f"{name}={plain(value)}: {name} is a parameter of {', '.join(own)}; write {right}"
            )
        if having:
            names, verb = _named(having)
            how = "" if python else f", as in {group}={having[0]} {group}.{name}={plain(value)}"
            none = f"{file} {'take' if len(files) > 1 else 'takes'} no {name}"
            return BadInput(f"{name}={plain(value)}: {none}; {names} {verb} it{how}")
    return None


def _named(files: Sequence[str]) -> tuple[str, str]:
    """Return the names of the first files as text, and the verb after them ("take" or "takes")."""
    more = " and others" if len(files) > MAX_NAMED_FILES else ""
    return f"{', '.join(files[:MAX_NAMED_FILES])}{more}", "take" if len(files) > 1 else "takes"


def _owners(group: str, name: str, folders: tuple[str, ...], chosen: str) -> list[str]:
    """Return the files of a group that have a parameter.

    First come the files whose names are beginnings of the chosen file's name, then other files,
    shorter names first.
    """
    found = []
    for file in sorted(names_in(group, folders), key=lambda x: (len(x), x)):
        with suppress(BadInput):
            if name in file_keys(group, file, folders):
                found.append(file)
    return sorted(found, key=lambda owner: not chosen.startswith(owner))
