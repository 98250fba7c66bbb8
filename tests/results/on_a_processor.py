"""Print, line by line, hashes of what is made of a table: python on_a_processor.py.

``test_processors.py`` runs it on processors that it pretends to have. Regrets are multiples of a
tenth, whose sums depend on the order in which they are added.
"""

import hashlib
import io

import numpy as np
import pandas as pd

import dpbandits as dp
from dpbandits.claims.ren2020 import linear_fit
from dpbandits.claims.statistics import largest_ratio, quotient_of_means
from dpbandits.comparison import pairs
from dpbandits.comparison.pairs import located
from dpbandits.contracts.question import REGRET
from dpbandits.figures.choices import BANDS
from dpbandits.results.intervals import TAIL
from dpbandits.results.summary import text_of_summary
from dpbandits.results.table import Table, curve_of

RUNS, CHECKPOINTS = 20, (250, 500, 1000)
ALGORITHMS, BUDGETS = ("adap_klucb", "adap_ucb", "dp_se"), (0.1, 0.5, 1.0)


def lattice(n, m):
    """Values (n, m) of which many subsets have the same mean."""
    return np.random.default_rng(1).integers(0, 12, size=(n, m)) * 0.1


def table():
    """A tidy table of regrets; the standard generator alone makes it."""
    found = []
    settings = [(algo, eps) for algo in ALGORITHMS for eps in BUDGETS]
    regrets = lattice(RUNS, len(settings) * len(CHECKPOINTS)).reshape(RUNS, len(settings), -1)
    for i, (algo, eps) in enumerate(settings):
        for run in range(RUNS):
            at = zip(CHECKPOINTS, regrets[run, i].cumsum(), strict=True)
            found += [[algo, "bernoulli_c2", eps, 1000, 0, run, t, value] for t, value in at]
    return pd.DataFrame(found, columns=[*REGRET.columns, "seed", "run", *REGRET.measured])


def by_product(values):
    """Of each quantity, how many resampled means by a product of matrices are below the mean."""
    n = len(values)
    weights = np.random.default_rng(0).multinomial(n, np.full(n, 1.0 / n), size=2000)
    return (weights @ values / n < values.mean(axis=0)).sum(axis=0)


def made():
    """What is compared, by its name."""
    regrets = table()
    summary = Table.of_frame(regrets).summary()
    yield "summary", summary.to_csv().encode()
    for style in ("pipe", "latex"):
        yield style, text_of_summary(summary, REGRET, style).encode()
    for band in BANDS:
        values = regrets.rename(columns={"regret": "value"}).groupby(["algo", "eps"])
        curves = [curve_of(rows, "t", band) for _, rows in values]
        yield f"band {band}", pd.concat(curves).to_csv().encode()
    yield "comparison", dp.compare(regrets[regrets["eps"] == 0.5]).to_csv().encode()
    many = list(lattice(RUNS, 4).T + 0.1)
    for center in ("mean", "median"):
        found = located(many, center, TAIL)
        yield f"claim ratio {center}", repr(pairs.ratio(found.of(0), found.of(1))).encode()
        yield f"claim spread {center}", repr(largest_ratio(found)).encode()
        linear = linear_fit([1.0, 2.0, 3.0, 4.0], found)
        yield f"claim r_squared {center}", repr(linear).encode()
    yield "claim growth", repr(quotient_of_means(many[0], many[1], TAIL)).encode()
    dp.plot(regrets).savefig(picture := io.BytesIO(), format="png")
    yield "picture", picture.getvalue()
    yield "control", by_product(lattice(RUNS, 300)).tobytes()


if __name__ == "__main__":
    for name, content in made():
        print(f"{name}: {hashlib.sha256(content).hexdigest()}")
