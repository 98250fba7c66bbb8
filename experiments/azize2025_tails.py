"""Tails of DP-KLUCB and DP-IMED: python experiments/azize2025_tails.py [KEY=VALUE ...].

The tables describe final regrets divided by the lower bound of Azize et al. 2025 (Theorem 1). Runs
on C1, C2, C3 and C4 are pooled. One table varies ``first``, an option of ours: the first phase of
an arm has first/eps rounds. The other table varies alpha, the growth of the phases. The tables are
printed and written to RESULTS/azize2025_tails.md. The keys are arguments of ``dp.run``, such as
runs=100 or results=DIR.
"""

import sys
from pathlib import Path

from pages import table, write

import dpbandits as dp
from dpbandits.cli.ending import run_command
from dpbandits.environments.catalogue import build
from dpbandits.settings.composed import read_group
from dpbandits.theory.azize2025 import bernoulli_lower

ALGORITHMS = ["dp_klucb", "dp_imed"]
INSTANCES = [f"bernoulli_c{i}" for i in (1, 2, 3, 4)]
BUDGETS = [0.1, 1.0]
VARIED = {"first": [0, 1, 4, 16, 64], "alpha": [1.1, 1.5, 2, 3]}
MANY = 10  # a regret above this many lower bounds is large


def by_bound(rows):
    """Return the final regrets of a table divided by the lower bound."""
    means = {env: build(read_group("env", env)).means for env in rows["env"].unique()}
    points = rows[["env", "eps", "horizon"]].itertuples(index=False)
    return rows["regret"] / [bernoulli_lower(means[env], eps, T) for env, eps, T in points]


def tails(name, values, keys):
    """Return the rows of a table for several values of a parameter."""
    algorithms = [dp.algorithm(algo, **{name: values}) for algo in ALGORITHMS]
    runs = dp.run(algorithms, INSTANCES, eps=BUDGETS, **keys)
    last = runs[runs["t"] == runs["horizon"]]
    settings = last.assign(ratio=by_bound(last)).groupby(["algo", "eps", name], sort=False)
    for (algo, eps, value), ratio in settings["ratio"]:
        measured = ratio.median(), ratio.mean(), ratio.quantile(0.99), ratio.max()
        large = f"{100 * (ratio > MANY).mean():.3g} %"
        yield [algo, f"{eps:g}", f"{value:g}", *(f"{x:.3g}" for x in measured), large]


def main(words):
    keys = {"runs": 2000, "horizon": 1e6, "checkpoints": 1, "results": "results"}
    keys |= dict(word.split("=", 1) for word in words)
    parts = []
    for name, values in VARIED.items():
        head = ["algorithm", "eps", name, "median", "mean", "99 %", "largest", f"above {MANY}"]
        rows = sorted(tails(name, values, keys), key=lambda row: row[:2])
        parts.append(table(rows, head))
    page = Path(keys["results"]) / "azize2025_tails.md"
    return write(page, "\n".join(parts))


if __name__ == "__main__":
    run_command("azize2025_tails", lambda: main(sys.argv[1:]))
