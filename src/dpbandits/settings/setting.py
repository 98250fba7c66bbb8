"""The setting: one algorithm or stopping rule on one environment, with all values that decide its
runs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..contracts.algorithm import Algorithm
from ..contracts.guarantees import Guarantee
from ..contracts.question import Question
from ..environments.catalogue import build
from ..environments.instances import Instance
from ..environments.populations import Population, build_population, homogeneous
from ..environments.written import RewardLaw, register
from ..errors import BadInput
from ..validation import NAMED_SOURCES

FILES = "file", "path", "source"  # keys of environments and populations for paths of data
NAMED_SOURCE = re.compile(f"({'|'.join(NAMED_SOURCES)}):")  # data that are no file


class Data(NamedTuple):
    """The environment and the population of a setting, read from their files."""

    instance: Instance
    population: Population


@dataclass(frozen=True, eq=False)
class Setting:
    """One algorithm or stopping rule on one environment, with all values that decide its runs.

    Two settings are equal if their records are equal, even if their data files have other paths.
    """

    question: Question  # what its runs measure: regret, or the time and answer of a rule
    algo: str  # name of the algorithm
    version: str  # hash of the algorithm's sources when the setting was made
    arguments: tuple[float, ...]  # the values of its parameters, in the order of its signature
    env: str  # name of the environment
    env_spec: str  # the environment's configuration, as JSON
    arm: int | None  # the only arm that is played, from 0; None for all of them
    level: float  # the largest local privacy level of a user; infinite without local privacy
    goal: tuple[tuple[str, float], ...]  # the keys by which an answer is judged, with values
    # the configuration of users with levels of their own, as JSON; empty if all users have the same
    # level
    population_spec: str
    horizon: int  # the largest number of rounds
    seed: int  # the seed of the sweep
    checkpoints: int  # the approximate number of rounds at which pulls are recorded
    shuffle_arms: bool  # whether each run permutes the arms
    # the algorithm itself; its name and version identify it
    algorithm: Algorithm = field(repr=False)
    # the columns of the table that the sweep varies; not part of the identity
    columns: Mapping[str, Any] = field(default_factory=dict)
    # whether eps_min was chosen automatically; not part of the identity
    auto: bool = False
    # the data, read when the setting was made and shared by the settings of its sweep; None in
    # other processes, which read the data themselves
    data: Data | None = field(default=None, repr=False)
    # the user's reward laws that the environment names; their versions are in the id
    laws: tuple[RewardLaw, ...] = field(default=(), repr=False)

    def __eq__(self, other: object) -> bool:
        """Return whether both settings have the same record and the same version of their
        algorithm.
        """
        return isinstance(other, Setting) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[str, str]:
        return self.described, self.version

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a setting in another process, and register the reward laws of its
        environment there.
        """
        self.__dict__.update(state)
        for law in self.laws:
            register(law)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that is sent to other processes, without the data."""
        return self.__dict__ | {"data": None}

    @property
    def record(self) -> dict[str, Any]:
        """All values with which the setting is run, by name, for a manifest.

        If the algorithm is edited, only ``version`` changes. If a reward law is edited, only
        ``laws`` changes.
        """
        finite, guarantee = np.isfinite(self.budget), self.guarantee
        loss = guarantee.epsilon(self.values) if guarantee else self.budget
        return {
            "question": self.question.name,
            "algo": self.algo,
            "notion": guarantee.notion if guarantee else None,
            "loss": loss if np.isfinite(loss) else None,
            "parameters": self.parameters,
            "env": self.env,
            "env_spec": json.loads(self.env_spec),
            "arm": self.arm,
            self.budget_name: self.budget if finite else None,
            "goal": dict(self.goal),
            "population": json.loads(self.population_spec) if self.population_spec else None,
            "horizon": self.horizon,
            "seed": self.seed,
            "checkpoints": self.checkpoints,
            "shuffle_arms": self.shuffle_arms,
            "version": self.version,
            "laws": {law.name: law.version for law in self.laws},
        }

    @cached_property
    def budget(self) -> float:
        """The privacy budget, infinite for an algorithm that is not private.

        If users have individual levels, the budget is the level of the least private user.
        """
        if self.algorithm.per_user or not self.algorithm.private:
            return self.level
        return self.parameters[self.budget_name]

    @property
    def budget_name(self) -> str:
        """The name of the privacy budget; ``eps`` for an algorithm that is not private."""
        return self.algorithm.budget or "eps"

    @property
    def parameters(self) -> dict[str, float]:
        """The values of the algorithm's parameters, by name."""
        return dict(zip(self.algorithm.domains, self.arguments, strict=True))

    @property
    def values(self) -> dict[str, float]:
        """The values on which a privacy guarantee may depend: parameters, budget, numbers of arms
        and rounds.
        """
        return {
            **self.parameters,
            self.budget_name: self.budget,
            "K": float(len(self.instance.means)),
            "T": float(self.horizon),
        }

    @property
    def guarantee(self) -> Guarantee | None:
        """The privacy guarantee of the algorithm at these arguments; None if none is declared."""
        return self.algorithm.guarantee_at(self.parameters)

    @cached_property
    def described(self) -> str:
        """The setting as JSON, without the versions of its algorithm and of its laws, and without
        the paths of its files.

        Workers receive this text and the id, since a guarantee may depend on the data.
        """
        known = {name: x for name, x in self.record.items() if name != "laws"}
        return as_json(without_paths({**known, "version": None}))

    @cached_property
    def id(self) -> str:
        """The hash of everything that decides the results: the column ``setting`` of tables.

        A user may edit a data file, a named instance or an algorithm, so the hash covers their
        contents. Workers receive the id that was computed when the command began.
        """
        return self.id_on(self.data or self.read())

    def id_on(self, data: Data) -> str:
        """Return the id of the setting on the given data."""
        arrays = [*data.instance.content(), *data.population.users(), self.rounds()]
        content = hashlib.sha256()
        for x in arrays:
            content.update(np.ravel(x).view(np.uint8).data)
        versions = [law.version for law in self.laws]
        return digest(self.described, self.version, content.hexdigest(), *versions, length=16)

    @property
    def key(self) -> str:
        """The name of the file in which the runs of the setting are stored; the name ends in the
        id.
        """
        return f"{self.algo}-{self.env}-{self.id}"

    @property
    def instance(self) -> Instance:
        """The environment, with all of its arms or only the arm that is played."""
        return (self.data or self.read()).instance

    @property
    def population(self) -> Population:
        """The population of users."""
        return (self.data or self.read()).population

    def read(self) -> Data:
        """Read the data in their present state."""
        instance = build(json.loads(self.env_spec))
        return Data(
            instance if self.arm is None else instance.alone(self.arm),
            build_population(json.loads(self.population_spec))
            if self.population_spec
            else homogeneous(self.budget),
        )

    def rounds(self) -> np.ndarray:
        """Return the rounds at which pulls are recorded, read-only int64 array (C,)."""
        return rounds_recorded(self.horizon, self.checkpoints)

    def of_one_round(self) -> Setting:
        """Return the same setting with a horizon of one round. The only use of this setting is to
        compile the kernel by playing one round.
        """
        return replace(self, horizon=1, checkpoints=1)


