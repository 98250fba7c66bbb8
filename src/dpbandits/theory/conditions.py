"""Conditions that several theorems share."""

from __future__ import annotations

import math

from ..contracts.assumptions import Assumption
from .bounds import Condition
from .problem import Problem


def algorithm(*names: str, words: str = "") -> Condition:
    """Return the condition that the algorithm is one of ``names``. Messages contain these names, or
    ``words`` in place of the names.
    """
    return Condition(words or " or ".join(names), lambda problem: problem.algo in names)


def assumes(words: str, assumption: Assumption) -> Condition:
    """Return the condition that the rewards satisfy an assumption."""

    def holds(problem: Problem) -> bool:
        clean = assumption.outliers or problem.instance.contamination == 0
        return clean and assumption.violation(problem.instance, problem.letters) is None

    return Condition(words, holds)


PRIVACY = Condition("eps > 0", lambda eps: eps > 0)
PURE = Condition("an algorithm with eps-DP, or without privacy", lambda problem: problem.pure)
RELAXED = Condition(
    "an algorithm with zCDP, RDP or a delta instead of pure DP", lambda problem: not problem.pure
)
SMALL_BUDGET = Condition("eps <= 1", lambda eps: eps <= 1)
UNIT_REWARDS = Condition("independent rewards in [0, 1]", lambda problem: problem.unit)
BERNOULLI = Condition("Bernoulli arms", lambda problem: problem.bernoulli)
BEST_BELOW_1 = Condition("a best mean below 1", lambda means: max(means) < 1)
LOCAL = Condition("a locally private algorithm", lambda problem: problem.local)
LINEAR = Condition(
    "an eps-DP algorithm for linear bandits (the package has none)", lambda problem: False
)
IN_THE_BALL = Condition(
    "vectors and a theta of length at most 1",
    lambda problem: max(problem.instance.longest) <= 1.0 + 1e-9,
)
STOPPING = Condition(
    "a stopping rule: it bounds a number of samples, not regret", lambda problem: False
)
V = Condition("v in (0, 1]", lambda v: 0 < v <= 1)
EPS_AND_V = (PRIVACY, SMALL_BUDGET, V)
FOR_TAILS = algorithm("dpr_ucb", "dpr_se", "ldpr_se", words="an algorithm for heavy tails")
HEAVY_TAILED = (FOR_TAILS, *EPS_AND_V)
BETA = Condition("beta = 1/T", lambda beta, T: math.isclose(beta * T, 1, rel_tol=1e-6))
DELTA = Condition("delta = 1/T", lambda delta, T: math.isclose(delta * T, 1, rel_tol=1e-6))
