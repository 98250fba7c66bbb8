"""Calls of the public functions: a misspelt or missing argument is a mistake in one line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import BadInput, unknown

P = ParamSpec("P")
R = TypeVar("R")


class BadCall(BadInput, TypeError):
    """Arguments that a function does not take, or that are missing; for Python a ``TypeError``."""


def checks_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments that do not fit the signature of a function, with the nearest name."""
    signature = inspect.signature(function)
    name = f"dpbandits.{function.__name__}"
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            foreign = [key for key in kwargs if key not in signature.parameters and not takes_any]
            if foreign:
                why = unknown("argument", foreign[0], signature.parameters)
                raise BadCall(f"{name}: {why}") from None
            raise BadCall(f"{name}: {error}") from None
        return function(*args, **kwargs)

    return called
