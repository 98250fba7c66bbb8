"""Slow, simple versions of the policies with an oracle, from their definitions (Attias et al.
2026). Tests compare the package with them. ``mutant`` names a deliberate error, and tests show that
they notice each error.
"""

import math

import numpy as np
from scipy.special import expit

from dpbandits.environments.catalogue import build

# the oracles: X, float array (n, D), has the features e_a (x) z of each row, y the losses


def perturbation(eps, n, lam, calibration):
    """Return the total ridge and u. The length of the perturbation has the law Gamma(D, 2/u)."""
    if eps == math.inf:
        return lam, math.inf
    least = 1 / (4 * n * (math.exp(eps / 4) - 1))
    if calibration == "tight":
        extra = max(0, least - lam)
        return lam + extra, eps - 2 * math.log(1 + 1 / (4 * n * (lam + extra)))
    u = eps - 2 * math.log(1 + 1 / (4 * n * lam))
    return (lam, u) if u > 0 else (least, eps / 2)


def logistic_fit(X, y, n, b, L):
    """Return the minimiser of mean log-loss + L/2 |theta|^2 + b.theta/n, by Newton's method. A step
    is halved until the gradient becomes shorter.
    """
    theta = -b / (n * L)

    def gradient(theta):
        p = expit(X @ theta)
        return X.T @ (p - y) / n + L * theta + b / n, (X.T * (p * (1 - p))) @ X / n

    for _ in range(500):
        g, H = gradient(theta)
        if np.linalg.norm(g) < 1e-10 * (1 + np.linalg.norm(b) / n):
            break
        step = np.linalg.solve(H + L * np.eye(len(b)), g)
        size = 1.0
        while size > 1e-9 and gradient(theta - size * step)[0] @ step < -1e-12 * (g @ step):
            size /= 2
        theta = theta - size * step
    return theta


def root_rho(eps, delta):
    l = math.log(1 / delta)
    return math.sqrt(l + eps) - math.sqrt(l)


def gram(rng, X, sd):
    N = sd * rng.standard_normal((X.shape[1], X.shape[1])) if sd else 0.0
    return X.T @ X + (N + np.transpose(N)) / 2


def fit(rng, X, y, n, eps, delta, loss, ridge, calibration, has_bonus, mutant):
    """Return a predictor, and the released G if the policy has a bonus."""
    D, private = X.shape[1], eps < math.inf
    noise = 0.1 if mutant == "tenth" else 1.0
    if loss == "logistic":
        own = eps / 2 if has_bonus else eps
        L, u = perturbation(own, n, ridge, calibration)
        b = np.zeros(D)
        if private:
            b = rng.standard_normal(D)
            b *= noise * rng.gamma(D, 2 / u) / np.linalg.norm(b)
        theta = logistic_fit(X, y, n, b, L * (3 if mutant == "ridge" else 1))
        if not has_bonus:
            return theta, None
        return theta, gram(rng, X, noise / root_rho(own, delta) if private else 0.0)
    sd = noise * math.sqrt(2) / root_rho(eps, delta) if private else 0.0
    G = gram(rng, X, sd)
    u = X.T @ y + (sd * rng.standard_normal(D) if private else 0.0)
    weight = 1 if mutant == "ridge" else n
    return np.linalg.solve(G + ridge * weight * np.eye(D), u), G


# the games


def permuted(rng, n, T):
    """Return the rows of T rounds: all rows in a random order, repeated with a new order."""
    rows, order = [], np.arange(n)
    for t in range(T):
        k = t % n
        order = np.arange(n) if k == 0 else order
        j = k + int(rng.random() * (n - k))
        order[[k, j]] = order[[j, k]]
        rows.append(order[k])
    return np.array(rows)


def of_law(own, p):
    return min(int(np.searchsorted(np.cumsum(p), own.random(), side="right")), len(p) - 1)


def one_of_smallest(own, f):
    best, ties = 0, 1
    for a in range(1, len(f)):
        if f[a] < f[best]:
            best, ties = a, 1
        elif f[a] == f[best]:
            ties += 1
            best = a if own.random() * ties < 1 else best
    return best


