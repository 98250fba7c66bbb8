"""Make a setting from a configuration and a point of its sweep, and check every value."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from ..contracts.algorithm import Algorithm, in_package
from ..contracts.parameters import AUTO, BUDGETS, NUMBER, Interval
from ..contracts.question import ARMS, CONTEXTS, FEATURES, USERS, Question, question_for
from ..environments.catalogue import build, first_rounds
from ..environments.instances import Instance
from ..environments.logged import UNABLE, LoggedInstance
from ..environments.populations import build_population
from ..environments.written import written_in
from ..errors import MEANT, SURE_SIMILARITY, BadInput, plain, power, similar, unknown
from ..files import sha256_of
from ..validation import (
    OF_ROWS,
    argument,
    as_integer,
    is_of_horizon,
    refuse_alike,
    to_float,
    yes_no,
)  # fmt: skip
from .budgets import privacy
from .composed import LABEL, Groups, own_parameters
from .groups import file_keys
from .setting import Data, Setting, as_json, pinned
from .sweep import OF_RUNS, Point, grids, points, swept_names

# PLAYED_BY maps the kind of actions that an algorithm plays to the kinds of environments that it
# can play. For each kind, EXAMPLES names an environment, and SUCH names an algorithm
PLAYED_BY = {
    ARMS: (ARMS, FEATURES), FEATURES: (FEATURES,), CONTEXTS: (CONTEXTS, USERS), USERS: (USERS,),
}  # fmt: skip
EXAMPLES = {ARMS: "bernoulli", FEATURES: "linear", CONTEXTS: "contextual", USERS: "labels"}
SUCH = {ARMS: "adap_klucb", FEATURES: "gope", CONTEXTS: "private_lin_ucb", USERS: "bpo"}
ROWS = "rows"  # as a horizon: the rows of labelled data, in all passes
OF_PRIVACY = {*BUDGETS, "eps_min"}  # swept keys that only private algorithms take


class Sweep:
    """What all settings of a configuration share: keys, environments and populations.

    Environments and populations are stored by their configurations as JSON. So each environment is
    built only once, and each file is read only once.

    Attributes:
        question: the question of the command.
        config: the configuration.
        groups: the choices in the groups of configuration files.
        names: the keys that vary.
        budgets: the names of the privacy budgets that some algorithm takes.
    """

    def __init__(self, question: Question, config: Mapping[str, Any], groups: Groups) -> None:
        self.question, self.config, self.groups = question, config, groups
        self.names = swept_names(config)
        self.budgets = {algorithm.budget for algorithm in groups.algorithms.values()}
        self.environment = cache(lambda spec: build(json.loads(spec)))
        self.arm = cache(lambda spec, a: self.environment(spec).alone(a))
        self.population = cache(lambda spec: build_population(json.loads(spec)))
        self.sha256 = cache(sha256_of)


def resolve(question: Question, config: Mapping[str, Any], groups: Groups) -> list[Setting]:
    """Return all settings of a configuration without repetitions, in the order of its sweep.

    Raises:
        BadInput: a value cannot be run.
    """
    found: dict[Setting, Setting] = {}
    taken = {*question.swept, *(k for k in OF_RUNS if k in config)} - OF_PRIVACY
    sweep = Sweep(question, config, groups)
    parameters = {x for algorithm in groups.algorithms.values() for x in algorithm.domains}
    swept_by_some = taken | OF_PRIVACY | {*question.groups, *parameters}
    if fixed := sorted(sweep.names & config.keys() - swept_by_some):
        # this check comes before any setting is made
        raise BadInput(f"sweep.{fixed[0]}: {fixed[0]} cannot be swept")
    for point in points(config):
        setting = resolve_point(sweep, point)
        if (same := found.get(setting)) is not None:
            setting = replace(setting, columns={**setting.columns, **same.columns})
        found[setting] = setting
        taken |= setting.columns.keys()
        taken |= {setting.algorithm.budget or ""} if not setting.population_spec else set()
        taken |= {"population", "eps_min"} if setting.algorithm.per_user else set()
    swept, usual = sweep.names - {*question.groups}, config.get("population")
    if any(x != usual for grid in grids(config) for x in grid.get("population", [])):
        swept.add("population")
    levels = {setting.algorithm.budget for setting in found if setting.population_spec}
    for name in sorted((swept - taken) & levels, key=str):
        raise BadInput(
            f"sweep.{name}: each user of a population has a privacy level; leave {name} out"
        )
    if f"env.{LABEL}" in swept - taken:
        raise BadInput(f"sweep.env.{LABEL}: env.{LABEL} cannot be swept; one label is needed")
    _refuse_unused(question, swept - taken, swept_by_some)
    _refuse_alike(found)
    return list(found.values())


def resolve_point(sweep: Sweep, point: Point) -> Setting:
    """Return the setting of one point of a sweep.

    Swept parameters that the algorithm of the setting does not have are left out.
    """
    question, groups, at = sweep.question, sweep.groups, {**sweep.config, **point}
    name, env, population = (str(at.get(g, "")) for g in (question.group, "env", "population"))
    own_spec, own_columns = groups.at(question.group, name, point)
    algorithm = groups.algorithms[name]
    env_spec, env_columns = groups.at("env", env, point)
    limit = at[question.limit]
    if limit == ROWS and env_spec.get("law") in OF_ROWS:
        limit = sweep.environment(as_json(env_spec)).rounds
    limit = as_integer(question.limit, limit, at_least=1, at_most=question.largest_limit)
    of_users = population and algorithm.per_user
    users_spec, users_columns = groups.at("population", population, point) if of_users else ({}, {})
    horizon = limit if question.plays_on else math.nan
    users = sweep.population(as_json(users_spec)) if users_spec else None
    budget = privacy(sweep.config, at, algorithm, users, horizon, sweep.budgets)
    goal = {key: argument(key, at[key], domain, math.nan) for key, domain in question.goal}
    for low, high in itertools.pairwise(question.increasing):
        if not goal[low] < goal[high]:
            raise BadInput(f"{high}={goal[high]:g}: above {low}={goal[low]:g} is needed")
    unit = algorithm.budget or "eps"
    given = {unit: budget.budget, "eps_min": budget.eps_min, **goal}
    own = own_parameters(algorithm)
    resolved = {k.removeprefix(f"{question.group}."): x for k, x in own_columns.items()}
    resolved |= env_columns
    columns = {k: resolved.get(k, v) for k, v in point.items() if k in {*own, *env_columns}}
    columns |= {k: point[k] for k in ("checkpoints", "shuffle_arms") if k in point}
    asked_of_users = users_spec or at.get("eps_min") is not None or "population" in sweep.names
    if algorithm.per_user and asked_of_users:
        columns |= {"population": population, "eps_min": budget.eps_min}
        columns |= users_columns
    values = own_spec | {k: v for k, v in columns.items() if k in own} | given
    check_names(algorithm, own_spec, values)
    env_spec = first_rounds(env_spec, limit)
    usual = file_keys(question.group, name) if in_package(algorithm.file) else {}
    changed = {k for k in own if k in columns or values[k] != usual.get(k, values[k])}
    _refuse_without_effect(algorithm, changed, values)
    spec, arm = as_json(env_spec), None
    instance = sweep.environment(spec)
    asked = question_for(question, instance.actions)
    if asked is None:
        raise BadInput(
            f"env={env}: the environment has {instance.actions}; a stopping rule plays arms"
        )
    question = asked
    if question.one_arm:
        arm = _arm_of(at["arm"], env, instance)
        instance = sweep.arm(spec, arm)
    _check_actions(algorithm, env, instance)
    assume = yes_no("assume", at.get("assume", False))
    numbers = arguments(algorithm, values, horizon, env, instance, (unit, "eps_min"), assume)
    by_name = dict(zip(algorithm.domains, numbers, strict=True))
    _refuse_above_horizon(algorithm, by_name, horizon)
    columns = {k: by_name[k] if is_of_horizon(v) and k in own else v for k, v in columns.items()}
    setting = Setting(
        question=question,
        algo=name,
        version=algorithm.version,
        arguments=numbers,
        env=env,
        env_spec=as_json(pinned(env_spec, sweep.sha256)),
        arm=arm,
        level=budget.budget if algorithm.per_user else math.inf,
        goal=tuple(goal.items()),
        population_spec=as_json(pinned(users_spec, sweep.sha256)) if users_spec else "",
        horizon=limit,
        seed=as_integer("seed", at["seed"], at_least=0),
        checkpoints=as_integer("checkpoints", at.get("checkpoints", 1), 1, 100_000),
        shuffle_arms=yes_no("shuffle_arms", at["shuffle_arms"]) and not question.one_arm,
        algorithm=algorithm,
        columns=columns,
        auto=budget.auto,
        data=Data(instance, budget.population),
        laws=written_in(env_spec),
    )
    _check_rewards(setting, instance, assume)
    return setting


def arguments(
    algorithm: Algorithm,
    values: Mapping[str, Any],
    horizon: float,
    env: str,
    instance: Instance,
    checked: Collection[str] = (),
    assume: bool = False,
) -> tuple[float, ...]:
    """Return the numbers that a kernel receives; ``auto`` values are computed from the environment.

    The horizon is NaN if there is no horizon. Parameters in ``checked`` are numbers already.
    ``assume`` says whether the environment may violate the assumptions of the algorithm; here it
    changes only messages.
    """
    own, rewards = own_parameters(algorithm), algorithm.rewards
    keys = {
        name: f"{algorithm.group}.{name}" if name in own else name for name in algorithm.domains
    }
    possible = () if rewards is None else rewards.automatic
    automatic = [x for x in algorithm.domains if x in possible and values[x] == AUTO]
    numbers = {
        name: values[name] if name in checked else argument(keys[name], values[name], x, horizon)
        for name, x in algorithm.domains.items()
        if name not in automatic
    }
    for name in automatic:
        assert rewards is not None
        found = rewards.value(instance, numbers)
        how = f"give algo.{name}=NUMBER{'' if assume else ' with assume=true'}"
        if found == math.inf:
            others = ", ".join(f"algo.{n}={plain(values[n])}" for n in rewards.parameters)
            raise BadInput(
                f"algo.{name}=auto: the value is infinite for env={env} at {others}; choose "
                f"another algo.{', algo.'.join(rewards.parameters)}, or {how}"
            )
        try:
            numbers[name] = argument(keys[name], found, algorithm.domains[name], horizon)
        except BadInput as error:
            needed = str(error).partition(": ")[2].replace(f", or {AUTO},", "")
            raise BadInput(
                f"algo.{name}=auto: auto is {plain(found)} for env={env}, but {needed}; {how}"
            ) from None
    misfit = rewards.misfit(numbers) if rewards is not None else None
    if misfit is not None:
        raise BadInput(misfit)
    return tuple(numbers[name] for name in algorithm.domains)


def check_names(algorithm: Algorithm, given: Iterable[str], values: Iterable[str]) -> None:
    """Refuse parameters that the algorithm does not have, and parameters without a value.

    ``given`` are the parameters that a configuration names.
    """
    group, name, own = algorithm.group, algorithm.name, own_parameters(algorithm)
    for parameter in sorted(set(given) - set(own), key=str):
        known = [f"{group}.{n}" for n in own]
        raise unknown(f"parameter of {name}:", f"{group}.{parameter}", known)
    for parameter in sorted(set(own) - set(values)):
        hint = "; if it is the privacy budget, name it eps" if MEANT.get(parameter) == "eps" else ""
        raise BadInput(f"{group}.{parameter} is missing: {name} needs it{hint}")


def _refuse_without_effect(
    algorithm: Algorithm, given: Collection[str], values: Mapping[str, Any]
) -> None:
    """Refuse a given value that the algorithm would ignore because of the value of another
    parameter. These are the values in ``Algorithm.unused``, and the delta of a guarantee if the
    value of an option gives a guarantee without delta.
    """
    usual, promised = algorithm.guarantee, algorithm.guarantee_at(values)
    idle = dict(algorithm.unused)
    if usual is not None and promised is not None and promised.notion != "none":
        for other, _, guarantee in usual.unless:
            lost = {*usual.letters} - {*guarantee.letters} if guarantee is promised else ()
            idle |= {(letter, NUMBER): (other, values[other]) for letter in lost}
    for (option, x), (other, y) in idle.items():
        number = values.get(option)
        if x == NUMBER and promised is not None and option in promised.letters:
            continue
        is_idle = not isinstance(number, str) if x == NUMBER else number == x
        if is_idle and option in given and values.get(other) == y:
            key = f"{algorithm.group}.{option}"
            raise BadInput(
                f"{key}={plain(number)}: {algorithm.name} does not use {option} with {other}={y}; "
                f"leave {option} out"
            )


def _refuse_above_horizon(
    algorithm: Algorithm, numbers: Mapping[str, float], horizon: float
) -> None:
    """Refuse a parameter that counts rounds or users and is larger than the horizon."""
    for name, x in algorithm.domains.items():
        if isinstance(x, Interval) and x.counts and numbers[name] > horizon:
            key = f"{algorithm.group}.{name}"
            raise BadInput(f"{key}={int(numbers[name])}: {x.allowed}, {power(horizon)}, is needed")


def _arm_of(arm: Any, env: str, instance: Instance) -> int:
    """Check the number of an arm of the environment, and return it."""
    a, K = as_integer("arm", arm, at_least=0), len(instance.means)
    if a >= K:
        arms = "one arm, arm=0" if K == 1 else f"{K} arms, from arm=0 to arm={K - 1}"
        raise BadInput(f"arm={plain(arm)}: env={env} has {arms}")
    return a


def _check_actions(algorithm: Algorithm, env: str, instance: Instance) -> None:
    """Refuse an environment whose actions the algorithm does not play."""
    declared = algorithm.rewards is not None or algorithm.guarantee is not None
    if declared and instance.actions not in PLAYED_BY[algorithm.actions]:
        other = f"algo={SUCH[instance.actions]} or env={EXAMPLES[algorithm.actions]}"
        raise BadInput(
            f"env={env}: the environment has {instance.actions}, but {algorithm.name} plays "
            f"{algorithm.actions}; use for example {other}"
        )
    if isinstance(instance, LoggedInstance):
        if algorithm.name in UNABLE:
            raise BadInput(f"env={env}: {algorithm.name} needs labels, and a log has none")
        if not (in_package(algorithm.file) or algorithm.of_class or algorithm.actions == USERS):
            raise BadInput(
                f"env={env}: {algorithm.name} is a function, which plays rows that do not count, "
                "too; write a class"
            )


def _check_rewards(setting: Setting, instance: Instance, assume: bool) -> None:
    """Refuse an environment whose rewards violate an assumption of the algorithm's guarantees.

    With ``assume`` only the assumptions on which privacy depends are checked.
    """
    question, algorithm, rewards = setting.question, setting.algorithm, setting.algorithm.rewards
    if not question.one_arm and len(instance.means) < 2:
        raise BadInput(f"env={setting.env}: a bandit needs at least two arms")
    found = rewards.violation(instance, setting.parameters) if rewards is not None else None
    hint = rewards.remedy(instance, setting.parameters) if found and rewards else ""
    waivable = not question.one_arm and (rewards is None or not rewards.needed_for_privacy)
    outliers = instance.contamination > 0 and not (rewards and rewards.outliers)
    if outliers and (waivable or not found):
        found = (
            f"its rewards are outliers with probability {instance.contamination:g}",
            "no outliers",
        )
        waivable, hint = not question.one_arm, ""
    if found is not None and not (waivable and assume):
        if waivable:
            hint = f"; assume=true runs {setting.algo} anyway"
            if rewards is not None and rewards.waived_with_privacy:
                hint += ", without its privacy guarantee"
        elif algorithm.any_rewards:
            hint = f"; {algorithm.any_rewards} takes any rewards"
        raise BadInput(
            f"env={setting.env}: {found[0]}, but {setting.algo} assumes {found[1]}{hint}"
        )
    local = algorithm.guarantee is not None and algorithm.guarantee.curator is not None
    if instance.environment.reports and local and not algorithm.reports:
        raise BadInput(
            f"env={setting.env}: outliers replace messages of users, but {setting.algo} assumes "
            "that they replace rewards; write env.stage=rewards"
        )
    rounds = instance.rounds
    if rounds and setting.horizon > rounds:
        limit, only = question.limit, f"the data have {rounds} rounds only"
        raise BadInput(f"{limit}={power(setting.horizon)}: {only}; write {limit}={rounds}")
    if isinstance(instance, LoggedInstance):
        instance.refuse_few(f"{question.limit}={setting.horizon}", setting.horizon)


def _refuse_alike(settings: Iterable[Setting]) -> None:
    """Refuse two values of a key that differ but look equal in tables and figures."""
    values: dict[str, dict[float, None]] = {}
    for setting in settings:
        shown = {setting.budget_name: setting.budget, **dict(setting.goal), **setting.columns}
        for key, value in shown.items():
            if not isinstance(value, int):  # all digits are shown
                values.setdefault(key, {})[to_float(value)] = None
    for key, found in values.items():
        refuse_alike(key, found)


def _refuse_unused(question: Question, unused: Iterable[str], known: Collection[str]) -> None:
    """Refuse a swept key that no algorithm or environment of the sweep takes. The message suggests
    a known name.
    """
    for name in sorted(unused):
        short = name.removeprefix(f"{question.group}.")
        near = short if short in known else similar(short, known, SURE_SIMILARITY)
        hint = f"; did you mean {near}?" if near and near != name else ""
        owner = "environment" if name.startswith("env.") else question.noun
        raise BadInput(f"sweep.{name}: no {owner} of the sweep has a parameter {name}{hint}")
