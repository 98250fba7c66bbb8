"""Chowdhury & Zhou 2023: regret per round with a server that sees only sums, and with a trusted
one.

The regret is averaged over several drawn instances.
"""

import itertools

from dpbandits.contracts.display import environment_title
from dpbandits.figures.bands import draw_band
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import finish, styled, styles_of, subplots
from dpbandits.results.table import curve_of

TITLE = "Regret per round, ten drawn means (Chowdhury & Zhou 2023)"
EARLIEST = 1e-4  # share of the horizon at which curves begin


@styled
def draw(table):
    horizons = table.settings["horizon"]
    horizon = horizons.max()
    table = labelled(table.where(horizons == horizon), but=["env.instance"])
    curves, ends = table.curves(None), table.runs
    curves = curves[curves["t"] >= EARLIEST * horizon]
    # each value is the mean over the runs of an instance; the instances are the sample
    curves = curves.assign(value=curves["mean"] / curves["t"])
    budgets, environments = sorted(ends["eps"].unique()), ends["env"].unique()
    styles = styles_of(table.settings)
    figure, axes = subplots(len(environments), len(budgets), sharex=True, sharey="row")
    for ax, (env, eps) in zip(axes.flat, itertools.product(environments, budgets), strict=True):
        here = curves[(curves["env"] == env) & (curves["eps"] == eps)]
        for label, rows in here.groupby("line", sort=False):
            curve = curve_of(rows, "t", "ci")
            ax.plot(curve["t"], curve["middle"], label=label, **styles[label])
            draw_band(ax, curve, "t", styles[label]["color"])
        title = environment_title(env).partition(":")[0]
        ax.set(title=f"{title}, {budget_title('eps', eps)}", xscale="log", yscale="log")
    label_edges(axes, "round $t$", "pseudo-regret / $t$")
    instances, runs = ends["env.instance"].nunique(), ends["run"].nunique()
    note = (
        f"Lines show means over {instances} instances of {runs} runs each, and bands the 95 % "
        "interval over the instances, which all algorithms share."
    )
    return finish(figure, TITLE, table, note)
