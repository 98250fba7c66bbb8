"""Hashes of source files. The version of an algorithm and the key of a stored audit contain hashes
of code, so that they change if the code changes.

A hash covers only code. The hash does not change with docstrings, comments, blank lines, or the
colour and the dash of an algorithm. The hash is computed from the text and not from the syntax
tree, since the form of the tree depends on the version of Python.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .files import PACKAGE

AUTHORING = "authoring"  # this module only imports names for others
LENGTH = 12
DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
BLOCKS = "body", "orelse", "finalbody", "handlers", "cases"  # lists of inner statements
QUOTES = '"""', "'''"  # delimiters of strings, in which a line can begin with #
LOOK = re.compile(r'LINE = "\w+"(, "\w+")?$')  # the colour and the dash of an algorithm


def fingerprint(*files: Path) -> str:
    """Return the hash of the code of some files, in the given order."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(_read(file).code.encode())
    return digest.hexdigest()[:LENGTH]


def closure(files: Iterable[Path], package: Path = PACKAGE) -> list[Path]:
    """Return some files and the files of the package that they import, directly or indirectly."""
    found, left = [], list(files)
    while left:
        source = left.pop()
        if source not in found:
            found.append(source)
            left += _imported(source, package)
    return found


class _Source(NamedTuple):
    code: str  # without docstrings and comments
    imports: tuple[tuple[int, str, str], ...]  # the level, the module and the name of each


@cache
def _read(file: Path) -> _Source:
    text = file.read_text()
    if file.suffix != ".py":
        return _Source(text, ())
    documented: set[int] = set()  # the lines of docstrings
    imports: list[tuple[int, str, str]] = []
    left: list[ast.AST] = [ast.parse(text)]
    while left:
        node = left.pop()
        if isinstance(node, ast.ImportFrom):
            imports += [(node.level, node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, DOCUMENTED):
            documented |= _docstring(node)
        for block in BLOCKS:
            left += getattr(node, block, ())
    code = [x for i, x in enumerate(text.split("\n"), 1) if i not in documented]
    if not any(quotes in line for line in code for quotes in QUOTES):
        code = [x for line in code if (x := _without_comment(line)) and not LOOK.match(x)]
    return _Source("\n".join(code), tuple(imports))


def _without_comment(line: str) -> str:
    """Return a line without the comment at its end. The function removes nothing that may be part
    of a string.
    """
    code = line.partition("#")[0]
    is_whole = "\\" not in code and code.count('"') % 2 == code.count("'") % 2 == 0
    return code.rstrip() if is_whole else line


def _docstring(node: Any) -> set[int]:
    """Return the line numbers of the docstring of a module, class or function. The set is empty if
    there is no docstring or if its lines contain other code, too.
    """
    first, *others = node.body or [None]
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return set()
    end = first.end_lineno or first.lineno
    shares = getattr(node, "lineno", 0) == first.lineno or (others and others[0].lineno == end)
    return set() if shares else {*range(first.lineno, end + 1)}


@cache
def _imported(source: Path, package: Path) -> list[Path]:
    """Return the files of the package that a file imports."""
    found, authoring = list(_names(source, package)), package / AUTHORING
    passed_on = {}
    if any(module == authoring for module, _ in found):
        passed_on = {n: m for m, n in _names(authoring.with_suffix(".py"), package)}
    modules = [(passed_on.get(n, m) if m == authoring else m, n) for m, n in found]
    return [file for module, name in modules for file in _files(module, name, package)]


def _names(source: Path, package: Path) -> Iterator[tuple[Path, str]]:
    """Yield the names that a file imports from the package, each with the path of its module
    without the suffix ``.py``.
    """
    for level, module, name in _read(source).imports:
        if level:
            folder, inner = source.parents[level - 1], module
        elif module == package.name or module.startswith(f"{package.name}."):
            folder, inner = package, module.removeprefix(package.name).removeprefix(".")
        else:
            continue
        yield folder.joinpath(*inner.split(".")), name


def _files(module: Path, name: str, package: Path) -> Iterator[Path]:
    """Yield the existing files in which a name of a module may be defined."""
    inits = [module / "__init__.py"] if module != package else []  # may import the name
    yield from filter(Path.is_file, [module.with_suffix(".py"), module / f"{name}.py", *inits])
