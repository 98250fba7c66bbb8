"""The practical constants of Tao et al.'s algorithms: final regret against c (the setting is ours).

The preset is the c that minimises, over the settings, the largest ratio of the regret to that at
the best c of the setting. experiments/practical_constants.py prints these ratios.
"""

import itertools

from dpbandits.contracts.display import display_name
from dpbandits.figures.labels import labelled
from dpbandits.figures.regret_vs_budget import regret_label, regret_vs
from dpbandits.figures.style import Chart, finish, styled, styles_of
from dpbandits.results.tables import at_end

ALGORITHMS = ("dpr_ucb", "dpr_se", "ldpr_se")
SETTING = ["env", "env.shape", "env.v", "v", "eps"]
LAWS = {"twopoint_heavy": "two points", "pareto": "Pareto"}


def worst_ratios(table):
    """The regret at each c divided by that at the best c, in the worst setting: algo by c."""
    settings = at_end(table).groupby(["algo", *SETTING, "c"], dropna=False)
    means = settings["regret"].mean().unstack("c")
    return means.div(means.min(axis=1), axis=0).groupby("algo").max()


@styled
def draw(table):
    chosen = worst_ratios(table).idxmin(axis=1)
    varied = table[["horizon", "v", "run"]].assign(algo="", env="")
    varied[r"$\epsilon$"] = table["eps"]
    table = table.assign(line=labelled(varied)["line"].str.removeprefix(", "))
    styles = styles_of(table.assign(algo=table["line"]))
    figure = Chart(figsize=(8.6, 5.4))
    axes = figure.subplots(len(LAWS), len(ALGORITHMS), sharex=True, sharey=True)
    for ax, (law, algo) in zip(axes.flat, itertools.product(LAWS, ALGORITHMS), strict=True):
        inside = (table["algo"] == algo) & (table["env"] == law)
        regret_vs(ax, table[inside], "c", styles, None)
        ax.axvline(chosen[algo], color="black", lw=1, ls=":", label="practical constant")
        ax.set_title(f"{display_name(algo)} ($c$ = {chosen[algo]:g}), {LAWS[law]}")
    for ax in axes[-1]:
        ax.set(xlabel="constant $c$", xscale="log")
    for ax in axes[:, 0]:
        ax.set_ylabel(regret_label(table))
    note = (
        "Lines: mean of RUNS runs in a setting. Dotted: the c whose largest ratio to the best c, "
        "over the settings, is the smallest."
    )
    return finish(figure, "How the practical constants were chosen", table, note)
