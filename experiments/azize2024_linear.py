"""Azize's thesis, Figs. 5.5 and C.1: the price of zCDP in a linear bandit, against rho and t.

The regret without privacy is that of the same phases without noise (rho infinite), which is GOPE.
The thesis has one instance; here runs of all drawn instances are averaged.
"""

import numpy as np

from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, PATTERNS, finish, own_legend, styled, subplots
from dpbandits.results.intervals import interval_of_mean

COLOURS, LOOKS = list(PALETTE.values()), PATTERNS
RHO_LOOKS = (3, "long"), (4, "dash and dots"), (5, "solid")  # of each rho: colour and dash
EARLIEST = 1e-4  # of the horizon
TITLE = "The price of zCDP for AdaC-GOPE (Azize's thesis, Figs. 5.5 and C.1)"
MIDDLE_AND_SUMS = 1e6  # the horizon of runs with both places of the noise


def prices(ends):
    """The regret of each instance minus that without noise, by horizon, rho and instance."""
    found = ends.groupby(["horizon", "rho", "env.instance"])["regret"].mean()
    found = found.unstack("rho")
    return found.drop(columns=np.inf).sub(found[np.inf], axis=0)


@styled
def draw(table):
    figure, ((price, relative), (regret, ratio)) = subplots(2, 2)
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
        means = rows.groupby("t").mean()
        regret.plot(means.index, means["middle"], **look)
        regret.plot(means.index, means["sums"], color="black", lw=0.9, ls=":")
        quotient = (rows["middle"] / rows["sums"]).unstack("t")
        center, ends = quotient.mean(), interval_of_mean(quotient.to_numpy())
        ratio.plot(center.index, center, **look)
        ratio.fill_between(center.index, *ends, alpha=0.15, lw=0, color=COLOURS[i])
    relative.axhline(0, color="black", lw=0.8)
    relative.set(title=f"relative price, $T$ = {scientific(longest)}", xlabel="round $t$")
    relative.set(xscale="log", ylabel="price / regret without noise")
    regret.set(title="noise in the middle (dotted: in sums)", xlabel="round $t$")
    regret.set(xscale="log", yscale="log", ylabel="pseudo-regret")
    ratio.axhline(1, color="black", lw=0.8)
    ratio.set(title="noise in the middle / in sums", xlabel="round $t$", xscale="log")
    ratio.set_ylabel("ratio of regrets")
    instances = final["env.instance"].nunique()
    note = (
        f"Lines show means over {instances} instances of RUNS runs each. The bands of the price at "
        "$T$ and of the ratio of regrets show the 95 % interval over the instances. The relative "
        "price rises and falls with the phases. Some lines of regret coincide."
    )
    finish(figure, TITLE, table, note)
    return figure
