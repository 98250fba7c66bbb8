"""The subject of a search: an algorithm or a stopping rule in one environment, at any budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..contracts.parameters import Interval
from ..results.run_store import Memory, RunStore, Store
from ..results.tables import MEASURED, load_finished
from ..running.failures import RunsFailed
from ..running.monte_carlo import run_settings
from ..settings.request import Request
from ..settings.setting import Setting


class Subject:
    """An algorithm or a stopping rule in one environment, with its finished runs.

    Attributes:
        compose: makes a request of keys, see ``settings.compose.request_from``.
        given: the keys of a run, including the algorithm or the rule, with None for defaults.
        default: the request of its runs at the default budget.
        first: the only setting of this request.
    """

    def __init__(self, compose: Callable[..., Request], given: Mapping[str, Any]):
        self.compose, self.given = compose, {**given}
        self.default = compose(given)
        self.first = self.default.only

    def at(self, budget: float) -> Setting:
        """Return its setting at a budget."""
        return self.compose({**self.given, self.first.budget_name: budget}).only

    @property
    def can_be_free(self) -> bool:
        """Whether it can run without privacy; it cannot if users have levels of their own."""
        domain = self.first.algorithm.domains.get(self.first.budget_name)
        return isinstance(domain, Interval) and domain.contains(math.inf)

    @cached_property
    def store(self) -> Store:
        """The store of its runs."""
        results = self.default.results
        return Memory() if results is None else RunStore(results)

    def measured(self, setting: Setting, n: int, *columns: str) -> list[np.ndarray]:
        """Return columns of the first n runs of a setting, at the end of each run.

        Missing runs are played. Runs with the same number have the same streams of rewards.

        Raises:
            RunsFailed: a run raised an error.
        """
        jobs, backend = self.default.jobs, self.default.backend
        _, failures = run_settings([setting], n, jobs, backend, self.store)
        if failures:
            raise RunsFailed(failures)
        finished = load_finished(self.store, setting, n)
        return [MEASURED[name](finished)[:, -1].astype(float) for name in columns]
