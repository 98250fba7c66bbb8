"""Check the arguments of public functions. The error for a misspelt or missing argument has a
message of one line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import BadInput, Interrupted, unknown

P = ParamSpec("P")
R = TypeVar("R")
LARGE = "numba", "llvmlite", "pandas", "scipy", "matplotlib"  # libraries that take long to import


class BadCall(BadInput, TypeError):
    """The error for arguments that a function does not take, and for missing arguments. Like
    Python's own error, BadCall is a ``TypeError``.
    """


def checks_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that first checks its arguments. If the arguments do not fit the signature,
    the function raises BadCall, whose message suggests the most similar name. In messages of
    BadInput, the commands' option ``--config-dir DIR`` is replaced by the argument
    ``config_dir=DIR``. Ctrl-C raises Interrupted.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            refuse_misfit(function, args, kwargs)
            raise  # the arguments fit, so the function itself failed
        except BadInput as error:
            said = str(error).replace("with --config-dir DIR", "with config_dir=DIR")
            error.args = (said,)
            raise
        except KeyboardInterrupt as stopped:
            forget_half_imported()
            if stopped.args:  # the signal that ends a command, or Interrupted with its message
                raise
            said = f"dpbandits.{function.__name__} did not finish"
            raise Interrupted(said).with_traceback(stopped.__traceback__) from None

    return called


def forget_half_imported() -> None:
    """Remove libraries whose import was interrupted from ``sys.modules``.

    If the import of a package fails, Python removes the package from ``sys.modules`` but keeps its
    complete modules. A second import of the package would then fail.
    """
    for name in [x for x in sys.modules if x.partition(".")[0] in LARGE]:
        parents = (name[:i] for i, letter in enumerate(name) if letter == ".")
        if not all(parent in sys.modules for parent in parents):
            sys.modules.pop(name, None)


def refuse_misfit(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Raise BadCall if a function cannot be called with some arguments."""
    from inspect import signature  # slow: a fifth of the import time of this package

    fits, name = signature(function), f"dpbandits.{function.__name__}"
    try:
        fits.bind(*args, **kwargs)
    except TypeError as error:
        takes_any = any(p.kind is p.VAR_KEYWORD for p in fits.parameters.values())
        foreign = [key for key in kwargs if key not in fits.parameters and not takes_any]
        why = unknown("argument", foreign[0], fits.parameters) if foreign else error
        raise BadCall(f"{name}: {why}") from None
