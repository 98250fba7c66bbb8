"""The practical constants of the algorithms of Tao et al.: final regret against c (our settings).

In each setting, the regret at each c is divided by the regret at the best c. The practical constant
is the c whose largest ratio over the settings is smallest. experiments/practical_constants.py
prints these largest ratios.
"""

import itertools

from dpbandits.contracts.display import display_name
from dpbandits.figures.final_regret import regret_label, regret_vs
from dpbandits.figures.style import finish, styled, styles_of, subplots

ALGORITHMS = ("dpr_ucb", "dpr_se", "ldpr_se")
SETTING = ["env", "env.shape", "env.v", "v", "eps"]
LAWS = {"twopoint_heavy": "two points", "pareto": "Pareto"}


def worst_ratios(runs):
    """Return the regret at each c divided by the regret at the best c, in the setting with the
    largest ratio: a frame with a row for each algorithm and a column for each c.
    """
    settings = runs.groupby(["algo", *SETTING, "c"], dropna=False)
    means = settings["regret"].mean().unstack("c")
    return means.div(means.min(axis=1), axis=0).groupby("algo").max()


def line_of(v, eps):
    """Return the label of a line."""
    return f"$v$ = {v:g}, $\\epsilon$ = {eps:g}"


@styled
def draw(table):
    settings = table.settings
    table = table.assign(
        line=[line_of(v, eps) for v, eps in zip(settings["v"], settings["eps"], strict=True)]
    )
    runs = table.runs
    chosen = worst_ratios(runs).idxmin(axis=1)
    styles = styles_of(table.settings, "line")
    figure, axes = subplots(len(LAWS), len(ALGORITHMS), sharex=True, sharey=True)
    for ax, (law, algo) in zip(axes.flat, itertools.product(LAWS, ALGORITHMS), strict=True):
        inside = (runs["algo"] == algo) & (runs["env"] == law)
        regret_vs(ax, runs[inside], "c", styles, None)
        ax.axvline(chosen[algo], color="black", lw=1, ls=":", label="chosen $c$")
        ax.set_title(f"{display_name(algo)} ($c$ = {chosen[algo]:g}), {LAWS[law]}")
    for ax in axes[-1]:
        ax.set(xlabel="constant $c$", xscale="log")
    for ax in axes[:, 0]:
        ax.set_ylabel(regret_label(table))
    note = (
        "Moments of order $1 + v$ are bounded. Lines show the mean of RUNS runs in a setting, "
        "without intervals. The dotted line marks the chosen $c$, the practical constant. At each "
        "$c$, the regret in a setting is divided by the smallest regret in this setting at any "
        "$c$. The practical constant is the $c$ at which the largest of these ratios over all "
        "settings is smallest."
    )
    return finish(
        figure,
        "The choice of the practical constants: regret against $c$ (our setting)",
        table,
        note,
    )
