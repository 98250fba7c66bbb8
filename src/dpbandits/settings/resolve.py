"""From a composed configuration to cells: the points of its sweep, checked one by one."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..contracts.algorithm import ALGORITHMS, Algorithm, find_file, load
from ..contracts.parameters import AUTO
from ..environments.catalogue import build
from ..environments.instances import Instance
from ..errors import BadInput, plain, unknown
from ..validation import argument, whole, yes_no
from .budgets import privacy
from .setting import Cell

KEYS = ["algo", "env", "experiment", "sweep", "figure"]
KEYS += ["population", "eps", "eps_min", "horizon", "runs", "seed", "checkpoints", "shuffle_arms"]
KEYS += ["assume"]
KEYS += ["runner", "jobs", "backend", "results"]
GROUPS = ("algo", "env", "population")

MOST_POINTS = 100_000  # of one grid
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
        unused |= point.keys() - {"horizon"}
        unused |= {"population"} if names["population"] != config["population"] else set()
        specs = dict(zip(GROUPS, compose(*names.values()), strict=True))
        specs["env"] = with_swept(specs["env"], point)
        cell = make_cell(config, names, specs, point, folders)
        columns = cell.columns | (found[cell].columns if cell in found else {})
        found[cell] = replace(cell, columns=columns)
        taken |= cell.columns.keys()
        taken |= {"eps"} if cell.algorithm.private and not cell.population else set()
        taken |= {"population", "eps_min"} if cell.algorithm.local else set()
    refuse(unused - taken, "algorithm", "algo", KEYS)
    return list(found.values())


def refuse(unused: Iterable[str], kind: str, group: str, keys: Sequence[str]) -> None:
    """Refuse what a sweep varies and nothing takes."""
    for name in sorted(unused):
        short = name.removeprefix(f"{group}.")
        hint = f"; write {short}" if short != name else ""
        hint = f"; sweep it with -m {name}=..." if name in keys else hint
        owner = "environment" if name.startswith("env.") else kind
        raise BadInput(f"sweep.{name}: no {owner} of the sweep has a parameter {name}{hint}")


def with_swept(spec: dict[str, Any], point: dict[str, Any]) -> dict[str, Any]:
    """An environment's configuration with the ``env.NAME`` of a sweep, as far as it has such a
    parameter; those that it lacks are taken from ``point``.
    """
    changed = json.loads(json.dumps(spec))
    for name in [name for name in point if name.startswith("env.")]:
        *path, last = name.split(".")[1:]
        inner = changed
        for word in path:
            inner = inner.get(word) if isinstance(inner, dict) else None
        if isinstance(inner, dict) and last in inner:
            inner[last] = point[name]
        else:
            del point[name]
    return changed


def grids(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The grids of a sweep."""
    found = config.get("sweep") or {}
    found = found if isinstance(found, list) else [found]
    for grid in found:
        if not isinstance(grid, Mapping):
            raise BadInput(f"sweep={plain(config['sweep'])}: names with lists of values are needed")
        for name in grid:
            if not isinstance(name, str):
                raise BadInput(f"sweep.{plain(name)}: the name of a key is needed")
    return found


def swept_names(config: Mapping[str, Any]) -> set[str]:
    """What a sweep varies."""
    return {name for grid in grids(config) for name in grid}


