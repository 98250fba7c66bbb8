"""Michel, Basu & Kaufmann 2026: stopping times of DP-SPRT against eps, and without privacy.

If the authors' package dpsprt is installed, it also plays these settings, with fewer runs.
"""

import importlib.util

import numpy as np
import pandas as pd

from dpbandits.figures.stopping import identification_panels
from dpbandits.results.table import Table

TITLE = "Which of two Bernoulli laws? (Michel, Basu & Kaufmann 2026)"
RUNS = 20  # runs of the package, which is slow
PACKAGE = f"the authors' package, {RUNS} runs"


def draw(table):
    if importlib.util.find_spec("dpsprt"):
        runs = table.runs.drop(columns=["setting", "value"])
        table = Table.of_frame(pd.concat([runs, of_the_package(runs)], ignore_index=True))
    return identification_panels(table, TITLE)


def of_the_package(runs):
    """Return RUNS runs of each private setting, which the authors' package plays on other rewards.
    These runs are too few to estimate the share of wrong answers, so ``correct`` is blank.
    """
    found = runs[(runs["run"] < RUNS) & np.isfinite(runs["eps"])].assign(rule=PACKAGE)
    games = found[["true_mean", "mu0", "mu1", "alpha", "beta", "eps", "run"]].to_numpy()
    return found.assign(stopping_time=[stopped(*game) for game in games], correct=np.nan)


def stopped(mean, mu0, mu1, alpha, beta, eps, run):
    """Return the stopping time of a run of the authors' package."""
    from dpsprt import DPSPRT

    test = DPSPRT(mu0, mu1, alpha=alpha, beta=beta, epsilon=eps, random_seed=int(run))
    rng = np.random.default_rng([1, int(run)])
    n, is_over = 0, False
    while not is_over:
        n += 1
        is_over, _ = test.add_sample(int(rng.random() < mean))
    return n
