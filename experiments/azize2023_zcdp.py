"""Azize's thesis, Fig. 5.4: what zCDP costs AdaC-UCB, against rho and against t.

The regret without privacy is that of the same episodes without noise (rho infinite). The third
panel is ours: the mean of the thesis hides how the regret is spread over the runs.
"""

import numpy as np
from scipy.stats import t as student

from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, Chart, finish, styled
from dpbandits.figures.tails import exceedance
from dpbandits.results.tables import at_end

BUDGETS = [0.1, 0.5, 1.0]
COLOURS, LOOKS = list(PALETTE.values()), list(DASHES.values())


def price(table, center):
    """The mean or median regret minus that without noise, by horizon and rho."""
    found = at_end(table).groupby(["horizon", "rho"])["regret"].agg(center).unstack("rho")
    return found.drop(columns=np.inf).sub(found[np.inf], axis=0)


def half_of_interval(table):
    """Half the 95 % interval (Student's t) of the price in the mean, by horizon and rho."""
    of = at_end(table).groupby(["horizon", "rho"])["regret"]
    error = (of.var() / of.count()).unstack("rho")
    both = error.drop(columns=np.inf).add(error[np.inf], axis=0)
    return student.ppf(0.975, table["run"].nunique() - 1) * np.sqrt(both)


def relative_price(longest):
    """The price in the mean divided by the regret without noise, by t and rho."""
    late = longest[longest["t"] >= 1e-4 * longest["horizon"]]
    mean = late.groupby(["t", "rho"])["regret"].mean().unstack("rho")
    return mean[BUDGETS].div(mean[np.inf], axis=0) - 1


@styled
def draw(table):
    figure = Chart(figsize=(10.4, 4.0))
    left, middle, right = figure.subplots(1, 3)
    means, medians, half = price(table, "mean"), price(table, "median"), half_of_interval(table)
    for i, (T, row) in enumerate(means.iterrows()):
        look = {"color": COLOURS[i], "ls": LOOKS[i]}
        left.plot(row.index, row, marker="o", ms=3, label=f"$T$ = {scientific(T)}", **look)
        low, high = row - half.loc[T], row + half.loc[T]
        left.fill_between(row.index, low, high, alpha=0.2, lw=0, color=COLOURS[i])
        left.plot(row.index, medians.loc[T], "D", ms=4, mfc="none", color=COLOURS[i])
    left.axhline(0, color="black", lw=0.8)
    left.set(title="price in regret at $T$", xlabel=r"privacy budget $\rho$", xscale="log")
    left.set_ylabel("regret $-$ regret without noise")
    longest = table[table["horizon"] == table["horizon"].max()]
    T = scientific(longest["horizon"].max())
    relative, styles = relative_price(longest), {}
    for i, rho in enumerate([*BUDGETS, np.inf], start=len(means)):
        label = "without noise" if np.isinf(rho) else f"$\\rho$ = {rho:g}"
        styles[label] = {"color": COLOURS[i], "ls": LOOKS[i % len(LOOKS)]}
        if np.isfinite(rho):
            middle.plot(relative.index, relative[rho], label=label, **styles[label])
        exceedance(right, longest[longest["rho"] == rho].assign(line=label), styles)
    middle.axhline(0, color="black", lw=0.8)
    middle.set(title=f"relative price, $T$ = {T}", xlabel="round $t$", xscale="log")
    middle.set_ylabel("price / regret without noise")
    right.set(title=f"tails, $T$ = {T}", xlabel="regret $x$", ylabel="$P$(regret > $x$)")
    title = "What zCDP costs AdaC-UCB on C2 (Azize's thesis, Fig. 5.4; the tails are ours)"
    note = (
        "Lines: means of RUNS runs; diamonds: prices in the median. "
        "Bands: 95 % interval of the difference of means (Student's t)."
    )
    return finish(figure, title, table, note)
