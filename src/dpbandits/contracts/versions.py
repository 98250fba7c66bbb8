"""Versions of algorithms: hashes of everything that determines the results of a run."""

from __future__ import annotations

import dis
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from joblib.hashing import NumpyHasher

from ..compiled import enclosed, is_installed
from ..files import PACKAGE
from ..fingerprint import closure, fingerprint

PLAYED_BY = (*(PACKAGE / "running" / f"{name}.py" for name in ("global_random", "play", "seeds")),)
# Packages and modules that cannot change the numbers of a run, apart from the files in EXCEPT
DECIDE_NOTHING = (
    "compiled", "contracts", "errors.py", "files.py", "fingerprint.py", "validation.py",
)  # fmt: skip
EXCEPT = ("compiled/random_numbers.py", "contracts/gaussian_dp.py")


def version_of_file(file: Path) -> str:
    """Return a hash of the code that determines the runs of an algorithm of the package.

    The hash covers the file of the algorithm and the files that play the algorithm. The hash also
    covers the files of the package that the algorithm imports, if a run can depend on them.
    """
    found = {*closure([file], PACKAGE), *PLAYED_BY} - {file}
    return fingerprint(file, *sorted(filter(decides_a_run, found)))


def decides_a_run(file: Path) -> bool:
    """Return whether the numbers of a run can depend on a file that the algorithm imports.

    The numbers of a run depend neither on what algorithms declare nor on how kernels are compiled,
    since compiled code and plain Python give equal bits.
    """
    place = file.relative_to(PACKAGE) if file.is_relative_to(PACKAGE) else file
    return place.as_posix() in EXCEPT or place.parts[0] not in DECIDE_NOTHING


class Followed:
    """A hash of everything that a loaded function uses, and of the files that play the function.

    The hash covers the code of the function, the values that it uses, and the functions, classes
    and modules that it calls. Of Python and of installed packages, the hash covers only names.

    Attributes:
        lost: a dict whose keys say, in words, what may change although the version stays the same.
    """

    def __init__(self, function: Any):
        self.lost: dict[str, None] = {}
        self._digest = hashlib.sha256(fingerprint(*PLAYED_BY).encode())
        # objects added so far, by id; they are kept, so that no other object gets the same id
        self._seen: dict[int, Any] = {}
        self._add(function)

    @property
    def version(self) -> str:
        """The hash of everything that the function uses."""
        return self._digest.hexdigest()[:12]

    def _note(self, text: str) -> None:
        self._digest.update(text.encode())

    def _add(self, value: Any, names: frozenset[str] = frozenset()) -> None:
        """Add a value to the hash. If the value is a module, add only its values with these
        names.
        """
        plain = getattr(value, "py_func", value)
        if isinstance(plain, ModuleType):
            self._add_module(plain, names)
            return
        if plain is None or isinstance(plain, bool | int | float | complex | str | bytes):
            self._note(repr(plain))
            return
        if id(plain) in self._seen:
            return
        self._seen[id(plain)] = plain
        if inspect.isfunction(plain):
            self._add_function(plain)
        elif inspect.isclass(plain):
            self._note(plain.__qualname__)
            if not is_installed(_file_of(plain.__module__)):
                inside = {k: v for k, v in vars(plain).items() if k not in OF_EVERY_CLASS}
                self._add([*plain.__bases__, *(x for pair in inside.items() for x in pair)])
        elif inspect.ismethod(plain) and not is_installed(plain.__func__.__code__.co_filename):
            self._add([plain.__func__, plain.__self__])
        elif isinstance(plain, staticmethod | classmethod):
            self._add(plain.__func__)
        elif isinstance(plain, property):
            self._add([plain.fget, plain.fset])
        elif isinstance(plain, cached_property):
            self._add(plain.func)
        elif isinstance(plain, partial):
            self._add([plain.func, plain.args, plain.keywords])
        elif isinstance(plain, list | tuple | dict):
            self._note(f"{type(plain).__name__} {len(plain)}")
            for x in plain.items() if isinstance(plain, dict) else plain:
                self._add(x)
        elif hasattr(plain, "__qualname__") and is_installed(_file_of(type(plain).__module__)):
            self._note(plain.__qualname__)
            self._add([getattr(plain, name, None) for name in WRAPPED])
            module = sys.modules.get(str(getattr(plain, "__module__", "")))
            if module is not None:
                self._add_module(module, frozenset())
        else:
            self._add_object(plain)

    def _add_module(self, module: ModuleType, names: frozenset[str]) -> None:
        file = getattr(module, "__file__", None)
        if not module.__name__.startswith("dpbandits_"):
            # names of users' modules contain a hash of the path, so they are not added
            self._note(module.__name__)
        if not is_installed(file):
            self._add_named(vars(module), names, names)
            if file and not file.endswith(".py") and Path(file).is_file():
                # a module of machine code
                self._digest.update(Path(file).read_bytes())

    def _add_function(self, plain: Any) -> None:
        file = Path(plain.__code__.co_filename)
        if file.is_relative_to(PACKAGE):
            self._note(version_of_file(file))
        self._add_code(plain.__code__, plain.__doc__)
        self._add([plain.__defaults__, plain.__kwdefaults__])
        names = frozenset(_names_used(plain.__code__))
        for value in enclosed(plain):
            self._add(value, names)
        if not is_installed(str(file)):
            self._add_named(plain.__globals__, frozenset(_globals_used(plain.__code__)), names)
            for module in _imported_by(plain.__code__):
                self._add(module, names)
            reading = sorted(names & READING)
            self.lost |= {f"what {name} in {plain.__name__} reads": None for name in reading}

    def _add_named(
        self, values: Mapping[str, Any], chosen: frozenset[str], names: frozenset[str]
    ) -> None:
        """Add the values with the ``chosen`` names. If one of these values is a module, add only
        its values with these ``names``.
        """
        for name in sorted(chosen & values.keys()):
            self._note(name)
            self._add(values[name], names)

    def _add_object(self, plain: Any) -> None:
        self._add(type(plain))
        own = not is_installed(_file_of(type(plain).__module__)) or is_dataclass(plain)
        if own and hasattr(plain, "__dict__"):
            self._add(vars(plain))
            return
        try:
            self._note(_Hasher(self._add).hash(plain))
        except Exception:
            self.lost[f"what a value of type {type(plain).__name__} holds"] = None

    def _add_code(self, code: Any, doc: str | None = None) -> None:
        self._note(code.co_name + repr(code.co_names))
        self._digest.update(code.co_code)
        for constant in code.co_consts:
            if inspect.iscode(constant):
                self._add_code(constant)
            elif doc is None or constant is not doc:
                unordered = isinstance(constant, frozenset)
                values = sorted(map(repr, constant)) if unordered else constant
                self._note(repr(values))


