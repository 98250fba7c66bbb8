"""From a composed configuration to cells: the settings that are run, checked one by one."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .environments.instances import Instance, build
from .environments.populations import Population, build_population, homogeneous, level
from .environments.users import Users
from .errors import BadInput, plain, unknown, yes_no
from .parameters import POSITIVE, Choice, Interval
from .registry import ALGORITHMS, Algorithm, find_file, load
from .theory.ren2020 import candidates

KEYS = ["algo", "env", "experiment", "sweep"]
KEYS += ["population", "eps", "eps_min", "horizon", "runs", "seed", "checkpoints", "shuffle_arms"]
KEYS += ["jobs", "backend", "results"]
GROUPS = ("algo", "env", "population")
LARGEST = 2**62


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

    @property
    def key(self) -> str:
        """Name of the cell among all cells, from everything that decides its results.

        The setting alone does not: a data file, a named instance, or an algorithm may be edited.
        """
        instance = self.instance
        arrays = [*instance.environment, instance.means, *self.users, self.rounds()]
        data = hashlib.sha256(b"".join(np.asarray(x).tobytes() for x in arrays)).hexdigest()
        return f"{self.algo}-{self.env}-{digest(self.setting, self.version, data, length=16)}"

    @property
    def algorithm(self) -> Algorithm:
        return load(Path(self.algo_file))

    @property
    def instance(self) -> Instance:
        return build(json.loads(self.env_spec))

    @property
    def users(self) -> Users:
        return self.crowd.users()

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
        return np.append(rounds[rounds < self.horizon], self.horizon)


def digest(*texts: str, length: int) -> str:
    """A short name for some texts, the same on every machine."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:length]


def whole(key: str, value: Any, at_least: int, at_most: int = LARGEST) -> int:
    """A whole number; 1e7 is one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not at_least <= number <= at_most or number != int(number):
        told = at_most != LARGEST or number > at_most
        most = f" and at most {at_most}" if told else ""
        raise BadInput(
            f"{key}={plain(value)}: a whole number of at least {at_least}{most} is needed"
        )
    return int(value) if isinstance(value, int) else int(number)


def argument(key: str, value: Any, domain: Interval | Choice, horizon: int) -> float:
    """The number that a kernel receives for a parameter."""
    if isinstance(domain, Choice):
        if value not in domain.options:
            raise BadInput(f"{key}={plain(value)}: {domain.allowed} is needed")
        return float(domain.options.index(value))
    if value == "1/horizon":
        value = 1 / horizon
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not domain.contains(number):
        raise BadInput(f"{key}={plain(value)}: {domain.allowed} is needed")
    return number


def budget(algorithm: Algorithm, eps: Any) -> float:
    """The privacy budget: 1 if none is given, infinite for an algorithm that is not private."""
    if not algorithm.private:
        if eps is not None and eps != math.inf:
            raise BadInput(
                f"eps={plain(eps)}: {algorithm.name} is not private and takes no eps; leave it out"
            )
        return math.inf
    if eps is None:
        return 1.0
    return argument("eps", eps, algorithm.domains["eps"], 1)


Composer = Callable[..., tuple[dict[str, Any], ...]]


def cells(config: Mapping[str, Any], compose: Composer, folders: tuple[str, ...]) -> list[Cell]:
    """All cells of a configuration, in the order of its sweep, each once.

    Args:
        config: the composed configuration as plain data; ``algo``, ``env`` and ``population``
            are names.
        compose: gives the configurations of these three by their names.
        folders: the user's configuration folders.

    Raises:
        BadInput: some value cannot be run.
    """
    found: dict[Cell, Cell] = {}
    unused: set[str] = set()
    taken: set[str] = set()
    for point in points(config):
        names = {group: str(point.pop(group)) for group in GROUPS}
        unused |= point.keys()
        unused |= {"population"} if names["population"] != config["population"] else set()
        specs = dict(zip(GROUPS, compose(*names.values()), strict=True))
        cell = make_cell(config, names, specs, point, folders)
        columns = cell.columns | (found[cell].columns if cell in found else {})
        found[cell] = replace(cell, columns=columns)
        taken |= cell.columns.keys()
        taken |= {"eps"} if cell.algorithm.private and not cell.population else set()
        taken |= {"population", "eps_min"} if cell.algorithm.local else set()
    for name in sorted(unused - taken):
        raise BadInput(f"sweep.{name}: no algorithm of the sweep has a parameter {name}")
    return list(found.values())


def swept_names(config: Mapping[str, Any]) -> set[str]:
    """What a sweep varies."""
    grids = config.get("sweep") or {}
    grids = grids if isinstance(grids, list) else [grids]
    return {name for grid in grids if isinstance(grid, Mapping) for name in grid}


def points(config: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The points of a sweep: of one grid, or of several, one after the other."""
    grids = config.get("sweep") or {}
    for grid in grids if isinstance(grids, list) else [grids]:
        if not isinstance(grid, Mapping):
            raise BadInput(f"sweep={plain(grids)}: names with lists of values are needed")
        values = []
        for name, choices in grid.items():
            if not isinstance(choices, list) or not choices:
                raise BadInput(f"sweep.{name}={plain(choices)}: a list of values is needed")
            values.append(choices)
        for combination in itertools.product(*values):
            point = {group: config[group] for group in GROUPS}
            yield point | dict(zip(grid, combination, strict=True))


