"""Measure how long a user waits for a sheet: a table of what privacy costs an A/B test of
conversion rates.

``python benchmarks/sheet.py`` prints the seconds of a sheet with eight budgets and two trust
models, for the means .05 and .055, with 200 runs of at most 260,000 users each. An earlier sheet
compiles the code. For comparison, the script prints the seconds of four settings of DP-SPRT alone,
with 50 runs each.
"""

import time

import dpbandits as dp

MEANS = {"env": dp.bernoulli([0.05, 0.055]), "mu0": 0.05, "mu1": 0.055}
EPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8]


def sheet(runs=200):
    given = {"delta": 0.05, "eps": EPS, "runs": runs, "per_week": 1e4}
    dp.budget(rule=["dp_sprt", "nprr_ab"], **MEANS, **given)


def four():
    for eps in (float("inf"), 1, 0.1, 0.01):
        dp.stop("dp_sprt", **MEANS, eps=eps, runs=50)


def seconds(function, *given):
    start = time.perf_counter()
    function(*given)
    return time.perf_counter() - start


if __name__ == "__main__":
    seconds(sheet, 20)
    print(f"sheet: {seconds(sheet):.1f} s; four settings of dp_sprt: {seconds(four):.1f} s")
