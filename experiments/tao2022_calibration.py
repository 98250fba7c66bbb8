"""The practical constants of Tao et al.'s algorithms: final regret against c (the setting is ours).

The preset is the c that minimises, over the settings, the largest ratio of the regret to that at
the best c of the setting. experiments/practical_constants.py prints these ratios.
"""

from dpbandits.contracts.display import display_name
from dpbandits.figures.regret_vs_budget import regret_label, regret_vs
from dpbandits.figures.style import Chart, finish, labelled, styled, styles_of
from dpbandits.results.tables import at_end

SETTING = ["env", "env.shape", "env.v", "v", "eps"]
LAWS = {"twopoint_heavy": "two-point", "pareto": "Pareto"}


def worst_ratios(table):
    """The regret at each c divided by that at the best c, in the worst setting: algo by c."""
    settings = at_end(table).groupby(["algo", *SETTING, "c"], dropna=False)
    means = settings["regret"].mean().unstack("c")
    return means.div(means.min(axis=1), axis=0).groupby("algo").max()


@styled
def draw(table):
    chosen = worst_ratios(table).idxmin(axis=1)
    table = table.assign(law=table["env"].replace(LAWS))
    varied = table.drop(columns=["env.shape", "env.v", "env.means"], errors="ignore")
    varied[r"$\epsilon$"] = table["eps"]
    lines = labelled(varied.assign(env="", algo=""), but=["c"])["line"].str.removeprefix(", ")
    table = table.assign(line=lines)
    styles = styles_of(table.assign(algo=lines))
    figure = Chart(figsize=(8.6, 4.6))
    axes = figure.subplots(1, 3, sharey=True)
    for ax, algo in zip(axes, ("dpr_ucb", "dpr_se", "ldpr_se"), strict=True):
        regret_vs(ax, table[table["algo"] == algo], "c", styles, None)
        ax.axvline(chosen[algo], color="black", lw=1, ls=":", label="practical")
        title = f"{display_name(algo)}: practical c = {chosen[algo]:g}"
        ax.set(title=title, xlabel="constant c", xscale="log")
    axes[0].set_ylabel(regret_label(table))
    note = "Lines: mean of RUNS runs, each in one setting."
    finish(figure, "How the practical constants were chosen", table, note)
    return figure