def make_cell(
    config: Mapping[str, Any],
    names: dict[str, str],
    specs: dict[str, dict[str, Any]],
    point: dict[str, Any],
    folders: tuple[str, ...],
) -> Cell:
    """The cell of one point of a sweep. A parameter that its algorithm lacks is left out.

    Args:
        config: the composed configuration.
        names: names of the algorithm, the environment and the population.
        specs: their configurations.
        point: what else the sweep sets.
        folders: the user's configuration folders.
    """
    algo = names["algo"]
    file = find_file(algo, folders)
    algorithm = load(file)
    asked = config["eps_min"] if point.get("eps_min") is None else point["eps_min"]
    horizon = whole("horizon", config["horizon"], at_least=1)
    eps, eps_min, crowd = privacy(
        config, algorithm, names["population"], specs["population"], point
    )
    columns = {name: value for name, value in point.items() if name in algorithm.domains}
    if algorithm.local and (crowd or asked is not None or "population" in swept_names(config)):
        columns |= {"population": names["population"], "eps_min": eps_min}
    given = {"eps": eps, "eps_min": eps_min}
    values = specs["algo"] | {k: v for k, v in columns.items() if k in algorithm.domains} | given
    wanted = [name for name in algorithm.domains if name not in given]
    for name in specs["algo"]:
        if name not in wanted:
            raise unknown(f"parameter of {algo}:", f"algo.{name}", [f"algo.{n}" for n in wanted])
    for name in wanted:
        if name not in values:
            raise BadInput(f"algo.{name} is missing: {algo} needs it")
    arguments = [
        argument(name if name in given else f"algo.{name}", values[name], domain, horizon)
        for name, domain in algorithm.domains.items()
    ]
    cell = Cell(
        algo=algo,
        algo_file=str(file),
        arguments=tuple(arguments),
        version=algorithm.version,
        env=names["env"],
        env_spec=json.dumps(specs["env"], sort_keys=True),
        eps=eps,
        population=json.dumps(specs["population"], sort_keys=True) if crowd else "",
        horizon=horizon,
        seed=whole("seed", config["seed"], at_least=0),
        checkpoints=whole("checkpoints", config["checkpoints"], at_least=1, at_most=100_000),
        shuffle_arms=yes_no("shuffle_arms", config["shuffle_arms"]),
        columns=columns,
        auto=algorithm.local and asked == "auto",
    )
    check_rewards(cell)
    return cell


def privacy(
    config: Mapping[str, Any],
    algorithm: Algorithm,
    population: str,
    spec: dict[str, Any],
    point: dict[str, Any],
) -> tuple[float, float | None, bool]:
    """The budget, eps_min, and whether users have levels of their own; takes them from ``point``.

    What a sweep varies passes by the algorithms that do not take it.
    """
    swept_eps, swept_min = point.pop("eps", None), point.pop("eps_min", None)
    asked_eps = config["eps"] if swept_eps is None else swept_eps
    asked_min = config["eps_min"] if swept_min is None else swept_min
    if not algorithm.local:
        if config["population"] != "homogeneous":
            raise BadInput(f"population={population}: {algorithm.name} takes no population")
        if config["eps_min"] is not None:
            raise BadInput(f"eps_min={plain(asked_min)}: {algorithm.name} takes no eps_min")
        if swept_eps is not None and not algorithm.private:
            return math.inf, None, False
        return budget(algorithm, asked_eps), None, False
    if spec:
        if config["eps"] is not None:
            raise BadInput(
                f"eps={plain(asked_eps)}: the users of {population} have levels of their own; "
                "leave eps out"
            )
        crowd = build_population(spec)
        eps = crowd.largest
    else:
        eps = argument("eps", 1.0 if asked_eps is None else asked_eps, POSITIVE, 1)
        level("eps", asked_eps if asked_eps is not None else eps)
        crowd = homogeneous(eps)
        asked_min = eps if asked_min is None else asked_min
    if asked_min is None:
        raise BadInput(
            f"eps_min: users of {population} with a lower level send nothing; give a number "
            "above 0, or auto"
        )
    if asked_min == "auto":
        terms = candidates(crowd, algorithm.leading_term or "V_L")
        if not terms:
            raise BadInput(f"population={population}: no user has a level above 0")
        asked_min = min(terms, key=terms.__getitem__)
    eps_min = argument("eps_min", asked_min, POSITIVE, 1)
    if crowd.mass(eps_min) <= 0:
        who = f"users of {population}" if spec else f"users of level eps={eps:g}"
        raise BadInput(f"eps_min={plain(asked_min)}: no {who} would send anything")
    return eps, eps_min, bool(spec)


def check_rewards(cell: Cell) -> None:
    """Refuse an environment whose rewards the algorithm's guarantee does not cover."""
    instance, rewards = cell.instance, cell.algorithm.rewards
    low, high = instance.support
    if rewards is not None and (low < rewards[0] or high > rewards[1]):
        raise BadInput(
            f"env={cell.env}: its rewards lie in [{low:g}, {high:g}], but {cell.algo} is made "
            f"for rewards in [{rewards[0]:g}, {rewards[1]:g}]{unbounded_variant(cell.algo)}"
        )
    rounds = len(instance.environment.table)
    if rounds and cell.horizon > rounds:
        raise BadInput(f"horizon={cell.horizon}: the table has rewards for {rounds} rounds only")


def unbounded_variant(algo: str) -> str:
    """A hint at the algorithm's variant for any rewards, if there is one."""
    exists = (ALGORITHMS / f"{algo}s.py").is_file()
    return f"; {algo}s takes any rewards" if exists else ""
