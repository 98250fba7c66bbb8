"""Theorems as data: statements and conditions, and which theorems apply to a problem."""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .problem import Problem

UPPER, LOWER = "upper", "lower"
EXACT = "exact"  # a number that holds at every horizon
ASYMPTOTIC = "asymptotic"  # a number that holds in the limit of long horizons
WORST_CASE = "worst case"  # a number that holds for the worst of all instances
ORDER = "order"  # up to a constant that is not printed
REFUTED = "refuted"  # an order that is known to be wrong
NUMBERS = (EXACT, ASYMPTOTIC, WORST_CASE)


class ConditionFailed(ValueError):
    """A condition of a theorem on its numbers does not hold."""


@dataclass(frozen=True)
class Condition:
    """A condition of a theorem.

    Attributes:
        words: the condition in words, to be printed after "needs".
        holds: the test. The names of its parameters determine its arguments: ``problem``, or
            letters of the theorem and of the problem.
    """

    words: str
    holds: Callable[..., bool]

    @property
    def letters(self) -> list[str]:
        """The names of the parameters of the test."""
        return list(inspect.signature(self.holds).parameters)

    def failure(self, values: dict[str, Any]) -> str | None:
        """The reason why the condition fails for some values, or None if it holds."""
        if self.holds(*(values[letter] for letter in self.letters)):
            return None
        found = [f"{x} = {values[x]:g}" for x in self.letters if isinstance(values[x], int | float)]
        return f"needs {self.words}" + (f"; {', '.join(found)}" if found else "")


@dataclass(frozen=True)
class Bound:
    """A theorem's bound on regret or on a stopping time.

    Attributes:
        source: paper and number of the theorem.
        side: upper or lower.
        status: exact, asymptotic, worst case, order or refuted.
        statement: the formula as text.
        function: the formula as a function of plain numbers; an order has a constant of 1. It
            raises ConditionFailed if a condition on its numbers fails.
        conditions: the conditions of the theorem.
        note: a remark for the reader.
    """

    source: str
    side: str
    status: str
    statement: str
    function: Callable[..., float]
    conditions: tuple[Condition, ...]
    note: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the constants of the bound are known."""
        return self.status in NUMBERS

    @property
    def of_instance(self) -> bool:
        """Whether the bound depends on the arms' gaps."""
        return bool({"gaps", "means"} & inspect.signature(self.function).parameters.keys())

    def reason(self, problem: Problem) -> str | None:
        """The reason why the theorem does not apply to a problem, or None if it applies."""
        values = {"problem": problem, **problem.letters}
        for condition in self.conditions:
            failure = condition.failure(values)
            if failure is not None:
                return failure
        return None

    def value(self, problem: Problem) -> float:
        """The value of the bound for a problem; NaN if a condition on its numbers fails."""
        names = inspect.signature(self.function).parameters
        try:
            return self.function(**{name: problem.letters[name] for name in names})
        except ConditionFailed:
            return math.nan


def theorem(
    source: str, side: str, status: str, statement: str, *conditions: Condition, note: str = ""
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Declare a function of plain numbers as a theorem, which ``every_bound`` finds.

    The function raises ConditionFailed if a condition on its numbers fails.
    """

    def decorate(function: Callable[..., float]) -> Callable[..., float]:
        signature = inspect.signature(function)
        of_numbers = [c for c in conditions if set(c.letters) <= set(signature.parameters)]

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> float:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            for condition in of_numbers:
                failure = condition.failure(bound.arguments)
                if failure is not None:
                    raise ConditionFailed(f"{source} {failure}")
            return function(*args, **kwargs)

        checked.bound = Bound(  # type: ignore[attr-defined]
            source, side, status, statement, checked, conditions, note
        )
        return checked

    return decorate


def every_bound() -> Iterator[Bound]:
    """All theorems, paper by paper: the functions of this package decorated with ``theorem``."""
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        names = vars(importlib.import_module(f"{__package__}.{module.name}"))
        for name, function in names.items():
            bound = getattr(function, "bound", None)
            if isinstance(bound, Bound) and function.__module__.endswith(f".{module.name}"):
                assert bound.function.__name__ == name
                yield bound


def bounds_for(problem: Problem) -> tuple[list[Bound], dict[str, str]]:
    """The bounds that apply to a problem, and the reasons why the others, by source, do not."""
    applying: list[Bound] = []
    reasons: dict[str, str] = {}
    for bound in every_bound():
        reason = bound.reason(problem)
        if reason is None:
            applying.append(bound)
        else:
            reasons[bound.source] = reason
    return applying, reasons
