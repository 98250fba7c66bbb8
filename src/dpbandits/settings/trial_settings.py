"""From a composed configuration to trials: the points of its sweep, checked one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..contracts.algorithm import Algorithm, find_file, load
from ..contracts.parameters import FRACTION, RANGE
from ..environments.catalogue import build
from ..errors import BadInput, plain
from ..running.trial import Trial
from ..validation import argument, whole
from .budgets import budget
from .resolve import Composer, check_names, points, refuse, with_swept

GROUPS = ("rule", "env")
NUMBERS = {"rel_error": FRACTION, "beta": FRACTION, "R": RANGE}
KEYS = [*GROUPS, "experiment", "sweep", "figure", "arm", "eps", *NUMBERS, "cap", "runs", "seed"]
KEYS += ["runner", "jobs", "backend", "results"]
SWEPT = ("arm", "eps", *NUMBERS, "cap")
LARGEST_CAP = 2**53  # a float holds every stopping time


def trials(config: Mapping[str, Any], compose: Composer, folders: tuple[str, ...]) -> list[Trial]:
    """All trials of a configuration, in the order of its sweep, each once.

    Args:
        config: the composed configuration as plain data; ``rule`` and ``env`` are names.
        compose: gives the configurations of these two by their names.
        folders: the user's configuration folders.

    Raises:
        BadInput: some value cannot be run.
    """
    found: dict[Trial, Trial] = {}
    unused: set[str] = set()
    taken: set[str] = set(SWEPT) - {"eps"}
    for point in points(config, GROUPS):
        names = {group: str(point.pop(group)) for group in GROUPS}
        unused |= point.keys()
        specs = dict(zip(GROUPS, compose(*names.values()), strict=True))
        specs["env"] = with_swept(specs["env"], point)
        trial = make_trial(config, names, specs, point, folders)
        columns = trial.columns | (found[trial].columns if trial in found else {})
        found[trial] = replace(trial, columns=columns)
        taken |= trial.columns.keys() | ({"eps"} if trial.algorithm.private else set())
    refuse(unused - taken, "rule", "rule", KEYS)
    return list(found.values())


def make_trial(
    config: Mapping[str, Any],
    names: dict[str, str],
    specs: dict[str, dict[str, Any]],
    point: dict[str, Any],
    folders: tuple[str, ...],
) -> Trial:
    """The trial of one point of a sweep. A parameter that its rule lacks is left out.

    Args:
        config: the composed configuration.
        names: names of the rule and the environment.
        specs: their configurations.
        point: what else the sweep sets.
        folders: the user's configuration folders.
    """
    file = find_file(names["rule"], folders, "rule")
    rule = load(file)
    given = {key: point.pop(key, config[key]) for key in SWEPT if key != "eps"}
    swept = point.pop("eps", None)
    passed_by = swept is not None and not rule.private
    eps = math.inf if passed_by else budget(rule, config["eps"] if swept is None else swept)
    numbers = {key: argument(key, given[key], domain, math.nan) for key, domain in NUMBERS.items()}
    own = {name for name in rule.domains if name != "eps" and name not in NUMBERS}
    columns = {k: v for k, v in point.items() if k in own or k.startswith("env.")}
    values = specs["rule"] | columns | numbers | {"eps": eps}
    check_names("rule", names["rule"], own, specs["rule"], values)
    for name in own:
        numbers[name] = argument(f"rule.{name}", values[name], rule.domains[name], math.nan)
    numbers["eps"] = eps
    trial = Trial(
        rule=names["rule"],
        rule_file=str(file),
        arguments=tuple(numbers[name] for name in rule.domains),
        version=rule.version,
        env=names["env"],
        env_spec=json.dumps(specs["env"], sort_keys=True),
        arm=arm_of(given["arm"], names["env"], specs["env"]),
        eps=eps,
        **{key: numbers[key] for key in NUMBERS},
        cap=whole("cap", given["cap"], at_least=1, at_most=LARGEST_CAP),
        seed=whole("seed", config["seed"], at_least=0),
        columns=columns,
    )
    check_rewards(trial, rule)
    return trial


def arm_of(arm: Any, env: str, spec: dict[str, Any]) -> int:
    """The number of an arm that the environment has."""
    a, K = whole("arm", arm, at_least=0), len(build(spec).means)
    if a >= K:
        arms = "one arm, arm=0" if K == 1 else f"{K} arms, from arm=0 to arm={K - 1}"
        raise BadInput(f"arm={plain(arm)}: env={env} has {arms}")
    return a


def check_rewards(trial: Trial, rule: Algorithm) -> None:
    """Refuse an arm whose rewards a rule's privacy or confidence does not cover."""
    instance, values = trial.instance, dict(zip(rule.domains, trial.arguments, strict=True))
    violation = rule.rewards.violation(instance, values) if rule.rewards is not None else None
    if instance.contamination > 0 and violation is None:
        share = f"outliers with probability {instance.contamination:g}"
        raise BadInput(f"env={trial.env}: its rewards are {share}, but {trial.rule} assumes none")
    if violation is not None:
        reach = max(map(abs, instance.support))
        hint = f"; R={plain(reach)} covers them" if trial.R < reach < math.inf else ""
        found, assumed = violation
        who = f"env={trial.env}: {found}"
        raise BadInput(f"{who}, but {trial.rule} assumes {assumed}{hint}")
    rounds = len(instance.environment.table)
    if rounds and trial.cap > rounds:
        raise BadInput(f"cap={trial.cap}: the table has rewards for {rounds} rounds only")
