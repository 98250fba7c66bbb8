"""Theorems as data: their statements and conditions, and the theorems that apply to a problem."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial, wraps
from typing import Any

from ..contracts.question import ARMS
from .problem import Problem

UPPER, LOWER = "upper", "lower"
EXACT = "exact"  # a number that holds at every horizon
ASYMPTOTIC = "asymptotic"  # a number that holds in the limit of long horizons
WORST_CASE = "worst case"  # a number that holds for the worst of all instances
ORDER = "order"  # the order of a bound; the paper does not print its constant
REFUTED = "refuted"  # an order that is known to be wrong
KINDS = (EXACT, ASYMPTOTIC, WORST_CASE, ORDER, REFUTED)
NUMBERS = KINDS[:3]


@cache
def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a function."""
    return tuple(inspect.signature(function).parameters)


class ConditionFailed(ValueError):
    """The error if a condition of a theorem on its numbers does not hold."""


@dataclass(frozen=True)
class Condition:
    """A condition of a theorem.

    Attributes:
        words: the condition in words, to be printed after "needs".
        holds: a function that returns whether the condition holds. The names of its parameters are
            ``problem`` or letters of the theorem, such as ``eps`` (see ``Problem.letters``).
    """

    words: str
    holds: Callable[..., bool]

    def failure(self, values: Mapping[str, Any]) -> str | None:
        """Return the reason why the condition fails for some values, or None if the condition
        holds.
        """
        given = {letter: values[letter] for letter in names_of(self.holds)}
        if self.holds(**given):
            return None
        found = [f"{letter} = {x:g}" for letter, x in given.items() if isinstance(x, int | float)]
        return f"needs {self.words}" + (f"; {', '.join(found)}" if found else "")


@dataclass(frozen=True)
class Bound:
    """A theorem's bound on regret or on a stopping time.

    Attributes:
        source: paper and number of the theorem.
        side: upper or lower.
        status: exact, asymptotic, worst case, order or refuted.
        statement: the formula as text.
        function: the formula as a function of plain numbers. Unknown constants are set to 1. The
            function raises ConditionFailed if a condition on its numbers fails.
        conditions: the conditions of the theorem.
        note: a remark for the reader.
        actions: the kind of actions for which the bound is proved: ARMS, FEATURES or CONTEXTS of
            ``contracts.question``.
    """

    source: str
    side: str
    status: str
    statement: str
    function: Callable[..., float]
    conditions: tuple[Condition, ...]
    note: str = ""
    actions: str = ARMS

    @property
    def is_number(self) -> bool:
        """Whether the constants of the bound are known."""
        return self.status in NUMBERS

    @property
    def of_instance(self) -> bool:
        """Whether the bound depends on the arms' gaps."""
        return bool({"gaps", "means"} & set(names_of(self.function)))

    def reason(self, problem: Problem) -> str | None:
        """Return the reason why the theorem does not apply to a problem, or None if it applies."""
        if problem.instance.actions != self.actions:
            return f"needs {self.actions}"
        return first_failure(self.conditions, {"problem": problem, **problem.letters})

    def value(self, problem: Problem) -> float:
        """Return the bound's value for a problem, or NaN if a condition on its numbers fails."""
        names = names_of(self.function)
        return where_it_holds(self.function, **{name: problem.letters[name] for name in names})


def where_it_holds(theorem: Callable[..., float], *numbers: Any, **named: Any) -> float:
    """Return the value of a theorem at some numbers, or NaN if its conditions fail there."""
    try:
        return theorem(*numbers, **named)
    except ConditionFailed:
        return math.nan


def first_failure(conditions: Iterable[Condition], values: Mapping[str, Any]) -> str | None:
    """Return the reason why the first condition fails, or None if all conditions hold."""
    return next(filter(None, (condition.failure(values) for condition in conditions)), None)


def theorem(
    paper: str,
    side: str,
    number: str,
    status: str,
    statement: str,
    *conditions: Condition,
    **more: str,
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Return a decorator that declares a function of plain numbers as a theorem.

    The arguments are fields of ``Bound``; ``more`` may contain ``note`` and ``actions``.
    ``every_bound`` finds the decorated function, which raises ConditionFailed if a condition on its
    numbers fails.
    """
    source = f"{paper}, {number}"

    def decorate(function: Callable[..., float]) -> Callable[..., float]:
        signature = inspect.signature(function)
        of_numbers = [c for c in conditions if {*names_of(c.holds)} <= {*signature.parameters}]

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> float:
            failure = first_failure(of_numbers, signature.bind(*args, **kwargs).arguments)
            if failure is not None:
                raise ConditionFailed(f"{source} {failure}")
            return function(*args, **kwargs)

        bound = Bound(source, side, status, statement, checked, conditions, **more)
        checked.bound = bound  # type: ignore[attr-defined]
        return checked

    return decorate


def bounds_of(paper: str) -> tuple[Callable, Callable]:
    """Return the decorators ``theorem`` for a paper's lower bounds and for its upper bounds."""
    return partial(theorem, paper, LOWER), partial(theorem, paper, UPPER)


def every_bound() -> Iterator[Bound]:
    """Yield all theorems, paper by paper: all functions with the decorator ``theorem``."""
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        name = f"{__package__}.{module.name}"
        for function in vars(importlib.import_module(name)).values():
            bound = getattr(function, "bound", None)
            if isinstance(bound, Bound) and function.__module__ == name:
                yield bound


def best_lower_bound(problem: Problem) -> Bound | None:
    """Return the largest lower bound on the regret on this instance whose constants are known, or
    None if no such bound applies or all of them are 0.
    """
    numbers = (EXACT, ASYMPTOTIC)
    found = [b for b in bounds_for(problem)[0] if b.side == LOWER and b.status in numbers]
    best = max(found, key=lambda bound: bound.value(problem), default=None)
    return best if best is not None and best.value(problem) > 0 else None


def bounds_for(problem: Problem) -> tuple[list[Bound], dict[str, str]]:
    """Return the bounds that apply to a problem. For every other bound, return the reason why it
    does not apply, in a dictionary by the sources of the bounds.
    """
    reasons = {bound: bound.reason(problem) for bound in every_bound()}
    applying = [bound for bound, reason in reasons.items() if reason is None]
    return applying, {bound.source: reason for bound, reason in reasons.items() if reason}


def bound_rows(problem: Problem) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the bounds that apply, first the bounds with known constants, and the reasons why
    other bounds do not apply.

    Returns:
        A row for each bound that applies: ``bound`` (paper and theorem), ``side``, ``kind``,
        ``value`` (NaN if its constants are not known) and ``formula``; and the reasons, by paper
        and theorem.
    """
    applying, reasons = bounds_for(problem)
    rows = []
    for bound in sorted(applying, key=lambda b: (KINDS.index(b.status), b.side != UPPER)):
        value = bound.value(problem) if bound.is_number else math.nan
        formula = bound.statement + (f" ({bound.note})" if bound.note else "")
        about = {"bound": bound.source, "side": bound.side, "kind": bound.status}
        rows.append(about | {"value": value, "formula": formula})
    return rows, reasons
