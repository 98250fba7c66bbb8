"""Azize's thesis, Fig. 5.4: what zCDP costs AdaC-UCB, against rho and against t.

"Without privacy" means the same episodes without noise (rho infinite). The third panel is not in
the thesis. This panel shows how the regret varies between runs, which a mean does not show.
"""

import numpy as np
import pandas as pd

from dpbandits.comparison.pairs import Located, difference
from dpbandits.figures.final_regret import exceedance
from dpbandits.figures.labels import scientific
from dpbandits.figures.style import PALETTE, PATTERNS, finish, own_legend, styled, subplots
from dpbandits.results.summary import mean_of

BUDGETS = [0.1, 0.5, 1.0]
COLOURS, LOOKS = list(PALETTE.values()), PATTERNS


def prices(found, by, budget):
    """Return the price of privacy at each budget, with its 95 % interval: the mean regret minus the
    mean regret without privacy.

    Args:
        found: means with their intervals, the column ``by``, and a column with the budget (inf
            without privacy).
        by: a column, such as the horizon.
        budget: the name of the budget.

    Returns:
        Three frames: the price and the two ends of its interval. The rows are the values of ``by``,
            and the columns are the finite budgets.
    """
    found = found.set_index([by, budget])
    means = [found[name].unstack(budget) for name in ("mean", "ci_low", "ci_high")]
    private = Located(*(x.drop(columns=np.inf) for x in means))
    free = Located(*(x[[np.inf]].to_numpy() for x in means))
    like = private.value
    priced = difference(Located(*(x.to_numpy() for x in private)), free)
    return Located(*(pd.DataFrame(x, like.index, like.columns) for x in priced))


def band(ax, middle, low, high, label, look):
    """Draw a line with its interval."""
    ax.plot(middle.index, middle, label=label, **look)
    shape = {"color": look["color"], "alpha": 0.2, "lw": 0}
    ax.fill_between(middle.index, low, high, **shape)


@styled
def draw(table):
    figure, ((left, middle, right),) = subplots(1, 3, 1.9)
    ends = table.runs
    final = prices(mean_of(ends, ["horizon", "rho"]), "horizon", "rho")
    for i, T in enumerate(final.value.index):
        look = {"color": COLOURS[i], "ls": LOOKS[i], "marker": "o", "ms": 3}
        band(left, *(x.loc[T] for x in final), f"$T$ = {scientific(T)}", look)
    left.axhline(0, color="black", lw=0.8)
    left.set(title="price in regret at $T$", xlabel=r"privacy budget $\rho$", xscale="log")
    left.set_ylabel("regret $-$ regret without noise")
    own_legend(left)
    longest = table.where(table.settings["horizon"] == table.settings["horizon"].max())
    T, styles = scientific(longest.settings["horizon"].max()), {}
    late, last = longest.curves("ci"), longest.runs
    late = late[late["t"] >= 1e-4 * late["horizon"]]
    free = late[late["rho"] == np.inf].set_index("t")["mean"]
    late = prices(late, "t", "rho")
    for i, rho in enumerate([*BUDGETS, np.inf], start=len(final.value)):
        label = "without noise" if np.isinf(rho) else f"$\\rho$ = {rho:g}"
        styles[label] = {"color": COLOURS[i], "ls": LOOKS[i]}
        if np.isfinite(rho):
            band(middle, *(x[rho] / free for x in late), label, styles[label])
        exceedance(right, last[last["rho"] == rho].assign(line=label), styles)
    middle.axhline(0, color="black", lw=0.8)
    middle.set(title=f"relative price, $T$ = {T}", xlabel="round $t$", xscale="log")
    middle.set_ylabel("price / regret without noise")
    right.set(title=f"tails, $T$ = {T}", xlabel="regret $x$", ylabel="$P$(regret > $x$)")
    title = "The price of zCDP for AdaC-UCB on C2 (Azize's thesis, Fig. 5.4; our tails)"
    note = (
        "Lines show means of RUNS runs, and bands the 95 % interval of the difference of means. "
        "Where a band holds 0, these runs show no price."
    )
    return finish(figure, title, table, note)
