"""A user's folder of configuration files and of reward laws."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..environments.catalogue import ARMS, LAWS
from ..environments.written import (
    law_of_file,
    law_of_function,
    names_of_laws,
    register,
    register_own,
)
from ..errors import BadInput, plain
from ..validation import path_of


def user_folders(
    given: str | os.PathLike[str] | None, key: str = "--config-dir"
) -> tuple[str, ...]:
    """Return a tuple with the folder of a user's own algorithms, environments and experiments. If
    no folder is given, the tuple is empty.

    Args:
        given: the path of the folder, or None.
        key: the option that gave the path, for messages.

    Raises:
        BadInput: there is no such folder.
    """
    if given is None:
        return ()
    try:
        folder = path_of(key, given, "folder").resolve(strict=True)
        if not folder.is_dir():
            raise NotADirectoryError
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{key}={plain(given)}: there is no such folder") from None
    except (OSError, RuntimeError, ValueError) as error:
        # for instance, links form a loop, or a name is too long
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{key}={given}: a folder is needed ({reason})") from None
    return (str(folder),)


def load_laws(configuration: Any, folders: Iterable[str]) -> None:
    """Import the reward laws that a configuration names: ``law/NAME.py`` in a user's folder.

    Raises:
        BadInput: a file defines no law, or has the name of one of the package's laws.
    """
    for name in dict.fromkeys(names_of_laws(configuration)):
        for file in (Path(folder) / "law" / f"{name}.py" for folder in folders):
            if re.fullmatch(r"\w{1,100}", name) and file.is_file():
                _refuse_ours(name, str(file))
                register(law_of_file(file))


def law_named(function: Callable[..., float]) -> str:
    """Register a function as a reward law, and return the law's name."""
    law = law_of_function(function)
    _refuse_ours(law.name, f"law={law.name}")
    return register_own(law)


def _refuse_ours(name: str, where: str) -> None:
    """Refuse a user's law that has the name of one of the package's laws."""
    if name in {**ARMS, **LAWS}:
        raise BadInput(f"{where}: the package has a law {name}; give yours another name")
