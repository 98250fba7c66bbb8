"""Chowdhury & Zhou 2023: regret per round of servers that only sum, beside a trusted one.

Runs of all drawn instances are averaged.
"""

import itertools

from dpbandits.contracts.display import environment_title
from dpbandits.figures.bands import curve_of, draw_band
from dpbandits.figures.labels import budget_title, labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import Chart, finish, styled, styles_of

TITLE = "Regret per round on drawn instances (Chowdhury & Zhou 2023)"
EARLIEST = 1e-4  # of the horizon


@styled
def draw(table):
    horizon = table["horizon"].max()
    table = table[(table["horizon"] == horizon) & (table["t"] >= EARLIEST * horizon)]
    table = labelled(table, but=["env.instance"])
    table = table.assign(regret=table["regret"] / table["t"])
    runs = table.groupby("env.instance")["run"].nunique().max()
    setting = ["line", "algo", "env", "eps", "env.instance", "t", "horizon"]
    table = table.groupby(setting, as_index=False, observed=True, sort=False)["regret"].mean()
    table["run"] = table["env.instance"]  # the instances are the sample
    budgets, environments = sorted(table["eps"].unique()), table["env"].unique()
    styles = styles_of(table)
    figure = Chart(figsize=(3.4 * len(budgets) + 0.4, 2.5 * len(environments) + 1.2))
    axes = figure.subplots(len(environments), len(budgets), squeeze=False, sharex=True, sharey=True)
    for ax, (env, eps) in zip(axes.flat, itertools.product(environments, budgets), strict=True):
        here = table[(table["env"] == env) & (table["eps"] == eps)]
        for label, rows in here.groupby("line", sort=False):
            curve = curve_of(rows, "t", "ci")
            ax.plot(curve["t"], curve["middle"], label=label, **styles[label])
            draw_band(ax, curve, "t", styles[label]["color"])
        title = environment_title(env).partition(":")[0]
        ax.set(title=f"{title}, {budget_title('eps', eps)}", xscale="log", yscale="log")
    label_edges(axes, "round $t$", "pseudo-regret / $t$")
    instances = table["env.instance"].nunique()
    note = (
        f"Lines: means over {instances} instances of {runs} runs each. Bands: 95 % interval over "
        "the instances, which all algorithms share."
    )
    return finish(figure, TITLE, table, note)
