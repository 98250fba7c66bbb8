"""What stopping rules gave: the tidy table of stopping times and estimates, and its summary."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from ..running.trial import Trial
from .run_store import load_runs
from .summary import budget, interval, mean_of, rounds, significant
from .tables import read_columns, written

SETTING = ["rule", "env", "arm", "true_mean", "eps", "rel_error", "beta", "R", "cap"]
OUTCOME = ["stopping_time", "estimate", "halted", "correct"]
COLUMNS = [*SETTING, "seed", "run", *OUTCOME]


def tidy(results: Path, trials: Sequence[Trial], runs: int) -> pd.DataFrame:
    """The tidy table of finished trials, one row a run.

    ``halted`` is 1, or 0 if the cap came first; then the stopping time is the cap, and
    ``estimate`` and ``correct`` are blank. ``correct`` is 1 if the estimate lies within
    ``rel_error |true_mean|`` of the true mean, else 0.
    """
    parts = []
    for trial in trials:
        kept = load_runs(results, trial)
        time, estimate = np.stack([kept[r] for r in range(runs)]).T
        halted = np.isfinite(estimate)
        right = np.abs(estimate - trial.true_mean) <= trial.rel_error * abs(trial.true_mean)
        columns: dict[str, Any] = {
            **{name: getattr(trial, name) for name in [*SETTING, "seed"]},
            **written(trial.columns),
            "run": np.arange(runs),
            "stopping_time": time.astype(np.int64),
            "estimate": estimate,
            "halted": halted.astype(np.int64),
            "correct": pd.array(np.where(halted, right, np.nan), dtype="Int64"),
        }
        parts.append(pd.DataFrame(columns))
    table = pd.concat(parts, ignore_index=True)
    varied = [name for name in table.columns if name not in COLUMNS]
    return table[[*SETTING, "seed", *varied, "run", *OUTCOME]]


def read_outcomes(path: Path) -> pd.DataFrame:
    """Read a tidy table of stopping times.

    Raises:
        BadInput: the file is missing, is not a CSV, or lacks the columns of such a table.
    """
    return read_columns(
        path,
        COLUMNS,
        words=("rule", "env"),
        positive=("eps", "rel_error", "beta", "R", "cap", "stopping_time"),
        endless=("eps",),
        blank=("estimate", "correct"),
    )


def settings_of(table: pd.DataFrame) -> list[str]:
    """The columns of a table that tell one setting from another."""
    return [name for name in table.columns if name not in ("seed", "run", *OUTCOME)]


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Stopping time and confidence of each setting of a tidy table.

    Returns:
        One row a setting: its columns; ``mean``, ``ci_low``, ``ci_high``, ``std`` and ``runs`` of
        the stopping time, as in ``summary.summarize``; ``halted``, a number of runs; and the
        share ``correct`` of these, with its 95 % interval ``correct_low`` to ``correct_high``.
    """
    settings = settings_of(table)
    summary = mean_of(table, settings, "stopping_time")
    groups = table.groupby(settings, sort=False, dropna=False)
    summary["halted"] = groups["halted"].sum().to_numpy()
    right = groups["correct"].sum().to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        summary["correct"] = right / summary["halted"]
    low, high = clopper_pearson(right, summary["halted"].to_numpy())
    return summary.assign(correct_low=low, correct_high=high)


def clopper_pearson(successes: np.ndarray, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The exact 95 % interval of a probability (Clopper & Pearson 1934)."""
    from scipy.special import betaincinv  # slow to import

    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, 0.025), 0.0)
        high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 0.975), 1.0)
    return low, high


def render(summary: pd.DataFrame, style: str) -> str:
    """A summary as text; ``style`` is one of tabulate's: simple, pipe, latex_booktabs."""
    own = [name for name in ("arm", "beta", "R", "cap") if summary[name].nunique() > 1]
    first = list(summary.columns).index("mean")
    varied = [name for name in summary.columns[:first] if name not in SETTING]
    own += [name for name in varied if not summary[name].equals(summary["true_mean"])]
    rows = []
    for row in summary.to_dict("records"):
        capped = row["halted"] < row["runs"]
        rows.append(
            [
                row["rule"],
                row["env"],
                *("" if pd.isna(row[name]) else as_text(name, row[name]) for name in own),
                f"{row['true_mean']:.6g}",
                budget(row["eps"]),
                f"{row['rel_error']:g}",
                ("at least " if capped else "") + significant(row["mean"]),
                "" if capped else interval(row),
                *confidence(row),
                percent(row["halted"] / row["runs"]),
                row["runs"],
            ]
        )
    header = ["rule", "environment", *own, "true mean", "eps", "rel_error", "stopping time"]
    header += ["95 % interval", "correct", "95 % interval", "halted", "runs"]
    align = ("left", "left", *("right" for _ in header[2:]))
    return tabulate(rows, header, tablefmt=style, colalign=align, disable_numparse=True)


def confidence(row: Mapping[Hashable, Any]) -> tuple[str, str]:
    """The share of correct estimates, and its interval, as text."""
    if row["halted"] == 0:
        return "none halted", ""
    low, high = percent(row["correct_low"]), percent(row["correct_high"])
    return percent(row["correct"]), f"{low.removesuffix(' %')} to {high}"


def percent(share: float) -> str:
    """A share as text."""
    return f"{100 * share:.4g} %"


def as_text(name: str, value: Any) -> str:
    """A parameter's value as text."""
    if name == "cap":
        return rounds(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
