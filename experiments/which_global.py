"""Which algorithms with eps-global DP may have the smallest regret, depending on the gap, the
number of arms and the budget.
"""

import itertools

import numpy as np
from matplotlib.colors import to_rgb

from dpbandits.comparison.table import compare
from dpbandits.contracts.display import DASHES, display_name, line_of
from dpbandits.environments.catalogue import one_better
from dpbandits.figures.labels import scientific
from dpbandits.figures.style import PALETTE, finish, styled, subplots
from dpbandits.theory.azize2025 import bernoulli_lower

TITLE = r"The $\epsilon$-global-DP algorithms that may have the smallest regret (our setting)"
CENTERS = {"median": "median_", "mean": ""}  # centers of the runs, with the beginnings of columns
LAPS = 4  # laps of the race; each lap after the first doubles the runs of possible best algorithms
STRIPES = 4  # the largest number of algorithms in a cell
GAME = ["horizon", "env.arms", "env.gap", "eps"]
NONE = "none learns"
HATCHES = "", "////", "....", "xxxx"  # one for each of the dashes that algorithms declare
LUMINANCE = (0.3, 0.59, 0.11)  # the shares of red, green and blue in brightness
NOTHING_LEARNT = 0.5  # share of the regret of random play, above which nothing is learnt


def centers(table, center):
    """Return the final regrets: a row for each game and a column for each algorithm."""
    of = table.runs.groupby([*GAME, "algo"])["regret"]
    return of.agg(center).unstack("algo")


def lower_bounds(games):
    """Return the lower bound of Azize et al. 2025, Theorem 1, in each game."""
    found = [
        bernoulli_lower(one_better(gap, int(arms)).means, eps, T) for T, arms, gap, eps in games
    ]
    return np.array(found)


def nothing_learnt(regret, T, arms, gap):
    """Return which regrets exceed NOTHING_LEARNT times the regret of playing random arms."""
    return regret > NOTHING_LEARNT * T * gap * (1 - 1 / arms)


def hopeless(found):
    """Return in which games no algorithm has much less regret than playing random arms."""
    T, arms, gap = (found.index.get_level_values(name) for name in GAME[:3])
    return nothing_learnt(found.min(axis=1).to_numpy(), T, arms, gap)


def sets(table):
    """Return, by median and by mean, which algorithms may be the best in each game: a bool frame
    with a row for each game and a column for each algorithm.
    """
    compared = compare(table, looks=LAPS)
    return {
        center: compared.pivot_table(
            index=GAME, columns="algo", values=f"{start}tied", aggfunc="first"
        ).fillna(value=False).astype(bool)
        for center, start in CENTERS.items()
    }  # fmt: skip


def looks_of(names):
    """Return the look of each algorithm's cells: the colour of its lines in other figures, hatched
    if these lines are dashed.
    """
    found = {}
    for name in names:
        colour, dash = line_of(name)
        found[name] = {"color": PALETTE[colour], "hatch": HATCHES[DASHES.index(dash)]}
    return found


def ink(colour):
    """Return the colour of text that can be read on a colour: black or white."""
    brightness = sum(part * share for part, share in zip(to_rgb(colour), LUMINANCE, strict=True))
    return "white" if brightness < 0.5 else "black"


def shown(found, tied):
    """Return, for each game in which some algorithm learns, the algorithms that may be the best, in
    the order of their regrets.
    """
    games = found.index[~hopeless(found)]
    best = {game: found.loc[game, tied.columns[tied.loc[game]]] for game in games}
    return {game: list(x.sort_values(kind="stable").index[:STRIPES]) for game, x in best.items()}


@styled
def draw(table):
    horizons, sizes = (sorted(table.settings[name].unique()) for name in ("horizon", "env.arms"))
    rows = list(itertools.product(horizons, CENTERS))
    figure, axes = subplots(len(rows), len(sizes), sharex=True, sharey=True)
    tables = {center: centers(table, center) for center in CENTERS}
    tied = sets(table)
    best = {center: shown(tables[center], tied[center]) for center in CENTERS}
    seen = {name for of in best.values() for names in of.values() for name in names}
    names = [name for name in table.names if name in seen]
    looks = {**looks_of(names), NONE: {"color": "#eeeeee", "hatch": ""}}
    for across, (T, center) in zip(axes, rows, strict=True):
        for ax, arms in zip(across, sizes, strict=True):
            found = tables[center].xs((T, arms), level=GAME[:2], drop_level=False)
            _cells(ax, found, best[center], looks)
            ax.set_title(f"{center}, $T$ = {scientific(T)}, {arms:g} arms")
        across[0].set_ylabel("gap")
    for ax in axes[-1]:
        ax.set_xlabel(r"privacy budget $\epsilon$")
    for name, look in looks.items():
        axes[0, 0].fill_between([], [], **filled(look), label=display_name(name))
    note = (
        f"Stripes are the algorithms that cannot be told from the best one (95 % over the whole "
        f"map), at most {STRIPES} of them, after RUNS runs. Numbers are the smallest regret "
        "divided by the asymptotic lower bound (Azize et al. 2025, Thm. 1). Where none learns, "
        "every regret is more than half of the regret of random arms."
    )
    return finish(figure, TITLE, table, note)


def filled(look):
    """Return the look as properties of an area without an edge, with white hatches."""
    return {"fc": look["color"], "hatch": look["hatch"], "ec": "white", "lw": 0}


def _cells(ax, found, best, looks):
    """Draw the games of a panel. Each cell has a stripe for each of the game's ``best`` algorithms,
    and the ratio of the smallest regret to the bound.
    """
    gaps, budgets = (list(found.index.unique(name)) for name in ("env.gap", "eps"))
    ratios = found.min(axis=1).to_numpy() / lower_bounds(found.index)
    for game, ratio in zip(found.index, ratios, strict=True):
        x, y = budgets.index(game[3]), gaps.index(game[2])
        stripes = [looks[name] for name in best.get(game, [NONE])]
        ends = np.linspace(x - 0.5, x + 0.5, len(stripes) + 1)
        for left, right, look in zip(ends, ends[1:], stripes, strict=False):
            ax.fill_between([left, right], y - 0.5, y + 0.5, **filled(look))
        if game in best:
            text = f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
            look = {"color": ink(stripes[0]["color"])}
            if len(stripes) > 1 or stripes[0]["hatch"]:  # no number stands on an edge
                look = {"bbox": {"boxstyle": "square,pad=0.12", "fc": "white", "lw": 0}}
            ax.text(x, y, text, ha="center", va="center", fontsize=7, **look)
    ax.set_xticks(range(len(budgets)), [f"{eps:g}".removeprefix("0") for eps in budgets])
    ax.set_yticks(range(len(gaps)), [f"{gap:g}" for gap in gaps])
    ax.set_xlim(-0.5, len(budgets) - 0.5)
    ax.set_ylim(-0.5, len(gaps) - 0.5)
    ax.grid(visible=False)
