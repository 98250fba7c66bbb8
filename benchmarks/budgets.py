"""Check the budgets that a search finds: a line is fitted to other runs at many budgets, and the
budget at which it crosses the goal is compared with the search.

``python benchmarks/budgets.py > benchmarks/budgets.md`` prints the table.
"""

import numpy as np
from tabulate import tabulate

import dpbandits as dp

GAME = {"env": "bernoulli_c3", "horizon": 1e5, "shuffle_arms": True}
GOALS = {
    "dp_se": {"ratio": 2.0},
    "adap_klucb": {"regret": 2000.0},
    "anytime_lazy_ucb": {"regret": 2000.0},
    "dp_klucb": {"ratio": 2.0, "baseline": "kl_ucb"},
    "adac_ucb": {"ratio": 2.0},
}
BUDGETS, RUNS = 40, 2000
HEAD = "algorithm", "goal", "interval of the search", f"by {BUDGETS} budgets", "runs of the search"


def search(algo):
    """Return the answer of the search, such as the name of the budget, its interval and the number
    of runs.
    """
    return dp.budget(algo, **GAME, **GOALS[algo]).iloc[0]


def crossing(algo, found):
    """Return the budget at which a fitted line crosses the goal. The line is fitted to the
    logarithms of budget and regret, at the ten of 40 budgets whose regret is nearest to the goal.
    """
    goal, runs = GOALS[algo], {**GAME, "checkpoints": 1, "runs": RUNS, "seed": 1}

    def means(algo, **budget):
        table = dp.run(algo, **runs, **budget)
        rows = table[table["t"] == GAME["horizon"]]
        return rows.groupby(found["name"] if budget else "algo")["regret"].mean()

    grid = np.geomspace(found["budget"] / 3, found["budget"] * 3, BUDGETS).tolist()
    level = goal.get("regret")
    if level is None:
        name = goal.get("baseline")
        free = means(name) if name else means(algo, **{found["name"]: [np.inf]})
        level = goal["ratio"] * free.iloc[0]
    regret = means(algo, **{found["name"]: grid})
    x, y = np.log(regret.index), np.log(regret.to_numpy() / level)
    near = np.sort(np.argsort(np.abs(y))[:10])
    slope, height = np.polyfit(x[near], y[near], 1)
    return float(np.exp(-height / slope))


def words(goal):
    if "regret" in goal:
        return f"regret {goal['regret']:,.0f}"
    whose = f"of `{goal['baseline']}`" if "baseline" in goal else "without privacy"
    return f"{goal['ratio']:g} times the regret {whose}"


def row(algo):
    found = search(algo)
    interval = f"{found['name']} from {found['low']:.3g} to {found['high']:.3g}"
    return [f"`{algo}`", words(GOALS[algo]), interval,
            f"{crossing(algo, found):.3g}", f"{found['runs']:,}"]  # fmt: skip


if __name__ == "__main__":
    align = ["left", "left", "left", "right", "right"]
    print(tabulate(map(row, GOALS), HEAD, "pipe", colalign=align, disable_numparse=True))
