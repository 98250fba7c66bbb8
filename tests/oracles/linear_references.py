"""Slow, simple versions of the linear algorithms, with NumPy's linear algebra. Tests compare the
package with them.

``mutant`` names a deliberate error, and tests show that they notice each error.
"""

import math

import numpy as np
from scipy.stats import binom


def drawn(env, rng, R):
    """Draw the contexts of a round in R runs."""
    K, center = env["K"], np.array(env["center"])
    x = center + math.sqrt(env["variance"]) * rng.standard_normal((R, K, len(center)))
    length = np.linalg.norm(x, axis=2)[:, :, None]
    if env.get("contexts") == "sphere":
        return x / length
    return x / np.maximum(length, 1) if env["ball"] else x


def played(env, rng, x, scores):
    """Play the context with the largest score. Return the regret, the context and the reward."""
    rows = np.arange(len(x))
    a = np.argmax(scores, axis=1)
    means = x @ np.array(env["theta"])
    logistic = env.get("link") == "logistic"
    means = 1 / (1 + np.exp(-means)) if logistic else means
    mean = means[rows, a]
    if env["noise"] == "sign":
        chance = mean if logistic else (1 + mean) / 2
        reward = np.where(rng.random(len(x)) < chance, 1.0, 0.0 if logistic else -1.0)
    else:
        reward = mean + env["sigma"] * rng.standard_normal(len(x))
    return means.max(axis=1) - mean, x[rows, a], reward


def tail(d, x):
    return d + 2 * math.sqrt(d * math.log(1 / x)) + 2 * math.log(1 / x)


def in_phases(features, T, plan, whole=False):
    """Return the pulls of each arm by phased elimination, which keeps the arms whose values are
    near the largest.

    In phase l, ``plan(l, A)`` returns four things: the number of rounds of each active arm; a
    function ``observed(a, n)`` that returns the sum of n rewards of arm a as the learner sees it; a
    function that computes the estimate from V and the sum of all rewards; and the distance from the
    largest value up to which arms are kept. A are the actions in coordinates of their span. The
    last phase ends in the middle of an arm's rounds or, if ``whole``, before the first arm whose
    rounds do not fit.
    """
    K = len(features)
    active, pulls, left, l = list(range(K)), np.zeros(K, int), T, 0
    while len(active) > 1 and left > 0:
        l += 1
        span = np.linalg.svd(features[active], full_matrices=False)
        A = features[active] @ span.Vh[span.S > 1e-6].T
        d = A.shape[1]
        n, observed, estimate, width = plan(l, A)
        total, V = np.zeros(d), np.zeros((d, d))
        for a, z, count in zip(active, A, n, strict=True):
            if whole and count > left:
                break
            count = min(count, left)
            left -= count
            pulls[a] += count
            total = total + z * observed(a, count)
            V = V + count * np.outer(z, z)
        else:
            if left > 0:
                values = A @ estimate(V, total)
                near = values.max() - values <= width
                active = [a for a, kept in zip(active, near, strict=True) if kept]
                continue
        break
    for i, a in enumerate(active):
        pulls[a] += (left + len(active) - 1 - i) // len(active)
    return pulls


def gope(features, theta, sigma, T, delta, rng, design, rho=math.inf, noise="middle", mutant=""):
    """Return the pulls of each arm. ``sigma`` is None for rewards 1 and -1, and ``design`` is a
    function that computes a D-optimal design for actions.
    """
    K, means = len(features), features @ theta

    def plan(l, A):
        beta, d = 0.5**l, A.shape[1]
        delta_l = delta / (K * (1 if mutant == "delta_l" else l * (l + 1)))
        log = math.log2 if mutant == "ln" else math.log
        c = 8 * d / beta**2 * log(4 / delta_l)
        f = tail(d, delta_l / 2)
        c += 2 * d / beta * (math.sqrt(2 / rho) * f if mutant == "root" else math.sqrt(2 * f / rho))

        def observed(a, count):
            if sigma is None:
                sum_of = 2.0 * rng.binomial(count, (1 + means[a]) / 2) - count
            else:
                sum_of = count * means[a] + sigma * math.sqrt(count) * rng.standard_normal()
            if noise == "sums" and count > 0:
                sum_of += (mutant != "half") * math.sqrt(2 / rho) * rng.standard_normal()
            return sum_of

        def estimate(V, total):
            found = np.linalg.solve(V, total)
            if noise == "middle":
                eigenvalues, Q = np.linalg.eigh(V)
                power = -1.0 if mutant == "V^-1" else -0.5
                z = math.sqrt(2 * d / (rho * c)) * rng.standard_normal(d)
                z *= 0.5 if mutant == "half" else 1.0
                found = found + Q @ (eigenvalues**power * (Q.T @ z))
            return found

        n = [math.floor(c * p) if mutant == "floor" else math.ceil(c * p) for p in design(A)]
        return n, observed, estimate, 2 * beta

    return in_phases(features, T, plan)


