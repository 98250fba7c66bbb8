"""Attias et al. 2026: the mistakes of each policy on twelve labelled sets at five budgets."""

import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Rectangle

from dpbandits.contracts.display import environment_title
from dpbandits.figures.labels import legend_name
from dpbandits.figures.style import PALETTE, finish, mixed, styled, subplots
from dpbandits.figures.wins import heat_map

TITLE = "Mistakes on twelve labelled sets, by policy and budget (our sets)"
NOTE = (
    "A colour shows the mean number of mistakes over RUNS orders of the rows, divided by the "
    "mistakes of the best constant action of the set; cells of 1 or more are hatched. A dot marks "
    "a 95 % interval of the mean that lies below the best constant action. Supervised and "
    "uniform play serve as references and are not private. RegCB, AdaCB, Oracle-UCB and Private "
    "LinUCB promise $(\\epsilon, \\delta)$-joint DP, LDP-SGD and LDP-OLS promise local DP, and the "
    "other policies promise $\\epsilon$-joint DP."
)
LINE = "best_constant"
LIMITS = 0.5, 0.8, 1.0, 1.25, 2.0
BLUE, RED = PALETTE["blue"], PALETTE["vermillion"]
COLOURS = [mixed(BLUE, 1.0, x) for x in (0.1, 0.45, 0.75)]
COLOURS += [mixed(RED, 1.0, x) for x in (0.75, 0.45, 0.1)]
WORDS = "below .5", ".5 to .8", ".8 to 1", "1 to 1.25", "1.25 to 2", "above 2"
WORSE = "////"  # the hatch of cells with no fewer mistakes than the best constant action


def ratios(summary):
    """Return the summary with two further columns: ``ratio``, the mistakes of a setting divided by
    the mistakes of the best constant action on the same data set, and ``beats``, whether the
    interval of the setting lies below the mistakes of the best constant action.
    """
    line = summary[summary["algo"] == LINE].set_index("env")["mean"]
    of_set = summary["env"].map(line)
    return summary.assign(ratio=summary["mean"] / of_set, beats=summary["ci_high"] < of_set)


@styled
def draw(table, summary):
    found = ratios(summary)
    order, found = found["env"].unique(), found[found["algo"] != LINE]
    levels = sorted(found["eps"].unique())
    figure, axes = subplots(2, 3, 5.4)
    for ax, eps in zip(axes.flat, levels, strict=False):
        rows = found[found["eps"] == eps]  # supervised and uniform play have eps = inf
        shown = rows["algo"].unique()
        ratio, beats = (
            rows.pivot(index="env", columns="algo", values=x).reindex(index=order, columns=shown)
            for x in ("ratio", "beats")
        )
        texts = beats.map(lambda x: "." if x is True else "")
        drawn = ratio.set_axis([environment_title(x) for x in order]).set_axis(
            [legend_name(x) for x in shown], axis=1
        )
        norm = BoundaryNorm([0.0, *LIMITS, np.inf], len(COLOURS))
        heat_map(ax, drawn, ListedColormap(COLOURS), norm, texts, np.isfinite(ratio))
        for (i, j), x in np.ndenumerate(ratio.to_numpy()):
            if x >= 1.0:
                ax.add_patch(Rectangle((j, i), 1, 1, hatch=WORSE, ec="white", fill=False, lw=0.5))
        ax.set_title("without privacy" if np.isinf(eps) else rf"$\epsilon$ = {eps:g}")
        if ax not in axes[:, 0]:
            ax.set_yticklabels([])
    for ax in axes.flat[len(levels) :]:
        ax.set_visible(False)
    for colour, words in zip(COLOURS, WORDS, strict=True):
        look = {"hatch": WORSE, "ec": "white"} if colour in COLOURS[3:] else {}
        axes[0, 0].add_patch(Rectangle((0, 0), 0, 0, fc=colour, label=words, **look))
    runs = found["runs"]
    return finish(figure, TITLE, table, NOTE.replace("RUNS", f"{runs.min()} to {runs.max()}"))
