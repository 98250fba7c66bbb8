"""Private LinUCB (Shariff & Sheffet 2018): regret against T and against eps, beside a learner that
protects rewards alone and one that protects nothing.
"""

from dpbandits.figures.draw import load_script
from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, Chart, finish, styled

LOOKS = {  # of each curve: its label, colour and dash
    "private_lin_ucb gaussian printed": ("joint DP, Gaussian noise", "vermillion", "solid"),
    "private_lin_ucb gaussian exact": ("joint DP, Gaussian, exact", "vermillion", "dashed"),
    "private_lin_ucb wishart printed": ("joint DP, Wishart noise", "orange", "solid"),
    "adac_oful eigenvalue": (r"rewards only, $\rho = \epsilon^2/2$ (AdaC-OFUL)", "blue", "solid"),
}
TITLE = "Private LinUCB (Shariff & Sheffet 2018; our setting)"
NOTE = (
    r"contextual: $K$ = 10, $d$ = 3, rewards $\pm$1; $\delta$ = .001; means over THETAS thetas, "
    "RUNS runs each. Bands: from the smallest to the largest run. Thin: beyond the largest eps "
    "that the printed noise keeps (Wishart: for which this is proved)."
)
MIDDLE = 1e6  # the horizon at which budgets vary


@styled
def draw(table):
    shared = load_script("private_contexts")
    found = shared.shares(table.runs)
    figure = Chart(figsize=(10.4, 4.2))
    left, right = figure.subplots(1, 2, sharey=True)
    horizons = found["horizon"].unique()
    at = MIDDLE if MIDDLE in horizons else horizons.max()
    for name, look in LOOKS.items():
        rows = found[found["curve"] == name]
        shared.draw_curve(left, rows[rows["budget"] == 1.0], "horizon", look)
        last = shared.LAST.get(name, float("inf"))
        shared.draw_curve(right, rows[rows["horizon"] == at], "budget", look, last)
    floor = found[found["algo"] == "lin_ucb"]
    shared.draw_curve(left, floor, "horizon", ("LinUCB: not private", "brown", "dotted"))
    floor = floor[floor["horizon"] == at]["share"].mean()
    right.axhline(floor, color=PALETTE["brown"], ls=DASHES["dotted"])
    for ax in (left, right):
        ax.axhline(1.0, color="grey", lw=1.0, label="random play")
        ax.set(xscale="log", yscale="log")
    left.set(title=r"$\epsilon$ = 1", xlabel="horizon $T$", ylabel="regret / that of random play")
    right.set(title=f"$T$ = {scientific(at)}", xlabel=r"privacy budget $\epsilon$")
    finish(figure, TITLE, table, NOTE.replace("THETAS", str(found["env.instance"].nunique())))
    return figure
