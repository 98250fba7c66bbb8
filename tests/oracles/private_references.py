"""Slow, simple versions of the algorithms with private contexts. Tests compare the package with
them.

Nodes of trees are stored by their rows, matrices are not split, and linear algebra is NumPy's.
``mutant`` names a deliberate error, and tests show that they notice each error.
"""

import math

import numpy as np
from linear_references import drawn, played
from scipy.optimize import brentq
from scipy.stats import norm


def curve(mu, eps):
    """Return delta(eps) of Gaussian noise (Balle & Wang 2018)."""
    return norm.cdf(mu / 2 - eps / mu) - math.exp(eps + norm.logcdf(-mu / 2 - eps / mu))


def exact_mu(eps, delta):
    return brentq(lambda mu: curve(mu, eps) - delta, 1e-6, 1e4, xtol=1e-15, rtol=1e-14)


def scores_of(V, u, x, beta, root=True):
    W = np.linalg.inv(V)
    square = np.maximum(np.einsum("rki,rij,rkj->rk", x, W, x), 0)
    theta = np.einsum("rij,rj->ri", W, u)
    return np.einsum("rki,ri->rk", x, theta) + beta * (np.sqrt(square) if root else square)


def symmetric(noise, R, D, s, of_diagonal):
    """Draw symmetric normal matrices, whose diagonal is multiplied by ``of_diagonal``."""
    N = np.zeros((R, D, D))
    p, q = np.tril_indices(D)
    N[:, p, q] = s * noise.standard_normal((R, len(p)))
    lower = np.tril(N, -1)
    return lower + np.swapaxes(lower, 1, 2) + of_diagonal * N * np.eye(D)


def wishart(noise, R, D, k):
    """Draw from the Wishart law W_D(2 I, k) by Bartlett's decomposition."""
    L = np.zeros((R, D, D))
    for p in range(D):
        L[:, p, p] = np.sqrt(2 * noise.standard_gamma((k - p) / 2, R))
        for q in range(p):
            L[:, p, q] = noise.standard_normal(R)
    return 2 * L @ np.swapaxes(L, 1, 2)


def private_lin_ucb(
    env, T, R, delta, alpha, rng, eps, noise="gaussian", calibration="exact", mutant="", own=None
):
    """Return the regret of R runs; ``own`` is the learner's generator."""
    own, d = own or rng, len(env["theta"])
    D, m = d + 1, 1 + math.ceil(math.log2(T)) - (mutant == "m")
    four = 2 if mutant == "ln 2" else 4
    if noise == "gaussian":
        s = math.sqrt(16 * m) * 2 * math.log(four / delta) / eps
        if calibration == "exact":
            s = math.sqrt(m) * 2 / exact_mu(eps, delta)
        l = math.log(2 * T / alpha)
        Y = s * math.sqrt(2 * m) * (4 * math.sqrt(d) + 2 * l)
        shift, low, high = 2 * Y, Y, 3 * Y
        gamma = s * math.sqrt(m / Y) * (math.sqrt(d) + math.sqrt(2 * l))
    else:
        two = 4 if mutant == "ln 4" else 2
        k = D + math.ceil(224 * m / eps**2 * math.log(8 * m / delta) * math.log(two / delta))
        root = math.sqrt(d) + math.sqrt(2 * math.log(8 * T / alpha))
        w = 2 * math.sqrt(m * k) * root
        shift = -(2 * (math.sqrt(m * k) - root) ** 2 - 4 * w)
        low, high, gamma = 4 * w, 8 * w, math.sqrt(w)
    shift *= 0.5 if mutant == "shift" else 1.0
    gamma = 0.0 if mutant == "gamma" else gamma
    empty = [np.zeros((R, D, D)) for _ in range(m)]
    if noise == "wishart":
        empty = [wishart(own, R, D, k) for _ in range(m)]
    nodes, M, regret = {}, np.zeros((R, D, D)), np.zeros(R)
    for t in range(T):  # rounds played so far
        H = np.zeros((R, D, D))
        for j in range(m):
            H += nodes[j] if t >> j & 1 else empty[j]
        V = (M + H)[:, :d, :d] + shift * np.eye(d)
        u = (M + H)[:, :d, d]
        log_det = np.linalg.slogdet(V)[1]
        beta = np.sqrt(2 * math.log(2 / alpha) + log_det - d * math.log(low))
        beta = beta + math.sqrt(high) + gamma
        x = drawn(env, rng, R)
        lost, chosen, reward = played(env, rng, x, scores_of(V, u, x, beta[:, None]))
        regret += lost
        row = np.concatenate([chosen, reward[:, None]], axis=1)
        M += row[:, :, None] * row[:, None, :]
        j = ((t + 1) & -(t + 1)).bit_length() - 1  # the node that this round closes
        if noise == "wishart":
            fresh = wishart(own, R, D, k)
        else:
            fresh = symmetric(own, R, D, s, 2 if mutant == "twice" else math.sqrt(2))
        nodes = {i: node for i, node in nodes.items() if i > j} | {j: fresh}
    return regret


