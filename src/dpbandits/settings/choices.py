"""Convert Python values to values of a configuration, and represent a chosen algorithm or
environment together with values of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..contracts.algorithm import Algorithm, find_file, from_function, load
from ..errors import BadInput, first_line, plain, unknown
from .composed import LABEL, read_group
from .user_files import law_named

MANY_DIGITS = 10**4000  # Python converts at most 4300 digits to text
MAX_RANGE = 1_000_000  # length of a range, which becomes a list


class Several(list[Any]):
    """Several values of a key, all of which are run. Any other list is a single value."""


@dataclass(frozen=True)
class Choice:
    """The choice of a configuration file, or of a function, with values for its parameters.

    Attributes:
        name: the name that tables show.
        values: values of parameters; for an algorithm a list of values is a sweep.
        contents: the whole configuration, ``values`` included; None if the configuration is in a
            file.
        algorithm: the algorithm; None if the algorithm is in a file.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    contents: Mapping[str, Any] | None = field(default=None, repr=False)
    algorithm: Algorithm | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={plain(v)}" for k, v in self.values.items())
        return f"{self.name}({inside})"


def plain_data(key: str, value: Any) -> Any:
    """Convert a value of Python, NumPy or pandas to a value of a configuration.

    Raises:
        BadInput: no configuration can hold the value of ``key``.
    """
    try:
        return _plain_data(value)
    except BadInput as error:
        raise BadInput(f"{key}: {error}") from None
    except Exception as error:  # an object of the user's, or a list that contains itself
        raise BadInput(f"{key}={plain(value)}: not readable ({first_line(error)})") from None


def _plain_data(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind not in "biufUO" or isinstance(value, np.ma.MaskedArray):
            raise BadInput(f"an array of numbers or text is needed, not of {value.dtype}")
        return _plain_data(value.tolist())
    if value is None or isinstance(value, bool | str):
        return value if value is None or isinstance(value, bool) else str.__str__(value)
    if isinstance(value, Integral):
        if abs(whole := int(value)) >= MANY_DIGITS:
            raise BadInput("an integer has more than 4000 digits")
        return whole
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, range) and len(value) > MAX_RANGE:
        raise BadInput(f"a range has more than {MAX_RANGE:,} numbers")
    if isinstance(value, range | tuple | list):
        return [_plain_data(x) for x in value]
    if isinstance(value, Mapping):
        return {_name(key): _plain_data(x) for key, x in value.items()}
    if isinstance(value, Choice):
        return dict(value.contents or {})
    if isinstance(value, PathLike):
        return _plain_data(fspath(value))
    if hasattr(value, "to_numpy"):  # an object of pandas
        return _plain_data(value.to_numpy())
    if callable(value):  # the value is a reward law
        return law_named(value)
    raise BadInput(f"a number, text, a list or a mapping is needed, not {type(value).__name__}")


def _name(key: Any) -> str:
    if isinstance(key, Integral):  # the number of a column
        return plain(key)
    if not isinstance(key, str):
        raise BadInput(f"{plain(key)}: the keys of a mapping must be text")
    return str.__str__(key)


def algorithm_choice(
    algorithm: str | Callable[..., Any] | Choice,
    group: str | None,
    values: Mapping[str, Any],
    rewards: Any = None,
    guarantee: Any = None,
    makes_policies: bool = False,
) -> Choice:
    """Return the choice of an algorithm with values for its parameters.

    The algorithm is given as a name, a function, a class, or an earlier choice. ``group`` is None
    if it is not known yet whether the argument is an algorithm or a stopping rule. For a function,
    ``rewards`` states the assumption on the rewards, and ``guarantee`` states the privacy promise.
    If ``makes_policies`` is true, the function returns an object that chooses arms, as a class
    does.
    """
    values = {key: plain_data(key, value) for key, value in values.items()}
    if isinstance(algorithm, Choice):
        made = algorithm.algorithm and algorithm.algorithm.refreshed()
        if made is not None and group is not None:
            made = replace(made, group=group)
        return replace(algorithm, values={**algorithm.values, **values}, algorithm=made)
    if callable(algorithm):
        made = from_function(algorithm, group or "algo", rewards, guarantee, makes_policies)
        return Choice(made.name, values, dict(made.defaults), made)
    if rewards is not None or guarantee is not None:
        only = "only a function or a class can be given rewards= and guarantee="
        raise BadInput(f"{plain(algorithm)}: {only}")
    return Choice(plain(plain_data(group or "algo", algorithm)), values)


def algorithm_of(
    algorithm: str | Callable[..., Any] | Choice,
    group: str,
    values: Mapping[str, Any],
    folders: tuple[str, ...],
) -> tuple[Algorithm, dict[str, Any]]:
    """Return an algorithm, and the contents of its configuration with some values changed."""
    choice = algorithm_choice(algorithm, group, values)
    made = choice.algorithm or load(find_file(choice.name, folders, group))
    if (contents := choice.contents) is None:
        contents = read_group(group, choice.name, folders)
    return made, {**plain_data(group, contents), **choice.values}


def environment_choice(group: str, name: str, values: Mapping[str, Any]) -> Choice:
    """Return the choice of an environment or a population: a file's name, and changed values."""
    name = plain_data(group, name)
    contents = read_group(group, name)
    changed = {key: plain_data(f"{group}.{key}", value) for key, value in values.items()}
    for key in changed:
        if key not in contents and (group, key) != ("env", LABEL):
            raise unknown(
                f"parameter of {name}:", f"{group}.{key}", [f"{group}.{k}" for k in contents]
            )
    return Choice(name, changed, contents | changed)


def listed(key: str, value: Any) -> Any:
    """Convert a list, a tuple, an array, a pandas series or a pandas index to a list. Convert a
    mapping to a dictionary.

    Any other value is returned unchanged.
    """
    with suppress(Exception):  # the value has no such method
        value = value.tolist()
    try:
        if isinstance(value, Mapping):
            return dict(value.items())
        return [*value] if isinstance(value, list | tuple) else value
    except Exception as error:  # raised by a user's class
        raise BadInput(f"{key}: not readable ({first_line(error)})") from None


def all_of(key: str, value: Any) -> list[Any]:
    """Return the values of a list, see ``listed``; a single value becomes a list of one."""
    found = listed(key, value)
    return found if isinstance(found, list) else [found]
