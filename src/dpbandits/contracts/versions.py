"""Versions of algorithms: hashes of everything that decides what a run gives."""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np

from ..files import PACKAGE, sources_hash

PLAYED_BY = (PACKAGE / "running" / "seeds.py", PACKAGE / "running" / "play.py")
LIBRARIES = f"numpy {np.__version__}, numba {numba.__version__}"


def without_libraries(version: str) -> str:
    """The hash of the sources alone."""
    return version.removesuffix(f", {LIBRARIES}")


def version_of_file(file: Path) -> str:
    """Hash of the algorithm's file, of all that it imports of the package, of what plays it, and
    of the libraries that draw and compile.
    """
    found, left = [], [file]
    while left:
        source = left.pop()
        if source not in found:
            found.append(source)
            left += _imported(source)
    sources = sources_hash(file, *sorted({*found, *PLAYED_BY} - {file}))
    return f"{sources}, {LIBRARIES}"


def _imported(source: Path) -> list[Path]:
    """The package's files that a file imports; ``authoring`` only passes names on."""
    files: list[Path] = []
    for module, name in _names_imported(source):
        if module == PACKAGE / "authoring":
            passed_on = {n: m for m, n in _names_imported(PACKAGE / "authoring.py")}
            module = passed_on.get(name, module)
        package = [module / "__init__.py"] if module != PACKAGE else []  # which passes names on
        places = [module.with_suffix(".py"), module / f"{name}.py", *package]
        files += filter(Path.is_file, places)
    return files


@cache
def _names_imported(source: Path) -> tuple[tuple[Path, str], ...]:
    """The names that a file imports from the package, each with its module's path less ``.py``."""
    found = []
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level:
                folder = source.parents[node.level - 1]
            elif name == "dpbandits" or name.startswith("dpbandits."):
                folder, name = PACKAGE, name.removeprefix("dpbandits").removeprefix(".")
            else:
                continue
            found += [(folder.joinpath(*name.split(".")), alias.name) for alias in node.names]
    return tuple(found)


def version_of_function(function: Callable) -> str:
    """Hash of a function's code, the values that it uses and the functions that it calls, down to
    those of installed packages, which count by name; of what plays it, and of the libraries.
    """
    digest = hashlib.sha256(sources_hash(*PLAYED_BY).encode())
    seen: set[int] = set()

    def add(value: Any) -> None:
        plain = getattr(value, "py_func", value)
        if id(plain) in seen:
            return
        if isinstance(plain, ModuleType):
            digest.update(plain.__name__.encode())
        elif inspect.isfunction(plain):
            seen.add(id(plain))
            file = Path(plain.__code__.co_filename)
            if file.is_relative_to(PACKAGE):
                digest.update(version_of_file(file).encode())
            add_code(plain.__code__)
            for used in (plain.__defaults__, *(c.cell_contents for c in plain.__closure__ or ())):
                add(used)
            if "site-packages" in file.parts or file.is_relative_to(PACKAGE):
                return
            for name in sorted(_names_used(plain.__code__) & plain.__globals__.keys()):
                digest.update(name.encode())
                add(plain.__globals__[name])
        elif isinstance(plain, np.ndarray):
            digest.update(plain.tobytes())
        elif callable(plain):
            digest.update(getattr(plain, "__qualname__", type(plain).__qualname__).encode())
        else:
            digest.update(repr(plain).encode())

    def add_code(code) -> None:
        digest.update(code.co_code + code.co_name.encode() + repr(code.co_names).encode())
        for constant in code.co_consts:
            if inspect.iscode(constant):
                add_code(constant)
            else:
                unordered = isinstance(constant, frozenset)
                values = sorted(map(repr, constant)) if unordered else constant
                digest.update(repr(values).encode())

    add(function)
    return f"{digest.hexdigest()[:12]}, {LIBRARIES}"


def _names_used(code) -> set[str]:
    inner = (c for c in code.co_consts if inspect.iscode(c))
    return set(code.co_names).union(*map(_names_used, inner))
