"""Azize et al. 2025: regret of DP-KLUCB and DP-IMED against the growth alpha of their phases.

The settings are ours.
"""

import itertools

from dpbandits.figures.regret_vs_budget import regret_label
from dpbandits.figures.style import Chart, budget_title, finish, labelled, styled, styles_of
from dpbandits.figures.tails import NOTE, median_vs

TITLE = "Regret against the growth of the phases (Azize et al. 2025; our setting)"


@styled
def draw(table):
    table = labelled(table, but=["alpha"])
    budgets, environments = table["eps"].unique(), table["env"].unique()
    styles = styles_of(table)
    figure = Chart(figsize=(2.6 * len(environments) + 0.4, 2.5 * len(budgets) + 1.0))
    axes = figure.subplots(len(budgets), len(environments), sharex=True, sharey="row")
    panels = itertools.product(budgets, environments)
    for ax, (eps, env) in zip(axes.flat, panels, strict=True):
        rows = table[(table["eps"] == eps) & (table["env"] == env)]
        median_vs(ax, rows, "alpha", styles)
        ax.set_title(f"{env}, {budget_title(eps)}")
    for ax in axes[:, 0]:
        ax.set_ylabel(regret_label(table))
    for ax in axes[-1]:
        ax.set_xlabel(r"growth of the phases $\alpha$")
    finish(figure, TITLE, table, NOTE)
    return figure
