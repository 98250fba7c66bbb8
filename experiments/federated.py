"""Federated LinUCB: regret against the number of silos, beside a trusted server, local DP and play
without privacy.
"""

import math

from dpbandits.figures.bands import band_note
from dpbandits.figures.final_regret import regret_label, regret_vs
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import finish, styled, styles_of, subplots

TITLE = "Federated LinUCB: users trust their silo only (our setting)"
NOTE = (
    "Users of Private LinUCB trust a server, and users of LDP-LinUCB (exact noise) trust nobody; "
    "all have $\\delta$ = .001. With one silo, Federated LinUCB is a trusted server that learns "
    "about every $\\sqrt{T}$ rounds. "
)


@styled
def draw(table):
    table = labelled(table, but=["silos"])
    runs, styles = table.runs, styles_of(table.settings)
    budgets = sorted(eps for eps in runs["eps"].unique() if math.isfinite(eps))
    figure, axes = subplots(1, len(budgets), 2.4, sharey=True)
    for ax, eps in zip(axes.flat, budgets, strict=True):
        rows = runs[(runs["eps"] == eps) | (runs["algo"] == "lin_ucb")]
        regret_vs(ax, rows, "silos", styles, "ci", "log")
        ax.set(title=budget_title("eps", eps), xscale="log")
    label_edges(axes, "silos", regret_label(table))
    return finish(figure, TITLE, table, NOTE + band_note(table, "ci"))
