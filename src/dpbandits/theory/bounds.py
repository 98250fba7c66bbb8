"""Theorems as data: what each one says, on which conditions, and which apply to a setting."""

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
ORDER = "order"  # up to a constant that nobody has printed
REFUTED = "refuted"  # an order that is known to be wrong
NUMBERS = (EXACT, ASYMPTOTIC, WORST_CASE)


class ConditionFailed(ValueError):
    """A theorem is asked about values that it does not cover."""


@dataclass(frozen=True)
class Condition:
    """A condition of a theorem.

    Attributes:
        words: the condition, as it stands after "needs".
        holds: its test; the names of its parameters say what it looks at, a ``problem`` or letters
            of the theorem and of the setting.
    """

    words: str
    holds: Callable[..., bool]

    @property
    def letters(self) -> list[str]:
        """What the test looks at."""
        return list(inspect.signature(self.holds).parameters)

    def failure(self, values: dict[str, Any]) -> str | None:
        """Why it fails for some values, or None."""
        if self.holds(*(values[letter] for letter in self.letters)):
            return None
        told = [f"{x} = {values[x]:g}" for x in self.letters if isinstance(values[x], int | float)]
        return f"needs {self.words}" + (f"; {', '.join(told)}" if told else "")


@dataclass(frozen=True)
class Bound:
    """What a theorem says of regret or of a stopping time.

    Attributes:
        source: paper and number of the theorem.
        side: upper or lower.
        status: exact, asymptotic, worst case, order or refuted.
        statement: the formula as text.
        function: the formula as a function of plain numbers; an order has a constant of 1. It
            raises ConditionFailed where a condition on its numbers fails.
        conditions: when it holds.
        note: what else a reader should know.
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
        """Whether its constants are known."""
        return self.status in NUMBERS

    @property
    def of_instance(self) -> bool:
        """Whether it looks at the arms' gaps."""
        return bool({"gaps", "means"} & inspect.signature(self.function).parameters.keys())

    def reason(self, problem: Problem) -> str | None:
        """Why it says nothing of a setting; None if it applies."""
        values = {"problem": problem, **problem.letters}
        for condition in self.conditions:
            failure = condition.failure(values)
            if failure is not None:
                return failure
        return None

    def value(self, problem: Problem) -> float:
        """Its value in a setting, nan where its numbers are not covered."""
        names = inspect.signature(self.function).parameters
        try:
            return self.function(**{name: problem.letters[name] for name in names})
        except ConditionFailed:
            return math.nan


def theorem(
    source: str, side: str, status: str, statement: str, *conditions: Condition, note: str = ""
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Make a function of plain numbers a theorem: it refuses numbers that its conditions exclude,
    and ``every_bound`` finds it.
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
    """All theorems, paper by paper: the functions of this package's modules that are one."""
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        names = vars(importlib.import_module(f"{__package__}.{module.name}"))
        for name, function in names.items():
            bound = getattr(function, "bound", None)
            if isinstance(bound, Bound) and function.__module__.endswith(f".{module.name}"):
                assert bound.function.__name__ == name
                yield bound


def bounds_for(problem: Problem) -> tuple[list[Bound], dict[str, str]]:
    """The bounds that apply to a setting, and for the others (by source) the reason."""
    applying: list[Bound] = []
    reasons: dict[str, str] = {}
    for bound in every_bound():
        reason = bound.reason(problem)
        if reason is None:
            applying.append(bound)
        else:
            reasons[bound.source] = reason
    return applying, reasons
