"""Which algorithm to use under eps-global DP: python experiments/which_global_page.py [RESULTS].

The script needs the table of the experiment which_global. Its first table has a row for each
algorithm. The row says in how many games the algorithm may be the best, by median and by mean, and
in how many it is the only possible best. The row also has the ratio of its regret to the smallest
regret in a game, how often the ratio of means is at most 2, and the share of runs with far more
than the smallest regret. The second table says, for each budget, in how many games each algorithm
may be the best by mean. The tables are written to RESULTS/which_global_page.md.
"""

from pages import page_of_folder, table
from scipy.stats import gmean

from dpbandits.contracts.display import display_name
from dpbandits.figures.draw import load_script
from dpbandits.results.summary import rounds
from dpbandits.results.table import Table

CLOSE = 2.0  # a regret of at most this many times the smallest is close
FAILED = 10.0  # a run has failed above this many times the smallest median


def rows_of(table, sets):
    """Return the games in which at least one algorithm learns, and a row for each algorithm (see
    HEAD) about its regrets in these games.
    """
    which = load_script("which_global")
    centers = {name: which.centers(table, name) for name in which.CENTERS}
    played = ~which.hopeless(centers["median"])
    close = {
        name: found[played].div(found[played].min(axis=1), axis=0)
        for name, found in centers.items()
    }
    ends = table.runs.join(centers["median"].min(axis=1).rename("best"), on=which.GAME)
    ends = ends.set_index(which.GAME)[["algo", "regret", "best"]]
    games = centers["median"].index[played]
    tied = {center: found.loc[games] for center, found in sets.items()}
    ends = ends[ends.index.isin(games)]
    failed = (ends["regret"] > FAILED * ends["best"]).groupby(ends["algo"].to_numpy()).mean()
    found = []
    for name in close["median"].columns:
        median, mean = close["median"][name], close["mean"][name]
        shares = [
            share
            for of in tied.values()
            for share in (of[name].mean(), (of[name] & (of.sum(axis=1) == 1)).mean())
        ]
        shares.append((mean <= CLOSE).mean())
        found.append([
            display_name(name),
            *(f"{100 * share:.0f} %" for share in shares),
            *(f"{gmean(x):.1f}" for x in (median, mean)),
            f"{mean.max():,.{int(mean.max() < 10)}f}",
            f"{100 * failed[name]:.1f} %",
        ])  # fmt: skip
    return games, sorted(found, key=lambda row: float(row[7]))


HEAD = [
    "algorithm", "may be best by median", "alone", "may be best by mean", "alone",
    f"mean within {CLOSE:g} times",
    "median, times the smallest", "mean, times the smallest", "at worst",
    f"runs above {FAILED:g} times",
]  # fmt: skip


def by_budget(best):
    """Return a table with a row for each budget: the number of its games, and in how many of them
    each algorithm may be the best.
    """
    best = best.loc[:, best.any()]
    games = best.groupby(level="eps")
    rows = [
        [f"{eps:g}", str(games.size()[eps]), *map(str, counts)]
        for eps, *counts in games.sum().itertuples()
    ]
    return table(rows, ["eps", "games", *map(display_name, best.columns)])


def page(results):
    played, texts = Table.of_file(results / "which_global.csv"), []
    sets, horizons = load_script("which_global").sets(played), played.settings["horizon"]
    for T in sorted(horizons.unique()):
        own = {
            center: found.xs(T, level="horizon", drop_level=False) for center, found in sets.items()
        }
        games, rows = rows_of(played.where(horizons == T), own)
        head = f"T = {rounds(int(T))}, {len(games)} games in which some algorithm learns:"
        budgets = "The number of games for each eps, and in how many of them an algorithm may be "
        budgets += "the best by mean:"
        texts.append(f"{head}\n\n{table(rows, HEAD)}")
        texts.append(f"{budgets}\n\n{by_budget(own['mean'].loc[games])}")
    return "\n".join(texts)


if __name__ == "__main__":
    page_of_folder("which_global_page", page)
