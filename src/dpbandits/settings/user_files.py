"""A user's folder of configuration files, all of them checked before any is used."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ..errors import BadInput, plain
from ..files import package_folder

LARGEST_FILE = 10**6  # bytes
MOST_VALUES = 10**5
DEEPEST = 20


def user_folders(given: str | PathLike[str] | None, key: str = "--config-dir") -> tuple[str, ...]:
    """The folder that is given, or none.

    Args:
        given: the path of the folder, or None.
        key: what it was given as, for messages.

    Raises:
        BadInput: there is no such folder, or a file in it cannot be read, holds what no
            configuration can, or has the name of one of the package's.
    """
    if given is None:
        return ()
    try:
        folder = Path(given).resolve()
        if given == "" or not folder.is_dir():
            raise BadInput(f"{key}={given}: there is no such folder")
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name too long
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{key}={given}: a folder is needed ({reason})") from None
    for file in sorted(folder.glob("*/*")):
        if file.suffix in (".py", ".yaml"):
            refuse_shadow(file)
        if file.suffix == ".yaml":
            check_file(file)
    return (str(folder),)


def refuse_shadow(file: Path) -> None:
    """A user's file of a name that the package has: which of the two is meant?"""
    if (package_folder("conf") / file.parent.name / f"{file.stem}.yaml").exists():
        raise BadInput(f"{file}: {file.stem} is one of ours; give yours another name")


def check_file(file: Path) -> None:
    """Refuse a file that is not a short text of names with plain values."""
    try:
        if not file.is_file() or file.stat().st_size > LARGEST_FILE:
            raise BadInput(f"{file}: a file of at most {LARGEST_FILE} bytes is needed")
        refuse_bomb(file, file.read_text("utf-8"))
        check_plain(file, OmegaConf.to_container(OmegaConf.load(file), resolve=False))
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: UTF-8 text is needed ({error.reason})") from None
    except (OSError, ValueError, yaml.YAMLError, OmegaConfBaseException) as error:
        raise BadInput(f"{file}: not a readable YAML file ({error})") from None


def refuse_bomb(file: Path, text: str) -> None:
    """Refuse, before anything is built, what a few aliases or brackets make endless."""
    sizes: dict[str | None, int] = {}
    values, anchors = [0], []  # of the lists and mappings that are open
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = f"{file}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionStartEvent):
            anchors.append(event.anchor)
            values.append(1)
        elif isinstance(event, yaml.CollectionEndEvent):
            sizes[anchors.pop()] = size = values.pop()
            values[-1] += size
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise BadInput(f"{line}: *{event.anchor} stands for itself, or for nothing")
            values[-1] += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
            values[-1] += 1
        if len(values) > DEEPEST:
            raise BadInput(f"{line}: nested deeper than {DEEPEST} lists and mappings")
        if values[-1] > MOST_VALUES:
            raise BadInput(f"{line}: more than {MOST_VALUES} values, with what aliases stand for")


def check_plain(file: Path, value: Any) -> None:
    """Refuse names that are not text, and values that are not text, numbers, true or false."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise BadInput(f"{file}: {plain(key)}: a name is needed, as text")
            check_plain(file, inner)
    elif isinstance(value, list):
        for inner in value:
            check_plain(file, inner)
    elif not isinstance(value, str | int | float | None):
        kind = type(value).__name__
        raise BadInput(f"{file}: {value!r} is {kind}; text, a number, true or false is needed")
