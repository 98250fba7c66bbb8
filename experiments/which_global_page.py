"""What to take under eps-global DP: python experiments/which_global_page.py [RESULTS].

The table of experiment which_global is needed. For each algorithm: how often its regret is the
smallest or at most twice the smallest, how many times the smallest it is, and how many of its runs
are far above.
The tables are written to RESULTS/which_global_page.md.
"""

from pages import page_of_folder, table
from scipy.stats import gmean

import dpbandits as dp
from dpbandits.contracts.display import display_name
from dpbandits.figures.draw import load_script
from dpbandits.results.summary import rounds
from dpbandits.results.tables import at_end

CLOSE = 2.0  # times the smallest regret
FAILED = 10.0  # times the smallest median of a game: the regret of a run that went badly


def rows_of(runs):
    """A row for each algorithm: its regrets in the games in which some algorithm learns."""
    which = load_script("which_global")
    centers = {name: which.centers(runs, name) for name in which.CENTERS}
    played = ~which.hopeless(centers["median"])
    close = {
        name: found[played].div(found[played].min(axis=1), axis=0)
        for name, found in centers.items()
    }
    ends = at_end(runs).join(centers["median"].min(axis=1).rename("best"), on=which.GAME)
    ends = ends.set_index(which.GAME)[["algo", "regret", "best"]]
    ends = ends[ends.index.isin(centers["median"].index[played])]
    failed = (ends["regret"] > FAILED * ends["best"]).groupby(ends["algo"].to_numpy()).mean()
    found = []
    for name in close["median"].columns:
        median, mean = close["median"][name], close["mean"][name]
        shares = (median == 1).mean(), (mean == 1).mean(), (mean <= CLOSE).mean()
        found.append([
            display_name(name),
            *(f"{100 * share:.0f} %" for share in shares),
            *(f"{gmean(x):.1f}" for x in (median, mean)),
            f"{mean.max():,.0f}",
            f"{100 * failed[name]:.1f} %",
        ])  # fmt: skip
    return int(played.sum()), sorted(found, key=lambda row: float(row[5]))


HEAD = [
    "algorithm", "smallest median", "smallest mean", f"mean within {CLOSE:g} times",
    "median, times the smallest", "mean, times the smallest", "at worst",
    f"runs above {FAILED:g} times",
]  # fmt: skip


def page(results):
    texts = []
    for T, part in dp.load(results / "which_global.csv").groupby("horizon"):
        games, rows = rows_of(part)
        head = f"T = {rounds(int(T))}, {games} games in which some algorithm learns:"
        texts.append(f"{head}\n\n{table(rows, HEAD)}")
    return "\n".join(texts)


if __name__ == "__main__":
    page_of_folder("which_global_page", page)
