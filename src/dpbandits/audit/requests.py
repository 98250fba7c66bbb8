"""From a configuration to the audits that it asks for, every value checked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from itertools import product
from typing import Any

from ..contracts.algorithm import Algorithm, takes_another
from ..contracts.parameters import BUDGETS, CONFIDENCE, POSITIVE
from ..contracts.question import BEST_ARM, CONTEXTUAL, HYPOTHESES, QUESTIONS, REGRET, STOPPING
from ..errors import BadInput, plain, unknown
from ..settings.groups import default_keys
from ..settings.resolve import check_names
from ..validation import LARGEST, argument, each, folder, whole, workers, yes_no
from .exact.methods import usual_horizon
from .external.policy import Make, claimed, name_of
from .external.targets import PolicyTarget
from .findings import Audit, ExactAudit, SampledAudit
from .targets.decisions import (
    BestArmTarget,
    ContextualRegretTarget,
    DecisionTarget,
    RegretTarget,
    StoppingTarget,
)
from .targets.publishing import LocalRandomizerTarget, ReleaseTarget
from .targets.releases import MECHANISMS
from .targets.target import AuditTarget

TARGETS = {
    REGRET: RegretTarget,
    CONTEXTUAL: ContextualRegretTarget,
    STOPPING: StoppingTarget,
    BEST_ARM: BestArmTarget,
    HYPOTHESES: StoppingTarget,
}
LONGEST = 1_000_000  # rounds of a game that is sampled
OF_POLICIES = ("eps", "horizon", "runs", "confidence", "seed", "jobs")  # keys of their audits
TARGET_KEYS = ("algo", "rule", "mechanism")
NOTHING = "it promises no privacy, so there is nothing to audit"
# By the value of ``exact``: the keys that it does not take, why, and the library that it needs
OTHER_KEYS = {
    False: (("arms",), "only exact=true takes a number of arms"),
    True: (
        ("rule", "mechanism", "runs", "confidence", "seed", "short"),
        "an exact loss takes algo, eps, horizon and arms; leave it out",
    ),
}
NEEDED = {
    False: ("sklearn", "an audit needs scikit-learn: pip install 'dpbandits[audit]'"),
    True: ("flint", "an exact loss needs python-flint: pip install 'dpbandits[exact]'"),
}


def requested(
    config: Mapping[str, Any],
    given: Collection[str],
    algorithm: Algorithm | None,
    spec: Mapping[str, Any],
    policy: Make | None = None,
    local: bool = False,
) -> list[Audit]:
    """The audits of a configuration: one for each budget; of exact losses, and each horizon.

    Args:
        config: the configuration as plain data; ``algo`` and ``rule`` are names.
        given: the keys that the user set; other parameters are those of short games.
        algorithm: the algorithm or stopping rule that is chosen, None for others.
        spec: the contents of its configuration file.
        policy: what makes the external policies that are audited, None for others.
        local: whether they promise that each user's response is private.

    Raises:
        BadInput: something cannot be audited, or a library is not installed.
        OutOfReach: no exact loss of this algorithm is known.
    """
    if policy is not None:
        _check_policy(policy, config, given)
    keys = default_keys("audit")
    for key in config:
        if key not in keys:
            raise unknown("key", key, keys)
    exact = yes_no("exact", config["exact"])
    others, why = OTHER_KEYS[exact]
    for key in others:
        if config[key] != keys[key]:
            raise BadInput(f"{key}={plain(config[key])}: {why}")
    named = [key for key in TARGET_KEYS if config[key] is not None]
    if not (named or policy):
        raise BadInput(f"nothing to audit: one of {', '.join(TARGET_KEYS)} is needed")
    if len(named) > 1:
        raise BadInput(
            f"{' and '.join(named)}: one of {', '.join(TARGET_KEYS)} is audited at a time"
        )
    sampling = _sampling(config)
    arms = whole("arms", config["arms"], at_least=2, at_most=20)
    if config["results"] is not None:
        folder("results", config["results"])
    short = config["short"]
    if not isinstance(short, dict) or not all(isinstance(x, dict) for x in short.values()):
        raise BadInput(f"short={plain(short)}: write short.ALGORITHM.PARAMETER=VALUE")
    lengths = _lengths(config, LARGEST if exact else LONGEST)
    if policy is not None:
        _need_library(exact)
        levels = budgets_of(config, f"policy={name_of(policy)}", "eps")
        source = claimed(policy, local)
        targets: list[AuditTarget] = [PolicyTarget(source, x, {}, lengths, local) for x in levels]
    elif algorithm is None:
        name = str(config["mechanism"])
        if name not in MECHANISMS:
            raise unknown("mechanism", name, MECHANISMS)
        release = MECHANISMS[name]
        targets = [ReleaseTarget(release, x) for x in budgets_of(config, name, release.budget)]
    else:
        if algorithm.budget is None:
            why = "without a parameter eps or rho, " * (algorithm.file is None)
            raise BadInput(f"{algorithm.group}={algorithm.name}: {why}{NOTHING}")
        usual = usual_horizon(algorithm) if exact else 0
        levels = budgets_of(config, algorithm.name, algorithm.budget, algorithm.usual_budget)
        own = [_target(config, algorithm, spec, x, lengths, given) for x in levels]
        if exact:
            _need_library(exact)
            return [ExactAudit(x, T, arms) for x, T in product(own, lengths or [usual])]
        targets = [x for one in own for x in (one, *_responses(one))]
    _need_library(exact)
    return [SampledAudit(target, **sampling) for target in targets]


def _responses(target: DecisionTarget) -> list[LocalRandomizerTarget]:
    """The response of a user, where it is that which is private."""
    guarantee = target.source.guarantee
    local = guarantee is not None and guarantee.notion == "local"
    return [LocalRandomizerTarget(target.source, target.budget)] if local else []


def _check_policy(policy: Any, config: Mapping[str, Any], given: Collection[str]) -> None:
    """Refuse what makes no policies, and keys that their audit does not take."""
    if not callable(policy):
        raise BadInput(
            f"policy={plain(policy)}: it is called policy(arms=K, horizon=T, eps=eps, "
            "rng=generator)"
        )
    where = f"policy={name_of(policy)}"
    if config["exact"]:
        raise BadInput(f"{where}: only algorithms have an exact loss")
    for name in given:
        if name not in (*OF_POLICIES, "exact"):
            raise BadInput(f"{where}: an audit of policies takes no {name}")


def refuse_unused(
    config: Mapping[str, Any], given: Collection[str], algorithm: Algorithm | None
) -> None:
    """Refuse values of keys that the audit of an algorithm or rule, or of a mechanism, ignores.

    ``given`` are the keys that the user set.
    """
    usual, audited = default_keys("audit"), f"mechanism={plain(config['mechanism'])}"
    goals = {name for question in QUESTIONS for name in question.goal_names}
    unused = goals | {"horizon"}
    if algorithm is not None:
        audited = f"{algorithm.group}={algorithm.name}"
        unused = goals - set(algorithm.question.goal_names)
    for key in sorted(unused):
        if config[key] != usual[key]:
            raise BadInput(f"{key}={plain(config[key])}: the audit of {audited} takes no {key}")
    own = "" if algorithm is None else algorithm.name
    for key in given:
        if key.startswith("short.") and key.split(".")[1] != own:
            raise BadInput(f"{key}: the audit of {audited} takes no parameters of others")


def _sampling(config: Mapping[str, Any]) -> dict[str, Any]:
    """What a test by samples takes: seed, workers, runs (None for the usual ones), confidence."""
    seed, jobs = whole("seed", config["seed"], at_least=0), workers(config["jobs"])
    runs = config["runs"]
    runs = None if runs is None else whole("runs", runs, at_least=100, at_most=10**8)
    confidence = argument("confidence", config["confidence"], CONFIDENCE, math.nan)
    return {"runs": runs, "confidence": confidence, "seed": seed, "jobs": jobs}


def _lengths(config: Mapping[str, Any], longest: int) -> tuple[int, ...]:
    """The horizons of the games that are played; none for the usual ones."""
    horizons = [] if config["horizon"] is None else each(config["horizon"])
    return tuple(whole("horizon", T, at_least=2, at_most=longest) for T in horizons)


def _need_library(exact: bool) -> None:
    """Refuse an audit whose library is not installed."""
    library, line = NEEDED[exact]
    if find_spec(library) is None:
        raise BadInput(line)


def budgets_of(config: Mapping[str, Any], audited: str, name: str, usual: Any = 1.0) -> list[float]:
    """The values of the privacy budget that is audited, or the usual one; another is refused."""
    for other in BUDGETS:
        if other != name and config[other] is not None:
            given = plain(config[other])
            raise BadInput(f"{other}={given}: {takes_another(audited, other, name)}")
    values = each(usual if config[name] is None else config[name])
    return [argument(name, x, POSITIVE, math.nan) for x in values]


def _target(config, algorithm: Algorithm, spec, budget: float, lengths, given) -> DecisionTarget:
    """The target of an algorithm or stopping rule at one budget, its parameters checked."""
    group, where = algorithm.group, f"{algorithm.group}={algorithm.name}"
    local = algorithm.guarantee is not None and algorithm.guarantee.notion == "local"
    if algorithm.per_user and not local:
        raise BadInput(
            f"{where}: {algorithm.file or 'dpbandits'}: local privacy is audited response by "
            "response; declare GUARANTEE = local_dp(SOURCE, curator)"
        )
    goals = algorithm.question.goal if group == STOPPING.group else ()
    goal = {key: argument(key, config[key], domain, math.nan) for key, domain in goals}
    # parameters of short games, unless the user set them; an exact loss is that of the usual ones
    short = {} if config["exact"] else config["short"].get(algorithm.name, {})
    values = spec | {k: v for k, v in short.items() if f"{group}.{k}" not in given} | goal
    own = [name for name in algorithm.domains if name not in (algorithm.budget, "eps_min", *goal)]
    for name in short:
        if name not in own:
            raise unknown(f"parameter in short.{algorithm.name}:", str(name), own)
    check_names(algorithm, own, spec, values)
    letters = algorithm.guarantee.letters if algorithm.guarantee else ()
    for name in set(letters) & set(own):
        values[name] = argument(f"{group}.{name}", values[name], algorithm.domains[name], math.nan)
    found = TARGETS[algorithm.question_played](algorithm, budget, values, lengths)
    found.arguments(100)  # refuses values that the algorithm cannot take
    if found.promised == math.inf:
        if found.gaussian is None:
            raise BadInput(f"{where}: with these parameters the algorithm promises no privacy")
        raise BadInput(f"{where}: mu is known for Gaussian noise only; write noise=gaussian")
    return found
