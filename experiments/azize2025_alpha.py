"""Azize et al. 2025: regret of DP-KLUCB and DP-IMED against the growth alpha of their phases.

The settings are ours.
"""

import itertools

from dpbandits.contracts.display import environment_title
from dpbandits.figures.bands import band_note
from dpbandits.figures.final_regret import regret_label, regret_vs
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import finish, styled, styles_of, subplots

TITLE = "Regret against the growth of the phases (Azize et al. 2025; our setting)"


@styled
def draw(table):
    table = labelled(table, but=["alpha"])
    runs, styles = table.runs, styles_of(table.settings)
    budgets, environments = runs["eps"].unique(), runs["env"].unique()
    figure, axes = subplots(len(budgets), len(environments), sharex=True, sharey="row")
    panels = itertools.product(budgets, environments)
    for ax, (eps, env) in zip(axes.flat, panels, strict=True):
        rows = runs[(runs["eps"] == eps) & (runs["env"] == env)]
        regret_vs(ax, rows, "alpha", styles, "quantiles")
        ax.set_title(f"{environment_title(env)}, {budget_title('eps', eps)}")
    label_edges(axes, r"growth of the phases $\alpha$", regret_label(table))
    return finish(figure, TITLE, table, band_note(table, "quantiles"))
