"""Zhou & Zhang 2024, Figs. 4 and 5: regret under outliers before and after the local randomizer."""

import itertools

import numpy as np

from dpbandits.figures.bands import band_note
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.overlays import lines_of
from dpbandits.figures.regret_vs_time import regret_vs_time
from dpbandits.figures.style import Chart, finish, styled, styles_of

TITLE = "Outliers before (CTL) and after (LTC) the local randomizer (Zhou & Zhang 2024, Figs. 4, 5)"
STAGES = {"zhou_ctl": "CTL", "zhou_ltc": "LTC"}


@styled
def draw(table):
    algo, stages = table.settings["algo"], table.settings["env"].map(STAGES)
    # an algorithm of one stage says it in its name
    stages = stages.mask(algo.isin(["ctl_ucb", "ltc_ucb", "robust_ucb"]))
    table = labelled(table.assign(outliers=stages, env="wu_pareto"), but=["env.alpha"])
    curves, ends = table.curves("ci"), table.runs
    budgets = sorted(ends.loc[np.isfinite(ends["eps"]), "eps"].unique())
    shares = sorted(ends["env.alpha"].unique())
    styles, no_bounds = styles_of(table.settings), lines_of(None, table, "t")
    figure = Chart(figsize=(2.4 * len(shares) + 0.4, 2.4 * len(budgets) + 1.4))
    axes = figure.subplots(len(budgets), len(shares), squeeze=False, sharex=True, sharey=True)
    for ax, (eps, alpha) in zip(axes.flat, itertools.product(budgets, shares), strict=True):
        here = (curves["env.alpha"] == alpha) & curves["eps"].isin([eps, np.inf])
        regret_vs_time(ax, curves[here], styles, "ci", "log", no_bounds)
        ax.set_title(f"{budget_title('eps', eps)}, $\\alpha$ = {alpha:g}")
    label_edges(axes, "round $t$", "pseudo-regret")
    return finish(figure, TITLE, table, f"{band_note(table, 'ci')}{alike(ends)}")


def alike(ends):
    """A sentence about LDPR-SE, whose lines of both kinds of outliers nearly coincide."""
    own = ends[ends["outliers"].notna()]
    lines = [name for name in ("c", "env.alpha", "eps") if name in own]
    means = own.groupby([*lines, "outliers"], dropna=False)["regret"].mean().unstack("outliers")
    apart = (means.max(axis=1) / means.min(axis=1)).max() - 1
    return f" LDPR-SE differs by at most {apart:.1%} between outliers before and after."
