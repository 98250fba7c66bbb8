"""Calls of the public functions: a misspelt or missing argument is a mistake in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import BadInput, unknown

P = ParamSpec("P")
R = TypeVar("R")


class BadCall(BadInput, TypeError):
    """Arguments that a function does not take, or that are missing; for Python a ``TypeError``."""


def checks_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments that do not fit the signature of a function, with the nearest name; name a
    user's folder ``config_dir=DIR`` in messages.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            refuse_misfit(function, args, kwargs)
            raise  # the error of a call that fits
        except BadInput as error:
            said = str(error).replace("with --config-dir DIR", "with config_dir=DIR")
            error.args = (said,)
            raise

    return called


def refuse_misfit(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Raise BadCall if a function cannot be called with some arguments."""
    from inspect import signature  # takes a fifth of the time of importing this package

    fits, name = signature(function), f"dpbandits.{function.__name__}"
    try:
        fits.bind(*args, **kwargs)
    except TypeError as error:
        takes_any = any(p.kind is p.VAR_KEYWORD for p in fits.parameters.values())
        foreign = [key for key in kwargs if key not in fits.parameters and not takes_any]
        why = unknown("argument", foreign[0], fits.parameters) if foreign else error
        raise BadCall(f"{name}: {why}") from None
