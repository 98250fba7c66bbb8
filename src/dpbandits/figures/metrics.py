"""Figures of other statistics than pseudo-regret: what the axes say."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from ..errors import BadInput
from ..results.metrics import METRICS, NASH, REGRET


def refuse_bounds(metric: str) -> None:
    """Refuse to draw bounds, which are of pseudo-regret, beside another statistic."""
    if metric != REGRET:
        raise BadInput(f"metric={metric}: bounds are of pseudo-regret")


def refuse_spread(metric: str, kind: str | None, band: str) -> None:
    """Refuse to draw how the runs' Nash regrets spread: it is one number of all runs, and the
    values of runs only give its interval.
    """
    if metric == NASH and (kind == "tail" or band != "ci"):
        given = "kind=tail" if kind == "tail" else f"band={band}"
        raise BadInput(f"{given}: Nash regret is one number of all runs, which has no spread")


def name_axes(figure: Figure, metric: str) -> None:
    """Let the axes of regret and the note of a figure say what is measured, on a linear scale:
    these statistics lie between 0 and the best mean.
    """
    if metric == REGRET:
        return
    for text in figure.texts:
        text.set_text(text.get_text().replace(METRICS[REGRET], METRICS[metric]))
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
