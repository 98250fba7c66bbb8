"""Which files of the package a file imports, read from its source without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .files import PACKAGE


def closure(files: Iterable[Path]) -> list[Path]:
    """Some files, and all files of the package that they import, directly or not."""
    found: dict[Path, None] = {}
    left = [*files]
    while left:
        source = left.pop()
        if source not in found:
            found[source] = None
            left += imported(source)
    return list(found)


def imported(source: Path) -> list[Path]:
    """The package's files that a file imports; ``authoring`` only passes names on."""
    files: list[Path] = []
    for module, name in names_imported(source):
        if module == PACKAGE / "authoring":
            passed_on = {n: m for m, n in names_imported(PACKAGE / "authoring.py")}
            module = passed_on.get(name, module)
        package = [module / "__init__.py"] if module != PACKAGE else []  # which passes names on
        places = [module.with_suffix(".py"), module / f"{name}.py", *package]
        files += filter(Path.is_file, places)
    return files


@cache
def names_imported(source: Path) -> tuple[tuple[Path, str], ...]:
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
