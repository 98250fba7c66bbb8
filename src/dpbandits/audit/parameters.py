"""The arguments of an algorithm whose rewards are fixed, not drawn from an environment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..contracts.algorithm import Algorithm
from ..environments.catalogue import build
from ..settings.resolve import arguments

COIN = {"law": "sign", "mean": 0.0, "scale": 1.0}  # the environment of parameters that are auto


def arguments_at(algorithm: Algorithm, parameters: Mapping[str, Any], T: int) -> tuple[float, ...]:
    """The arguments of an algorithm's function at a horizon, from parameters as a configuration
    holds them.

    Raises:
        BadInput: the algorithm cannot take them.
    """
    question = algorithm.question
    horizon = T if question.plays_on else math.nan
    return arguments(algorithm, parameters, horizon, "sign", build(COIN), question.goal_names)
