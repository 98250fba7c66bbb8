"""Slow, simple versions of the greedy algorithms with local privacy, from Han et al. 2021. Tests
compare the package with them. ``mutant`` names a deliberate error, and tests show that they notice
each error.
"""

import math

import numpy as np
from linear_references import drawn, played
from private_references import exact_mu, symmetric
from scipy.special import gamma as gamma_function


def scores_of(rng, x, theta):
    """Return <theta, x>. If theta is 0, all contexts tie, and a random one gets the largest score:
    each context in turn replaces the chosen one, with such a probability that all are equally
    likely.
    """
    scores = np.einsum("rki,ri->rk", x, theta)
    for run in np.flatnonzero(~theta.any(axis=1)):
        for k in range(1, x.shape[1]):
            if rng.random() < 1 / (k + 1):
                scores[run] = np.arange(x.shape[1]) == k
    return scores


def sphere_message(rng, v, eps, R, mutant=""):
    """Return messages about vectors, float array (runs, d). A vector is rounded to the length R,
    and the message is a random point on one of the two halves of a sphere.
    """
    runs, d = v.shape
    if eps == math.inf:
        return v
    length = np.linalg.norm(v, axis=1)
    along = rng.random(runs) < 0.5 + np.minimum(length / (2 * R), 0.5)
    X = R * v / length[:, None] * np.where(along, 1.0, -1.0)[:, None]
    p = 1 / (1 + math.exp(-eps)) / (2 if mutant == "half" else 1)
    same = rng.random(runs) < p
    z = rng.standard_normal((runs, d))
    z /= np.linalg.norm(z, axis=1)[:, None]
    z[((z * X).sum(axis=1) > 0) != same] *= -1
    d += mutant == "d"
    odds = (math.exp(eps) + 1) / (math.exp(eps) - 1)
    shape = d * gamma_function((d + 1) / 2) / gamma_function(d / 2 + 1)
    return R * (math.sqrt(math.pi) / 2) * odds * shape * z


def ldp_sgd(env, T, runs, rng, eps, eta=5.0, link="linear", mutant=""):
    """Return the regret of some runs."""
    theta, regret = np.zeros((runs, len(env["theta"]))), np.zeros(runs)
    for t in range(1, T + 1):
        x = drawn(env, rng, runs)
        lost, chosen, reward = played(env, rng, x, scores_of(rng, x, theta))
        regret += lost
        z = (chosen * theta).sum(axis=1)
        mu = 1 / (1 + np.exp(-z)) if (link == "logistic") != (mutant == "link") else z
        message = sphere_message(rng, (mu - reward)[:, None] * chosen, eps, 2.0, mutant)
        theta = theta - eta / (t + (mutant != "step")) * message
        if mutant != "project":
            theta /= np.maximum(np.linalg.norm(theta, axis=1), 1)[:, None]
    return regret


def ldp_ols(env, T, runs, rng, eps, delta=0.1, alpha=0.1, calibration="exact", mutant="", own=None):
    """Return the regret of some runs; ``own`` is the learner's generator."""
    own, d = own or rng, len(env["theta"])
    s = 2 * math.sqrt(2 * math.log(1.25 / delta)) / eps
    if calibration == "exact":
        s = 2 / exact_mu(eps, delta)
    s /= 2 if mutant == "s" else 1
    c = 2 * s * (4 * math.sqrt(d) + 2 * math.log(2 * T / alpha))
    c = 0.0 if mutant == "shift" else c
    V, u = np.zeros((runs, d, d)), np.zeros((runs, d))
    theta, regret = np.zeros((runs, d)), np.zeros(runs)
    for t in range(1, T + 1):
        x = drawn(env, rng, runs)
        lost, chosen, reward = played(env, rng, x, scores_of(own, x, theta))
        regret += lost
        W = symmetric(own, runs, d, s if mutant == "W" else 2 * s, 1)
        V += chosen[:, :, None] * chosen[:, None, :] + W
        u += reward[:, None] * chosen + s * own.standard_normal((runs, d))
        theta = np.linalg.solve(V + c * math.sqrt(t) * np.eye(d), u[:, :, None])[:, :, 0]
    return regret
