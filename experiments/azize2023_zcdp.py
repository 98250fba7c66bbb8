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


def price(runs, by):
    """The mean regret minus that without noise, by a column and rho, and half of its 95 % interval
    (Student's t).
    """
    of = runs.groupby([by, "rho"])["regret"]
    mean, error = of.mean().unstack("rho"), (of.var() / of.count()).unstack("rho")
    both = error.drop(columns=np.inf).add(error[np.inf], axis=0)
    half = student.ppf(0.975, runs["run"].nunique() - 1) * np.sqrt(both)
    return mean.drop(columns=np.inf).sub(mean[np.inf], axis=0), half, mean[np.inf]


def band(ax, middle, half, label, look):
    """Draw a line with its interval."""
    ax.plot(middle.index, middle, label=label, **look)
    shape = {"color": look["color"], "alpha": 0.2, "lw": 0}
    ax.fill_between(middle.index, middle - half, middle + half, **shape)


@styled
def draw(table):
    figure = Chart(figsize=(10.4, 4.0))
    left, middle, right = figure.subplots(1, 3)
    prices, half, _ = price(at_end(table), "horizon")
    for i, T in enumerate(prices.index):
        look = {"color": COLOURS[i], "ls": LOOKS[i], "marker": "o", "ms": 3}
        band(left, prices.loc[T], half.loc[T], f"$T$ = {scientific(T)}", look)
    left.axhline(0, color="black", lw=0.8)
    left.set(title="price in regret at $T$", xlabel=r"privacy budget $\rho$", xscale="log")
    left.set_ylabel("regret $-$ regret without noise")
    longest = table[table["horizon"] == table["horizon"].max()]
    T, styles = scientific(longest["horizon"].max()), {}
    relative, width, free = price(longest[longest["t"] >= 1e-4 * longest["horizon"]], "t")
    for i, rho in enumerate([*BUDGETS, np.inf], start=len(prices)):
        label = "without noise" if np.isinf(rho) else f"$\\rho$ = {rho:g}"
        styles[label] = {"color": COLOURS[i], "ls": LOOKS[i % len(LOOKS)]}
        if np.isfinite(rho):
            band(middle, relative[rho] / free, width[rho] / free, label, styles[label])
        exceedance(right, longest[longest["rho"] == rho].assign(line=label), styles)
    middle.axhline(0, color="black", lw=0.8)
    middle.set(title=f"relative price, $T$ = {T}", xlabel="round $t$", xscale="log")
    middle.set_ylabel("price / regret without noise")
    right.set(title=f"tails, $T$ = {T}", xlabel="regret $x$", ylabel="$P$(regret > $x$)")
    title = "What zCDP costs AdaC-UCB on C2 (Azize's thesis, Fig. 5.4; the tails are ours)"
    note = (
        "Means of RUNS runs. Bands: 95 % interval of the difference of means (Student's t); where "
        "one holds 0, these runs show no price."
    )
    return finish(figure, title, table, note)
