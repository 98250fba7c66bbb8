"""Statistics of runs other than pseudo-regret: average regret, Nash regret and error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..contracts.question import Question
from ..errors import plain, unknown

REGRET, AVERAGE, NASH, ERROR = "regret", "average", "nash", "error"
METRICS = {
    REGRET: "pseudo-regret", AVERAGE: "average regret", NASH: "Nash regret",
    ERROR: "mean loss per round",
}  # metrics with labels  # fmt: skip
COLUMNS = {
    REGRET: "regret", AVERAGE: "average_regret", NASH: "nash_regret", ERROR: "error",
}  # columns of tables  # fmt: skip


def refuse_metric(metric: str) -> None:
    """Refuse a value that is not the name of a metric.

    Raises:
        BadInput: the value is not a key of METRICS.
    """
    if not isinstance(metric, str) or metric not in METRICS:
        raise unknown("metric", plain(metric), METRICS)


def measuring(question: Question, metric: str) -> Question:
    """Return a copy of the question whose statistic has the name of the metric."""
    if metric == REGRET:
        return question
    final = "" if metric == ERROR else "final "
    return replace(question, statistic_name=final + METRICS[metric])


def nash(regret: np.ndarray, t: np.ndarray, best: float) -> np.ndarray:
    """Return one value for each run, so that the mean of the values is an estimate of the Nash
    regret.

    The Nash regret (Barman et al. 2023) after t rounds is the best mean minus the geometric mean of
    E[mean of the arm of round s], s = 1, ..., t. The expectation is estimated by the mean over the
    runs. Between two checkpoints, the average over the rounds in between replaces the expectation
    in each round. The logarithm is concave, so this estimate is at most the estimate from all
    rounds (see ``resolution``). The value of a run is the estimate plus the influence of the run on
    the estimate. The usual standard error of the mean of these values is therefore, to first order,
    the standard error of the estimate.

    Args:
        regret: pseudo-regret at the checkpoints, float array (runs, C).
        t: the checkpoints, increasing, int array (C,).
        best: the largest mean, above 0; all means are at least 0.

    Returns:
        Float array (runs, C).
    """
    n, m = _blocks(regret, t, best)
    mean = m.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        geometric = np.exp((n * np.log(mean)).cumsum() / t)
        influence = (n * (m - mean) / mean).cumsum(axis=1) / t
    return np.asarray(best - geometric * (1.0 + np.where(geometric > 0.0, influence, 0.0)))


def resolution(regret: np.ndarray, t: np.ndarray, best: float, least: float) -> float:
    """Return by how much the Nash regret from all rounds may exceed the estimate of ``nash`` from
    the checkpoints, at the last checkpoint.

    In the worst case, each round between two checkpoints has either the largest or the least mean.
    """
    n, m = _blocks(regret, t, best)
    mean = m.mean(axis=0)
    share = (mean - least) / (best - least) if best > least else np.ones_like(mean)
    single = n == 1  # a block of a single round has a known expectation
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(mean)
        worst = share * np.log(best) + np.where(share < 1.0, (1.0 - share) * np.log(least), 0.0)
        worst = np.minimum(np.where(single, logs, worst), logs)
        estimate, lowest = (np.exp((n * x).sum() / t[-1]) for x in (logs, worst))
    return float(estimate - lowest)


def _blocks(regret: np.ndarray, t: np.ndarray, best: float) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each checkpoint, the number of rounds since the previous checkpoint, (C,), and
    the mean reward in these rounds, (runs, C).
    """
    n = np.diff(t, prepend=0)
    m = best - np.diff(regret, axis=1, prepend=0.0) / n
    return n, np.clip(m, 0.0, best)
