"""Azize et al. 2025: regret against eps beside the lower bound of Theorem 1, and its tails.

The settings are ours. The lower panels show the probability that the final regret of a run exceeds
x, since means do not show it.
"""

import numpy as np

from dpbandits.contracts.display import environment_title
from dpbandits.environments.catalogue import build
from dpbandits.figures.bands import band_note
from dpbandits.figures.final_regret import exceedance, label_tails, regret_label, regret_vs
from dpbandits.figures.labels import labelled
from dpbandits.figures.style import BOUND, finish, styled, styles_of, subplots
from dpbandits.settings.composed import read_group
from dpbandits.theory.azize2025 import bernoulli_lower

TITLE = "Regret against the privacy budget and its tails (Azize et al. 2025; our setting)"
LABEL = "asymptotic lower bound on the mean: Azize et al. 2025, Thm. 1"
TAILS_AT = 0.1  # the budget of the lower panels


@styled
def draw(table):
    table = labelled(table)
    runs, styles = table.runs, styles_of(table.settings)
    environments = runs["env"].unique()
    finite = runs.loc[np.isfinite(runs["eps"]), "eps"]
    grid = np.geomspace(finite.min(), finite.max(), 100)
    figure, axes = subplots(2, len(environments), 3.0, sharex="row", sharey="row")
    for (ax, below), env in zip(axes.T, environments, strict=True):
        rows = runs[runs["env"] == env]
        means = build(read_group("env", env)).means
        regret_vs(ax, rows, "eps", styles, "quantiles")
        bound = [bernoulli_lower(means, eps, runs["horizon"].max()) for eps in grid]
        ax.plot(grid, bound, label=LABEL, gid=BOUND, color="black", lw=1, ls=":")
        ax.set(title=environment_title(env), xlabel=r"privacy budget $\epsilon$", xscale="log")
        exceedance(below, rows[rows["eps"].isin([TAILS_AT, np.inf])], styles)
        below.set_title(f"{environment_title(env)}, $\\epsilon$ = {TAILS_AT:g}")
    axes[0, 0].set_ylabel(regret_label(table))
    label_tails(axes[1:])
    return finish(figure, TITLE, table, band_note(table, "quantiles"))
