"""Azize's thesis, Fig. 5.5 and C.1: the price of zCDP in a linear bandit, against rho and t.

The regret without privacy is that of the same phases without noise (rho infinite), which is GOPE.
The thesis has one instance; runs of all drawn instances are averaged.
"""

import numpy as np

from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, Chart, finish, styled
from dpbandits.results.tables import at_end

COLOURS, LOOKS = list(PALETTE.values()), list(DASHES.values())
EARLIEST = 1e-4  # of the horizon
TITLE = "What zCDP costs AdaC-GOPE (Azize's thesis, Fig. 5.5 and C.1; normal rewards: no privacy)"


def interval(values):
    """Half the 95 % interval of a mean over instances, about."""
    return 1.96 * values.std(ddof=1) / np.sqrt(len(values))


def prices(table):
    """The regret of each instance minus that without noise, by horizon, rho and instance."""
    found = at_end(table).groupby(["horizon", "rho", "env.instance"])["regret"].mean()
    found = found.unstack("rho")
    return found.drop(columns=np.inf).sub(found[np.inf], axis=0)


@styled
def draw(table):
    figure = Chart(figsize=(10.4, 4.0))
    left, middle, right = figure.subplots(1, 3)
    longest, noises = table["horizon"].max(), table[table["noise"] == "middle"]
    of_rho = noises[(noises["horizon"] < longest) & (noises["rho"] >= 0.1)]
    for i, (T, rows) in enumerate(prices(of_rho).groupby("horizon")):
        mean, half = rows.mean(), rows.apply(interval)
        look = {"color": COLOURS[i], "ls": LOOKS[i]}
        left.plot(mean.index, mean, marker="o", ms=3, label=f"$T$ = {scientific(T)}", **look)
        left.fill_between(mean.index, mean - half, mean + half, alpha=0.2, lw=0, color=COLOURS[i])
    left.axhline(0, color="black", lw=0.8)
    left.set(title="price in regret at $T$", xlabel=r"privacy budget $\rho$", xscale="log")
    left.set_ylabel("regret $-$ regret without noise")
    late = noises[(noises["horizon"] == longest) & (noises["t"] >= EARLIEST * longest)]
    mean = late.groupby(["t", "rho"])["regret"].mean().unstack("rho")
    for i, rho in enumerate(mean.columns.drop(np.inf), start=3):
        relative = mean[rho] / mean[np.inf] - 1
        middle.plot(relative.index, relative, label=f"$\\rho$ = {rho:g}", color=COLOURS[i])
    middle.axhline(0, color="black", lw=0.8)
    middle.set(title=f"relative price, $T$ = {scientific(longest)}", xlabel="round $t$")
    middle.set(xscale="log", ylabel="price / regret without noise")
    both = table[(table["horizon"] == 1e6) & (table["t"] >= EARLIEST * 1e6) & (table["rho"] <= 1)]
    for (noise, rho), rows in both.groupby(["noise", "rho"]):
        if rho in both[both["noise"] == "sums"]["rho"].unique():
            i = [0.001, 0.01, 0.1, 1.0].index(rho)
            curve = rows.groupby("t")["regret"].mean()
            ls = "-" if noise == "middle" else "--"
            right.plot(
                curve.index, curve, ls=ls, color=COLOURS[i], label=f"{noise}, $\\rho$ = {rho:g}"
            )
    right.set(title="noise in the middle, or in sums", xlabel="round $t$", xscale="log")
    right.set(yscale="log", ylabel="pseudo-regret")
    instances = table["env.instance"].nunique()
    note = f"Means over {instances} instances, RUNS runs each. Bands: 95 % interval over instances."
    finish(figure, TITLE, table, note)
    return figure
