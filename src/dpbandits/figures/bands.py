"""Mean regrets with their bands."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..results.summary import mean_of

BANDS = {
    "std": "± one standard deviation",
    "ci": "95 % interval of the mean (Student's t)",
}


def mean_and_band(rows: pd.DataFrame, by: str, band: str) -> pd.DataFrame:
    """Mean regret over the runs, and the edges ``low`` and ``high`` of its band.

    Args:
        rows: rows of a tidy table.
        by: the column whose values are told apart, in ascending order.
        band: a key of ``BANDS``. The band of a single run has no width.
    """
    found = mean_of(rows, [by], "regret").sort_values(by, ignore_index=True)
    mean, low, high = found["mean"], found["ci_low"], found["ci_high"]
    if band == "std":
        low, high = mean - found["std"], mean + found["std"]
    return found.assign(low=low.fillna(mean), high=high.fillna(mean))


def fill(ax: Axes, x: pd.Series, curve: pd.DataFrame, floor: float, style: dict) -> None:
    """Draw the band of a curve, cut at a positive floor for logarithmic axes."""
    low = np.maximum(curve["low"], floor)
    ax.fill_between(x, low, curve["high"], color=style["color"], alpha=0.2, lw=0)


def band_note(band: str) -> str:
    """The note below a figure of lines with bands."""
    return f"Lines: mean of RUNS runs. Bands: {BANDS[band]}."
