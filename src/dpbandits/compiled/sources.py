"""The sources on which machine code depends, and hashes of these sources.

All machine code may depend on the files of ``SHARED``, so their hash is part of the name of the
cache folder. A function in another file, such as an algorithm, also depends on this file and on the
files that it imports.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..files import PACKAGE

SHARED = (  # all shared files that a run can depend on; a test compares this list with the imports
    "compiled", "contracts/gaussian_dp.py", "environments", "game.py", "contextual_game.py",
    "parts",
)  # fmt: skip
# The folders of algorithms, whose files may import each other
ALGORITHMS = ("algorithms", "stopping")
INSTALLED = tuple(path for name, path in sysconfig.get_paths().items() if "lib" in name)
SITE = {"site-packages", "dist-packages"}  # the names of folders of installed packages
LENGTH = 12  # the number of characters of a hash


def shared_state() -> str:
    """Return a hash of the shared sources, the versions of the libraries and the processor."""
    made_by = version("numba"), np.__version__, sys.version_info[:3]
    places = [PACKAGE / name for name in SHARED]
    files = sorted(f for p in places for f in (p.rglob("*.py") if p.is_dir() else [p]))
    processor = import_module(".plain.processor", __package__).processor()
    return hash_of(*map(Path.read_bytes, files), *made_by, *processor)


def state_of(function: Callable) -> str:
    """Return a hash of the sources of a function without the shared sources.

    The sources are the file of the function, the files that define the values in its module, the
    files that define the values in the modules of these files, and so on.
    """
    digest = hashlib.sha256(Path(function.__code__.co_filename).read_bytes())
    own, seen, left = function.__module__.partition(".")[0], set(), [function]
    while left:
        value = left.pop()
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            left += enclosed(value)
        place = sys.modules.get(getattr(value, "__module__", None) or "")
        module = value if isinstance(value, ModuleType) else place
        if module is None or module in seen or not _is_followed(module, own):
            continue
        seen.add(module)
        digest.update(Path(module.__file__).read_bytes())  # type: ignore[arg-type]
        for name, used in sorted(vars(module).items()):
            if is_constant(used) and not name.startswith("__"):
                # the constant may come from another module
                digest.update(f"{name}={used!r}".encode())
            elif isinstance(used, np.ndarray) and not used.dtype.hasobject:
                digest.update(f"{name}={used.dtype} {used.shape}".encode() + used.tobytes())
            left.append(used)
    return digest.hexdigest()[:LENGTH]


def is_constant(value: Any) -> bool:
    """Return whether machine code contains the value of a global name, so that it does not read the
    name when it runs.
    """
    if isinstance(value, tuple):
        return all(map(is_constant, value))
    return isinstance(value, int | float | str)


def is_installed(file: str | None) -> bool:
    """Return whether a file belongs to Python, to an installed package or to this package.

    None stands for a module without a file, since such modules are built into Python.
    """
    if file is None:
        return True
    path = Path(file)
    return (
        file in ("built-in", "frozen")
        or file.startswith("<frozen ")  # a module of Python itself
        or not SITE.isdisjoint(path.parts)
        or path.is_relative_to(PACKAGE)
        or any(path.is_relative_to(folder) for folder in INSTALLED)
    )


def is_of_package(function: Callable) -> bool:
    """Return whether a function belongs to this package, not to a user."""
    return (function.__module__ or "").startswith(f"{PACKAGE.name}.")


def place_of(function: Callable) -> str:
    """Return a hash that identifies a function in all processes.

    The hash stays the same when the file of the function changes.
    """
    home = function.__module__ if is_of_package(function) else function.__code__.co_filename
    return hash_of(home, function.__qualname__, [_identity(x) for x in enclosed(function)])


def hash_of(*values: Any) -> str:
    """Return a hash of the representations (``repr``) of some values."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:LENGTH]


SOURCES = hash_of(*map(Path.read_bytes, sorted(PACKAGE.rglob("*.py"))))


def enclosed(function: Callable) -> tuple:
    """Return the values of those variables that a function uses from enclosing functions.

    Variables without a value are left out.
    """
    values = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            values.append(cell.cell_contents)
    return tuple(values)


def _identity(value: Any) -> Any:
    """Return what identifies a value: for a function its name and code, else the value itself."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        return value.__module__, value.__qualname__, value.__code__.co_code
    return value


def _is_followed(module: ModuleType, own: str) -> bool:
    """Return whether the hash of a function includes a module.

    The hash includes the package's algorithms and stopping rules, the modules of the top-level
    package ``own`` of the function, and modules that are not installed.
    """
    top, _, rest = module.__name__.partition(".")
    file = getattr(module, "__file__", None)
    if not file or not Path(file).is_file():
        return False
    if top == PACKAGE.name:
        return rest.partition(".")[0] in ALGORITHMS
    return top == own or not is_installed(file)
