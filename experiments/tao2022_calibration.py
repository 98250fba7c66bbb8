"""The practical constants of Tao et al.'s algorithms: final regret against c (the setting is ours).

The preset is the c whose regret is, in the worst of the settings, the smallest multiple of the
regret at the best c of that setting. Run first: bandit-run experiment=tao2022_calibration; the
table is printed by experiments/practical_constants.py.
"""

import matplotlib
from matplotlib.figure import Figure

from dpbandits.figures.regret import (
    NAMES,
    STYLE,
    finish,
    labelled,
    regret_vs,
    scientific,
    styles_of,
)

SETTING = ["env", "env.shape", "env.v", "v", "eps"]
PRESETS = ["dpr_ucb", "dpr_se", "ldpr_se"]


def worst_ratios(table):
    """Regret at each c as a multiple of that at the best c, in the worst setting: algo by c."""
    last = table[table["t"] == table["horizon"]]
    means = last.groupby(["algo", *SETTING, "c"], dropna=False)["regret"].mean().unstack("c")
    return means.div(means.min(axis=1), axis=0).groupby("algo").max()


def draw(table):
    chosen = worst_ratios(table).idxmin(axis=1)
    with matplotlib.rc_context(STYLE):
        table = table.assign(law=table["env"].replace("twopoint_heavy", "two-point"))
        table = table.assign(law=table["law"].replace("pareto", "Pareto"))
        varied = ["env.shape", "env.v", "env.means"]
        shown = table.drop(columns=[x for x in varied if x in table.columns]).assign(
            env="", algo=""
        )
        shown[r"$\epsilon$"] = table["eps"]
        lines = labelled(shown, but=["c"])["line"].str.removeprefix(", ")
        table = table.assign(line=lines)
        styles = styles_of(table)
        figure = Figure(figsize=(8.6, 4.6))
        axes = figure.subplots(1, len(PRESETS), sharey=True)
        for ax, algo in zip(axes, PRESETS, strict=True):
            regret_vs(ax, table[table["algo"] == algo], "c", styles, None)
            ax.axvline(chosen[algo], color="black", lw=1, ls=":", label="practical")
            ax.set_xscale("log")
            ax.set_title(f"{NAMES[algo]}: practical c = {chosen[algo]:g}")
            ax.set_xlabel("constant c")
        axes[0].set_ylabel(f"pseudo-regret at $T$ = {scientific(table['horizon'].max())}")
        note = "Lines: mean of RUNS runs, each in one setting."
        finish(figure, "How the practical constants were chosen", table, note)
        return figure
