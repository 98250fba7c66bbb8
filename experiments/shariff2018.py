"""Regret against T and against eps of Private LinUCB (Shariff & Sheffet 2018), of an algorithm that
protects only rewards, and of one without privacy.
"""

from dpbandits.figures.draw import load_script
from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, finish, styled, subplots

LOOKS = {  # label, colour and dash of each curve
    "private_lin_ucb gaussian printed": ("joint DP, Gaussian noise", "vermillion", "dashdotted"),
    "private_lin_ucb gaussian exact": ("joint DP, exact noise", "vermillion", "dotted"),
    "private_lin_ucb wishart printed": ("joint DP, Wishart noise", "orange", "long"),
    "adac_oful eigenvalue": ("zCDP of rewards", "blue", "solid"),
}
TITLE = "Private LinUCB (Shariff & Sheffet 2018; our setting)"
NOTE = (
    r"There are ten contexts in three dimensions and rewards $\pm$1. Private LinUCB gives joint DP "
    r"($\delta$ = .001), and AdaC-OFUL gives zCDP of rewards ($\rho = \epsilon^2/2$), which does "
    "not protect contexts. Lines show means over THETAS parameters of RUNS runs each, and bands "
    "show all runs. Lines are thin where the printed noise exceeds the privacy budget or, for "
    "Wishart noise, is not proved to satisfy it."
)
MIDDLE = 1e6  # the horizon at which budgets vary


@styled
def draw(table):
    shared = load_script("private_contexts")
    found = shared.shares(table.runs)
    figure, ((left, right),) = subplots(1, 2, sharey=True)
    horizons = found["horizon"].unique()
    at = MIDDLE if MIDDLE in horizons else horizons.max()
    for name, look in LOOKS.items():
        rows = found[found["curve"] == name]
        shared.draw_curve(left, rows[rows["budget"] == 1.0], "horizon", look)
        last = shared.LAST.get(name, float("inf"))
        shared.draw_curve(right, rows[rows["horizon"] == at], "budget", look, last)
    floor = found[found["algo"] == "lin_ucb"]
    shared.draw_curve(left, floor, "horizon", (next(iter(shared.LEVELS)), "brown", "dash and dots"))
    floor = floor[floor["horizon"] == at]["share"].mean()
    right.axhline(floor, color=PALETTE["brown"], ls=DASHES["dash and dots"])
    for ax in (left, right):
        ax.axhline(1.0, color="black", lw=1.0, label="random play")
        ax.set(xscale="log", yscale="log")
    left.set(title=r"$\epsilon$ = 1", xlabel="horizon $T$", ylabel="regret / random play")
    right.set(title=f"$T$ = {scientific(at)}", xlabel=r"privacy budget $\epsilon$")
    finish(figure, TITLE, table, NOTE.replace("THETAS", str(found["env.instance"].nunique())))
    return figure