class Known:
    """What a policy knows about a user z before a batch."""

    def __init__(self, z, fitted, V, s, loss):
        self.z, self.V, self.s = z, V, s
        self.N = [n for _, n in fitted]
        self.raws = [theta.reshape(-1, len(z)) @ z for theta, _ in fitted]
        squashed = lambda raw: expit(raw) if loss == "logistic" else raw  # noqa: E731
        self.fs = [squashed(raw) for raw in self.raws]
        self.f, self.raw, self.K = self.fs[-1], self.raws[-1], len(self.raws[0])

    def widths(self):
        W = np.linalg.inv(self.V)
        D = len(self.z)
        blocks = (W[a * D : (a + 1) * D, a * D : (a + 1) * D] for a in range(self.K))
        return np.sqrt([max(0.0, self.z @ block @ self.z) for block in blocks])

    def survivors(self, w):
        s = self.widths()
        return np.flatnonzero(self.raw - w * s <= (self.raw + w * s).min())


def games(env, T, runs, rng, choose, eps, loss, ridge, calibration, delta=1e-5, has_bonus=False,
          mutant="", own=None):  # fmt: skip
    """Return the mistakes in some runs of a policy ``choose(known, own)``, where ``own`` is the
    learner's generator.
    """
    own, built = own or rng, build(env).environment
    Z, table = built.rows, built.table
    K, p = table.shape[1], Z.shape[1]
    mistakes = np.zeros(runs)
    for run in range(runs):
        rows = permuted(rng, len(Z), T)
        fitted, V, s, X, y = [], np.eye(K * p), 0, np.zeros((0, K * p)), np.zeros(0)
        while s < T:
            batch = rows[s : 2 * s + 1]
            if s == 0:
                actions = [int(own.random() * K) for _ in batch]
            else:
                actions = [choose(Known(Z[i], fitted, V, s, loss), own) for i in batch]
            losses = 1 - table[batch, actions]
            mistakes[run] += losses.sum()
            features = [np.kron(np.eye(K)[a], Z[i]) for a, i in zip(actions, batch, strict=True)]
            if mutant != "cumulative":  # else fits see all earlier rows again
                X, y = np.zeros((0, K * p)), np.zeros(0)
            X, y = np.vstack([X, features]), np.append(y, losses)
            s += len(batch)
            if s < T:
                theta, G = fit(
                    own, X, y, len(X), eps, delta, loss, ridge, calibration, has_bonus, mutant
                )
                fitted.append((theta, len(X)))
                V = V + G if has_bonus else V
    return mistakes


# the policies


def inverse_gaps(K, f, best, gamma, low=1.0):
    p = low / (K * low + gamma * (f - f[best]))
    p[best] = 0
    p[best] = 1 - p.sum()
    return p


def square_cb(env, T, runs, rng, g, r, mutant="", **given):
    def choose(now, own):
        gamma = g * max(1, now.s) ** (1.0 if mutant == "r" else r)
        best = int((-now.f if mutant == "sign" else now.f).argmin())
        return of_law(own, inverse_gaps(now.K + (mutant == "K"), now.f, best, gamma))

    return games(env, T, runs, rng, choose, mutant=mutant, **given)


def fast_cb(env, T, runs, rng, g, r, mutant="", **given):
    def choose(now, own):
        gamma, best = g * max(1, now.s) ** r, int(now.f.argmin())
        if now.f[best] == 0:
            return one_of_smallest(own, now.f)
        low = 1.0 if mutant == "low" else now.f[best]
        return of_law(own, inverse_gaps(now.K, now.f, best, gamma, low))

    return games(env, T, runs, rng, choose, loss="logistic", mutant=mutant, **given)


