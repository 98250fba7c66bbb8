"""What was probably meant: by a word without a key, and by a parameter of another file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from ...errors import BadInput
from ...settings.groups import names_in, read_group

GROUPS = ("algo", "rule", "env", "population", "experiment")  # in which a bare word is looked up
MOST = 3  # files that a message names
ALMOST = 0.8  # similarity from which on a key is taken for another one


def bare_word(word: str) -> BadInput:
    """The error for a word without a key, with the key of the file that has its name."""
    found = [f"{group}={word}" for group in GROUPS if word in names_in(group)]
    hint = f"; did you mean {' or '.join(found)}?" if found else ""
    return BadInput(f"{word}: KEY=VALUE is needed{hint}")


def of_another(
    override: str,
    chosen: Sequence[str],
    defaults: Mapping[str, Any],
    known: Sequence[str],
    folders: tuple[str, ...],
) -> BadInput | None:
    """The error for a parameter that other files of its group have, and not the one that is used;
    None if no file has it, or one of almost the same name is probably meant.

    Args:
        override: the override that sets it, or its key.
        chosen: the overrides that choose files.
        defaults: the keys of the command with their defaults.
        known: the keys and parameters that could be set.
        folders: the user's configuration folders.
    """
    key, _, value = override.partition("=")
    group, _, name = key.lstrip("+").partition(".")
    if get_close_matches(key, known, cutoff=ALMOST) or group not in defaults or not name:
        return None
    owners = _owners(group, name, folders)
    if not owners:
        return None
    used = _used(group, chosen)
    file = [str(defaults[group]), *used][-1]
    having = sorted(owners, key=lambda owner: not file.startswith(owner))
    if not used:
        return BadInput(f"unknown key {key!r}: write {group}={having[0]} {key}={value or '...'}")
    names = f"{', '.join(having[:MOST])}{' and others' if len(having) > MOST else ''}"
    verb = "take" if len(having) > 1 else "takes"
    own = ", ".join(x for x in known if x.startswith(f"{group}.")) or "no parameters"
    return BadInput(f"unknown key {key!r}: {names} {verb} it; {file} takes {own}")


def is_list(
    key: str, overrides: Sequence[str], defaults: Mapping[str, Any], folders: tuple[str, ...]
) -> bool:
    """Whether the value of a parameter is a list, in the file that is used or else in any."""
    group, _, name = key.partition(".")
    if group not in defaults or not name:
        return False
    owners = _owners(group, name, folders)
    file = [*_used(group, overrides), str(defaults[group])][0]
    values = [owners[file]] if file in owners else list(owners.values())
    return any(isinstance(value, list) for value in values)


def _used(group: str, overrides: Sequence[str]) -> list[str]:
    """The files that overrides choose in a group."""
    return [word.partition("=")[2] for word in overrides if word.startswith(f"{group}=")]


def _owners(group: str, name: str, folders: tuple[str, ...]) -> dict[str, Any]:
    """The value of a parameter in each file of a group that has it; shortest names first."""
    found = {}
    for file in sorted(names_in(group, folders), key=lambda x: (len(x), x)):
        with suppress(BadInput):
            contents = read_group(group, file, folders)
            if name in contents:
                found[file] = contents[name]
    return found
