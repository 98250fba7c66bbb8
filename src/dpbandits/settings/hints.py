"""What was probably meant: by a word without a key, and by a parameter of another file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from ..errors import BadInput, plain, unknown
from .groups import names_in, read_group

GROUPS = ("algo", "rule", "env", "population", "experiment")  # in which a bare word is looked up
MOST = 3  # files that a message names
ALMOST = 0.8  # similarity from which on a key is taken for another one


def bare_word(word: str) -> BadInput:
    """The error for a word without a key, with the key of the file that has its name."""
    found = [f"{group}={word}" for group in GROUPS if word in names_in(group)]
    hint = f"; did you mean {' or '.join(found)}?" if found else ""
    return BadInput(f"{word}: KEY=VALUE is needed{hint}")


def unknown_key(
    key: str, value: Any, known: Iterable[str], chosen: Mapping[str, str], folders: tuple[str, ...]
) -> BadInput:
    """The error for a key that cannot be set: with the files that have such a parameter, or with
    the nearest key.

    Args:
        key: the key, perhaps ``GROUP.NAME``.
        value: its value.
        known: the keys and parameters that can be set.
        chosen: the file that is used in each group.
        folders: the user's configuration folders.
    """
    known = list(known)
    group, _, name = key.partition(".")
    if not name or group not in chosen or get_close_matches(key, known, cutoff=ALMOST):
        return unknown("key", key, known)
    having = _owners(group, name, folders)
    if not having:
        return unknown("key", key, known)
    file = chosen[group]
    having.sort(key=lambda owner: not file.startswith(owner))
    names = f"{', '.join(having[:MOST])}{' and others' if len(having) > MOST else ''}"
    verb = "take" if len(having) > 1 else "takes"
    own = ", ".join(x for x in known if x.startswith(f"{group}.")) or "no parameters"
    return BadInput(
        f"unknown key {key!r}: {names} {verb} it, as in {group}={having[0]} {key}={plain(value)}; "
        f"{file} takes {own}"
    )


def _owners(group: str, name: str, folders: tuple[str, ...]) -> list[str]:
    """The files of a group that have a parameter; shortest names first."""
    found = []
    for file in sorted(names_in(group, folders), key=lambda x: (len(x), x)):
        with suppress(BadInput):
            if name in read_group(group, file, folders):
                found.append(file)
    return found
