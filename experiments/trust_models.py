"""Three trust models: an elimination algorithm in which users trust a shuffler, a server or nobody.
Other algorithms are drawn for comparison.
"""

from dpbandits.contracts.display import environment_title
from dpbandits.figures.bands import band_note, draw_band
from dpbandits.figures.final_regret import regret_label
from dpbandits.figures.labels import labelled
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import finish, styled, styles_of, subplots
from dpbandits.results.summary import mean_of

TITLE = "What trust is worth: one elimination, three trust models"
NOTE = (
    "The lines of Shuffle-SE differ only in the trust model. With a shuffler or a server, "
    "$\\delta$ is $10^{-5}$; the probability $p$ of a wrong elimination is $1/T$. Thin lines show "
    "other algorithms, which differ in their constants, too: AdaP-KLUCB and DP-SE trust a server, "
    "Dist-DP-SE trusts a server that sees only sums, and HeLDP-UCB-B trusts nobody. "
)
OURS = "shuffle_se"
THIN = {"lw": 0.7, "ms": 1.5, "alpha": 0.8}  # the look of the other algorithms, which are context
BAND = {"mean": "middle", "ci_low": "low", "ci_high": "high"}


@styled
def draw(table):
    table = labelled(table)
    styles = styles_of(table.settings)
    context = {*table.settings.loc[table.settings["algo"] != OURS, "line"]}
    found = mean_of(table.runs, ["env", "line", "eps"]).rename(columns=BAND)
    environments = list(table.settings["env"].unique())
    figure, axes = subplots(1, len(environments), 2.4, sharey=True)
    for ax, env in zip(axes.flat, environments, strict=True):
        for label, curve in found[found["env"] == env].groupby("line", sort=False):
            points = curve.sort_values("eps")
            look = {"marker": "o", "ms": 2.5} | styles[label] | (THIN if label in context else {})
            ax.plot(points["eps"], points["middle"], label=label, **look)
            draw_band(ax, points, "eps", styles[label]["color"])
        ax.set(title=environment_title(env), xscale="log", yscale="log")
    label_edges(axes, r"privacy budget $\epsilon$", regret_label(table))
    return finish(figure, TITLE, table, NOTE + band_note(table, "ci"))