def vpo(env, T, runs, rng, eta0, mutant="", **given):
    def choose(now, own):
        B = now.N[-1]
        eta = eta0 * min(1 / now.K, 1 / math.sqrt(now.K * B))
        k = int(own.random() * B)
        k = B if mutant == "k" else k
        w = np.exp(-k * eta * (now.f - now.f.min()))
        return of_law(own, w / w.sum())

    return games(env, T, runs, rng, choose, mutant=mutant, **given)


def bpo(env, T, runs, rng, eta, gamma, mutant="", **given):
    def choose(now, own):
        q, log_q, D, T_j = np.full(now.K, 1 / now.K), np.zeros(now.K), np.zeros(now.K), 0
        for N, f in zip(now.N, now.fs, strict=True):
            T_j += N
            b = np.minimum(1, gamma * math.sqrt(T_j / now.K) / (1 + D))
            log_q -= eta * N * np.maximum(0, f - (0 if mutant == "bonus" else b))
            before = q
            q = np.exp(log_q - log_q.max())
            q /= q.sum()
            D += N * (q if mutant == "after" else before)
        return of_law(own, q)

    return games(env, T, runs, rng, choose, mutant=mutant, **given)


def reg_cb(env, T, runs, rng, w, mutant="", **given):
    def choose(now, own):
        found = now.survivors(w * (2 if mutant == "w" else 1))
        return of_law(own, np.isin(np.arange(now.K), found) / len(found))

    return games(env, T, runs, rng, choose, has_bonus=True, mutant=mutant, **given)


def ada_cb(env, T, runs, rng, g, r, w, mutant="", **given):
    def choose(now, own):
        found = np.arange(now.K) if mutant == "all" else now.survivors(w)
        p = np.zeros(now.K)
        best = int(now.f[found].argmin())
        p[found] = inverse_gaps(len(found), now.f[found], best, g * max(1, now.s) ** r)
        return of_law(own, p)

    return games(env, T, runs, rng, choose, has_bonus=True, mutant=mutant, **given)


def oracle_ucb(env, T, runs, rng, c, mutant="", **given):
    def choose(now, own):
        s = now.widths() ** (2 if mutant == "square" else 1)
        return one_of_smallest(own, now.f - c * s)

    return games(env, T, runs, rng, choose, has_bonus=True, mutant=mutant, **given)


# the lines of reference


def in_order(env, T, rng, play):
    built = build(env).environment
    rows = permuted(rng, len(built.rows), T)
    return sum(1 - built.table[i, a] for i, a in zip(rows, play(built, rows), strict=True))


def uniform_play(env, T, runs, rng, mutant="", own=None):
    own = own or rng
    K = build(env).environment.table.shape[1] + (mutant == "K")
    play = lambda built, rows: [min(int(own.random() * K), K - 1) for _ in rows]  # noqa: E731
    return np.array([in_order(env, T, rng, play) for _ in range(runs)])


def best_constant(env, T, runs, rng, mutant="", own=None):
    count = build(env).environment.table.sum(axis=0)
    a = int(count.argmin() if mutant == "worst" else count.argmax())
    return np.array([in_order(env, T, rng, lambda built, rows: [a] * T) for _ in range(runs)])


def supervised(env, T, runs, rng, loss, ridge, mutant="", own=None):
    own = own or rng

    def play(built, rows):
        K, actions = built.table.shape[1], [int(own.random() * built.table.shape[1])]
        while len(actions) < T:
            last = rows[len(actions) // 2 : len(actions)]
            Z, Y = built.rows[last], 1 - built.table[last]
            L = ridge * (30 if mutant == "ridge" else 1)
            if loss == "quadratic":
                theta = np.linalg.solve(Z.T @ Z + L * len(Z) * np.eye(len(Z.T)), Z.T @ Y).T
            else:
                theta = [logistic_fit(Z, Y[:, a], len(Z), np.zeros(len(Z.T)), L) for a in range(K)]
            batch = rows[len(actions) : 2 * len(actions) + 1]
            actions += list((built.rows[batch] @ np.transpose(theta)).argmin(axis=1))
        return actions

    return np.array([in_order(env, T, rng, play) for _ in range(runs)])
