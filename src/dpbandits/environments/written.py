"""Reward laws that users write in Python, as quantile functions with up to three parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled import MAX_QUANTILE_PARAMETERS, compiled_at
from ..contracts.importing import import_file
from ..contracts.versions import Followed
from ..errors import BadInput, first_line, plain
from ..validation import as_number
from .reward_laws.arm import Arm
from .reward_laws.integrals import mean_of_quantile, of_quantile

GRID = np.linspace(0.0, 1.0, 4097)
MIN_MASS = 2.0**-53  # probability of the largest and of the smallest value that is drawn
UNSEEN = 1e-6  # largest share of a moment that still more extreme values may contribute
SLACK = 1e-9  # relative tolerance for a quantile function that decreases only by rounding


@dataclass(frozen=True)
class RewardLaw:
    """A reward law, given by its quantile function ``function(u, *parameters)``. A reward is the
    value of this function at a uniform random number u.
    """

    name: str  # the name of the function, perhaps with a number (see ``register_own``)
    # the function as it was written
    function: Callable[..., float] = field(compare=False, repr=False)
    parameters: tuple[str, ...]  # the names of its parameters after u
    version: str  # hash of the sources that decide what it does
    # the file that defines the law, or None if the function itself was passed
    file: Path | None = field(default=None, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process compile the law again, from its file or from its function."""
        if self.file is not None:
            return law_of_file, (self.file,)
        return law_of_function, (self.function, self.name)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature of a call: the parameters of the law are given by name."""
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([inspect.Parameter(name, kind) for name in self.parameters])

    def __call__(self, **given: Any) -> Arm:
        """Return the arm of this law with the given parameters.

        Raises:
            BadInput: the function is not a quantile function at these parameters, or its mean
                cannot be computed.
        """
        values = tuple(as_number(name, given[name]) for name in self.parameters)
        where = f"law={self.name}: at {plain(given)}" if given else f"law={self.name}:"
        return _arm(self, values, where)


@cache
def _arm(law: RewardLaw, values: tuple[float, ...], where: str) -> Arm:
    """Return the arm of a law for some values of its parameters; error messages begin with
    ``where``.

    Arms are cached: the mean of an arm takes about ten milliseconds, and a search needs the same
    arm often.
    """
    inner, address = _compiled(law)

    def quantile(u: float) -> float:
        return float(inner(u, *values))

    try:
        found = np.array([quantile(u) for u in GRID])
    except Exception as error:
        raise BadInput(f"{where} the function fails ({first_line(error)})") from None
    low, high = found[0], found[-1]
    if np.isnan(found).any() or not np.isfinite(found[1:-1]).all():
        raise BadInput(f"{where} a number is needed for every u in (0, 1)")
    with np.errstate(invalid="ignore"):
        falls = np.diff(found) < -SLACK * np.abs(found[1:])
    if falls.any():
        raise BadInput(
            f"{where} a quantile function must not decrease, but the function decreases at "
            f"u = {GRID[falls.argmax()]:.4g}"
        )
    try:
        mean = mean_of_quantile(quantile)
        if not np.isfinite(mean):
            raise ArithmeticError("the mean is infinite")
        ends = np.array([quantile(MIN_MASS), quantile(1 - MIN_MASS)])
        seen = abs(ends - mean).max() * MIN_MASS
        if seen > UNSEEN * of_quantile(quantile, 1.0, mean):
            raise ArithmeticError("the tail is heavier than a u of 53 bits can show")
    except ArithmeticError as error:
        raise BadInput(f"{where} the mean of the law cannot be computed ({error})") from None
    moment = partial(of_quantile, quantile)
    shown = values + (0.0,) * (MAX_QUANTILE_PARAMETERS - len(values))
    return Arm(address, shown, mean, float(low), float(high), moment)


REGISTERED: dict[str, RewardLaw] = {}


def register(law: RewardLaw) -> None:
    """Register a law under its name. An earlier law with this name is replaced."""
    REGISTERED[law.name] = law


def register_own(law: RewardLaw) -> str:
    """Register the law of a function under its name, and return this name.

    If an earlier function had the name, environments with this function still use it: the law of
    the new function then gets the name with a number, such as ``ramp_2``.
    """
    names = (f"{law.name}_{n}" if n > 1 else law.name for n in count(1))
    name = next(x for x in names if REGISTERED.get(x, law).version == law.version)
    register(replace(law, name=name))
    return name


def refuse_changed_laws(where: str, versions: Mapping[str, str]) -> None:
    """Refuse registered laws whose version differs from the version that ``versions`` states."""
    for name, version in versions.items():
        if name in REGISTERED and REGISTERED[name].version != version:
            raise BadInput(f"{where}: the law {name} has changed since the runs; run them again")


def law_of_file(file: Path) -> RewardLaw:
    """Return the law that a file defines by its function with the name of the file.

    Raises:
        BadInput: the file cannot be imported, or defines no such function.
    """
    function = getattr(import_file(file, "law"), file.stem, None)
    if not callable(function):
        raise BadInput(f"law={file.stem}: {file} defines no function {file.stem}(u, ...)")
    return _law(file.stem, function, file)


def law_of_function(function: Callable[..., float], name: str = "") -> RewardLaw:
    """Return the law that a function defines, such as a function written in a notebook. ``name`` is
    the law's name, if this is not the name of the function.

    Raises:
        BadInput: the function has no name, or its signature does not fit a quantile function.
    """
    name = name or getattr(getattr(function, "py_func", function), "__name__", "")
    if not name.isidentifier():
        raise BadInput(f"law={name}: a function is needed that has a name, as def gives it")
    return _law(name, function, None)


def _law(name: str, function: Callable[..., float], file: Path | None) -> RewardLaw:
    written = getattr(function, "py_func", function)
    names = list(inspect.signature(written).parameters)
    if not names or names[0] != "u" or len(names) > MAX_QUANTILE_PARAMETERS + 1:
        raise BadInput(
            f"law={name}: a function {name}(u, ...) is needed, with at most "
            f"{MAX_QUANTILE_PARAMETERS} parameters after u"
        )
    law = RewardLaw(name, written, tuple(names[1:]), Followed(function).version, file)
    _compiled(law)
    return law


@cache
def _compiled(law: RewardLaw) -> tuple[Callable[..., float], int]:
    """Return the function, compiled once for each version of its sources, and its address."""
    try:
        return compiled_at(law.function)
    except Exception as error:
        raise BadInput(
            f"law={law.name}: the function cannot be compiled ({first_line(error)})"
        ) from None


def names_of_laws(value: Any) -> Iterator[str]:
    """Yield the values of all keys ``law`` in nested mappings and lists."""
    if isinstance(value, Mapping):
        if isinstance(value.get("law"), str):
            yield value["law"]
        for inner in value.values():
            yield from names_of_laws(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from names_of_laws(inner)


def written_in(value: Any) -> tuple[RewardLaw, ...]:
    """Return the registered laws that a configuration of an environment names."""
    names: Iterable[str] = dict.fromkeys(names_of_laws(value))
    return tuple(REGISTERED[name] for name in names if name in REGISTERED)
