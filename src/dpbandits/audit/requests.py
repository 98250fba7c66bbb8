"""From a configuration to the audits that it asks for, every value checked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from itertools import product
from typing import Any

from ..contracts.algorithm import Algorithm, takes_another
from ..contracts.parameters import BUDGETS, CONFIDENCE, POSITIVE
from ..contracts.question import BEST_ARM, CONTEXTUAL, HYPOTHESES, REGRET, STOPPING
from ..errors import BadInput, plain, unknown
from ..settings.groups import default_keys
from ..settings.resolve import check_names
from ..validation import LARGEST, argument, each, folder, whole, workers, yes_no
from .alignment.visit import Visit
from .exact.methods import usual_horizon
from .findings import Audit, ExactAudit, SampledAudit
from .prototypes import PrototypeAudit
from .subjects.players import ContextualLearner, Learner, Namer, Player, Stopper
from .subjects.prototypes import Players, name_of
from .subjects.publishing import Release, Sender
from .subjects.releases import MECHANISMS
from .subjects.subject import Subject
from .subjects.visitors import promised

PLAYERS = {
    REGRET: Learner,
    CONTEXTUAL: ContextualLearner,
    STOPPING: Stopper,
    BEST_ARM: Namer,
    HYPOTHESES: Stopper,
}
LONGEST = 1_000_000  # rounds of a game that is sampled
OF_PLAYERS = ("eps", "horizon", "runs", "confidence", "seed", "jobs")  # keys of their audits
SUBJECTS = ("algo", "rule", "mechanism")
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
) -> list[Audit]:
    """The audits of a configuration: one for each budget; of exact losses, and each horizon.

    Args:
        config: the configuration as plain data; ``algo`` and ``rule`` are names.
        given: the keys that the user set; other parameters are those of short games.
        algorithm: the algorithm or stopping rule that is chosen, None for a mechanism.
        spec: the contents of its configuration file.

    Raises:
        BadInput: something cannot be audited, or a library is not installed.
        OutOfReach: no exact loss of this algorithm is known.
    """
    keys = default_keys("audit")
    for key in config:
        if key not in keys:
            raise unknown("key", key, keys)
    exact = yes_no("exact", config["exact"])
    others, why = OTHER_KEYS[exact]
    for key in others:
        if config[key] != keys[key]:
            raise BadInput(f"{key}={plain(config[key])}: {why}")
    named = [key for key in SUBJECTS if config[key] is not None]
    if not named:
        raise BadInput(f"nothing to audit: one of {', '.join(SUBJECTS)} is needed")
    if len(named) > 1:
        raise BadInput(f"{' and '.join(named)}: one of {', '.join(SUBJECTS)} is audited at a time")
    sampling = _sampling(config)
    arms = whole("arms", config["arms"], at_least=2, at_most=20)
    if config["results"] is not None:
        folder("results", config["results"])
    short = config["short"]
    if not isinstance(short, dict) or not all(isinstance(x, dict) for x in short.values()):
        raise BadInput(f"short={plain(short)}: write short.ALGORITHM.PARAMETER=VALUE")
    lengths = _lengths(config, LARGEST if exact else LONGEST)
    subjects: list[Subject] = []
    players: list[Player] = []
    if algorithm is None:
        name = str(config["mechanism"])
        if name not in MECHANISMS:
            raise unknown("mechanism", name, MECHANISMS)
        release = MECHANISMS[name]
        subjects += [Release(release, x) for x in budgets_of(config, name, release.budget)]
    else:
        if algorithm.budget is None:
            raise BadInput(f"{algorithm.group}={algorithm.name}: {NOTHING}")
        usual = usual_horizon(algorithm) if exact else 0
        for x in budgets_of(config, algorithm.name, algorithm.budget):
            players.append(_player(config, algorithm, spec, x, lengths, given))
            subjects.append(players[-1])
            if algorithm.guarantee is not None and algorithm.guarantee.notion == "local":
                subjects.append(Sender(algorithm, x))
    _need_library(exact)
    if exact:
        return [ExactAudit(x, T, arms) for x, T in product(players, lengths or [usual])]
    return [SampledAudit(subject, **sampling) for subject in subjects]


def requested_of(
    make: Players,
    local: bool,
    given: Mapping[str, Any],
) -> list[PrototypeAudit]:
    """The audits of players from elsewhere: one for each budget.

    Args:
        make: what makes the players.
        local: whether each user's response is promised to be private.
        given: the arguments of ``dpbandits.audit`` that are not None, as plain data.

    Raises:
        BadInput: an argument has another value than it may have, or scikit-learn is not installed.
    """
    if not callable(make):
        raise BadInput(
            f"player={plain(make)}: it is called player(arms=K, horizon=T, eps=eps, rng=generator)"
        )
    where = f"player={name_of(make)}"
    config = {**default_keys("audit"), **given}
    if config.pop("exact"):
        raise BadInput(f"{where}: only algorithms have an exact loss")
    for name in given:
        if name not in (*OF_PLAYERS, "exact"):
            raise BadInput(f"{where}: an audit of players takes no {name}")
    _need_library(exact=False)
    levels = budgets_of({"rho": None, **config}, where, "eps")
    lengths, sampling = _lengths(config, LONGEST), _sampling(config)
    source = promised(make, local)
    visits = [Visit(source, eps, {}, local=local) for eps in levels]
    return [PrototypeAudit(x, lengths, **sampling) for x in visits]


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
    check_names(algorithm, own, spec, values)
    letters = algorithm.guarantee.letters if algorithm.guarantee else ()
    for name in set(letters) & set(own):
        values[name] = argument(f"{group}.{name}", values[name], algorithm.domains[name], math.nan)
    found = PLAYERS[algorithm.question_played](algorithm, budget, values, lengths)
    found.arguments(100)  # refuses values that the algorithm cannot take
    if found.promised == math.inf:
        if found.gaussian is None:
            raise BadInput(f"{where}: with these parameters it promises no privacy")
        raise BadInput(f"{where}: of noise that is not Gaussian no mu is known; noise=gaussian")
    return found
