"""Figures of other statistics than pseudo-regret: what the axes say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from ..contracts.question import CONTEXTUAL
from ..errors import BadInput
from ..results.metrics import METRICS, NASH, REGRET


def refuse_bounds(metric: str) -> None:
    """Refuse to draw bounds, which are of pseudo-regret, beside another statistic."""
    if metric != REGRET:
        raise BadInput(f"metric={metric}: bounds are of pseudo-regret")


def refuse_contexts(metric: str, records: Sequence[Mapping[str, Any]] | None) -> None:
    """Refuse the Nash regret of settings whose arms have other means in each context."""
    if metric == NASH:
        for record in records or ():
            if record.get("question") == CONTEXTUAL.name:
                env = f"env={record['env']}"
                raise BadInput(f"metric={metric}: {env}: arms with contexts have no means")


def name_axes(figure: Figure, metric: str) -> None:
    """Let the axes of regret of a figure say what is measured, on a linear scale: these statistics
    lie between 0 and the best mean.
    """
    if metric == REGRET:
        return
    for ax in figure.axes:
        label = ax.get_ylabel()
        if label.startswith("$P$"):  # of tails
            ax.set_ylabel(label.replace("regret", METRICS[metric]))
            ax.set_xlabel(ax.get_xlabel().replace("regret", METRICS[metric]))
            continue
        ax.set_ylabel(label.replace(METRICS[REGRET], METRICS[metric]))
        ax.set_yscale("linear")
        ax.set_ylim(bottom=0.0)
        ax.yaxis.set_major_formatter(ScalarFormatter())
