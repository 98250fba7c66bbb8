"""Artificial tables for tests of the report, made without playing."""

from itertools import product

import numpy as np
import pandas as pd


def regrets(
    algos=("adap_ucb", "dp_se"), eps=(0.1, 1.0), envs=("bernoulli_c1",), runs=20, times=60, **more
):
    """Return a tidy table in which regret grows as a power of t, and is larger for later algorithms
    and for smaller eps.
    """
    rng, rows = np.random.default_rng(0), []
    t = np.unique(np.geomspace(1, 1e5, times).astype(int))
    grid = product(algos, envs, eps, *more.values())
    for algo, env, budget, *values in grid:
        level = 3.0 + list(algos).index(algo) + 1.0 / budget
        regret = level * t**0.5 * rng.lognormal(0.0, 0.3, (runs, 1))
        columns = dict(zip(more, values, strict=True))
        about = {"algo": algo, "env": env, "eps": budget, "horizon": t[-1], "seed": 0, **columns}
        run = np.repeat(np.arange(runs), len(t))
        rows.append(
            pd.DataFrame({**about, "run": run, "t": np.tile(t, runs), "regret": regret.ravel()})
        )
    return pd.concat(rows, ignore_index=True)


def stopping_times(rules=("nas", "dp_nas"), eps=(0.1, 1.0), runs=20):
    """Return a tidy table of stopping times."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "rule": rule, "env": "sign", "arm": 0, "true_mean": 0.2, "eps": budget,
            "rel_error": 0.1, "beta": 0.05, "R": 1.0, "cap": 10**9, "seed": 0, "run": run,
            "stopping_time": int(1000 / budget * rng.lognormal(0, 0.2)), "estimate": 0.2,
            "halted": 1, "correct": int(run > 0),
        }
        for rule, budget, run in product(rules, eps, range(runs))
    ]  # fmt: skip
    return pd.DataFrame(rows)