@lru_cache(maxsize=64)
def rounds_recorded(horizon: int, checkpoints: int) -> np.ndarray:
    """Return the rounds at which pulls are recorded. Half of these rounds are evenly spaced, and
    half are spaced geometrically.
    """
    half = max(checkpoints // 2, 1)
    even = np.linspace(horizon / half, horizon, half)
    geometric = np.geomspace(1, horizon, half)
    rounds = np.unique(np.rint(np.concatenate([[1.0], even, geometric])).astype(np.int64))
    found = np.append(rounds[(rounds >= 1) & (rounds < horizon)], horizon)
    found.flags.writeable = False
    return found


def data_of(setting: Setting) -> Data:
    """Return the data of a setting. Another process reads the files again, once for all runs that
    it plays.

    Raises:
        BadInput: the files have changed since the setting's id was computed.
    """
    if setting.data is not None:
        return setting.data
    # an edit of the files changes the id, even if the setting still compares equal
    return _data(setting, setting.id)


@lru_cache(maxsize=16)
def _data(setting: Setting, own: str) -> Data:
    data = setting.read()
    if setting.id_on(data) != own:
        raise BadInput(f"env={setting.env}: its data changed while it was played; run it again")
    return data


def pinned(spec: Mapping[str, Any], sha256: Callable[[str], str]) -> dict[str, Any]:
    """Return a configuration in which each path of a data file is replaced by the path and the
    file's hash.
    """
    found: dict[str, Any] = {}
    for key, value in spec.items():
        if isinstance(value, Mapping):
            value = value if "sha256" in value else pinned(value, sha256)
        elif key in FILES and value is not None and not NAMED_SOURCE.match(str(value)):
            value = {"path": str(value), "sha256": sha256(str(value))}
        found[key] = value
    return found


def without_paths(spec: Any) -> Any:
    """Return a configuration with the hash of each file in place of its path."""
    if not isinstance(spec, Mapping):
        return spec
    return spec["sha256"] if "sha256" in spec else {k: without_paths(x) for k, x in spec.items()}


def as_json(spec: Mapping[str, Any]) -> str:
    """Return a configuration as JSON: the same text for the same values."""
    return json.dumps(spec, sort_keys=True)


def digest(*texts: str, length: int) -> str:
    """Return a short hash of some texts, the same on every machine."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:length]
