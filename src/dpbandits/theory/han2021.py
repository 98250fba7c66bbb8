"""The bound of Han et al. 2021: greedy learners with local privacy of contexts and rewards."""

from __future__ import annotations

import math

from ..contracts.question import CONTEXTS
from .bounds import ORDER, Condition, bounds_of
from .conditions import IN_THE_BALL, PRIVACY, algorithm

_, upper = bounds_of("Han et al. 2021")
DRAWN = Condition(
    "contexts and rewards that are drawn anew in every round",
    lambda problem: len(problem.instance.environment.table) == 0,
)
LINK = Condition(
    "the link of the rewards in the algorithm, too",
    lambda problem: problem.parameters.get("link", 0) == problem.instance.environment.logistic,
)


@upper("Abstract", ORDER, "sqrt(T)/eps",
       algorithm("ldp_sgd", "ldp_ols"), PRIVACY, IN_THE_BALL, DRAWN, LINK, actions=CONTEXTS,
       note="without logarithmic factors")  # fmt: skip
def greedy_with_local_privacy(eps: float, T: float) -> float:
    """Order of the regret of LDP-SGD and LDP-OLS for contexts that are drawn in every round
    (Abstract), with a constant of 1 and without logarithms.
    """
    return math.sqrt(T) / eps
