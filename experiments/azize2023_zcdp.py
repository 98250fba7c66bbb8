"""Azize's thesis, Fig. 5.4: what zCDP costs AdaC-UCB, against rho and against t.

The regret without privacy is that of the same episodes without noise (rho infinite).
"""

import numpy as np

from dpbandits.figures.style import DASHES, PALETTE, Chart, finish, scientific, styled
from dpbandits.results.intervals import half_width
from dpbandits.results.tables import at_end

BUDGETS = [0.1, 0.5, 1.0]
COLOURS, LOOKS = list(PALETTE.values()), list(DASHES.values())


def moments(rows, by):
    """Mean regret, and the squared standard error of the mean, by the values of some columns."""
    of = rows.groupby(by)["regret"]
    return of.mean(), of.var() / of.count()


def price(table):
    """The regret minus that without noise, by horizon and rho, and half its 95 % interval."""
    mean, error = moments(at_end(table), ["horizon", "rho"])
    mean, error = mean.unstack("rho"), error.unstack("rho")
    runs = table["run"].nunique()
    deviations = np.sqrt(runs * error.drop(columns=np.inf).add(error[np.inf], axis=0))
    half = half_width(deviations.to_numpy(), np.full(deviations.shape, runs))
    return mean.drop(columns=np.inf).sub(mean[np.inf], axis=0), half


def relative_price(table):
    """The price divided by the regret without noise, by t and rho, at the longest horizon."""
    longest = table[table["horizon"] == table["horizon"].max()]
    late = longest[longest["t"] >= 1e-4 * longest["horizon"]]
    mean = moments(late, ["t", "rho"])[0].unstack("rho")
    return mean[BUDGETS].div(mean[np.inf], axis=0) - 1


@styled
def draw(table):
    figure = Chart(figsize=(8.4, 4.0))
    left, right = figure.subplots(1, 2)
    found, half = price(table)
    for i, (T, row) in enumerate(found.iterrows()):
        look = {"color": COLOURS[i], "ls": LOOKS[i]}
        left.plot(row.index, row, marker="o", ms=3, label=f"$T$ = {scientific(T)}", **look)
        left.fill_between(
            row.index, row - half[i], row + half[i], alpha=0.2, lw=0, color=COLOURS[i]
        )
    left.axhline(0, color="black", lw=0.8)
    left.set(title="price in regret at $T$", xlabel=r"privacy budget $\rho$", xscale="log")
    left.set_ylabel("regret $-$ regret without noise")
    relative = relative_price(table)
    for i, rho in enumerate(BUDGETS, start=len(found)):
        look = {"color": COLOURS[i], "ls": LOOKS[i % len(LOOKS)]}
        right.plot(relative.index, relative[rho], label=f"$\\rho$ = {rho:g}", **look)
    right.axhline(0, color="black", lw=0.8)
    right.set(title=f"relative price, $T$ = {scientific(relative.index.max())}", xlabel="round $t$")
    right.set_ylabel("price / regret without noise")
    right.set_xscale("log")
    title = "What zCDP costs AdaC-UCB on C2 (Azize's thesis, Fig. 5.4)"
    note = "Lines: means of RUNS runs. Bands: 95 % interval of the difference (Student's t)."
    finish(figure, title, table, note)
    return figure