adac_gope = gope  # AdaC-GOPE: the phases of GOPE, longer, with noise


def coins_for(eps, delta):
    """Return the smallest number of fair coins that hide a changed bit, computed from the law of
    their sum.
    """
    N = 0
    while eps < math.inf:
        N += 1
        P = binom.pmf(np.arange(N + 2), N, 0.5)
        if np.maximum(P - math.exp(eps) * np.append(0, P[:-1]), 0).sum() <= delta:
            break
    return N


def shuffle_gope(features, theta, sigma, T, eps, delta, p, rng, design, mutant=""):
    """GOPE on bits of rewards 1 and -1, to which fair coins are added."""
    K, N, means = len(features), coins_for(eps, delta), features @ theta

    def plan(l, A):
        beta, d, pi = 0.5**l, A.shape[1], design(A)
        delta_l = p / (K if mutant == "delta_l" else K * l * (l + 1))
        L = math.log(2 / delta_l)
        pi = np.where(pi < 1e-4, 0.0, pi)  # what a solver leaves of actions outside the support
        W = np.linalg.inv((A.T * pi) @ A)
        h = max(sum((a @ W @ b) ** 2 for b, x in zip(A, pi, strict=True) if x > 0) for a in A)
        h *= mutant != "h"
        c = (L * d + math.sqrt(L**2 * d**2 + 2 * beta**2 * L * N * h)) / beta**2

        def observed(a, count):
            if count == 0:
                return 0.0
            coins = 2 * N if mutant == "coins" else N
            ones = rng.binomial(count, (1 + means[a]) / 2) + rng.binomial(coins, 0.5)
            return 2 * (ones - coins / 2) - count

        width = beta if mutant == "width" else 2 * beta
        return np.ceil(c * pi).astype(int), observed, np.linalg.solve, width

    return in_phases(features, T, plan, whole=True)


def oful(
    env, T, R, delta, lam, rng, C=None, rho=None, lam_0=0.1, bonus="printed", mutant="", own=None
):
    """Return the regret of R runs at the horizon. If C is not given, the estimate is updated in
    every round. If rho is not given, there is no noise. ``own`` is the learner's generator, if it
    differs from ``rng``.
    """
    d = len(env["theta"])
    ridge = 2 * lam if mutant == "lam" else lam
    V = np.tile(ridge * np.eye(d), (R, 1, 1))
    V_tau, estimate = V.copy(), np.zeros((R, d))
    b, Y, regret = np.zeros((R, d)), np.zeros((R, d)), np.zeros(R)
    l, n, last = np.zeros(R), np.zeros(R), np.zeros((R, d))
    factor = 1 + (2 * C if mutant == "C" else C or 0)
    for t in range(T):
        changed = np.linalg.det(V) > factor * np.linalg.det(V_tau)
        if C is None:
            changed[:] = t > 0
        if rho is not None:
            Y[changed] += math.sqrt(2 / rho) * (own or rng).standard_normal((changed.sum(), d))
        l, n = l + changed, np.where(changed, t, n)
        V_tau[changed] = V[changed]
        W = np.linalg.inv(V_tau)
        estimate[changed] = np.einsum("rij,rj->ri", W[changed], (b + Y)[changed])
        beta = np.sqrt(
            2 * math.log(1 / delta)
            + (np.log2 if mutant == "ln" else np.log)(np.linalg.det(V_tau) / lam**d)
        ) + math.sqrt(lam)
        if rho is not None:
            L = np.log((n + 3) * d / delta)
            g = np.maximum(0, lam_0 * n / 4 - 8 * L - 2 * np.sqrt(n * L))
            least = lam + g if bonus == "printed" else np.linalg.eigvalsh(V_tau)[:, 0]
            noises = l + (mutant == "l")
            beta = beta + np.sqrt(2 * noises * tail(d, delta / T) / (rho * least))
        x = drawn(env, rng, R)
        square = np.einsum("rki,rij,rkj->rk", x, W, x)
        width = square if mutant == "root" else np.sqrt(square)
        index = np.einsum("rki,ri->rk", x, estimate) + beta[:, None] * width
        lost, chosen, reward = played(env, rng, x, index)
        regret += lost
        used = last if mutant == "contexts" and t > 0 else chosen
        V += used[:, :, None] * used[:, None, :]
        b += used * reward[:, None]
        last = chosen
    return regret


lin_ucb = rs_oful = adac_oful = oful  # which differ in what they are given of C and rho
