"""The sources that machine code depends on, and hashes of their contents.

Anything may be compiled from the files of ``SHARED``: their state is part of the name of the cache
folder. A function of any other file, such as an algorithm, depends on them, on its own file, and on
the files that it imports.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from ..files import PACKAGE, sources_hash
from .plain.primitives import processor

SHARED = ("compiled", "environments", "game.py", "contextual_game.py", "parts")
ALGORITHMS = ("algorithms", "stopping")  # their files may import each other
INSTALLED = {"site-packages", "dist-packages"}
LENGTH = 12  # of a hash
SOURCES = sources_hash(*sorted(PACKAGE.rglob("*.py")))  # the state of the whole package


def shared_sources() -> list[Path]:
    """The files from which anything may be compiled."""
    places = [PACKAGE / name for name in SHARED]
    return sorted(f for p in places for f in (p.rglob("*.py") if p.is_dir() else [p]))


def shared_state() -> str:
    """Hash of the shared sources, and of the compiler, the libraries and the processor."""
    made_by = numba.__version__, np.__version__, sys.version_info[:3]
    return hash_of(sources_hash(*shared_sources()), *made_by, *processor())


def state_of(function: Callable) -> str:
    """Hash of the sources of a function less those that are shared."""
    digest, seen = hashlib.sha256(Path(function.__code__.co_filename).read_bytes()), set()
    left = [function.__module__, *(getattr(x, "__module__", None) for x in _enclosed(function))]
    own = function.__module__.partition(".")[0]
    while left:
        module = sys.modules.get(left.pop() or "")
        if module is None or module in seen or not _is_followed(module, own):
            continue
        seen.add(module)
        digest.update(module.__name__.encode())
        file = Path(module.__file__)  # type: ignore[arg-type]
        digest.update(file.read_bytes())
        for imported, name in sorted(_imports(module, file)):
            left += [imported, f"{imported}.{name}"]
            digest.update(_passed_on(imported, name).encode())
    return digest.hexdigest()[:LENGTH]


def place_of(function: Callable) -> str:
    """What identifies a function in all processes, whatever state its file is in."""
    module, code = function.__module__, function.__code__
    home = module if module.startswith(f"{PACKAGE.name}.") else code.co_filename
    return hash_of(home, function.__qualname__, [_identity(x) for x in _enclosed(function)])


def code_of(function: FunctionType) -> str:
    """Hash of the code of a function, wherever in a file it stands."""
    return hash_of(*_parts(function.__code__))


def _parts(code: CodeType) -> list[Any]:
    constants = [_parts(x) if isinstance(x, CodeType) else x for x in code.co_consts]
    return [code.co_code, constants, code.co_names, code.co_varnames]


def hash_of(*values: Any) -> str:
    """Hash of values whose representations decide what they are."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:LENGTH]


def _enclosed(function: Callable) -> tuple:
    """The values of the enclosing functions that a function uses, if they are defined by now."""
    values = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            values.append(cell.cell_contents)
    return tuple(values)


def _identity(value: Any) -> Any:
    """What identifies an enclosed value: of a function its name and its code."""
    if isinstance(value, FunctionType):
        return value.__module__, value.__qualname__, code_of(value)
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


def _imports(module: ModuleType, file: Path) -> Iterator[tuple[str, str]]:
    """The modules that a module imports from, each with a name."""
    statements = _statements(file.read_bytes()) if file.suffix == ".py" else []
    for level, imported, name in statements:
        with suppress(ImportError):  # a statement that was not, or will not be, executed
            package = getattr(module, "__package__", None) or ""
            yield resolve_name("." * level + imported, package) if level else imported, name


@cache
def _statements(source: bytes) -> list[tuple[int, str, str]]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found += [(node.level, node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(0, alias.name, "") for alias in node.names]
    return found


def _passed_on(module: str, name: str) -> str:
    """What a module of this package that is not followed, such as ``authoring``, passes on."""
    if module.partition(".")[0] != PACKAGE.name:
        return ""
    value = getattr(sys.modules.get(module), name, None)
    if isinstance(value, int | float | str):
        return repr(value)
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', name)}"
