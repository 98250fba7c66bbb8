"""Measure the time of a run of each policy with an oracle, and of a naive version in NumPy.

    python benchmarks/oracles.py > benchmarks/oracles.md

There are two data sets of 5,404 labelled users: 5 features and two classes, and 8 features and four
classes. The naive version (Batches) computes a whole batch at once, inverts whole matrices and
computes each fit by SciPy's ``minimize``. Times are CPU times on one core without compilation.
Numbers of mistakes are means over the same number of runs for both versions.
"""

import math
import sys
import time

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit
from tabulate import tabulate

import dpbandits as dp
from dpbandits.contracts.question import REGRET
from dpbandits.running.play import play_many
from dpbandits.settings.compose import request_from

ROWS, REPEATS, EPS, DELTA = 5404, 5, 1.0, 1e-5
SHAPES = (5, 2), (8, 4)  # features, classes
BONUS = "reg_cb", "ada_cb", "oracle_ucb"
CASES = [
    *[(name, "logistic") for name in ("square_cb", "fast_cb", "vpo", "bpo", *BONUS)],
    ("square_cb", "quadratic"),
]
HEADS = "policy", "oracle", "features", "classes", "ms", "naive, ms", "ratio", "mistakes", "naive"


def users(d, K):
    """Return rows of data; the class of a row is the largest of K noisy linear functions of its
    features.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, d))
    y = (X @ rng.normal(size=(d, K)) + rng.gumbel(size=(ROWS, K))).argmax(axis=1)
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(d)]).assign(label=y)


class Batches:
    """A run in plain NumPy. A policy chooses the actions of a batch from what was known before."""

    def __init__(self, Z, y, K, rng, own, loss, ridge):
        self.Z, self.y, self.K, self.rng, self.own = Z, y, K, rng, own
        self.loss, self.ridge = loss, ridge

    def play(self, name):
        order, s, mistakes = self.rng.permutation(len(self.Z)), 0, 0
        D = self.K * self.Z.shape[1]
        self.fitted, self.V = [], np.eye(D)
        while s < len(order):
            rows = order[s : 2 * s + 1]
            Z = self.Z[rows]
            if s == 0:
                a = self.rng.integers(self.K, size=len(rows))
            else:
                self.raw = [(n, Z @ theta.reshape(self.K, -1).T) for n, theta in self.fitted]
                f = self.raw[-1][1]
                self.f = expit(f) if self.loss == "logistic" else f
                a = getattr(self, name)(Z, s)
            lost = 1.0 - (self.y[rows] == a)
            mistakes += lost.sum()
            s += len(rows)
            if s < len(order):
                X = np.zeros((len(rows), D))
                for i, (z, action) in enumerate(zip(Z, a, strict=True)):
                    X[i, action * len(z) : (action + 1) * len(z)] = z
                self.fit(X, lost, name in BONUS)
        return mistakes

    def fit(self, X, y, bonus):
        n, D = X.shape
        eps, L = EPS / 2 if bonus else EPS, math.log(1 / DELTA)
        root = math.sqrt(L + eps) - math.sqrt(L)
        N = self.rng.normal(size=(D, D)) * (math.sqrt(2) if self.loss == "quadratic" else 1) / root
        G = X.T @ X + (N + N.T) / 2
        if self.loss == "quadratic":
            u = X.T @ y + self.rng.normal(size=D) * math.sqrt(2) / root
            theta = np.linalg.solve(G + self.ridge * n * np.eye(D), u)
        else:
            lam = max(self.ridge, 1 / (4 * n * (math.exp(eps / 4) - 1)))
            b = self.rng.normal(size=D)
            scale = 2 / (eps - 2 * math.log(1 + 1 / (4 * n * lam)))
            b *= self.rng.gamma(D, scale) / np.linalg.norm(b)

            def objective(theta):
                f = X @ theta
                value = np.logaddexp(0, f).mean() - (y @ f) / n + lam / 2 * theta @ theta
                p = expit(f)
                return value + b @ theta / n, X.T @ (p - y) / n + lam * theta + b / n

            theta = minimize(objective, np.zeros(D), jac=True, tol=1e-10).x
        self.fitted.append((n, theta))
        if bonus:
            self.V = self.V + G

    def drawn(self, p):
        return (p.cumsum(axis=1) < self.rng.random((len(p), 1))).sum(axis=1).clip(max=self.K - 1)

    def rest_to_best(self, p, best):
        i = np.arange(len(p))
        p[i, best] = 0
        p[i, best] = 1 - p.sum(axis=1)
        return self.drawn(p)

    def widths(self, Z):
        W, d = np.linalg.inv(self.V), Z.shape[1]
        blocks = [W[a * d : (a + 1) * d, a * d : (a + 1) * d] for a in range(self.K)]
        squares = np.stack([((Z @ block) * Z).sum(axis=1) for block in blocks], axis=1)
        return np.sqrt(np.maximum(0, squares))

    def survivors(self, Z):
        raw, s = self.raw[-1][1], self.own["w"] * self.widths(Z)
        return raw - s <= (raw + s).min(axis=1, keepdims=True)

    def gamma(self, s):
        return self.own["g"] * s ** self.own["r"]

    def square_cb(self, Z, s):
        best = self.f.argmin(axis=1)
        gaps = self.f - self.f.min(axis=1, keepdims=True)
        return self.rest_to_best(1 / (self.K + self.gamma(s) * gaps), best)

    def fast_cb(self, Z, s):
        low = self.f.min(axis=1, keepdims=True)
        p = low / (self.K * low + self.gamma(s) * (self.f - low))
        return self.rest_to_best(p, self.f.argmin(axis=1))

    def vpo(self, Z, s):
        B = self.fitted[-1][0]
        eta = self.own["eta0"] * min(1 / self.K, 1 / math.sqrt(self.K * B))
        k = self.rng.integers(B, size=(len(Z), 1))
        w = np.exp(-k * eta * (self.f - self.f.min(axis=1, keepdims=True)))
        return self.drawn(w / w.sum(axis=1, keepdims=True))

    def bpo(self, Z, s):
        q, log_q, D, T = np.full((len(Z), self.K), 1 / self.K), 0.0, 0.0, 0
        for n, raw in self.raw:
            T += n
            b = np.minimum(1, self.own["gamma"] * math.sqrt(T / self.K) / (1 + D))
            log_q = log_q - self.own["eta"] * n * np.maximum(0, expit(raw) - b)
            D = D + n * q
            q = np.exp(log_q - log_q.max(axis=1, keepdims=True))
            q /= q.sum(axis=1, keepdims=True)
        return self.drawn(q)

    def reg_cb(self, Z, s):
        alive = self.survivors(Z)
        return self.drawn(alive / alive.sum(axis=1, keepdims=True))

    def ada_cb(self, Z, s):
        alive = self.survivors(Z)
        f = np.where(alive, self.f, np.inf)
        gaps = np.where(alive, self.f - f.min(axis=1, keepdims=True), 0.0)
        p = alive / (alive.sum(axis=1, keepdims=True) + self.gamma(s) * gaps)
        return self.rest_to_best(p, f.argmin(axis=1))

    def oracle_ucb(self, Z, s):
        return (self.f - self.own["c"] * self.widths(Z)).argmin(axis=1)


def best_of(*works):
    """Return the shortest CPU time of each function, in ms. The calls alternate."""
    times = [[] for _ in works]
    for i in range(REPEATS):
        for work, taken in zip(works, times, strict=True):
            start = time.process_time()
            work(i)
            taken.append((time.process_time() - start) * 1000)
    return [min(taken) for taken in times]


def case(name, loss, d, K):
    """Return two functions, our version and the naive version, which play a run and return its
    number of mistakes.
    """
    frame = users(d, K)
    given = {"algo": name, "env": dp.labelled(frame, label="label"), "eps": EPS}
    own = {} if name == "fast_cb" else {"loss": loss}
    (setting,) = request_from(REGRET, given, own).settings
    environment, values = setting.instance.environment, dict(setting.parameters)

    def naive(run):
        y = environment.table.argmax(axis=1)
        rng = np.random.default_rng(run)
        return Batches(environment.rows, y, K, rng, values, loss, values["ridge"]).play(name)

    def ours(run):
        return play_many(setting, [run])[0].pulls[-1, 0]

    return ours, naive


def table():
    for d, K in SHAPES:
        for name, loss in CASES:
            both = case(name, loss, d, K)
            mistakes = [f"{sum(map(work, range(REPEATS))) / REPEATS:.0f}" for work in both]
            took, peer = best_of(*both)
            times = [f"{took:.1f}", f"{peer:.0f}", f"{took / peer:.2f}"]
            yield [f"`{name}`", loss, d, K, *times, *mistakes]


SAYS = f"""The table shows the CPU milliseconds of a run of {ROWS:,} labelled users at eps {EPS:g}
on one core, for the package and for a naive version in NumPy (`python benchmarks/oracles.py`). The
column *ratio* divides the first time by the second. The numbers of mistakes are means of {REPEATS}
runs.

"""

if __name__ == "__main__":
    sys.stdout.write(SAYS)
    sys.stdout.write(tabulate(table(), HEADS, "pipe", disable_numparse=True) + "\n")
