"""Measure the coverage of 95 % intervals, and the error and power of comparisons.

``python benchmarks/intervals.py`` uses twelve laws: five from textbooks, and the final regrets of
seven algorithms on C2. A law of regrets is the empirical law of many runs (RUNS). The first table
has a row for each law and number n of runs. The first column is the share of samples without an
interval, since all runs are equal. The next columns are the shares of intervals that contain the
mean, for the interval of ``results.intervals`` and for Student's interval, and the ratio of the
median widths of these intervals. The last columns are the share of samples for which a sentence
says that the runs are too few, and the share of samples whose interval misses the mean without this
sentence. The second table compares the permutation test and Welch's t test. For both tests, the
second table has the share of pairs of samples between which the test finds a difference: two
samples of the same law, and a second sample that is 10 % worse. Below the tables, the script lists
the goals that are not reached. Seeds are fixed. The script takes some minutes; its output is in
benchmarks/intervals.md.
"""

import sys

import numpy as np
from scipy import stats
from tabulate import tabulate

import dpbandits as dp
from dpbandits.comparison.permutation import SHUFFLES, _pooled, _statistics
from dpbandits.results.intervals import all_equal, interval_of_mean, runs_needed

SAMPLES = {20: 2000, 100: 2000, 1000: 500}
TRIALS = {20: 2000, 100: 1000, 1000: 400}
ALLOWED = "A measured error counts as above .05 if it exceeds .05 by three standard errors."
RUNS = {"ucb": 5000}  # runs of algorithms that play round by round; others have EPISODIC runs
EPISODIC = 20_000
GAMES = [
    ("dp_imed", 0.1, 100_000),
    ("dp_imed", 1.0, 100_000),
    ("dp_klucb", 0.25, 100_000),
    ("adap_klucb", 0.1, 100_000),
    ("adap_ucb", 0.5, 100_000),
    ("dp_se", 0.1, 100_000),
    ("ucb", None, 10_000),
]
WORSE = 1.1  # the second algorithm's regret divided by the first's
WIDEST, COVERED, COVERED_AT_100, SILENT, ERROR, POWER = 1.2, 0.94, 0.93, 0.05, 0.05, 0.8  # goals


def rare(rng, shape):
    """Draw runs of which 3 % are 20 times as bad as the others. In addition, all values vary by a
    twentieth.
    """
    worse = np.where(rng.random(shape) < 0.03, 20.0, 1.0)
    return worse * (1.0 + 0.05 * rng.standard_normal(shape))


