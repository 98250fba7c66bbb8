"""Versions of algorithms: hashes of everything that decides what a run gives."""

from __future__ import annotations

import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import joblib

from ..files import PACKAGE
from ..fingerprint import closure, fingerprint

PLAYED_BY = (*(PACKAGE / "running" / f"{name}.py" for name in ("global_random", "play", "seeds")),)
# Rooms and modules on which no number of a run depends, and their files on which some do
DECIDE_NOTHING = (
    "compiled", "contracts", "errors.py", "files.py", "fingerprint.py", "validation.py",
)  # fmt: skip
EXCEPT = ("compiled/random_numbers.py", "contracts/gaussian_dp.py")


def version_of_file(file: Path) -> str:
    """Hash of the code of an algorithm's file, of all that it imports of the package and that
    decides a run, and of what plays it.
    """
    found = {*closure([file], PACKAGE), *PLAYED_BY} - {file}
    return fingerprint(file, *sorted(filter(decides_a_run, found)))


def decides_a_run(file: Path) -> bool:
    """Whether a run can depend on a file that it imports: not on what algorithms declare, nor on
    how kernels are compiled, since compiled and plain Python give the same bits.
    """
    place = file.relative_to(PACKAGE) if file.is_relative_to(PACKAGE) else file
    return place.as_posix() in EXCEPT or place.parts[0] not in DECIDE_NOTHING


def version_of_function(function: Callable) -> str:
    """Hash of a function's code, the values that it uses, and the functions, classes and modules
    that it calls, down to those of Python and of installed packages, which count by name; and of
    what plays it.

    What a value that cannot be pickled holds is not known: its hash may differ in each process.
    """
    digest = hashlib.sha256(fingerprint(*PLAYED_BY).encode())
    seen: dict[int, Any] = {}  # what was added; kept, lest another object has its id

    def add(value: Any, names: frozenset[str] = frozenset()) -> None:
        """Add a value; of a module what has one of these names."""
        plain = getattr(value, "py_func", value)
        if isinstance(plain, ModuleType):
            digest.update(plain.__name__.encode())
            if not _is_installed(getattr(plain, "__file__", None)):
                add_named(vars(plain), names)
            return
        if plain is None or isinstance(plain, bool | int | float | complex | str | bytes):
            digest.update(repr(plain).encode())
            return
        if id(plain) in seen:
            return
        seen[id(plain)] = plain
        if inspect.isfunction(plain):
            add_function(plain)
        elif inspect.isclass(plain):
            digest.update(plain.__qualname__.encode())
            if not _is_installed(_file_of_class(plain)):
                inside = {k: v for k, v in vars(plain).items() if k not in OF_EVERY_CLASS}
                add([*plain.__bases__, *(x for pair in inside.items() for x in pair)])
        elif inspect.ismethod(plain) and not _is_installed(plain.__func__.__code__.co_filename):
            add([plain.__func__, plain.__self__])
        elif isinstance(plain, staticmethod | classmethod):
            add(plain.__func__)
        elif isinstance(plain, property):
            add([plain.fget, plain.fset])
        elif isinstance(plain, list | tuple | dict):
            digest.update(f"{type(plain).__name__} {len(plain)}".encode())
            for x in plain.items() if isinstance(plain, dict) else plain:
                add(x)
        elif callable(plain) and _is_installed(_file_of_class(type(plain))):
            digest.update(getattr(plain, "__qualname__", type(plain).__qualname__).encode())
        else:
            add_object(plain)

    def add_function(plain: Any) -> None:
        file = Path(plain.__code__.co_filename)
        if file.is_relative_to(PACKAGE):
            digest.update(version_of_file(file).encode())
        add_code(plain.__code__)
        add([plain.__defaults__, plain.__kwdefaults__])
        names = frozenset(_names_used(plain.__code__))
        for cell in plain.__closure__ or ():
            with suppress(ValueError):  # it has no value yet
                add(cell.cell_contents, names)
        if not _is_installed(str(file)):
            add_named(plain.__globals__, names)

    def add_named(values: Mapping[str, Any], names: frozenset[str]) -> None:
        for name in sorted(names & values.keys()):
            digest.update(name.encode())
            add(values[name], names)

    def add_object(plain: Any) -> None:
        add(type(plain))
        if not _is_installed(_file_of_class(type(plain))) and hasattr(plain, "__dict__"):
            add(vars(plain))
            return
        try:
            digest.update(joblib.hash(plain).encode())
        except Exception:
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
    return digest.hexdigest()[:12]


OF_EVERY_CLASS = {
    "__module__", "__dict__", "__weakref__", "__doc__", "__qualname__", "__firstlineno__",
    "__static_attributes__", "__annotations__", "__annotate_func__", "__annotations_cache__",
    "__abstractmethods__", "_abc_impl",
}  # fmt: skip
INSTALLED = tuple(path for name, path in sysconfig.get_paths().items() if "lib" in name)


def _is_installed(file: str | None) -> bool:
    """Whether a file is of Python, of an installed package or of this one; None is built in."""
    if file is None:
        return True
    path = Path(file)
    return (
        file.startswith("<frozen ")  # a module of Python
        or "site-packages" in path.parts
        or path.is_relative_to(PACKAGE)
        or any(path.is_relative_to(folder) for folder in INSTALLED)
    )


def _file_of_class(found: type) -> str | None:
    """The file in which a class is defined; that of a notebook for one of ``__main__``."""
    module = sys.modules.get(found.__module__)
    return "__main__" if found.__module__ == "__main__" else getattr(module, "__file__", None)


def _names_used(code) -> set[str]:
    inner = (c for c in code.co_consts if inspect.iscode(c))
    return set(code.co_names).union(*map(_names_used, inner))
