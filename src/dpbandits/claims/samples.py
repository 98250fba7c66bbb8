"""The finished runs of the settings that a claim is about, and those of them with some values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..environments.blocks import has_no_blocks
from ..errors import BadInput, plain
from ..results.metrics import nash
from ..results.run_store import Store
from ..results.tables import MEASURED, load_finished
from ..settings.setting import Setting


@dataclass(frozen=True)
class Sample:
    """The finished runs of one setting: pseudo-regret at T and T/2, float64 arrays (runs,). Of a
    stopping rule both are its stopping time, the cap for a run that has not stopped. ``nash`` has
    the values of the runs whose mean is the Nash regret at T (see ``results.metrics``).
    """

    setting: Setting
    final: np.ndarray
    half: np.ndarray
    nash: np.ndarray | None = None

    @cached_property
    def words(self) -> dict[str, Any]:
        """The values that distinguish this setting."""
        setting = self.setting
        budget = {setting.budget_name: setting.budget}
        question = setting.question
        game = {question.group: setting.algo, "env": setting.env, question.limit: setting.horizon}
        return {**game, **budget, **setting.columns}


def sample(store: Store, setting: Setting, runs: int) -> Sample:
    """The first finished runs of a setting."""
    finished = load_finished(store, setting, runs)
    if not setting.question.plays_on:
        times = MEASURED["stopping_time"](finished)[:, 0].astype(float)
        return Sample(setting, times, times)
    regret = MEASURED["regret"](finished)
    middle = int(np.abs(setting.rounds() - setting.horizon / 2).argmin())
    means = finished.instance.means
    known = means.min() >= 0.0 and means.max() > 0.0
    of_nash = nash(regret, setting.rounds(), float(means.max()))[:, -1] if known else None
    return Sample(setting, regret[:, -1], regret[:, middle], of_nash)


def is_cheap(setting: Setting) -> bool:
    """Whether the running time of a setting of an algorithm does not depend on its horizon."""
    if not setting.question.plays_on:
        return False
    long = setting.algorithm.round_by_round or has_no_blocks(setting.instance.environment)
    return setting.algorithm.private and not long  # UCB's blocks grow in number


# What a claim compares, of the runs of one setting


def final_regret(sample: Sample) -> np.ndarray:
    """The regret at T, or the stopping time."""
    return sample.final


def nash_regret(sample: Sample) -> np.ndarray:
    """What averages to the Nash regret, which must exist."""
    if sample.nash is None:
        raise BadInput(f"{plain(sample.words)}: Nash regret needs means of at least 0")
    return sample.nash


@dataclass(frozen=True)
class Runs:
    """The runs of a claim's experiments, in settings that have some values.

    A call with more values leaves the settings that have these, too. The keys of an environment,
    such as ``env.alpha``, are written as keywords such as ``env_alpha``.

    Attributes:
        claim: the name of the claim, for messages.
        samples: the runs, by setting.
        values: the values that all settings have, by key.
        last: those of the last call.
    """

    claim: str
    samples: Sequence[Sample]
    values: Mapping[str, Any] = field(default_factory=dict)
    last: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **values: Any) -> Runs:
        last = {re.sub("^env_", "env.", name): value for name, value in values.items()}
        fitting = [x for x in self.samples if all(x.words.get(k) == v for k, v in last.items())]
        return Runs(self.claim, fitting, {**self.values, **last}, last)

    def each(self, **choices: Sequence[Any]) -> Iterator[Runs]:
        """The runs with each combination of some values."""
        for combination in itertools.product(*choices.values()):
            yield self(**dict(zip(choices, combination, strict=True)))

    def one(self) -> Sample:
        """The runs of the only setting."""
        n = len(self.samples)
        if n != 1:
            raise BadInput(f"claim {self.claim}: {n} settings, not one, are {plain(self.values)}")
        return self.samples[0]
