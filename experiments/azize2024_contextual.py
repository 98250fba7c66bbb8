"""Azize's thesis, Fig. 5.6: the price of zCDP of rewards in a contextual bandit, with two bonuses.

"Without privacy" means without noise (rho infinite), which is the algorithm RS-OFUL.
"""

import numpy as np
import pandas as pd

from dpbandits.figures.bands import draw_band
from dpbandits.figures.draw import load_script
from dpbandits.figures.labels import scientific
from dpbandits.figures.style import PALETTE, PATTERNS, finish, own_legend, styled, subplots
from dpbandits.results.intervals import interval_of_mean

COLOURS, LOOKS = list(PALETTE.values()), PATTERNS
BUDGETS = [0.1, 0.5, 1.0]
EARLIEST = 1e-3  # share of the horizon at which curves begin
TITLE = "The price of zCDP for AdaC-OFUL (Azize's thesis, Fig. 5.6)"


@styled
def draw(table):
    figure, axes = subplots(2, 2, sharex="col")
    ends, curves = table.runs, table.curves(None)
    longest = ends["horizon"].max()
    for (left, right), (bonus, rows) in zip(axes, ends.groupby("bonus", sort=False), strict=True):
        prices = load_script("azize2024_linear").prices(rows)
        for i, (T, each) in enumerate(prices.groupby("horizon")):
            price, (low, high) = each.mean(), interval_of_mean(each.to_numpy())
            look = {"color": COLOURS[i], "ls": LOOKS[i]}
            left.plot(price.index, price, marker="o", ms=3, label=f"$T$ = {scientific(T)}", **look)
            band = pd.DataFrame({"rho": price.index, "middle": price, "low": low, "high": high})
            draw_band(left, band, "rho", COLOURS[i])
        left.set(title=f"{bonus} bonus: price in regret at $T$", xscale="log", yscale="log")
        left.set_ylabel("regret $-$ regret without noise")
        own_legend(left)
        late = curves[(curves["bonus"] == bonus) & (curves["horizon"] == longest)]
        late = late[late["t"] >= EARLIEST * longest]
        mean = late.groupby(["t", "rho"])["mean"].mean().unstack("rho")
        for i, rho in enumerate(mean.columns.intersection(BUDGETS), start=3):
            relative = mean[rho] / mean[np.inf] - 1
            look = {"color": COLOURS[i], "ls": LOOKS[i], "label": f"$\\rho$ = {rho:g}"}
            right.plot(relative.index, relative, **look)
        right.set(title=f"{bonus} bonus: relative price, $T$ = {scientific(longest)}", xscale="log")
        right.set_ylabel("price / regret without noise")
    axes[1, 0].set_xlabel(r"privacy budget $\rho$")
    axes[1, 1].set_xlabel("round $t$")
    thetas = ends["env.instance"].nunique()
    note = (
        f"Lines show means over {thetas} parameters of RUNS runs each. The bands of the price at "
        "$T$ show the 95 % interval over the parameters."
    )
    finish(figure, TITLE, table, note)
    return figure
