"""Azize's thesis, Figs. 5.5 and C.1: the price of zCDP in a linear bandit, against rho and t.

"Without privacy" means the same phases without noise (rho infinite), which is the algorithm GOPE.
The thesis has one instance. Here the regret is averaged over several drawn instances.
"""

import numpy as np

from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, PATTERNS, finish, own_legend, styled, subplots
from dpbandits.results.intervals import interval_of_mean

COLOURS, LOOKS = list(PALETTE.values()), PATTERNS
RHO_LOOKS = (3, "long"), (4, "dash and dots"), (5, "solid")  # of each rho: colour number and dash
EARLIEST = 1e-4  # share of the horizon at which curves begin
TITLE = "The price of zCDP for AdaC-GOPE (Azize's thesis, Figs. 5.5 and C.1)"
MIDDLE_AND_SUMS = 1e6  # the horizon at which noise is added in both places


def prices(ends):
    """Return the regret of each instance minus its regret without noise: a row for each horizon and
    instance, a column for each rho.
    """
    found = ends.groupby(["horizon", "rho", "env.instance"])["regret"].mean()
    found = found.unstack("rho")
    return found.drop(columns=np.inf).sub(found[np.inf], axis=0)


@styled
def draw(table):
    figure, ((price, relative, ratio),) = subplots(1, 3)
    final, curves = table.runs, table.curves(None)
    longest, middle = final["horizon"].max(), final[final["noise"] == "middle"]
    of_rho = middle[(middle["horizon"] < longest) & (middle["rho"] >= 0.1)]
    for i, (T, rows) in enumerate(prices(of_rho).groupby("horizon")):
        mean, ends = rows.mean(), interval_of_mean(rows.to_numpy())
        look = {"color": COLOURS[i], "ls": LOOKS[i]}
        price.plot(mean.index, mean, marker="o", ms=3, label=f"$T$ = {scientific(T)}", **look)
        price.fill_between(mean.index, *ends, alpha=0.2, lw=0, color=COLOURS[i])
    price.axhline(0, color="black", lw=0.8)
    price.set(title="price in regret at $T$", xlabel=r"privacy budget $\rho$", xscale="log")
    price.set_ylabel("regret $-$ regret without noise")
    own_legend(price)
    curves = curves[curves["t"] >= EARLIEST * curves["horizon"]]
    late = curves[(curves["noise"] == "middle") & (curves["horizon"] == longest)]
    mean = late.groupby(["t", "rho"])["mean"].mean().unstack("rho")
    both = curves[(curves["horizon"] == MIDDLE_AND_SUMS) & curves["rho"].between(0.01, 1)]
    both = both.set_index(["noise", "rho", "t", "env.instance"])["mean"].unstack("noise")
    for (i, dash), (rho, rows) in zip(RHO_LOOKS, both.dropna().groupby("rho"), strict=True):
        look = {"color": COLOURS[i], "ls": DASHES[dash], "label": f"$\\rho$ = {rho:g}"}
        relative.plot(mean.index, mean.get(rho, np.nan) / mean[np.inf] - 1, **look)
        quotient = (rows["middle"] / rows["sums"]).unstack("t")
        center, ends = quotient.mean(), interval_of_mean(quotient.to_numpy())
        ratio.plot(center.index, center, **look)
        ratio.fill_between(center.index, *ends, alpha=0.15, lw=0, color=COLOURS[i])
    relative.axhline(0, color="black", lw=0.8)
    relative.set(title=f"relative price, $T$ = {scientific(longest)}", xlabel="round $t$")
    relative.set(xscale="log", ylabel="price / regret without noise")
    ratio.axhline(1, color="black", lw=0.8)
    ratio.set(title=f"place of the noise, $T$ = {scientific(MIDDLE_AND_SUMS)}", xscale="log")
    ratio.set(xlabel="round $t$", ylabel="regret / regret with noise in sums")
    instances = final["env.instance"].nunique()
    note = (
        f"Lines show means over {instances} instances of RUNS runs each. The bands of the price at "
        "$T$ and of the ratio of regrets show the 95 % interval over the instances. The relative "
        "price rises and falls with the phases. AdaC-GOPE adds noise in the middle, to each mean "
        "of a phase; the ratio is to noise in the sums of rewards."
    )
    finish(figure, TITLE, table, note)
    return figure