def points(config: Mapping[str, Any], groups: Sequence[str] = GROUPS) -> Iterable[dict[str, Any]]:
    """The points of a sweep: of one grid, or of several, one after the other."""
    for grid in grids(config):
        values = []
        for name, choices in grid.items():
            if not isinstance(choices, list) or not choices:
                raise BadInput(f"sweep.{name}={plain(choices)}: a list of values is needed")
            values.append(choices)
        if math.prod(map(len, values)) > MOST_POINTS:
            raise BadInput(
                f"sweep: {math.prod(map(len, values))} settings, more than {MOST_POINTS}"
            )
        for combination in itertools.product(*values):
            point = {group: config[group] for group in groups}
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
    horizon = whole("horizon", point.pop("horizon", config["horizon"]), at_least=1)
    eps, eps_min, crowd = privacy(
        config, algorithm, names["population"], specs["population"], point
    )
    columns = {
        name: value
        for name, value in point.items()
        if name in algorithm.domains or name.startswith("env.")
    }
    if algorithm.local and (crowd or asked is not None or "population" in swept_names(config)):
        columns |= {"population": names["population"], "eps_min": eps_min}
    given = {"eps": eps, "eps_min": eps_min}
    values = specs["algo"] | {k: v for k, v in columns.items() if k in algorithm.domains} | given
    wanted = [name for name in algorithm.domains if name not in given]
    check_names("algo", algo, wanted, specs["algo"], values)
    instance = build(specs["env"])
    cell = Cell(
        algo=algo,
        algo_file=str(file),
        arguments=arguments(algorithm, values, horizon, names["env"], instance),
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
    check_rewards(cell, instance, yes_no("assume", config["assume"]))
    return cell


def check_names(
    group: str, name: str, wanted: Iterable[str], given: Iterable[str], values: Iterable[str]
) -> None:
    """Refuse a parameter that an algorithm or a rule does not have, or a value that it lacks.

    Args:
        group: ``algo`` or ``rule``.
        name: its name.
        wanted: its parameters.
        given: those that its configuration names.
        values: those that have a value.
    """
    for parameter in sorted(set(given) - set(wanted), key=str):
        known = [f"{group}.{n}" for n in wanted]
        raise unknown(f"parameter of {name}:", f"{group}.{parameter}", known)
    for parameter in sorted(set(wanted) - set(values)):
        raise BadInput(f"{group}.{parameter} is missing: {name} needs it")


def arguments(
    algorithm: Algorithm, values: Mapping[str, Any], horizon: int, env: str, instance: Instance
) -> tuple[float, ...]:
    """The numbers that a kernel receives, those that are ``auto`` taken from the environment."""
    keys = {n: n if n in ("eps", "eps_min") else f"algo.{n}" for n in algorithm.domains}
    rewards = algorithm.rewards
    automatic = [
        name
        for name in algorithm.domains
        if values[name] == AUTO and rewards is not None and name in rewards.automatic
    ]
    numbers = {
        name: argument(keys[name], values[name], domain, horizon)
        for name, domain in algorithm.domains.items()
        if name not in automatic
    }
    for name in automatic:
        assert rewards is not None
        found = rewards.value(name, instance, numbers)
        if found == math.inf:
            others = ", ".join(f"algo.{n}={plain(values[n])}" for n in rewards.parameters)
            raise BadInput(
                f"algo.{name}=auto: infinite for env={env} at {others}; give a number with "
                f"assume=true, or change {others}"
            )
        try:
            numbers[name] = argument(keys[name], found, algorithm.domains[name], horizon)
        except BadInput as error:
            raise BadInput(f"{error}; that is what env={env} makes of {AUTO}") from None
    misfit = rewards.misfit(numbers) if rewards is not None else None
    if misfit is not None:
        raise BadInput(misfit)
    return tuple(numbers[name] for name in algorithm.domains)


def check_rewards(cell: Cell, instance: Instance, assume: bool) -> None:
    """Refuse an environment whose rewards an algorithm's guarantees do not cover.

    With ``assume`` only those that the privacy rests on are checked.
    """
    if len(instance.means) < 2:
        raise BadInput(f"env={cell.env}: a bandit needs at least two arms")
    rewards = cell.algorithm.rewards
    values = dict(zip(cell.algorithm.domains, cell.arguments, strict=True))
    found = rewards.violation(instance, values) if rewards is not None else None
    waivable = rewards is None or not rewards.needed_for_privacy
    if (
        instance.contamination > 0
        and not (rewards and rewards.outliers)
        and (waivable or not found)
    ):
        share = f"its rewards are outliers with probability {instance.contamination:g}"
        found, waivable = (share, "none"), True
    if found is not None and not (waivable and assume):
        waive = "; assume=true runs it all the same" if waivable else unbounded_variant(cell.algo)
        raise BadInput(f"env={cell.env}: {found[0]}, but {cell.algo} assumes {found[1]}{waive}")
    rounds = len(instance.environment.table)
    if rounds and cell.horizon > rounds:
        raise BadInput(f"horizon={cell.horizon}: the table has rewards for {rounds} rounds only")


def unbounded_variant(algo: str) -> str:
    """A hint at the algorithm's variant for any rewards, if there is one."""
    exists = (ALGORITHMS / f"{algo}s.py").is_file()
    return f"; {algo}s takes any rewards" if exists else ""
