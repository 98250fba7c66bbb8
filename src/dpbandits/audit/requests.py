"""Convert a configuration into the audits that it requests, and check every value."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from typing import Any

from ..contracts.algorithm import Algorithm, takes_another
from ..contracts.assumptions import UNIT_INTERVAL
from ..contracts.parameters import BUDGETS, CONFIDENCE, POSITIVE
from ..contracts.question import GOALS, STOPPING
from ..errors import BadInput, plain, unknown
from ..settings.composed import own_parameters
from ..settings.groups import default_keys
from ..settings.resolve import check_names
from ..settings.setting import digest
from ..validation import MAX_INTEGER, argument, as_integer, each, refuse_alike, workers, yes_no
from .exact.methods import method_of
from .external.policy import ExternalPolicy, claimed
from .external.targets import PolicyTarget
from .findings import Audit, ExactAudit, SampledAudit
from .targets.decisions import DecisionTarget, target_of
from .targets.publishing import LocalRandomizerTarget, ReleaseTarget
from .targets.releases import MECHANISMS
from .targets.target import AuditTarget

MAX_SAMPLED_ROUNDS = 1_000_000  # the largest horizon of a sampled game
OF_POLICIES = ("eps", "horizon", "arms", "runs", "confidence", "seed", "jobs", "max_time")
TARGET_KEYS = ("algo", "rule", "mechanism")
MOST_ARMS = {False: 1000, True: 20}  # the largest number of arms, by whether exact=true
NOT_EXACT = ("rule", "mechanism", "runs", "confidence", "seed", "short", "max_time")
NEEDED = {
    False: ("sklearn", "an audit needs scikit-learn: pip install 'dpbandits[audit]'"),
    True: ("flint", "an exact loss needs python-flint: pip install 'dpbandits[audit]'"),
}


def requested(
    config: Mapping[str, Any],
    given: Collection[str] | None,
    algorithm: Algorithm | None,
    spec: Mapping[str, Any],
) -> list[Audit]:
    """Return the audits that a configuration requests.

    There is one audit for each budget. For exact losses, there is one audit for each budget,
    horizon and number of arms. An algorithm with local privacy has an additional audit of its
    randomizer for each budget.

    Args:
        config: the configuration as plain data; ``algo`` and ``rule`` are names.
        given: the keys that the user set; other parameters get their values for short games.
            ``given`` is None if the user set keys for several audits at once, and some of these
            audits do not take every key.
        algorithm: the algorithm or stopping rule, or the claim about an external policy; None for a
            mechanism.
        spec: the contents of the algorithm's configuration file.

    Raises:
        BadInput: a requested audit is not possible, or a library is not installed.
        OutOfReach: no exact loss of this algorithm is known.
    """
    exact = yes_no("exact", config["exact"])
    _check_keys(config, given, exact, algorithm)
    runs, short = config["runs"], config["short"]
    sampling: dict[str, Any] = {
        "runs": None if runs is None else as_integer("runs", runs, at_least=100, at_most=10**8),
        "confidence": argument("confidence", config["confidence"], CONFIDENCE, math.nan),
        "seed": as_integer("seed", config["seed"], at_least=0),
        "jobs": workers(config["jobs"]),
    }
    limits = {
        "horizon": (2, MAX_INTEGER if exact else MAX_SAMPLED_ROUNDS),
        "arms": (2, MOST_ARMS[exact]),
    }
    lengths, arms = (
        tuple(as_integer(key, x, *ends) for x in each(config[key]) if config[key] is not None)
        for key, ends in limits.items()
    )
    inner = short if isinstance(short, dict) else {"ALGORITHM": short}
    for name, x in inner.items():
        if not isinstance(x, dict):
            key = "short" if inner is not short else f"short.{name}"
            what = "short sets parameters for the short games of an audit"
            raise BadInput(f"{key}={plain(x)}: {what}; write short.{name}.PARAMETER=VALUE")
    targets: list[AuditTarget] = []
    if algorithm is None:
        name = str(config["mechanism"])
        if name not in MECHANISMS:
            raise unknown("mechanism", name, MECHANISMS)
        release = MECHANISMS[name]
        targets = [ReleaseTarget(release, x) for x in _levels(config, name, release.budget)]
    else:
        if algorithm.budget is None:
            why = "without a parameter eps or rho, " * (algorithm.file is None)
            raise BadInput(
                f"{algorithm.group}={algorithm.name}: {why}the {algorithm.question.noun} promises "
                "no privacy, so there is nothing to audit"
            )
        levels = _levels(config, algorithm.name, algorithm.budget, algorithm.usual_budget)
        own = [_target(config, algorithm, spec, x, (lengths, arms), given or ()) for x in levels]
        for target in own:
            targets.append(target)
            if target.guarantee.notion == "local":
                targets.append(LocalRandomizerTarget(algorithm, target.budget, target.values))
    library, line = NEEDED[exact]
    if find_spec(library) is None:
        raise BadInput(line)
    if exact:
        usual = () if lengths else (method_of(own[0].source, own[0].guarantee).usual,)
        games = product(own, lengths or usual, arms or (2,))
        return [ExactAudit(x, T, K, sampling["jobs"]) for x, T, K in games]
    return [SampledAudit(target, **sampling) for target in targets]


def seconds_of(config: Mapping[str, Any]) -> float:
    """Return the time, in seconds, that all audits of a configuration together may take."""
    given = config["max_time"]
    return math.inf if given is None else argument("max_time", given, POSITIVE, math.nan)


def _check_keys(
    config: Mapping[str, Any],
    given: Collection[str] | None,
    exact: bool,
    algorithm: Algorithm | None,
) -> None:
    """Refuse keys that an audit would ignore, and requests with no audit target or with several
    targets.

    For an external policy, every key that its audit does not take is refused. For an algorithm, a
    rule or a mechanism, a key is refused if its value is not the default and would not be used.
    """
    if algorithm is not None and isinstance(algorithm.function, ExternalPolicy):
        if exact:
            raise BadInput(f"policy={algorithm.name}: only algorithms have an exact loss")
        for name in given or ():
            if name not in (*OF_POLICIES, "exact"):
                raise BadInput(f"policy={algorithm.name}: an audit of policies takes no {name}")
        return
    usual, own = default_keys("audit"), "" if algorithm is None else algorithm.name
    audited, unused = f"mechanism={plain(config['mechanism'])}", GOALS | {"horizon", "arms"}
    if algorithm is not None:
        one_arm = {"arms"} if algorithm.question.one_arm else set()
        audited = f"{algorithm.group}={own}"
        unused = GOALS - {*algorithm.question.goal_names} | one_arm
    reasons = {key: f"the audit of {audited} takes no {key}" for key in sorted(unused)}
    why = "with exact=true only algo, eps, horizon and arms have an effect; leave {} out"
    others = {key: why.format(key) for key in NOT_EXACT} if exact else {}
    for key, reason in (({} if given is None else reasons) | others).items():
        if config[key] != usual[key]:
            raise BadInput(f"{key}={plain(config[key])}: {reason}")
    for key in given or ():
        if key.startswith("short.") and key.split(".")[1] != own:
            raise BadInput(f"{key}: the audit of {audited} does not use this key")
    named, one_of = [key for key in TARGET_KEYS if config[key] is not None], ", ".join(TARGET_KEYS)
    if not named:
        raise BadInput(f"nothing to audit: one of {one_of} is needed")
    if len(named) > 1:
        raise BadInput(f"{' and '.join(named)}: give only one of {one_of}")


def _levels(config: Mapping[str, Any], audited: str, name: str, usual: Any = 1.0) -> list[float]:
    """Return the requested values of the privacy budget ``name``, or its default value.

    A value for another privacy budget is refused.
    """
    for other in BUDGETS:
        if other != name and config[other] is not None:
            given = plain(config[other])
            raise BadInput(f"{other}={given}: {takes_another(audited, other, name)}")
    values = each(usual if config[name] is None else config[name])
    found = dict.fromkeys(argument(name, x, POSITIVE, math.nan) for x in values)
    refuse_alike(name, found)
    return [*found]


def _target(config, algorithm: Algorithm, spec, budget: float, sizes, given) -> DecisionTarget:
    """Return the audit target of an algorithm or stopping rule at one budget, and check its
    parameters.
    """
    group, where = algorithm.group, f"{algorithm.group}={algorithm.name}"
    local = algorithm.guarantee is not None and algorithm.guarantee.notion == "local"
    if algorithm.per_user and not local:
        raise BadInput(
            f"{where}: {algorithm.file or 'dpbandits'}: local privacy is audited response by "
            "response; declare GUARANTEE = local_dp(SOURCE, curator)"
        )
    goals = algorithm.question.goal if group == STOPPING.group else ()
    goal = {key: argument(key, config[key], domain, math.nan) for key, domain in goals}
    # Samples use the parameters of short games, except for parameters that the user set. An exact
    # loss uses the usual parameters
    external = isinstance(algorithm.function, ExternalPolicy)
    short = {} if config["exact"] or external else config["short"].get(algorithm.name, {})
    values = spec | {k: v for k, v in short.items() if f"{group}.{k}" not in given} | goal
    own = own_parameters(algorithm)
    for name in short:
        if name not in own:
            raise unknown(f"parameter in short.{algorithm.name}:", str(name), own)
    check_names(algorithm, spec, values)
    letters = algorithm.guarantee.letters if algorithm.guarantee else ()
    for name in set(letters) & set(own):
        values[name] = argument(f"{group}.{name}", values[name], algorithm.domains[name], math.nan)
    found = (PolicyTarget if external else target_of)(algorithm, budget, values, *sizes)
    found.arguments(100)  # raises BadInput for values that the algorithm cannot take
    if found.promised == math.inf:
        if found.gaussian is None:
            raise BadInput(f"{where}: with these parameters the algorithm promises no privacy")
        only = "only Gaussian noise promises Gaussian DP, whose loss mu the audit tests"
        raise BadInput(f"{group}.noise={spec.get('noise')}: {only}; write {group}.noise=gaussian")
    return found if config["exact"] else _replayed(found)


def _replayed(target: DecisionTarget) -> DecisionTarget:
    """Return a target as an external policy if its noise can be replayed without a declared
    alignment.

    A class is such a target if it declares no guarantee, has the budget eps, requires at most that
    rewards are in [0, 1], and has parameters that do not depend on the horizon. Any other target is
    returned unchanged.
    """
    source = target.source
    if not source.of_class or source.guarantee is not None or source.budget != "eps":
        return target
    numbers = target.arguments(100)
    if source.rewards not in (None, UNIT_INTERVAL) or numbers != target.arguments(200):
        return target  # arguments may depend on the horizon
    made = claimed(source.function.with_values(*numbers))
    version = digest(source.version, repr(numbers), length=12)
    made = replace(made, name=source.name, version=version)
    return PolicyTarget(made, target.budget, {}, target.horizons, target.sizes)
