"""What a search examines: an algorithm or a stopping rule in one environment, at any budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import Interval, Named
from ..errors import BadInput
from ..results.run_store import Memory, RunStore, Store
from ..results.summary import value_text
from ..results.tables import load_finished
from ..running.monte_carlo import run_settings
from ..settings.request import Request
from ..settings.setting import Setting


class Subject:
    """An algorithm or a stopping rule in one environment, with its finished runs.

    Attributes:
        compose: a function that makes a request from keys, see ``settings.compose.request_from``.
        given: the keys of a run, among them the algorithm or the rule; None stands for the default.
        default: the request for runs of the subject at the default budget.
        first: the only setting of this request.
    """

    def __init__(self, compose: Callable[..., Request], given: Mapping[str, Any]):
        self.compose, self.given = compose, {**given}
        self.default = compose(given)
        self.first = self.default.only

    def at(self, budget: float) -> Setting:
        """Return the setting of the algorithm or rule at a budget."""
        return self.compose({**self.given, self.first.budget_name: budget}).only

    @property
    def values(self) -> dict[str, Any]:
        """The value of each parameter, by the name of the parameter. If a value has a name, the
        name is given instead.
        """
        found: dict[str, Any] = dict(self.first.parameters)
        for key, domain in self.first.algorithm.domains.items():
            if isinstance(domain, Named):
                found[key] = {x: name for name, x in domain.names.items()}.get(
                    found[key], found[key]
                )
        return found

    @property
    def can_be_free(self) -> bool:
        """Whether the algorithm or rule can run without privacy. It cannot run without privacy if
        each user has an individual privacy level.
        """
        domain = self.first.algorithm.domains.get(self.first.budget_name)
        return isinstance(domain, Interval) and domain.contains(math.inf)

    @cached_property
    def store(self) -> Store:
        """The store of the runs of the algorithm or rule."""
        results = self.default.results
        return Memory() if results is None else RunStore(results)

    def measured(self, setting: Setting, n: int, *columns: str) -> list[np.ndarray]:
        """Return measured values of the first n runs of a setting, at the end of each run: an array
        for each name.

        Missing runs are played. Runs with the same number receive the same rewards, also at other
        budgets.

        Raises:
            RunsFailed: a run raised an error.
        """
        jobs, backend = self.default.jobs, self.default.backend
        run_settings([setting], n, jobs, backend, self.store)
        finished = load_finished(self.store, setting, n)
        return [finished.final(name) for name in columns]


def differing(subjects: Sequence[Subject]) -> list[dict[str, Any]]:
    """Return, for each algorithm or rule, the values of parameters in which algorithms or rules
    with the same name differ.

    If no other algorithm or rule has its name, the values are NaN.

    Raises:
        BadInput: two subjects are equal, so the user has given an algorithm or a rule twice.
    """
    names: list[str] = []
    algos = [subject.first.algo for subject in subjects]
    for i, subject in enumerate(subjects):
        for other in (x for x, algo in zip(subjects[:i], algos, strict=False) if algo == algos[i]):
            differ = [k for k, x in subject.values.items() if other.values.get(k) != x]
            if not differ:
                question = subject.first.question
                raise BadInput(
                    f"{question.group}={algos[i]}: the {question.noun} is given twice with equal "
                    "parameters"
                )
            names += [k for k in differ if k not in names]
    return [
        {k: subject.values.get(k, math.nan) if algos.count(algo) > 1 else math.nan for k in names}
        for subject, algo in zip(subjects, algos, strict=True)
    ]


def with_values(name: str, values: Mapping[str, Any]) -> str:
    """Return a name with the values of its parameters, such as "NAME with KEY=VALUE"."""
    given = ", ".join(f"{k}={value_text(x)}" for k, x in values.items() if not pd.isna(x))
    return f"{name} with {given}" if given else name
