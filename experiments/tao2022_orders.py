"""Tao et al. 2022, Theorem 4: the order of DPR-SE's regret, measured with the paper's constants.

The left panel shows regret against eps, at three orders v of the moment; the right panel, against
the gap of two arms. A grey line above each curve shows the order sum (1/gap)^(1/v) / eps (our
setting).
"""

import json

import numpy as np
from matplotlib.ticker import NullLocator

from dpbandits.figures.final_regret import order, regret_label, regret_vs
from dpbandits.figures.labels import labelled
from dpbandits.figures.style import finish, styled, styles_of, subplots

TITLE = "DPR-SE with the paper's constants (Tao et al. 2022, Theorem 4; our setting)"
FIRST_EPOCH = 0.3  # the first epoch eliminates arms of larger gaps, see the note
SLOPE = r"slope only, of the order $\epsilon^{-1} \Sigma\,\mathrm{gap}^{-1/v}$"


@styled
def draw(table):
    means = table.settings["env.means"].map(json.loads)
    pairs, gaps = means.map(len) == 2, means.map(np.ptp)
    table = table.assign(gap=gaps.where(pairs), pairs=pairs)
    table = labelled(table, but=["gap", "pairs", "env.v", "env.means"])
    styles, runs = styles_of(table.settings), table.runs
    figure, (axes,) = subplots(1, 2)
    for ax, rows, column in zip(
        axes, (runs[~runs["pairs"]], runs[runs["pairs"]]), ("eps", "gap"), strict=True
    ):
        regret_vs(ax, rows, column, styles, "ci")
        for v, of_v in rows.groupby("v"):
            means = of_v.groupby(column)["regret"].mean()
            x = means.index.to_numpy()[::-1]
            slope, own = (1.0, x) if column == "eps" else (1 / v, x[x <= FIRST_EPOCH])
            order(ax, own, own**-slope, 1.6 * means[own[-1]], SLOPE)
        ax.set_xscale("log")
        ax.set_ylim(top=3.0 * rows.groupby(["v", column])["regret"].mean().max())
        ax.set_xticks(x, [f"{z:.3g}" for z in x], minor=False)
        ax.xaxis.set_minor_locator(NullLocator())
    axes[0].set_xlabel(r"privacy budget $\epsilon$")
    axes[0].set_title("five arms")
    axes[1].set_xlabel("gap")
    axes[1].set_title(r"two arms, $\epsilon$ = 1")
    axes[0].set_ylabel(regret_label(table))
    note = (
        "Moments of order $1 + v$ are bounded. Points show the mean of RUNS runs; these differ by "
        "less than the width of a line. At the gaps .4 and .8 the first epoch eliminates the worse "
        "arm after a fixed number of pulls, so regret is proportional to the gap."
    )
    return finish(figure, TITLE, table, note)
