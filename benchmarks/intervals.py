"""How often 95 % intervals contain the mean: python benchmarks/intervals.py.

Laws of textbooks, and final regrets of algorithms on C2, of which RUNS runs stand for the law. For
each number of runs n: the share of samples whose interval contains the mean, for the interval of
``results.intervals`` and for those that it was chosen among. Below it, how often the comparison of
four algorithms is right. Seeds are fixed; it takes some minutes. What it prints stands in
benchmarks/intervals.md.
"""

import warnings

import numpy as np
from scipy import stats
from tabulate import tabulate

import dpbandits as dp
from dpbandits.comparison.best import against_best
from dpbandits.comparison.pairs import Located
from dpbandits.results.intervals import at_least_zero, interval_of_mean, mean_of_runs

SIZES = (5, 20, 100, 1000)
SAMPLES = {5: 2000, 20: 2000, 100: 2000, 1000: 500}
RESAMPLED, RESAMPLES = 300, 499  # samples, and resamples of each, for the bootstraps; up to n = 100
RUNS = 5000  # of each algorithm
GAMES = [
    *(("dp_imed", eps, 100_000) for eps in (0.1, 0.5, 1.0)),
    ("dp_klucb", 0.1, 100_000),
    ("adap_klucb", 0.5, 100_000),
    ("dp_se", 0.1, 100_000),
    ("ucb", None, 10_000),
]
BETTER = 1.1  # by how much three algorithms of a comparison are worse than the fourth


def mixture(share, ratio):
    """Runs of which a share is bad, some times as bad as the others, which vary by a twentieth."""

    def drawn(rng, shape):
        worse = np.where(rng.random(shape) < share, ratio, 1.0)
        return worse * (1.0 + 0.05 * rng.standard_normal(shape))

    return drawn, 1.0 + share * (ratio - 1.0)


LAWS = {
    "normal": (lambda rng, shape: rng.standard_normal(shape), 0.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "lognormal, sigma 1.5": (lambda rng, shape: rng.lognormal(0.0, 1.5, shape), np.exp(1.125)),
    "Pareto, tail 2.2": (lambda rng, shape: 1.0 + rng.pareto(2.2, shape), 2.2 / 1.2),
    "1 % of runs 20 times as bad": mixture(0.01, 20.0),
    "3 % of runs 20 times as bad": mixture(0.03, 20.0),
    "10 % of runs 20 times as bad": mixture(0.1, 20.0),
}


def regrets(algo, eps, T):
    """Final regrets on C2, whose arms each run shuffles."""
    budget = {} if eps is None else {"eps": eps}
    given = {"horizon": T, "runs": RUNS, "checkpoints": 1, "shuffle_arms": True, "assume": True}
    table = dp.run(algo, "bernoulli_c2", **budget, **given, jobs=1)
    return table.loc[table["t"] == T, "regret"].to_numpy()


def of_runs(values):
    """The law of which every value is as likely, and its mean."""
    return lambda rng, shape: values[rng.integers(0, len(values), shape)], values.mean()


def student(values):
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return values.mean(axis=0) - half, values.mean(axis=0) + half


def hall(values):
    """Student's t, transformed for skewness (Hall 1992)."""
    n, mean, error = len(values), values.mean(axis=0), stats.sem(values)
    a = np.nan_to_num(stats.skew(values)) / np.sqrt(n)
    a = np.where(np.abs(a) < 1e-9, 1e-9, a)
    ends = []
    for q in stats.t.ppf([0.975, 0.025], n - 1):
        ends.append(mean - 3.0 / a * (np.cbrt(1.0 + a * (q - a / 6.0)) - 1.0) * error)
    return tuple(ends)


def bootstrap_t(values):
    n, mean, error = len(values), values.mean(axis=0), stats.sem(values)
    rng, found = np.random.default_rng(0), []
    for _ in range(RESAMPLES):
        again = values[rng.integers(0, n, n)]
        found.append((again.mean(axis=0) - mean) / stats.sem(again))
    found = np.nan_to_num(np.array(found), posinf=1e3, neginf=-1e3)
    q = np.quantile(found, [0.975, 0.025], axis=0)
    return mean - q[0] * error, mean - q[1] * error


def bca(values):
    found = stats.bootstrap(
        (values,), np.mean, axis=0, n_resamples=RESAMPLES, batch=50, method="BCa", rng=0
    ).confidence_interval  # fmt: skip
    flat = np.ptp(values, axis=0) == 0.0
    return [np.where(flat, values[0], x) for x in (found.low, found.high)]


OTHERS = {"Student": student, "Hall": hall, "bootstrap-t": bootstrap_t, "BCa": bca}


def coverage(interval, law, n, samples):
    """The share of samples whose interval contains the mean, and the median width."""
    draw, mean = law
    values = draw(np.random.default_rng(n), (n, samples))
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        low, high = interval(values)
    slack = 1e-9 * np.abs(values).max()  # ends are rounded
    held = (low - slack <= mean) & (mean <= high + slack)
    return held.mean(), np.median(high - low)


def shown(share):
    return f"{share:.3f}".replace("0.", ".", 1)


def rows(laws):
    for name, law in laws.items():
        for n in SIZES:
            ours, width = coverage(interval_of_mean, law, n, SAMPLES[n])
            cells = [shown(ours)]
            for other, interval in OTHERS.items():
                few = other in ("bootstrap-t", "BCa")
                if few and n > 100:
                    cells.append("")
                    continue
                share, its = coverage(interval, law, n, RESAMPLED if few else SAMPLES[n])
                cells.append(shown(share))
                if other == "Student":
                    ratio = f"{width / its:.2f}" if its > 0.0 else ""
            yield [name if n == SIZES[0] else "", n, *cells, ratio]


def compared(law, n, trials):
    """The shares of trials of four algorithms in which the best is tied and in which all ratios to
    it hold; the best has a mean of 1/BETTER times the others'.
    """
    draw, _ = law
    true = np.array([1.0, BETTER, BETTER, BETTER])
    values = draw(np.random.default_rng(n), (n, trials * 4))
    values = values * np.tile(true, trials)
    low, high = interval_of_mean(values, 0.05 / 2 / 3)
    ends = mean_of_runs(values), at_least_zero(values, low), high
    found = Located(*(x.reshape(trials, 4) for x in ends))
    tied = held = 0
    for trial in range(trials):
        one = against_best(found.of(trial))
        tied += one.tied[0]
        inside = (one.ratio.low <= true) & (true <= one.ratio.high)
        held += one.tied[0] and inside.all()
    return tied / trials, held / trials


if __name__ == "__main__":
    games = {
        algo + (f", eps {eps:g}" if eps else ""): of_runs(regrets(algo, eps, T))
        for algo, eps, T in GAMES
    }
    head = ["law", "runs", "interval", *OTHERS, "width by Student's"]
    align = ["left", *["right"] * (len(head) - 1)]
    found = list(rows(LAWS | games))
    print(tabulate(found, head, "pipe", colalign=align, disable_numparse=True))
    four = []
    for name, law in (LAWS | games).items():
        if law[1] > 0.0:
            shares = [x for n in (20, 100, 1000) for x in compared(law, n, 400)]
            four.append([name, *map(shown, shares)])
    head = ["law", *(f"{what}, {n} runs" for n in (20, 100, 1000) for what in ("best tied", "all"))]
    align = ["left", *["right"] * 6]
    print(f"\n{tabulate(four, head, 'pipe', colalign=align, disable_numparse=True)}")
