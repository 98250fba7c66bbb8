"""A user's folder: its configuration files, all checked before any is used, and reward laws."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from ..environments.catalogue import ARMS, LAWS
from ..environments.written import law_of_file, law_of_function, names_of_laws, register
from ..errors import BadInput, plain
from ..files import package_folder
from ..validation import path_of, refuse_overflow


def user_folders(
    given: str | os.PathLike[str] | None, key: str = "--config-dir"
) -> tuple[str, ...]:
    """The folder of a user's own algorithms, environments and experiments, or none.

    Args:
        given: the path of the folder, or None.
        key: how it was given, for messages.

    Raises:
        BadInput: there is no such folder, or a file in it cannot be read, holds what no
            configuration can, or has the name of one of the package's.
    """
    if given is None:
        return ()
    missing = BadInput(f"{key}={plain(given)}: there is no such folder")
    try:
        folder = path_of(key, given, "folder").resolve(strict=True)
        if not folder.is_dir():
            raise missing
    except (FileNotFoundError, NotADirectoryError):
        raise missing from None
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name too long
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{key}={given}: a folder is needed ({reason})") from None
    for file in sorted(folder.glob("*/*")):
        if file.suffix in (".py", ".yaml"):
            _refuse_shadow(file)
        if file.suffix == ".yaml":
            _check_file(file)
    return (str(folder),)


def load_laws(configuration: Any, folders: Iterable[str]) -> None:
    """Import the reward laws that a configuration names: ``law/NAME.py`` in a user's folder.

    Raises:
        BadInput: a file defines no law, or has the name of one of the package's.
    """
    for name in dict.fromkeys(names_of_laws(configuration)):
        for file in (Path(folder) / "law" / f"{name}.py" for folder in folders):
            if re.fullmatch(r"\w{1,100}", name) and file.is_file():
                _refuse_ours(name, str(file))
                register(law_of_file(file))


def law_named(function: Callable[..., float]) -> str:
    """Make a function known as a reward law; returns its name."""
    law = law_of_function(function)
    _refuse_ours(law.name, f"law={law.name}")
    register(law)
    return law.name


def _refuse_ours(name: str, where: str) -> None:
    """Refuse a law with the name of one of the package's."""
    if name in {**ARMS, **LAWS}:
        raise BadInput(f"{where}: the law {name} is one of ours; give yours another name")


def _refuse_shadow(file: Path) -> None:
    """Refuse a file with the name of one of the package's, since either could be meant."""
    if (package_folder("conf") / file.parent.name / f"{file.stem}.yaml").exists():
        raise BadInput(f"{file}: {file.stem} is one of ours; give yours another name")


def _check_file(file: Path) -> None:
    """Refuse a file that does not hold names with plain values."""
    if not file.is_file():
        raise BadInput(f"{file}: a file is needed")
    try:
        _check_plain(file, OmegaConf.to_container(OmegaConf.load(file), resolve=False))
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: UTF-8 text is needed ({error.reason})") from None
    except RecursionError:
        raise BadInput(f"{file}: values are nested too deeply, or contain themselves") from None
    except AssertionError:  # OmegaConf's, of text that stands for another value
        raise BadInput(f"{file}: names with values are needed") from None
    except (OSError, ValueError, YAMLError, OmegaConfBaseException) as error:
        raise BadInput(f"{file}: not a readable YAML file ({error})") from None


def _check_plain(file: Path, value: Any) -> None:
    """Refuse names that are not text, and values that are not text, numbers, true or false."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise BadInput(f"{file}: {plain(key)}: a name is needed, as text")
            _check_plain(file, inner)
    elif isinstance(value, list):
        for inner in value:
            _check_plain(file, inner)
    elif isinstance(value, float) and math.isinf(value):
        refuse_overflow(str(file), file.read_text())
    elif not isinstance(value, str | int | float | None):
        kind = type(value).__name__
        raise BadInput(f"{file}: {value!r} is {kind}; text, a number, true or false is needed")
