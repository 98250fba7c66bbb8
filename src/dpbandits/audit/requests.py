"""From a composed configuration to what is audited, checked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from ..contracts.algorithm import Algorithm, find_file, load
from ..contracts.parameters import CONFIDENCE, FRACTION, POSITIVE, RANGE
from ..errors import BadInput, plain, unknown
from ..settings.resolve import check_names
from ..validation import argument, folder, whole, workers
from .players import Learner, Stopper
from .releases import MECHANISMS
from .subjects import Subject
from .tellers import Release, Sender

SUBJECTS = ("algo", "rule", "mechanism")
KEYS = [*SUBJECTS, "eps", "horizon", "runs", "confidence", "rel_error", "beta", "R"]
KEYS += ["seed", "short", "jobs", "results"]
NUMBERS = {"rel_error": FRACTION, "beta": FRACTION, "R": RANGE}


def requested(
    config: Mapping[str, Any], given: Collection[str], folders: tuple[str, ...]
) -> list[Subject]:
    """The subjects of a configuration, one for each budget.

    Args:
        config: the composed configuration as plain data; ``algo`` and ``rule`` are names.
        given: the keys that the user set; other parameters are those of short games.
        folders: the user's configuration folders.

    Raises:
        BadInput: something in it cannot be audited.
    """
    for key in config:
        if key not in KEYS:
            raise unknown("key", key, KEYS)
    named = [key for key in SUBJECTS if config[key] is not None]
    if len(named) != 1:
        raise BadInput(f"{' and '.join(named)}: one of {', '.join(SUBJECTS)} is audited at a time")
    whole("seed", config["seed"], at_least=0)
    workers(config["jobs"])
    if config["runs"] is not None:
        whole("runs", config["runs"], at_least=100, at_most=10**8)
    argument("confidence", config["confidence"], CONFIDENCE, math.nan)
    folder("results", config["results"])
    short = config["short"]
    if not isinstance(short, dict) or not all(isinstance(x, dict) for x in short.values()):
        raise BadInput(f"short={plain(short)}: write short.ALGORITHM.PARAMETER=VALUE")
    asked = 1.0 if config["eps"] is None else config["eps"]
    budgets = asked if isinstance(asked, list) and asked else [asked]
    numbers = [argument("eps", eps, POSITIVE, math.nan) for eps in budgets]
    return [subject(config, named[0], eps, given, folders) for eps in numbers]


def subject(
    config: Mapping[str, Any],
    group: str,
    eps: float,
    given: Collection[str],
    folders: tuple[str, ...],
) -> Subject:
    """What is audited at one budget; see ``requested``."""
    name = str(config[group])
    if group == "mechanism":
        if name not in MECHANISMS:
            raise unknown("mechanism", name, MECHANISMS)
        return Release(MECHANISMS[name], eps)
    file = find_file(name, folders, group)
    algorithm = load(file)
    if not algorithm.private:
        raise BadInput(f"{group}={name}: it promises no privacy, so there is nothing to audit")
    if algorithm.guarantee is not None and algorithm.guarantee.notion == "local":
        return Sender(file, eps)
    if algorithm.local:
        raise BadInput(
            f"{group}={name}: {file}: local privacy is audited response by response; say "
            "GUARANTEE = local_dp(SOURCE, curator)"
        )
    values = parameters(config, group, algorithm, given)
    horizon = config["horizon"]
    asked = [] if horizon is None else horizon if isinstance(horizon, list) else [horizon]
    horizons = tuple(whole("horizon", T, at_least=2, at_most=1_000_000) for T in asked)
    found = (Stopper if group == "rule" else Learner)(file, eps, values, horizons)
    found.arguments(100)  # refuses values that the algorithm cannot take
    return found


def parameters(
    config: Mapping[str, Any], group: str, algorithm: Algorithm, given: Collection[str]
) -> dict[str, Any]:
    """The parameters but eps of what is audited, those of short games where none were given."""
    own = config[f"{group}_spec"]
    short = config["short"].get(algorithm.name, {})
    values = own | {k: v for k, v in short.items() if f"{group}.{k}" not in given}
    wanted = [name for name in algorithm.domains if name != "eps"]
    if group == "rule":
        values |= {key: argument(key, config[key], d, math.nan) for key, d in NUMBERS.items()}
    check_names(group, algorithm.name, wanted, own, values)
    return values
