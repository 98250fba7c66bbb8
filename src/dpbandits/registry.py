"""Finding an algorithm by name: one of the package's, or a user's beside its configuration."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .errors import BadInput
from .kernel import PACKAGE, is_compiled, sources_hash
from .parameters import ANY, Choice, Interval

ALGORITHMS = PACKAGE / "algorithms"


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, and what its signature says of it.

    Attributes:
        name: the name of the file, of the function and of its configuration.
        function: ``function(game, rng, *parameters)``, compiled or plain Python.
        domains: what each parameter may be, in the order of the signature.
        rewards: the interval in which rewards must lie, or None for any.
        round_by_round: whether its time grows with the horizon.
        version: hash of the sources that decide what it does.
    """

    name: str
    function: Callable
    domains: dict[str, Interval | Choice]
    rewards: tuple[float, float] | None
    round_by_round: bool
    version: str

    @property
    def private(self) -> bool:
        """Whether it takes a privacy budget."""
        return "eps" in self.domains


def find_file(name: str, folders: tuple[str, ...] = ()) -> Path:
    """The file of an algorithm: ``algo/NAME.py`` in a user's folder, or one of the package's."""
    files = [Path(folder).resolve() / "algo" / f"{name}.py" for folder in folders]
    files.append(ALGORITHMS / f"{name}.py")
    for file in files:
        if file.is_file():
            return file
    raise BadInput(f"algo={name}: no file {files[0]} defines it")


@cache
def load(file: Path) -> Algorithm:
    """Import an algorithm from its file.

    Raises:
        BadInput: the file cannot be imported, or does not define a function of its own name.
    """
    name = file.stem
    try:
        module = _import(name, file)
    except (Exception, SystemExit) as error:
        raise BadInput(f"algo={name}: cannot import {file} ({_one_line(error)})") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise BadInput(f"algo={name}: {file} defines no function {name}(game, rng, ...)")
    plain = getattr(function, "py_func", function)
    parameters = list(inspect.signature(plain).parameters)
    if parameters[:2] != ["game", "rng"]:
        raise BadInput(f"algo={name}: {file}: the function must start {name}(game, rng, ...")
    try:
        hints = typing.get_type_hints(plain, include_extras=True)
    except Exception as error:
        raise BadInput(f"algo={name}: {file}: annotations ({_one_line(error)})") from error
    rewards = getattr(module, "REWARDS", None)
    if rewards is not None and not (isinstance(rewards, tuple) and len(rewards) == 2):
        raise BadInput(f"algo={name}: {file}: REWARDS must be a pair (least, largest) or None")
    return Algorithm(
        name=name,
        function=function,
        domains={p: _domain(hints.get(p)) for p in parameters[2:]},
        rewards=rewards,
        round_by_round=getattr(module, "ROUND_BY_ROUND", not is_compiled(function)),
        version=_version(file),
    )


def _import(name, file):
    if file.parent == ALGORITHMS:
        return importlib.import_module(f"{__package__}.algorithms.{name}")
    spec = importlib.util.spec_from_file_location(f"dpbandits_user_{name}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _domain(hint):
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, Interval | Choice):
            return note
    return ANY


def _version(file):
    """Hash of the algorithm's file and of the parts that all algorithms are built from."""
    parts = [PACKAGE / "environments" / "laws.py", PACKAGE / "seeds.py"]
    parts += [
        PACKAGE / f"{part}.py"
        for part in ("kernel", "game", "mechanisms", "radii", "optimism", "episodes")
    ]
    return sources_hash(file, *parts)


def _one_line(error):
    return f"{type(error).__name__}: {error}".splitlines()[0]
