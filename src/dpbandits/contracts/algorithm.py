"""Finding an algorithm, or a stopping rule, by name: the package's, or a user's beside its
configuration.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numba
import numpy as np

from ..compiled.decorators import is_compiled
from ..errors import BadInput
from ..files import PACKAGE, sources_hash
from .assumptions import Assumption, Bounded
from .guarantees import Guarantee
from .parameters import ANY, Choice, Interval, Named

ALGORITHMS = PACKAGE / "algorithms"
RULES = PACKAGE / "stopping"
HOMES = {"algo": ALGORITHMS, "rule": RULES}
PLAYERS = {"algo": PACKAGE / "running" / "play.py", "rule": PACKAGE / "running" / "trial.py"}


@dataclass(frozen=True)
class Algorithm:
    """An algorithm or a stopping rule, and what its signature says of it.

    Attributes:
        name: the name of the file, of the function and of its configuration.
        function: ``function(game, rng, *parameters)``, compiled or plain Python.
        domains: what each parameter may be, in the order of the signature.
        rewards: what it assumes of the rewards, or None.
        round_by_round: whether its time grows with the horizon.
        guarantee: what it promises, or None if its file does not say.
        leading_term: for local privacy, what its regret grows with (a name in theory/ren2020.py).
        version: hash of the sources that decide what it does.
    """

    name: str
    function: Callable
    domains: dict[str, Interval | Choice | Named]
    rewards: Assumption | None
    round_by_round: bool
    guarantee: Guarantee | None
    leading_term: str | None
    version: str

    @property
    def local(self) -> bool:
        """Whether users randomise their own rewards, at levels of their own."""
        return "eps_min" in self.domains

    @property
    def private(self) -> bool:
        """Whether it takes a privacy budget."""
        return self.local or "eps" in self.domains

    @property
    def tag(self) -> str:
        """A name that changes with its sources."""
        return f"{self.name}_{self.version.partition(',')[0]}"

    def promise(self, eps: float | None = None) -> str:
        """What it promises, in a sentence; without a number for the budget it says eps."""
        if self.guarantee is None:
            return "its file states no guarantee" if self.private else "not private"
        needs = self.rewards.words if self.rewards is not None else "any rewards"
        loss = None if eps is None else self.guarantee.epsilon({"eps": eps})
        return self.guarantee.in_words(loss, needs)


def find_file(name: str, folders: tuple[str, ...] = (), group: str = "algo") -> Path:
    """The file of an algorithm: ``algo/NAME.py`` in a user's folder, or one of the package's.

    That of a stopping rule lies in ``rule``; ``group`` says which of the two is meant.
    """
    if Path(name).name != name:
        raise BadInput(f"{group}={name}: a name is needed, not a path")
    files = [Path(folder).resolve() / group / f"{name}.py" for folder in folders]
    files.append(HOMES[group] / f"{name}.py")
    for file in filter(Path.is_file, files):
        return file
    raise BadInput(f"{group}={name}: no file {files[0]} defines it")


def group_of(file: Path) -> str:
    """``algo`` or ``rule``: what a file of the package, or of a user, defines."""
    return next((group for group, home in HOMES.items() if home == file.parent), file.parent.name)


@cache
def load(file: Path) -> Algorithm:
    """Import an algorithm from its file.

    Raises:
        BadInput: the file cannot be imported, or does not define a function of its own name.
    """
    name, told = file.stem, f"{group_of(file)}={file.stem}"
    try:
        module = _import(name, file)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{told}: cannot import {file} ({_one_line(error)})") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise BadInput(f"{told}: {file} defines no function {name}(game, rng, ...)")
    plain = getattr(function, "py_func", function)
    parameters = list(inspect.signature(plain).parameters)
    if parameters[:2] != ["game", "rng"]:
        raise BadInput(f"{told}: {file}: the function must start {name}(game, rng, ...")
    try:
        hints = typing.get_type_hints(plain, include_extras=True)
    except Exception as error:
        raise BadInput(f"{told}: {file}: annotations ({_one_line(error)})") from error
    rewards = getattr(module, "REWARDS", None)
    if isinstance(rewards, tuple) and len(rewards) == 2:
        rewards = Bounded(*rewards)
    if rewards is not None and not isinstance(rewards, Assumption):
        raise BadInput(
            f"{told}: {file}: REWARDS must be a pair (least, largest), an Assumption or None"
        )
    guarantee = getattr(module, "GUARANTEE", None)
    if guarantee is not None and not isinstance(guarantee, Guarantee):
        raise BadInput(f"{told}: {file}: GUARANTEE must be a Guarantee, such as global_dp(SOURCE)")
    return Algorithm(
        name=name,
        function=function,
        domains={p: _domain(hints.get(p)) for p in parameters[2:]},
        rewards=rewards,
        guarantee=guarantee,
        leading_term=getattr(module, "LEADING_TERM", None),
        round_by_round=getattr(module, "ROUND_BY_ROUND", not is_compiled(function)),
        version=_version(file),
    )


def _import(name, file):
    if file.parent in HOMES.values():
        return importlib.import_module(f"dpbandits.{file.parent.name}.{name}")
    kind = "user" if group_of(file) == "algo" else f"user_{group_of(file)}"
    spec = importlib.util.spec_from_file_location(f"dpbandits_{kind}_{name}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _domain(hint):
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, Interval | Choice | Named):
            return note
    return ANY


def _version(file):
    """Hash of the algorithm's file, of all that it imports of the package, of what plays it, and
    of the libraries that draw and compile.
    """
    player = PLAYERS[group_of(file)]
    found, left = [], [file, PACKAGE / "running" / "seeds.py", player]
    while left:
        source = left.pop()
        if source not in found:
            found.append(source)
            left += _imported(source) if source != player else []
    sources = sources_hash(file, *sorted(set(found) - {file}))
    return f"{sources}, numpy {np.__version__}, numba {numba.__version__}"


def _imported(source):
    """The package's files that a file imports."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level:
                folder = source.parents[node.level - 1]
            elif name.startswith("dpbandits."):
                folder, name = PACKAGE, name.removeprefix("dpbandits.")
            else:
                continue
            target = folder.joinpath(*name.split("."))
            files = [target.with_suffix(".py"), *(target / f"{a.name}.py" for a in node.names)]
            yield from (f for f in files if f.is_file())


def _one_line(error):
    return f"{type(error).__name__}: {error}".splitlines()[0]