LAWS = {
    "normal, mean 10, sd 1": (lambda rng, shape: rng.normal(10.0, 1.0, shape), 10.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "lognormal, sigma 1.5": (lambda rng, shape: rng.lognormal(0.0, 1.5, shape), np.exp(1.125)),
    "Pareto, tail 2.2": (lambda rng, shape: 1.0 + rng.pareto(2.2, shape), 2.2 / 1.2),
    "3 % of runs 20 times as bad": (rare, 1.57),
}
NORMAL = next(iter(LAWS))


def regrets(algo, eps, T):
    """Return final regrets on C2 of runs with shuffled arms."""
    budget = {} if eps is None else {"eps": eps}
    given = {"horizon": T, "runs": RUNS.get(algo, EPISODIC), "checkpoints": 1, "assume": True}
    table = dp.run(algo, "bernoulli_c2", **budget, **given, shuffle_arms=True, jobs=1)
    return table.loc[table["t"] == T, "regret"].to_numpy()


def of_runs(values):
    """Return the empirical law of some values, in which each value has the same probability, and
    its mean.
    """
    return lambda rng, shape: values[rng.integers(0, len(values), shape)], values.mean()


def student(values):
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return values.mean(axis=0) - half, values.mean(axis=0) + half


def coverage(law, n):
    """Return five shares of samples of n runs, and the ratio of widths. The shares are: samples
    without an interval; samples whose interval contains the mean, for our and for Student's
    interval; samples with the sentence that runs are too few; samples that miss the mean and lack
    this sentence.
    """
    draw, mean = law
    values = draw(np.random.default_rng(n), (n, SAMPLES[n]))
    values = values[:, ~(none := all_equal(values))]
    ends, others = interval_of_mean(values), student(values)
    slack = 1e-9 * np.abs(values).max()  # ends are rounded
    held, by_student = (
        (low - slack <= mean) & (mean <= high + slack) for low, high in (ends, others)
    )
    width = np.median(ends[1] - ends[0]) / np.median(others[1] - others[0])
    few = runs_needed(values) > n
    silent = (~held & ~few).sum() / len(none)
    return none.mean(), held.mean(), by_student.mean(), few.mean(), silent, width


def told_apart(law, n, worse):
    """Return the shares of pairs of samples between which the permutation test and Welch's test
    find a difference.
    """
    draw, _ = law
    x, y = draw(np.random.default_rng(n), (2, n, TRIALS[n]))
    y = y * worse
    first, _ = _pooled(x[:, 0], y[:, 0])
    pools = np.stack([_pooled(*pair)[1] for pair in zip(x.T, y.T, strict=True)])
    size = pools.shape[1]
    dealt = np.tile(np.arange(size) < first, (SHUFFLES, 1))
    observed = _statistics(pools, dealt[:1])[0]
    dealt = np.random.default_rng([first, size]).permuted(dealt, axis=1)
    as_large = np.zeros(len(pools))
    for some in np.array_split(np.arange(len(pools)), 20):
        found = _statistics(pools[some], dealt)
        as_large[some] = (found >= observed[some] * (1.0 - 1e-9)).sum(axis=0)
    found = (1 + as_large <= ERROR * (SHUFFLES + 1)) & (observed > 0.0)
    with np.errstate(all="ignore"):
        welch = stats.ttest_ind(x, y, equal_var=False).pvalue <= ERROR
    return found.mean(), welch.mean()


def shown(share):
    return f"{share:.3f}".replace("0.", ".", 1)


def main():
    games = {
        algo + (f", eps {eps:g}" if eps else ""): of_runs(regrets(algo, eps, T))
        for algo, eps, T in GAMES
    }
    covered, compared, missed = [], [], []
    for name, law in (LAWS | games).items():
        for n in SAMPLES:
            none, held, by_student, few, silent, width = coverage(law, n)
            where, first = f"{name}, {n} runs", name if n == min(SAMPLES) else ""
            cells = map(shown, (none, held, by_student))
            covered.append([first, n, *cells, f"{width:.2f}", shown(few), shown(silent)])
            if name == NORMAL and (held < COVERED or width > WIDEST):
                missed.append(f"{where}: coverage {held:.3f}, width {width:.2f}")
            if name in games and n == 100 and held < COVERED_AT_100 and silent > SILENT:
                missed.append(f"{where}: coverage {held:.3f}, {silent:.3f} without the sentence")
            error, by_chance = told_apart(law, n, 1.0)
            power, welch = told_apart(law, n, WORSE)
            compared.append([first, n, *map(shown, (error, by_chance, power, welch))])
            if error > ERROR + 3 * np.sqrt(ERROR * (1 - ERROR) / TRIALS[n]):
                missed.append(f"{where}: error {error:.3f}")
            if name == NORMAL and power < POWER:
                missed.append(f"{where}: power {power:.3f}")
        print(name, file=sys.stderr)
    heads = [
        ["law", "runs", "equal runs", "interval", "Student", "width", "too few", "missed silently"],
        ["law", "runs", "equal laws", "by Welch", "10 % worse", "by Welch"],
    ]
    for head, rows in zip(heads, (covered, compared), strict=True):
        align = ["left", *["right"] * (len(head) - 1)]
        print(tabulate(rows, head, "pipe", colalign=align, disable_numparse=True), end="\n\n")
    goals = f"Goals that are not met: {'; '.join(missed)}" if missed else "All goals are met"
    print(f"{goals}. {ALLOWED}")
    return len(missed) > 0


if __name__ == "__main__":
    sys.exit(main())
