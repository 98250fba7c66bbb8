"""Which eps-global-DP algorithm has the smallest regret, by gap, number of arms and budget."""

import itertools

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from dpbandits.contracts.display import display_name, line_of
from dpbandits.environments.catalogue import one_better
from dpbandits.figures.labels import scientific
from dpbandits.figures.style import DASHES, PALETTE, Chart, shade, styled
from dpbandits.results.tables import at_end
from dpbandits.theory.azize2025 import bernoulli_lower

TITLE = "The eps-global-DP algorithm of the smallest regret (our setting)"
CENTERS = ("median", "mean")  # of the runs
GAME = ["horizon", "env.arms", "env.gap", "eps"]
LUMINANCE = (0.3, 0.59, 0.11)  # the shares of red, green and blue in brightness
NOTHING_LEARNT = 0.5  # of the regret of an arm drawn at random in every round


def centers(table, center):
    """The final regret of each algorithm, a column each, in each game."""
    of = at_end(table).groupby([*GAME, "algo"])["regret"]
    return of.agg(center).unstack("algo")


def lower_bounds(games):
    """The lower bound of Azize et al. 2025, Theorem 1, in each game."""
    found = [
        bernoulli_lower(one_better(gap, int(arms)).means, eps, T) for T, arms, gap, eps in games
    ]
    return np.array(found)


def hopeless(found):
    """In which games no algorithm does much better than arms drawn at random."""
    T, arms, gap = (found.index.get_level_values(name) for name in GAME[:3])
    return found.min(axis=1).to_numpy() > NOTHING_LEARNT * T * gap * (1 - 1 / arms)


def colours_of(names):
    """A colour for each algorithm: that of its lines, lighter if its lines are not solid."""
    found, dashes = {}, list(DASHES)
    for name in names:
        colour, dash = line_of(name)
        found[name] = shade(PALETTE[colour], len(dashes) - 1 - dashes.index(dash), len(dashes))
    return found


def ink(colour):
    """Black or white, whichever can be read on a colour."""
    brightness = sum(part * share for part, share in zip(to_rgb(colour), LUMINANCE, strict=True))
    return "white" if brightness < 0.6 else "black"


@styled
def draw(table):
    horizons, sizes = (sorted(table[name].unique()) for name in ("horizon", "env.arms"))
    rows = list(itertools.product(horizons, CENTERS))
    figure = Chart(figsize=(8.2, 2.1 * len(rows) + 1.0))
    axes = figure.subplots(len(rows), len(sizes), sharex=True, sharey=True)
    tables = {center: centers(table, center) for center in CENTERS}
    best = {center: found.idxmin(axis=1) for center, found in tables.items()}
    names = [n for n in table["algo"].unique() if any((b == n).any() for b in best.values())]
    colours = colours_of(names)
    for across, (T, center) in zip(axes, rows, strict=True):
        for ax, arms in zip(across, sizes, strict=True):
            found = tables[center].xs((T, arms), level=GAME[:2], drop_level=False)
            _cells(ax, found, colours)
            ax.set_title(f"{center}, $T$ = {scientific(T)}, {arms:g} arms")
        across[0].set_ylabel("gap")
    for ax in axes[-1]:
        ax.set_xlabel(r"privacy budget $\epsilon$")
    handles = [Patch(color=colours[name], label=display_name(name)) for name in names]
    handles.append(Patch(color="#eeeeee", label="none learns"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4, title=TITLE)
    note = (
        f"{table['run'].nunique()} runs. Numbers: regret divided by the lower bound (Azize et al. "
        "2025, Thm. 1), which is\nasymptotic. None learns: every regret is more than half of that "
        "of arms drawn at random."
    )
    figure.supxlabel(note, fontsize=7.5, color="#444444")
    return figure


def _cells(ax, found, colours):
    """Draw the games of a panel: the best algorithm's colour, and its distance to the bound."""
    gaps, budgets = (list(found.index.unique(name)) for name in ("env.gap", "eps"))
    ratios = found.min(axis=1).to_numpy() / lower_bounds(found.index)
    looks = zip(found.index, found.idxmin(axis=1), ratios, hopeless(found), strict=True)
    for (_, _, gap, eps), name, ratio, is_hopeless in looks:
        x, y = budgets.index(eps), gaps.index(gap)
        colour = "#eeeeee" if is_hopeless else colours[name]
        ax.fill_between([x - 0.5, x + 0.5], y - 0.5, y + 0.5, color=colour, lw=0)
        if not is_hopeless:
            text = f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
            ax.text(x, y, text, ha="center", va="center", fontsize=6.5, color=ink(colour))
    ax.set_xticks(range(len(budgets)), [f"{eps:g}" for eps in budgets])
    ax.set_yticks(range(len(gaps)), [f"{gap:g}" for gap in gaps])
    ax.set_xlim(-0.5, len(budgets) - 0.5)
    ax.set_ylim(-0.5, len(gaps) - 0.5)
    ax.grid(visible=False)
