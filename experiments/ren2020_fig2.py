"""Ren et al. 2020, Fig. 2: the final regrets of Fig. 1 (e)-(h) are linear in V_L or V_B.

One line, with intercept, is fitted to all 16 points. R^2 belongs to this fit.
"""

import numpy as np
from matplotlib.ticker import EngFormatter

from dpbandits.contracts.display import line_of
from dpbandits.environments.populations import build_population
from dpbandits.figures.choices import INTERVAL
from dpbandits.figures.final_regret import regret_label
from dpbandits.figures.labels import legend_name
from dpbandits.figures.style import PALETTE, finish, styled, subplots
from dpbandits.settings.composed import read_group
from dpbandits.theory.ren2020 import v_b, v_l

TITLE = "Final regret against the leading term (Ren et al. 2020, Fig. 2)"
TERMS = {"heldp_ucb_l": v_l, "heldp_ucb_b": v_b}
POPULATIONS = {
    "uniform_levels": "levels 0, .2, 1, 2, 100",
    "clipped_normal": "clipped normal levels",
}
MARKS = {"uniform_levels": "o", "clipped_normal": "^"}
NEAR = 8  # the inset has the points of an eighth of the axis
SETTING = ["algo", "population", "eps_min"]


def leading_term(algo, population, eps_min):
    """Return V_L or V_B of a setting."""
    return TERMS[algo](build_population(read_group("population", population)), eps_min)


@styled
def draw(table):
    points = table.summary()
    points["x"] = [leading_term(*key) for key in points[SETTING].itertuples(index=False)]
    figure, ((ax,),) = subplots(1, 1, 2.8)
    groups = points.groupby(["algo", "population"], sort=False)
    small = ax.inset_axes((0.09, 0.5, 0.36, 0.42))  # the same points near 0
    for (algo, population), rows in groups:
        label = f"{legend_name(algo)}, {POPULATIONS[population]}"
        bars = [rows["mean"] - rows["ci_low"], rows["ci_high"] - rows["mean"]]
        look = {"yerr": bars, "color": PALETTE[line_of(algo)[0]], "fmt": MARKS[population], "ms": 4}
        ax.errorbar(rows["x"], rows["mean"], label=label, **look)
        small.errorbar(rows["x"], rows["mean"], **look)
    slope, intercept = np.polyfit(points["x"], points["mean"], 1)
    square = np.corrcoef(points["x"], points["mean"])[0, 1] ** 2
    ends = np.array([points["x"].min(), points["x"].max()])
    label = f"fit: {intercept:.4g} + {slope:.4g} V, $R^2$ = {square:.4f}"
    ax.plot(ends, intercept + slope * ends, color="black", lw=1, label=label)
    small.plot(ends, intercept + slope * ends, color="black", lw=1)
    near = points[points["x"] < ends.max() / NEAR]
    small.set(xlim=(0, 1.1 * near["x"].max()), ylim=(0, 1.15 * near["ci_high"].max()))
    small.yaxis.set_major_formatter(EngFormatter(sep=""))
    small.tick_params(labelsize=7)
    ax.set(xlabel=r"$V_L$ (HeLDP-UCB-L) or $V_B$ (HeLDP-UCB-B)", ylabel=regret_label(table))
    ax.set(xlim=(0, None), ylim=(0, None))
    ax.yaxis.set_major_formatter(EngFormatter(sep=""))
    return finish(
        figure, TITLE, table, f"Points show the mean of RUNS runs, and bars the {INTERVAL}."
    )
