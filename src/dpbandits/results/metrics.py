"""Other statistics than pseudo-regret, from the same tables: average regret and Nash regret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput, plain, unknown
from ..theory.problem import problem
from .varying import question_of_table, settings_of

REGRET, AVERAGE, NASH = "regret", "average", "nash"
METRICS = {REGRET: "pseudo-regret", AVERAGE: "average regret", NASH: "Nash regret"}  # with labels


def check_metric(metric: str) -> None:
    """Refuse what is no metric.

    Raises:
        BadInput: it is none.
    """
    if not isinstance(metric, str) or metric not in METRICS:
        raise unknown("metric", plain(metric), METRICS)


def measured_by(
    table: pd.DataFrame, metric: str, records: Sequence[Mapping[str, Any]] | None
) -> pd.DataFrame:
    """A tidy table of regret whose column ``regret`` holds another statistic.

    Average regret is regret by the number of rounds. Nash regret is no mean over runs, but its
    estimate and the estimate's standard error are those of the mean of ``nash``'s values, so that
    summaries, figures and comparisons of the table are those of the Nash regret.

    Args:
        table: a tidy table of regret.
        metric: one of METRICS.
        records: the record of each of its settings, in the table's order, which tells the means of
            the arms; only Nash regret needs it.

    Raises:
        BadInput: there is no such metric, or the table does not allow it.
    """
    check_metric(metric)
    if metric == REGRET:
        return table
    if question_of_table(table).statistic != "regret":
        raise BadInput(f"metric={metric}: a table of regret is needed")
    if metric == AVERAGE:
        return table.assign(regret=table["regret"] / table["t"])
    values = table["regret"].to_numpy(dtype=float).copy()
    for rows, best, _ in _settings(table, records):
        t, regret = _of_runs(table, rows)
        values[rows] = nash(regret, t, best).ravel()
    return table.assign(regret=values)


def resolutions(table: pd.DataFrame, records: Sequence[Mapping[str, Any]] | None) -> np.ndarray:
    """By how much the Nash regret of each setting at its horizon may exceed what is estimated,
    since the rounds between two checkpoints are known together only; float64 array.
    """
    found = []
    for rows, best, least in _settings(table, records):
        t, regret = _of_runs(table, rows)
        found.append(resolution(regret, t, best, least))
    return np.array(found)


def nash(regret: np.ndarray, t: np.ndarray, best: float) -> np.ndarray:
    """Values of runs whose mean is an estimate of the Nash regret and whose standard error is that
    of the estimate, to first order.

    The Nash regret (Barman et al. 2023) after t rounds is the best mean minus the geometric mean of
    E[mean of the arm of round s], s = 1, ..., t. The expectation is the mean over the runs, and in
    the rounds between two checkpoints it is replaced by its mean over these: the logarithm is
    concave, so the estimate is at most the Nash regret of all rounds (see ``resolution``). The
    value of a run is the estimate plus the run's influence on it.

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
    """By how much the Nash regret of all rounds may exceed ``nash``'s estimate at the last
    checkpoint: in the worst case all rounds of a block have the largest or the least mean.
    """
    n, m = _blocks(regret, t, best)
    mean = m.mean(axis=0)
    share = (mean - least) / (best - least) if best > least else np.ones_like(mean)
    single = n == 1  # a round whose expectation is known
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(mean)
        worst = share * np.log(best) + np.where(share < 1.0, (1.0 - share) * np.log(least), 0.0)
        worst = np.minimum(np.where(single, logs, worst), logs)
        estimate, lowest = (np.exp((n * x).sum() / t[-1]) for x in (logs, worst))
    return float(estimate - lowest)


def _blocks(regret: np.ndarray, t: np.ndarray, best: float) -> tuple[np.ndarray, np.ndarray]:
    """The rounds since the checkpoint before, (C,), and the mean reward in them, (runs, C)."""
    n = np.diff(t, prepend=0)
    m = best - np.diff(regret, axis=1, prepend=0.0) / n
    return n, np.clip(m, 0.0, best)


def _settings(table, records):
    """The positions of the rows of each setting, run by run, with the largest and the least mean
    of its arms.
    """
    numbers = table.groupby(settings_of(table), sort=False, dropna=False).ngroup().to_numpy()
    if records is None or len(records) != len(np.unique(numbers)):
        raise BadInput(
            "metric=nash: the means of the arms are needed, which tables of dp.run, and those with "
            "a manifest, have"
        )
    t, run = table["t"].to_numpy(), table["run"].to_numpy()
    for i, record in enumerate(records):
        means = problem(record).instance.means
        if min(means) < 0.0 or max(means) <= 0.0:
            raise BadInput(f"metric=nash: env={record['env']}: an arm has a mean below 0")
        rows = np.flatnonzero(numbers == i)
        rows = rows[np.lexsort((t[rows], run[rows]))]
        yield rows, float(max(means)), float(min(means))


def _of_runs(table, rows):
    """The checkpoints of a setting, and the regret of its runs at them."""
    found = table.iloc[rows]
    t = np.unique(found["t"].to_numpy())
    return t, found["regret"].to_numpy(dtype=float).reshape(-1, len(t))
