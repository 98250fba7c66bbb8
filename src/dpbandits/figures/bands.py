"""Mean regrets with their bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..results.summary import mean_of

BANDS = {
    "std": "± one standard deviation",
    "ci": "95 % interval of the mean (bootstrap, BCa)",
}


def mean_and_band(rows: pd.DataFrame, by: str, band: str) -> pd.DataFrame:
    """Mean regret over the runs, and the edges ``low`` and ``high`` of its band.

    Args:
        rows: rows of a tidy table.
        by: the column to group by; its values are in ascending order in the result.
        band: a key of ``BANDS``. The band of a single run has no width.
    """
    found = mean_of(rows, [by], "regret").sort_values(by, ignore_index=True)
    mean, low, high = found["mean"], found["ci_low"], found["ci_high"]
    if band == "std":
        low, high = mean - found["std"], mean + found["std"]
    return found.assign(low=low.fillna(mean), high=high.fillna(mean))


def draw_band(ax: Axes, curve: pd.DataFrame, by: str, floor: float, colour: Any) -> None:
    """Fill the band of a curve against ``by``, cut at a positive floor for logarithmic axes."""
    low = np.maximum(curve["low"], floor)
    ax.fill_between(curve[by], low, curve["high"], color=colour, alpha=0.2, lw=0)


def band_note(band: str) -> str:
    """The note below a figure of lines with bands."""
    return f"Lines: mean of RUNS runs. Bands: {BANDS[band]}."
