"""The sources that machine code depends on, and hashes of their contents.

Anything may be compiled from the files of ``SHARED``: their state is part of the name of the cache
folder. A function of any other file, such as an algorithm, depends on them, on its own file, and on
the files that it imports.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..files import PACKAGE

SHARED = (  # all files of these that a run can depend on are here: a test compares with imports
    "compiled", "contracts/gaussian_dp.py", "environments", "game.py", "contextual_game.py",
    "parts",
)  # fmt: skip
ALGORITHMS = ("algorithms", "stopping")  # their files may import each other
INSTALLED = {"site-packages", "dist-packages"}
LENGTH = 12  # of a hash


def shared_state() -> str:
    """Hash of the shared sources, and of the compiler, the libraries and the processor."""
    made_by = version("numba"), np.__version__, sys.version_info[:3]
    places = [PACKAGE / name for name in SHARED]
    files = sorted(f for p in places for f in (p.rglob("*.py") if p.is_dir() else [p]))
    processor = import_module(".plain.processor", __package__).processor()
    return hash_of(*map(Path.read_bytes, files), *made_by, *processor)


def state_of(function: Callable) -> str:
    """Hash of the sources of a function less those that are shared: its file, and the files of all
    that its module's names, and theirs, come from.
    """
    digest = hashlib.sha256(Path(function.__code__.co_filename).read_bytes())
    own, seen, left = function.__module__.partition(".")[0], set(), [function]
    while left:
        value = left.pop()
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            left += _enclosed(value)
        place = sys.modules.get(getattr(value, "__module__", None) or "")
        module = value if isinstance(value, ModuleType) else place
        if module is None or module in seen or not _is_followed(module, own):
            continue
        seen.add(module)
        digest.update(Path(module.__file__).read_bytes())  # type: ignore[arg-type]
        for name, used in sorted(vars(module).items()):
            if is_constant(used) and not name.startswith("__"):
                digest.update(f"{name}={used!r}".encode())  # a constant of another module, perhaps
            elif isinstance(used, np.ndarray) and not used.dtype.hasobject:
                digest.update(f"{name}={used.dtype} {used.shape}".encode() + used.tobytes())
            left.append(used)
    return digest.hexdigest()[:LENGTH]


def is_constant(value: Any) -> bool:
    """Whether machine code holds a global value instead of reading it."""
    if isinstance(value, tuple):
        return all(map(is_constant, value))
    return isinstance(value, int | float | str)


def is_of_package(function: Callable) -> bool:
    """Whether a function is one of this package, not a user's."""
    return (function.__module__ or "").startswith(f"{PACKAGE.name}.")


def place_of(function: Callable) -> str:
    """What identifies a function in all processes, whatever state its file is in."""
    home = function.__module__ if is_of_package(function) else function.__code__.co_filename
    return hash_of(home, function.__qualname__, [_identity(x) for x in _enclosed(function)])


def hash_of(*values: Any) -> str:
    """Hash of values that their representations determine."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:LENGTH]


SOURCES = hash_of(*map(Path.read_bytes, sorted(PACKAGE.rglob("*.py"))))  # of the whole package


def _enclosed(function: Callable) -> tuple:
    """The values of the enclosing functions that a function uses, if they are defined by now."""
    values = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            values.append(cell.cell_contents)
    return tuple(values)


def _identity(value: Any) -> Any:
    """What identifies an enclosed value: of a function its name and its code."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        return value.__module__, value.__qualname__, value.__code__.co_code
    return value


def _is_followed(module: ModuleType, own: str) -> bool:
    """Whether the state of a module counts: not if it is shared, or another installed package."""
    top, _, rest = module.__name__.partition(".")
    file = getattr(module, "__file__", None)
    if top in sys.stdlib_module_names or not file or not Path(file).is_file():
        return False
    if top == PACKAGE.name:
        return rest.partition(".")[0] in ALGORITHMS
    return top == own or INSTALLED.isdisjoint(Path(file).parts)
