"""Measure the regret of private contextual algorithms on scikit-learn's wine data (39 dimensions).

``python benchmarks/wine.py > benchmarks/wine.md`` prints the table. The script needs scikit-learn,
which the extra ``audit`` of the package installs.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from tabulate import tabulate

import dpbandits as dp

T, RUNS = 3000, 20
LEVELS = 1.0, 100.0, 10_000.0
ROWS = {  # the algorithm; the largest eps at which its noise keeps its promise
    "rewards only, eigenvalue bonus (rho = eps²/2)": (
        dp.algorithm("adac_oful", bonus="eigenvalue"), np.inf,
    ),
    "joint DP, printed": (dp.algorithm("private_lin_ucb", calibration="printed"), 1997),
    "joint DP, exact": (dp.algorithm("private_lin_ucb", calibration="exact"), np.inf),
    "local DP, printed": (dp.algorithm("ldp_lin_ucb", calibration="printed"), 26.3),
    "local DP as in the code": (
        dp.algorithm("ldp_lin_ucb", variant="coded", calibration="printed"), 11.6,
    ),
}  # fmt: skip


def wine(folder):
    """Return the environment. Each arm guesses one cultivar; a right guess has reward 1, and a
    wrong guess -1.
    """
    features, kind = load_wine(return_X_y=True, as_frame=True)
    features = (features - features.mean()) / features.std()
    rewards = pd.get_dummies(kind, prefix="is") * 2.0 - 1.0
    features.join(rewards).to_csv(Path(folder, "wine.csv"), index=False)
    return dp.contextual_table(Path(folder, "wine.csv"), K=3)


def regret(env, algo, **budget):
    table = dp.run(algo, env, horizon=T, runs=RUNS, checkpoints=1, **budget)
    return f"{table.loc[table['t'] == T, 'regret'].mean():,.0f}"


def rows(env):
    for words, (algo, last) in ROWS.items():
        budgets = [{"rho": x**2 / 2} if "rho" in words else {"eps": x} for x in LEVELS]
        means = [regret(env, algo, **budget) for budget in budgets]
        yield [words, *(y + "*" * (x > last) for x, y in zip(LEVELS, means, strict=True))]
    yield ["LinUCB, not private", regret(env, "lin_ucb"), "", ""]


if __name__ == "__main__":
    head = ["privacy", *(f"eps {x:,.0f}" for x in LEVELS)]
    align = ["left", "right", "right", "right"]
    with tempfile.TemporaryDirectory() as folder:
        print(tabulate(rows(wine(folder)), head, "pipe", colalign=align, disable_numparse=True))