def fed_lin_ucb(env, T, R, delta, alpha, silos, rng, eps, mutant="", own=None):
    """Return the regret of R runs. The data of a silo are stored by batches."""
    own, d, M = own or rng, len(env["theta"]), int(silos)
    B = next(b for b in range(1, T + 1) if (M * b) ** 2 >= T) + (mutant == "schedule")
    S = T // (M * B)  # synchronisations
    D, m = d + 1, 1 + math.ceil(math.log2(S)) - (mutant == "m")
    nodes_in_sum = m if mutant == "M" else M * m
    s = math.sqrt(m) * 2 / exact_mu(eps, delta) if eps < math.inf else 0.0
    l = math.log(2 * (T if mutant == "T" else S) / alpha)
    Y, gamma = 0.1, 0.0
    if s > 0:
        Y = s * math.sqrt(2 * nodes_in_sum) * (4 * math.sqrt(d) + 2 * l)
        gamma = s * math.sqrt(nodes_in_sum / Y) * (math.sqrt(d) + math.sqrt(2 * l))
    batches = [[np.zeros((R, D, D))] for _ in range(M)]  # the last one is not finished
    noises = [{} for _ in range(M)]  # of the nodes in the present prefix of each silo
    released, regret = np.zeros((R, D, D)), np.zeros(R)
    for t in range(T):
        V, u = released[:, :d, :d] + 2 * Y * np.eye(d), released[:, :d, d]
        beta = np.sqrt(2 * math.log(2 / alpha) + np.linalg.slogdet(V)[1] - d * math.log(Y))
        beta = beta + math.sqrt(3 * Y) + gamma
        x = drawn(env, rng, R)
        lost, chosen, reward = played(env, rng, x, scores_of(V, u, x, beta[:, None]))
        regret += lost
        row = np.concatenate([chosen, reward[:, None]], axis=1)
        i, rounds = t % M, t // M + 1
        batches[i][-1] = batches[i][-1] + row[:, :, None] * row[:, None, :]
        if rounds % B or rounds > S * B:
            continue
        n = len(batches[i])
        j = (n & -n).bit_length() - 1  # the node that this batch closes
        fresh = symmetric(own, R, D, s * (0.5 if mutant == "half" else 1), math.sqrt(2))
        noises[i] = {k: noise for k, noise in noises[i].items() if k > j} | {j: fresh}
        batches[i].append(np.zeros((R, D, D)))
        if i == M - 1:
            released = sum(sum(own[:-1]) for own in batches)
            released = released + sum(sum(own.values()) for own in noises)
    return regret


def ldp_lin_ucb(
    env, T, R, delta, alpha, rng, eps, variant="printed", calibration="exact", mutant="",
    own=None,
):  # fmt: skip
    """Return the regret of R runs."""
    own, d = own or rng, len(env["theta"])
    sigma = 4 * math.sqrt((2 if variant == "printed" else 1) * math.log(1.25 / delta)) / eps
    if calibration == "exact":
        sigma = math.sqrt(4.5) / exact_mu(eps, delta)
    if mutant == "sigma":
        sigma /= math.sqrt(2)
    V, u, regret, c = np.zeros((R, d, d)), np.zeros((R, d)), np.zeros(R), 0.1
    for t in range(1, T + 1):
        gamma = sigma * math.sqrt(t) * (4 * math.sqrt(d) + 2 * math.log(2 * T / alpha))
        beta = 2 * sigma * math.sqrt(d * math.log(T))
        beta += (math.sqrt(3 * gamma) + sigma * math.sqrt(d * t / gamma)) * d * math.log(T)
        now = 2 * gamma if mutant == "c" else c
        x = drawn(env, rng, R)
        root = (variant == "printed") != (mutant == "root")
        scores = scores_of(V + now * np.eye(d), u, x, beta, root)
        lost, chosen, reward = played(env, rng, x, scores)
        regret += lost
        N = np.zeros((R, d + 1, d))
        for p in range(d + 1):
            for q in range(min(p + 1, d)):
                N[:, p, q] = sigma * own.standard_normal(R)
        B = N[:, :d, :]
        lower = np.tril(B, -1) * (math.sqrt(2) if mutant == "twice" else 1)
        B = lower + np.swapaxes(lower, 1, 2) + B * np.eye(d)
        V += chosen[:, :, None] * chosen[:, None, :] + B
        u += chosen * reward[:, None] + N[:, d, :]
        c = (1 if mutant == "shift" else 2) * gamma
    return regret
