"""Zhou & Zhang 2024, Figs. 4 and 5: regret under outliers before and after the local randomizer."""

import itertools

import numpy as np

from dpbandits.figures.bands import band_note
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.regret_vs_time import regret_vs_time
from dpbandits.figures.style import finish, styled, styles_of, subplots
from dpbandits.results.summary import percent

TITLE = "Outliers before (CTL) and after (LTC) the local randomizer (Zhou & Zhang 2024, Figs. 4, 5)"
SHARE = " Each reward is an outlier with probability $\\alpha$."
BEFORE = "zhou_ctl"


@styled
def draw(table):
    # LDPR-SE plays both environments; only its runs with outliers before the randomizer are drawn
    differ = alike(table.runs)
    algo, stage = table.settings["algo"], table.settings["env"]
    table = table.where((algo == "ltc_ucb") | (stage == BEFORE))
    table = labelled(table.assign(env="wu_pareto"), but=["env.alpha"])
    curves, ends = table.curves("ci"), table.runs
    budgets = sorted(ends.loc[np.isfinite(ends["eps"]), "eps"].unique())
    shares = sorted(ends["env.alpha"].unique())
    styles = styles_of(table.settings)
    figure, axes = subplots(len(budgets), len(shares), sharex=True, sharey=True)
    for ax, (eps, alpha) in zip(axes.flat, itertools.product(budgets, shares), strict=True):
        here = (curves["env.alpha"] == alpha) & curves["eps"].isin([eps, np.inf])
        regret_vs_time(ax, curves[here], styles, "ci", "log")
        ax.set_title(f"{budget_title('eps', eps)}, $\\alpha$ = {alpha:g}")
    label_edges(axes, "round $t$", "pseudo-regret")
    return finish(figure, TITLE, table, band_note(table, "ci") + SHARE + differ)


def alike(ends):
    """A sentence about LDPR-SE, whose lines of both kinds of outliers nearly coincide."""
    own = ends[ends["algo"] == "ldpr_se"]
    lines = [name for name in ("c", "env.alpha", "eps") if name in own]
    means = own.groupby([*lines, "env"], dropna=False)["regret"].mean().unstack("env")
    apart = (means.max(axis=1) / means.min(axis=1)).max() - 1
    return f" Outliers after the randomizer change LDPR-SE's regret by at most {percent(apart, 2)}."
