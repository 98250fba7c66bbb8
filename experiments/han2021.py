"""Han et al. 2021: regret against time of greedy learners with local privacy, LDP-LinUCB and
LinUCB.
"""

from dataclasses import replace

import numpy as np

from dpbandits.figures.bands import draw_band
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.options import PALETTE, current
from dpbandits.figures.style import finish, styled, styles_of, subplots

TITLE = "Local privacy of contexts and rewards (Han et al. 2021)"
NOTE = (
    "There are ten contexts on the circle and rewards $\\pm$1. LDP-SGD is $\\epsilon$-locally DP, "
    "LDP-OLS and LDP-LinUCB are $(\\epsilon, 0.1)$-locally DP, and LinUCB is not private. Lines "
    "show means of RUNS runs, and bands show the 95 % interval of the mean."
)
EARLIEST = 1e-4  # share of the horizon at which curves begin
APART = PALETTE["olive"]  # the colour of LDP-OLS, since its declared colour looks like LDP-LinUCB


@styled
def draw(table):
    table = labelled(table)
    curves = table.curves("ci")
    curves = curves[curves["t"] >= EARLIEST * curves["horizon"]]
    budgets = sorted(eps for eps in table.settings["eps"].unique() if np.isfinite(eps))
    with replace(current(), colors={"ldp_ols": APART, **current().colors}).applied():
        styles = styles_of(table.settings)
    figure, axes = subplots(1, len(budgets), sharey=True)
    for ax, eps in zip(axes.flat, budgets, strict=True):
        here = curves[(curves["eps"] == eps) | ~np.isfinite(curves["eps"])]
        for label, curve in here.groupby("line", sort=False):
            ax.plot(curve["t"], curve["middle"], label=label, **styles[label])
            draw_band(ax, curve, "t", styles[label]["color"], has_edges=True)
        ax.set(title=budget_title("eps", eps), xscale="log", yscale="log")
    label_edges(axes, "round $t$", "pseudo-regret")
    return finish(figure, TITLE, table, NOTE)