class _Hasher(NumpyHasher):
    """The hasher of joblib, except for the user's functions and classes inside an object. Joblib
    would hash only their names; this hasher passes them to ``add``.
    """

    def __init__(self, add: Callable[[Any], None]):
        super().__init__("md5")
        self._add_code = add

    def reducer_override(self, plain: Any) -> Any:
        """Return what replaces a user's function in the pickle, or the global generator of
        ``numpy.random`` (which gets a new seed in each run).
        """
        if plain is np.random.mtrand._rand:
            return str, ("numpy.random",)
        is_function = inspect.isfunction(plain)
        if not (is_function or inspect.isclass(plain)) or is_installed(_file_of(plain.__module__)):
            return NotImplemented
        self._add_code(plain)
        return (str, (plain.__qualname__,)) if is_function else NotImplemented


# Names of functions and values with which code reads data that may change between two runs
READING = frozenset({
    "open", "read_text", "read_bytes", "read_csv", "load", "loadtxt", "genfromtxt", "fromfile",
    "environ", "getenv", "exec", "eval", "import_module", "__import__",
})  # fmt: skip
# Names with which code uses what has the name in a text, as in ``getattr(module, "constant")``
BY_TEXT = {"getattr", "globals", "vars", "__dict__"}
# Instructions that load a global value. Other instructions with names are for attributes, too: the
# code ``self.t`` does not use a global ``t``
LOADS_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
WRAPPED = "__wrapped__", "pyfunc"  # the functions behind callables of Python and of NumPy
OF_EVERY_CLASS = {
    "__module__", "__dict__", "__weakref__", "__doc__", "__qualname__", "__firstlineno__",
    "__static_attributes__", "__annotations__", "__annotate_func__", "__annotations_cache__",
    "__abstractmethods__", "_abc_impl", "__slotnames__",
}  # fmt: skip


def _file_of(module: str) -> str | None:
    """Return the file of a module, or ``__main__`` itself for the main module or a notebook."""
    if module == "__main__":
        return module
    return getattr(sys.modules.get(module), "__file__", None)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and the code objects inside it, such as the code of comprehensions."""
    yield code
    for inner in filter(inspect.iscode, code.co_consts):
        yield from _codes(inner)


def _names_used(code: CodeType) -> set[str]:
    """Return the names of globals, attributes and imports in a code object and in the code inside
    it. Texts are included if they may be such names.
    """
    found = {name for own in _codes(code) for name in own.co_names}
    return found | _texts(code) if found & BY_TEXT else found


def _globals_used(code: CodeType) -> set[str]:
    """Return the names of globals that a code object and the code inside it load."""
    steps = (step for own in _codes(code) for step in dis.get_instructions(own))
    found = {step.argval for step in steps if step.opname in LOADS_GLOBAL}
    return found | _texts(code) if "globals" in found else found


def _texts(code: CodeType) -> set[str]:
    return {x for own in _codes(code) for x in own.co_consts if isinstance(x, str)}


def _imported_by(code: Any) -> Iterator[ModuleType]:
    """Yield the user's modules that a function imports when it runs."""
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            with suppress(Exception):
                # an import that fails here fails again when the function is called
                found = find_spec(step.argval)
                if found is not None and found.origin and not is_installed(found.origin):
                    yield import_module(step.argval)
        elif inspect.iscode(step.argval):
            yield from _imported_by(step.argval)
