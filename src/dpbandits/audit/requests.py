"""From a configuration to what is audited, every value checked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from typing import Any

from ..contracts.algorithm import Algorithm, takes_another
from ..contracts.parameters import BUDGETS, CONFIDENCE, POSITIVE
from ..contracts.question import BEST_ARM, CONTEXTUAL, HYPOTHESES, REGRET, STOPPING
from ..errors import BadInput, plain, unknown
from ..settings.groups import default_keys
from ..settings.resolve import check_names
from ..validation import argument, each, folder, whole, workers
from .players import ContextualLearner, Learner, Namer, Player, Stopper
from .releases import MECHANISMS
from .subjects import Release, Sender, Subject

PLAYERS = {
    REGRET: Learner,
    CONTEXTUAL: ContextualLearner,
    STOPPING: Stopper,
    BEST_ARM: Namer,
    HYPOTHESES: Stopper,
}
SUBJECTS = ("algo", "rule", "mechanism")
NOTHING = "it promises no privacy, so there is nothing to audit"


def requested(
    config: Mapping[str, Any],
    given: Collection[str],
    algorithm: Algorithm | None,
    spec: Mapping[str, Any],
) -> list[Subject]:
    """The subjects of a configuration, one for each budget.

    Args:
        config: the configuration as plain data; ``algo`` and ``rule`` are names.
        given: the keys that the user set; other parameters are those of short games.
        algorithm: the algorithm or stopping rule that is chosen, None for a mechanism.
        spec: the contents of its configuration file.

    Raises:
        BadInput: something cannot be audited, or scikit-learn is not installed.
    """
    keys = default_keys("audit")
    for key in config:
        if key not in keys:
            raise unknown("key", key, keys)
    named = [key for key in SUBJECTS if config[key] is not None]
    if not named:
        raise BadInput(f"nothing to audit: one of {', '.join(SUBJECTS)} is needed")
    if len(named) > 1:
        raise BadInput(f"{' and '.join(named)}: one of {', '.join(SUBJECTS)} is audited at a time")
    if config["arms"] != keys["arms"]:
        raise BadInput(f"arms={plain(config['arms'])}: only exact=true takes a number of arms")
    whole("seed", config["seed"], at_least=0)
    workers(config["jobs"])
    if config["runs"] is not None:
        whole("runs", config["runs"], at_least=100, at_most=10**8)
    argument("confidence", config["confidence"], CONFIDENCE, math.nan)
    if config["results"] is not None:
        folder("results", config["results"])
    short = config["short"]
    if not isinstance(short, dict) or not all(isinstance(x, dict) for x in short.values()):
        raise BadInput(f"short={plain(short)}: write short.ALGORITHM.PARAMETER=VALUE")
    horizons = [] if config["horizon"] is None else each(config["horizon"])
    lengths = tuple(whole("horizon", T, at_least=2, at_most=1_000_000) for T in horizons)
    if algorithm is None:
        name = str(config["mechanism"])
        if name not in MECHANISMS:
            raise unknown("mechanism", name, MECHANISMS)
        release = MECHANISMS[name]
        numbers = budgets_of(config, name, release.budget)
        subjects: list[Subject] = [Release(release, x) for x in numbers]
    else:
        where = f"{algorithm.group}={algorithm.name}"
        if algorithm.budget is None:
            raise BadInput(f"{where}: {NOTHING}")
        numbers = budgets_of(config, algorithm.name, algorithm.budget)
        subjects = [_player(config, algorithm, spec, x, lengths, given) for x in numbers]
        if algorithm.guarantee is not None and algorithm.guarantee.notion == "local":
            pairs = ((player, Sender(algorithm, player.budget)) for player in subjects)
            subjects = [subject for pair in pairs for subject in pair]
    if find_spec("sklearn") is None:
        raise BadInput("an audit needs scikit-learn: pip install 'dpbandits[audit]'")
    return subjects


def budgets_of(config: Mapping[str, Any], audited: str, name: str) -> list[float]:
    """The values of the privacy budget that is audited, 1 by default; another one is refused."""
    for other in BUDGETS:
        if other != name and config[other] is not None:
            given = plain(config[other])
            raise BadInput(f"{other}={given}: {takes_another(audited, other, name)}")
    values = each(1.0 if config[name] is None else config[name])
    return [argument(name, x, POSITIVE, math.nan) for x in values]


def _player(config, algorithm: Algorithm, spec, budget: float, lengths, given) -> Player:
    """The player of an algorithm or stopping rule at one budget, its parameters checked."""
    where = f"{algorithm.group}={algorithm.name}"
    local = algorithm.guarantee is not None and algorithm.guarantee.notion == "local"
    if algorithm.per_user and not local:
        raise BadInput(
            f"{where}: {algorithm.file or 'dpbandits'}: local privacy is audited response by "
            "response; declare GUARANTEE = local_dp(SOURCE, curator)"
        )
    group = algorithm.group
    goals = algorithm.question.goal if group == STOPPING.group else ()
    goal = {key: argument(key, config[key], domain, math.nan) for key, domain in goals}
    short = config["short"].get(algorithm.name, {})  # unless the user set a parameter
    values = spec | {k: v for k, v in short.items() if f"{group}.{k}" not in given} | goal
    own = [name for name in algorithm.domains if name not in (algorithm.budget, "eps_min", *goal)]
    check_names(algorithm, own, spec, values)
    letters = algorithm.guarantee.letters if algorithm.guarantee else ()
    for name in set(letters) & set(own):
        values[name] = argument(f"{group}.{name}", values[name], algorithm.domains[name], math.nan)
    found = PLAYERS[algorithm.asked](algorithm, budget, values, lengths)
    found.arguments(100)  # refuses values that the algorithm cannot take
    return found
