"""A learner that plays batches of labelled users, by policies that depend on earlier batches only.

Each batch is used to fit one predictor when the batch ends, so a user's record enters one release.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from ...compiled import inlined, shared
from ...contextual_game import ContextualGame, user_dimension
from ...contracts.guarantees import DEFAULT_DELTA
from ...contracts.parameters import CONFIDENCE, NUMBER, Named
from ...environments.laws import sigmoid
from ...game import rounds_left

Loss = Literal["logistic", "quadratic"]
Calibration = Literal["tight", "printed"]
Delta = Annotated[float, Named({"usual": DEFAULT_DELTA}, CONFIDENCE)]
LOGISTIC = TIGHT = 0.0  # the numbers that stand for these options in ``Oracle``
UNUSED = {
    ("calibration", "printed"): ("loss", "quadratic"), ("delta", NUMBER): ("loss", "logistic"),
}  # fmt: skip
LATEST, ALL, BONUS = 0, 1, 2  # which predictors a learner keeps, see ``new_learner``
ROWS, BEFORE, FITTED = 0, 1, 2  # what ``clock`` counts


class Oracle(NamedTuple):
    """The parameters with which predictors are fitted."""

    eps: float  # privacy budget; infinite for exact fits
    delta: float  # the delta of (eps, delta)-DP with Gaussian noise
    loss: Any  # LOGISTIC, or 1 for the quadratic oracle
    ridge: float  # weight of |theta|^2, for each row
    calibration: Any  # of the logistic oracle: TIGHT, or 1 for the printed calibration


class Learner(NamedTuple):
    """The present batch, and the releases about earlier batches.

    A user has a vector z of p = d + 1 features. The features of action a for this user are the
    Kronecker product e_a (x) z, of D = K p numbers.
    """

    oracle: Oracle
    # int64 array (3,): rows of the present batch, rounds before it, predictors fitted so far
    clock: np.ndarray
    features: np.ndarray  # float64 array (rows of the data, p), z of each row
    rows: np.ndarray  # int64 array, the row of each user; negative if the round does not count
    actions: np.ndarray  # int64 array, the action of each user
    losses: np.ndarray  # float64 array, the losses of these actions
    theta: np.ndarray  # float64 array (kept, K, p), the latest predictor, or all of them
    sizes: np.ndarray  # float64 array (kept,), number of rows on which each predictor was fitted
    totals: np.ndarray  # float64 array (kept,), number of these rows and of all earlier rows
    raw: np.ndarray  # float64 array (K,), theta . (e_a (x) z) of a user
    f: np.ndarray  # float64 array (K,), the predicted losses of a user
    p: np.ndarray  # float64 array (K,), probabilities of actions
    work: np.ndarray  # float64 array (2, K), work space of a policy
    V: np.ndarray  # float64 array (D, D), I + the sum of released G; (0, 0) without a bonus
    inverse: np.ndarray  # float64 array (D, D), V^-1
    width: np.ndarray  # float64 array (K,), the leverage of each action for a user


@shared
def new_learner(game: ContextualGame, oracle: Oracle, keeps: int) -> Learner:
    """Return a learner before its first batch.

    ``keeps`` is ALL to keep all predictors, LATEST to keep the latest predictor, or BONUS to keep
    the latest predictor and the matrix V for a bonus.
    """
    T, K, p, levels = rounds_left(game), len(game.counts), user_dimension(game), 1
    while 2**levels <= T:
        levels += 1
    kept, D = levels if keeps == ALL else 1, K * p if keeps == BONUS else 0
    V, most = np.zeros((D, D)), T // 2 + 1
    for k in range(D):
        V[k, k] = 1.0
    return Learner(
        oracle, np.zeros(3, np.int64), game.env.rows, np.zeros(most, np.int64),
        np.zeros(most, np.int64), np.zeros(most), np.zeros((kept, K, p)), np.zeros(kept),
        np.zeros(kept), np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((2, K)), V, V.copy(),
        np.zeros(K),
    )  # fmt: skip


@inlined
def users_shown(now: Learner) -> int:
    """Return the number of users of the present batch."""
    return now.clock[ROWS]


@inlined
def rounds_before(now: Learner) -> float:
    """Return the number of rounds before the present batch, but at least 1."""
    return max(1.0, float(now.clock[BEFORE]))


@inlined
def fits(now: Learner) -> int:
    """Return the number of predictors that have been fitted so far."""
    return now.clock[FITTED]


@inlined
def count_fit(now: Learner, j: int) -> None:
    """Record that the kept predictor ``j`` has been fitted on the present batch."""
    now.sizes[j] = now.clock[ROWS]
    now.totals[j] = now.clock[BEFORE] + now.clock[ROWS]
    now.clock[FITTED] += 1


@inlined
def predict(now: Learner, i: int, j: int = 0) -> None:
    """Fill ``raw`` and ``f`` for the i-th user of the batch with the kept predictor ``j``."""
    row = now.rows[i]
    for a in range(len(now.f)):
        total = 0.0
        for k in range(now.theta.shape[2]):
            total += now.theta[j, a, k] * now.features[row, k]
        now.raw[a] = total
        now.f[a] = sigmoid(total) if now.oracle.loss == LOGISTIC else total
