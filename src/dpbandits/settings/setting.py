"""The unit that is run, kept, and never run again: one algorithm in one setting."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..contracts.algorithm import Algorithm, load
from ..environments.catalogue import build
from ..environments.instances import Instance
from ..environments.populations import Population, build_population, homogeneous
from ..errors import BadInput


class Data(NamedTuple):
    """What a unit is played on, as it is read from its files."""

    instance: Instance
    crowd: Population


class Unit(Protocol):
    """What the runner and the store know of what is run: a cell, or a trial of a stopping rule."""

    @property
    def algo(self) -> str: ...

    @property
    def env(self) -> str: ...

    @property
    def eps(self) -> float: ...

    @property
    def horizon(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def arguments(self) -> tuple[float, ...]: ...

    @property
    def version(self) -> str: ...

    @property
    def columns(self) -> dict[str, Any]: ...

    @property
    def setting(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def algorithm(self) -> Algorithm: ...

    @property
    def instance(self) -> Instance: ...

    @property
    def crowd(self) -> Population: ...

    def key_on(self, data: Data) -> str: ...

    def in_short(self) -> Unit: ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Cell:
    """One algorithm on one environment: the unit that is run, kept and never run again.

    Attributes:
        algo: name of the algorithm.
        algo_file: where it is defined.
        arguments: the values of its parameters, in the order of its signature.
        version: hash of the sources that decide what it does.
        env: name of the environment.
        env_spec: the environment's configuration, as JSON.
        eps: privacy budget, infinite for a non-private algorithm.
        horizon: number of rounds T.
        seed: seed of the sweep.
        checkpoints: about how many rounds of the regret curve are kept.
        shuffle_arms: whether each run permutes the arms.
        columns: the parameters that the sweep varies, for the table; not part of the identity.
        auto: whether eps_min was chosen for the user; not part of the identity.
    """

    algo: str
    algo_file: str
    arguments: tuple[float, ...]
    version: str
    env: str
    env_spec: str
    eps: float
    population: str
    horizon: int
    seed: int
    checkpoints: int
    shuffle_arms: bool
    columns: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)
    auto: bool = field(default=False, compare=False, hash=False)

    @property
    def setting(self) -> str:
        """What is run, in words for people and programs; an edited algorithm keeps it."""
        words = asdict(self)
        for name in ("columns", "auto", "algo_file", "version"):
            words.pop(name)
        return json.dumps(words, sort_keys=True)

    @cached_property
    def key(self) -> str:
        """Name of the cell among all cells, from everything that decides its results.

        The setting alone does not: a data file, a named instance, or an algorithm may be edited.
        It is that of the data when it was first asked for, which workers are told.
        """
        return self.key_on(Data(self.instance, self.crowd))

    def key_on(self, data: Data) -> str:
        """The key of the cell on these data."""
        instance = data.instance
        arrays = [*instance.environment, instance.means, *data.crowd.users(), self.rounds()]
        return f"{self.algo}-{self.env}-{identity(self, arrays)}"

    @property
    def algorithm(self) -> Algorithm:
        return load(Path(self.algo_file))

    @property
    def instance(self) -> Instance:
        return build(json.loads(self.env_spec))

    @property
    def crowd(self) -> Population:
        """The population of users."""
        spec = json.loads(self.population) if self.population else None
        return build_population(spec) if spec else homogeneous(self.eps)

    def rounds(self) -> np.ndarray:
        """The rounds at which regret is kept: half of them evenly spaced, half geometrically."""
        half = max(self.checkpoints // 2, 1)
        even = np.linspace(self.horizon / half, self.horizon, half)
        geometric = np.geomspace(1, self.horizon, half)
        rounds = np.unique(np.rint(np.concatenate([[1.0], even, geometric])).astype(np.int64))
        return np.append(rounds[(rounds >= 1) & (rounds < self.horizon)], self.horizon)

    def in_short(self) -> Cell:
        """The same for one round, to have its kernel compiled."""
        return replace(self, horizon=1, checkpoints=1)


def data_of(unit: Unit) -> Data:
    """What a unit is played on, read once for all of its runs.

    Raises:
        BadInput: its files have changed since its key was first asked for.
    """
    return _data(unit, unit.key)  # an equal unit of later has another key if they were edited


@lru_cache(maxsize=16)
def _data(unit: Unit, key: str) -> Data:
    data = Data(unit.instance, unit.crowd)
    if unit.key_on(data) != key:
        raise BadInput(f"env={unit.env}: its data changed while it was played; run it again")
    return data


def identity(unit: Unit, arrays: Iterable[Any]) -> str:
    """A short name for a unit's setting, its version, and the arrays that it is played on."""
    data = hashlib.sha256(b"".join(np.asarray(x).tobytes() for x in arrays)).hexdigest()
    return digest(unit.setting, unit.version, data, length=16)


def digest(*texts: str, length: int) -> str:
    """A short name for some texts, the same on every machine."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:length]
