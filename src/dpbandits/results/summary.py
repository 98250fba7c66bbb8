"""Summary of a tidy table: final regret with its interval, on screen, in Markdown, in LaTeX."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from .tables import COLUMNS


def settings_of(table: pd.DataFrame) -> list[str]:
    """The columns of a tidy table that tell one setting from another."""
    return [name for name in table.columns if name not in ("seed", "run", "t", "regret")]


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Final regret of each setting of a tidy table.

    Returns:
        One row a setting: its columns, then ``mean``, ``ci_low`` and ``ci_high`` (95 %
        interval of the mean, Student's t; undefined for one run), ``std`` and ``runs``.
    """
    last = table[table["t"] == table["horizon"]]
    return mean_of(last, settings_of(table), "regret")


def mean_of(table: pd.DataFrame, settings: list[str], column: str) -> pd.DataFrame:
    """Mean of a column over the runs of each setting, with the STATISTICS of ``summarize``."""
    from scipy.special import stdtrit  # slow to import

    groups = table.groupby(settings, sort=False, dropna=False)[column]
    summary = groups.agg(mean="mean", std="std", runs="count").reset_index()
    n = summary["runs"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        half = stdtrit(n - 1.0, 0.975) * summary["std"] / np.sqrt(n)
    summary["ci_low"], summary["ci_high"] = summary["mean"] - half, summary["mean"] + half
    return summary[[*settings, *STATISTICS]]


def render(summary: pd.DataFrame, style: str) -> str:
    """A summary as text; ``style`` is one of tabulate's: simple, pipe, latex_booktabs."""
    rows = []
    varied = [c for c in summary.columns if c not in [*COLUMNS, *STATISTICS]]
    for row in summary.to_dict("records"):
        rows.append(
            [
                row["algo"],
                row["env"],
                budget(row["eps"]),
                *("" if pd.isna(row[c]) else row[c] for c in varied),
                rounds(row["horizon"]),
                significant(row["mean"]),
                interval(row),
                row["runs"],
            ]
        )
    header = ["algorithm", "environment", "eps", *varied, "horizon"]
    header += ["final regret", "95 % interval", "runs"]
    left = ("left", "left", "right", *("right" for _ in varied), "right", "right", "right", "right")
    return tabulate(rows, header, tablefmt=style, colalign=left, disable_numparse=True)


STATISTICS = ["mean", "ci_low", "ci_high", "std", "runs"]


def interval(row: Mapping[Hashable, Any]) -> str:
    """The interval of a mean, as text."""
    if row["runs"] < 2:
        return "one run: none"
    return f"{significant(row['ci_low'])} to {significant(row['ci_high'])}"


def budget(eps: float) -> str:
    """A privacy budget, as text."""
    return "not private" if np.isinf(eps) else f"{eps:g}"


def significant(x: float) -> str:
    """A number with the four digits that a mean of some tens of runs can bear."""
    return f"{x:,.0f}" if 1000 <= abs(x) < 1e15 else f"{x:.4g}"


def rounds(T: int) -> str:
    """A number of rounds: 1e7 rather than 10000000."""
    text = f"{T:.0e}".replace("e+0", "e").replace("e+", "e")
    return text if T >= 10_000 and float(text) == T else str(T)
