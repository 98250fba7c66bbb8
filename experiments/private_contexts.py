"""What privacy of contexts costs: the regret of algorithms against the budget, as a share of the
regret of random play. Each of four groups of algorithms has a panel.

``python experiments/private_contexts.py [RESULTS]`` prints the shares in docs/linear.md.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from tabulate import tabulate

from dpbandits.environments.catalogue import build
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import DASHES, PALETTE, finish, own_legend, styled, subplots
from dpbandits.files import package_folder

LOCAL = "local DP of contexts and rewards"
PANELS = {  # title and curves of each panel; label, colour and dash of each curve
    "zCDP": (r"zCDP of rewards ($\rho = \epsilon^2/2$)", {
        "adac_oful printed": ("AdaC-OFUL, printed bonus", "blue", "dashed"),
        "adac_oful eigenvalue": ("AdaC-OFUL, eigenvalue bonus", "blue", "solid"),
    }),
    "joint DP": ("joint DP of contexts and rewards", {
        "private_lin_ucb gaussian printed": ("Private LinUCB", "vermillion", "dashdotted"),
        "private_lin_ucb gaussian exact": ("Private LinUCB, exact", "vermillion", "dotted"),
        "private_lin_ucb wishart printed": ("Private LinUCB, Wishart", "orange", "long"),
    }),
    "local DP, with a bonus": (LOCAL, {
        "ldp_lin_ucb printed printed": ("LDP-LinUCB", "purple", "dash and dots"),
        "ldp_lin_ucb printed exact": ("LDP-LinUCB, exact", "purple", "sparse"),
        "ldp_lin_ucb coded printed": ("LDP-LinUCB, coded", "wine", "long and short"),
        "ldp_lin_ucb coded exact": ("LDP-LinUCB, coded, exact", "wine", "loose"),
    }),
    "local DP, greedy": (LOCAL, {
        "ldp_sgd": ("LDP-SGD", "violet", "long"),
        "ldp_ols printed": ("LDP-OLS", "olive", "dashed"),
        "ldp_ols exact": ("LDP-OLS, exact", "olive", "dashdotted"),
    }),
}  # fmt: skip
LEVELS = {  # horizontal lines, with their looks
    "LinUCB: not private": {"color": PALETTE["brown"], "ls": DASHES["dash and dots"]},
    "random play": {"color": "black", "lw": 1.0},
}
LEAST = 5e-6  # lower end of the axis of regret, which leaves room for legends
WIDE = "LDP-SGD"  # its runs spread over most of the panel
LAST = {  # largest eps at which the printed noise keeps its promise (Wishart: provably, T = 1e6)
    "private_lin_ucb gaussian printed": 1997, "private_lin_ucb wishart printed": 35,
    "ldp_lin_ucb printed printed": 26, "ldp_lin_ucb coded printed": 11, "ldp_ols printed": 5.7,
}  # fmt: skip
OPTIONS = ("noise", "variant", "calibration", "bonus")
SHOWN = (1, 10, 100, 1000, 10_000)  # budgets of the page
DRAWS = 100_000  # rounds that estimate the regret of random play
TITLE = r"What the privacy of contexts costs, at $T$ = HORIZON (our setting)"
NOTE = (
    r"There are ten contexts in three dimensions and rewards $\pm$1. Joint ($\delta$ = .001) and "
    r"local ($\delta$ = .1) DP protect contexts and rewards, and zCDP protects rewards ($\rho = "
    r"\epsilon^2/2$). Lines show means over THETAS parameters of RUNS runs each. Bands show all "
    "runs, but those of LDP-SGD, which spread over two decades. Lines are thin where the printed "
    "noise exceeds the privacy budget or, for Wishart noise, is not proved to satisfy it. Learners "
    "with a small bonus, or none, may have less regret than LinUCB."
)


def random_play(instance):
    """Return the expected regret of one round of random play."""
    spec = yaml.safe_load((package_folder("conf") / "env" / "contextual.yaml").read_text())
    env = build(spec | {"instance": int(instance)}).environment
    rng = np.random.default_rng(0)
    x = env.center + env.deviation * rng.standard_normal((DRAWS, spec["K"], len(env.theta)))
    means = x / np.maximum(np.linalg.norm(x, axis=2, keepdims=True), 1.0) @ env.theta
    return (means.max(axis=1) - means.mean(axis=1)).mean()


def shares(ends):
    """Return the runs with three further columns: ``share``, the final regret divided by the regret
    of random play; ``curve``, the name of the curve; ``budget``, the budget as an eps.
    """
    found = ends.copy()
    options = [name for name in OPTIONS if name in found]
    words = found[["algo", *options]].fillna("").astype(str)
    found["curve"] = words.agg(" ".join, axis=1).str.split().str.join(" ")
    of_random = {i: random_play(i) for i in found["env.instance"].unique()}
    found["share"] = found["regret"] / found["env.instance"].map(of_random) / found["horizon"]
    rho = found["rho"].astype(float)
    found["budget"] = found["eps"].astype(float).fillna((2.0 * rho) ** 0.5).round(6)
    return found


def draw_curve(ax, rows, by, look, last=np.inf):
    """Draw a curve against a column, with its band. The curve is thin at budgets above ``last``,
    where the noise gives less privacy than promised.
    """
    label, colour, dash = look
    colour, share = PALETTE[colour], rows.groupby(by)["share"].agg(["mean", "min", "max"])
    kept = share[share.index <= last] if by == "budget" else share
    ax.plot(share.index, share["mean"], color=colour, ls=DASHES[dash], lw=0.5)
    ax.plot(kept.index, kept["mean"], color=colour, ls=DASHES[dash], marker="o", ms=2.5,
            label=label)  # fmt: skip
    if label != WIDE:
        ax.fill_between(share.index, share["min"], share["max"], color=colour, alpha=0.15, lw=0)


@styled
def draw(table):
    from dpbandits.figures.labels import scientific

    figure, axes = subplots(2, 2, 4.4, sharex=True, sharey=True)
    found = shares(table.runs)
    floor = found[found["algo"] == "lin_ucb"]["share"].mean()
    for ax, (title, (_, curves)) in zip(axes.flat, PANELS.items(), strict=True):
        for name, look in curves.items():
            rows = found[found["curve"] == name]
            if len(rows):
                draw_curve(ax, rows, "budget", look, LAST.get(name, np.inf))
        ax.set(title=title, xscale="log", yscale="log")
        for level, look in zip((floor, 1.0), LEVELS.values(), strict=True):
            ax.axhline(level, **look)
        own_legend(ax, "lower left")
    for name, look in LEVELS.items():
        axes[0, 0].plot([], [], **look, label=name)
    axes[0, 0].set_ylim(bottom=LEAST)
    label_edges(axes, r"privacy budget $\epsilon$", "regret / regret of random play")
    note = NOTE.replace("THETAS", str(found["env.instance"].nunique()))
    title = TITLE.replace("HORIZON", scientific(found["horizon"].max()))
    finish(figure, title, table, note)
    return figure


def page(summary):
    """Return a table in Markdown with the mean share of each curve at some budgets. A star marks
    budgets at which the printed noise gives less privacy than promised. For Wishart noise, a star
    marks budgets at which the promise is not proved.
    """
    found = shares(summary.rename(columns={"mean": "regret"}))
    means = found.groupby(["curve", "budget"])["share"].mean()
    rows = []
    for notion, curves in PANELS.values():
        for curve, (label, *_) in curves.items():
            last = LAST.get(curve, np.inf)
            cells = [f"{means[curve, x]:.2g}{'*' * (x > last)}" for x in SHOWN]
            rows.append([notion.partition(" (")[0], label, *cells])
    head = ["privacy", "algorithm", "eps 1", *(f"{x:,}" for x in SHOWN[1:])]
    return tabulate(rows, head, "pipe", disable_numparse=True)


if __name__ == "__main__":
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    print(page(pd.read_csv(results / "private_contexts.summary.csv")))
