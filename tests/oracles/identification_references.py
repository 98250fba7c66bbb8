"""Slow, simple rules that name an arm or a hypothesis, written from the papers. Tests compare the
package with them.

Each rule takes the function ``sample(a)``, which returns a reward of arm a, and a generator for the
noise. It returns the pulls of each arm and the answer. Keyword arguments cause errors that a test
must notice.
"""

import math
from functools import cache, partial

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import lambertw
from scipy.special import zeta as riemann

S = 2


@cache
def calibration(x):
    """C^G(x) (Kaufmann & Koolen 2021)."""

    def g(l):
        return 2 * l - 2 * l * math.log(4 * l) + math.log(riemann(2 * l)) - 0.5 * math.log(1 - l)

    found = minimize_scalar(
        lambda l: (g(l) + x) / l, bounds=(0.5, 1), method="bounded", options={"xatol": 1e-10}
    )
    return found.fun


def gaussian_threshold(w, v, K, delta):
    """Eq. 5.10."""
    counts = 2 * math.log(4 + math.log(w)) + 2 * math.log(4 + math.log(v))
    return 2 * calibration(math.log((K - 1) / delta) / 2) + counts


def k_of(x):
    return math.log2(x) + 2


@cache
def threshold(w, v, K, delta, eps, sigma=0.5):
    """Eq. 5.11."""
    risk = delta / (2 * riemann(S) ** 2 * k_of(w) ** S * k_of(v) ** S)
    private = sum(math.log(2 * K * riemann(S) * k_of(x) ** S / delta) ** 2 / x for x in (w, v))
    return 2 * gaussian_threshold(w, v, K, risk) + private / (eps * sigma) ** 2


@cache
def h(x, K, delta):
    y = 2 * math.log(3 * K * riemann(S) * k_of(x) ** S / delta) + 4 * math.log(4 + math.log(x))
    return -lambertw(-math.exp(-(y + 0.5)), -1).real / 2


@cache
def starred_threshold(d, w, v, K, delta, eps, sigma=0.5):
    """Eq. 5.14."""
    logs = {x: math.log(3 * K * riemann(S) * k_of(x) ** S / delta) for x in (w, v)}
    both = (w, v)
    if max(d, 0) < 3 * eps:
        second = sum(math.sqrt(h(x, K, delta) / x) * logs[x] for x in both)
        first = threshold(w, v, K, 2 * delta / 3, eps) / 2
        return first + math.sqrt(2) / (eps * sigma) * second
    second = sum(math.sqrt(x * h(x, K, delta)) for x in both)
    return 3 / sigma**2 * max(logs.values()) + 3 * eps / (math.sqrt(2) * sigma) * second


def cost(d, w, v, eps=math.inf, starred=False, sigma=0.5):
    """Eq. 5.9 and 5.12."""
    d = max(d, 0)
    return d * (min(3 * eps, d) if starred else d) / (2 * sigma**2 * (1 / w + 1 / v))


def empirical(w, v, delta, eps):
    l = math.log(1 / delta)
    counts = math.log(1 + math.log(w)) + math.log(1 + math.log(v))
    return l + counts + (1 / w + 1 / v) * l**2 / eps**2


def convincing(m, n, best, eps, delta, starred, proved):
    for b in range(len(m)):
        d = m[best] - m[b]
        if b == best:
            continue
        if not proved:
            if d**2 / (2 * (1 / n[best] + 1 / n[b])) < empirical(n[best], n[b], delta, eps):
                return False
        elif starred:
            needed = starred_threshold(d, n[best], n[b], len(m), delta, eps)
            if cost(d, n[best], n[b], eps, True) < needed:
                return False
        elif cost(d, n[best], n[b]) < threshold(n[best], n[b], len(m), delta, eps):
            return False
    return True


def tracked(b, costs, leads, as_leader):
    """Return the arm to sample: the leader b in half of its rounds, else its challenger with the
    smallest cost.
    """
    a = b if as_leader[b] <= 0.5 * (leads[b] + 1) else int(np.argmin(costs))
    leads[b] += 1
    as_leader[b] += a == b
    return a


def printed(sample, rng, K, eps, delta, cap, starred=False, proved=True, noise=1, late=0, bonus=1):
    """Thesis, Algorithm 10, round by round."""
    N, rewards = [1] * K, [[sample(a)] for a in range(K)]
    m = [rewards[a][0] + rng.laplace(0, noise / eps) for a in range(K)]
    n, k, start = [1] * K, [1] * K, [1] * K
    rewards = [[] for _ in range(K)]
    leads, as_leader = [0] * K, [0] * K
    while sum(N) < cap:
        for a in range(K):
            if N[a] >= 2 * start[a] + late:
                k[a] += 1
                n[a] = N[a] - start[a]
                start[a] = N[a]
                m[a] = np.mean(rewards[a]) + rng.laplace(0, noise / (eps * n[a]))
                rewards[a] = []
        best = int(np.argmax(m))
        if convincing(m, n, best, eps, delta, starred, proved):
            return N, best
        index = [
            m[a] + math.sqrt(bonus * k[a] / n[a]) + bonus * k[a] / (eps * n[a]) for a in range(K)
        ]
        b = int(np.argmax(index))
        costs = [
            math.inf if a == b else cost(m[b] - m[a], start[b], start[a], eps, starred)
            for a in range(K)
        ]
        a = tracked(b, costs, leads, as_leader)
        rewards[a].append(sample(a))
        N[a] += 1
    return N, None


def adap_tt(sample, rng, K, eps, delta, cap, variant="printed", threshold="usual", **mutation):
    play = {"printed": printed, "coded": coded}[variant]
    return play(sample, rng, K, eps, delta, cap, **mutation)


adap_tt_star = partial(printed, starred=True)


def coded(sample, rng, K, eps, delta, cap, noise=1, late=0, coin=0.5):
    """The authors' code of AdaP-TT."""
    finished, current = [1] * K, [[] for _ in range(K)]
    m = [sample(a) + rng.laplace(0, noise / eps) for a in range(K)]
    n = [1] * K

    def leader():
        l = math.log(sum(finished))
        return int(
            np.argmax([m[a] + l / (eps * n[a]) + math.sqrt(l / (2 * n[a])) for a in range(K)])
        )

    best = leader()
    while sum(finished) + sum(map(len, current)) < cap:
        slack = 1 / (1 + math.sqrt(sum(finished)))
        N = [finished[a] + len(current[a]) for a in range(K)]
        costs = [
            math.inf if a == best else (m[best] - m[a] + slack) / math.sqrt(1 / N[best] + 1 / N[a])
            for a in range(K)
        ]
        a = best if rng.random() <= coin else int(np.argmin(costs))
        current[a].append(sample(a))
        if len(current[a]) == finished[a] + late:
            n[a] = len(current[a])
            m[a] = np.mean(current[a]) + rng.laplace(0, noise / (eps * n[a]))
            finished[a] += n[a]
            current[a] = []
            best = leader()
            if convincing(m, n, best, eps, delta, False, False):
                return [finished[a] + len(current[a]) for a in range(K)], int(np.argmax(m))
    return [finished[a] + len(current[a]) for a in range(K)], None


def tt_ucb(sample, rng, K, delta, cap, bonus=1, factor=2):
    """AdaP-TT without noise and without forgetting, which decides in every round."""
    X = [[sample(a)] for a in range(K)]
    leads, as_leader = [0] * K, [0] * K
    while True:
        N, m = [len(x) for x in X], [np.mean(x) for x in X]
        best = int(np.argmax(m))
        costs = [cost(m[best] - m[b], N[best], N[b]) for b in range(K)]
        needed = [gaussian_threshold(N[best], N[b], K, delta) * factor / 2 for b in range(K)]
        if all(costs[b] >= needed[b] for b in range(K) if b != best):
            return N, best
        if sum(N) >= cap:
            return N, None
        phases = [math.floor(math.log2(x)) + 1 for x in N]
        b = int(np.argmax([m[a] + math.sqrt(bonus * phases[a] / N[a]) for a in range(K)]))
        costs = [math.inf if a == b else cost(m[b] - m[a], N[b], N[a]) for a in range(K)]
        a = tracked(b, costs, leads, as_leader)
        X[a].append(sample(a))


def ctb_tt(sample, rng, K, eps, delta, cap, noise=1, **mutation):
    """TT-UCB on bits; a reward x gives the bit 1 with probability (x e^eps + 1 - x)/(1 + e^eps)."""
    e = math.exp(noise * eps)

    def bit(a):
        x = sample(a)
        return float(rng.random() < (x * e + 1 - x) / (1 + e))

    return tt_ucb(bit, rng, K, delta, cap, **mutation)


def dp_se_bai(sample, rng, K, eps, delta, cap, noise=1, late=0):
    """Sajed & Sheffet 2019, Algorithm 3, until one arm is left."""
    S, N, e = list(range(K)), [0] * K, 0
    while len(S) > 1:
        e += 1
        D = 2.0**-e
        R = max(
            32 * math.log(8 * len(S) * e**2 / delta) / D**2,
            8 * math.log(4 * len(S) * e**2 / delta) / (eps * D),
        )
        R = math.floor(R) + 1 + late
        if sum(N) + R * len(S) > cap:
            return N, None
        mean = {a: np.mean([sample(a) for _ in range(R)]) for a in S}
        mean = {a: x + rng.laplace(0, noise / (eps * R)) for a, x in mean.items()}
        for a in S:
            N[a] += R
        radius = math.sqrt(math.log(8 * len(S) * e**2 / delta) / (2 * R))
        radius += math.log(4 * len(S) * e**2 / delta) / (R * eps)
        best = max(mean.values())
        S = [a for a in S if best - mean[a] <= 2 * radius]
    return N, S[0]


def dp_sprt(sample, rng, mu0, mu1, eps, alpha, beta, cap, c1=1, c2=1, noise=1, shift=0):
    """Michel, Basu & Kaufmann 2026."""

    def kl(p, q):
        return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))

    s = 1.1340
    z, g = riemann(s), max(0.5, 1 - 1 / eps)
    D = math.log(mu1 / (1 - mu1)) - math.log(mu0 / (1 - mu0))
    Z = noise * rng.laplace(0, 1)
    total = 0
    for t in range(1, cap + 1):
        total += sample(0)
        n = t + shift
        Y = total / t + noise * rng.laplace(0, 4 / (t * eps))
        room = {
            risk: c2 * 6 * math.log(max(eps, 2) * n**s * z / risk) / (n * eps)
            for risk in (alpha, beta)
        }
        low = (kl(mu0, mu1) - c1 * math.log(1 / (g * beta)) / n) / D - 2 * Z / (n * eps)
        high = (-kl(mu1, mu0) + c1 * math.log(1 / (g * alpha)) / n) / D + 2 * Z / (n * eps)
        if Y - mu0 <= low - room[beta]:
            return [t], 0
        if Y - mu1 >= high + room[alpha]:
            return [t], 1
    return [cap], None


def nprr_response(x, rng, q, G, kept=1):
    """Waudby-Smith, Wu & Ramdas 2023. A reward is rounded at random to the grid, and then kept or
    replaced by a uniform point of the grid; q = e^eps.
    """
    below = min(math.floor(x * G), G - 1)
    rounded = below + (rng.random() < x * G - below)
    if rng.random() < kept * (q - 1) / (q + G):
        return rounded / G
    return rng.integers(G + 1) / G


def nprr_interval(Z, r, a):
    """Return the confidence interval of the mean after the responses Z."""
    t = np.arange(1, len(Z) + 1)
    lam = np.minimum(1, np.sqrt(8 * math.log(2 / a) / (t * np.log(t + 1))))
    center = np.sum(lam * (np.array(Z) - (1 - r) / 2)) / (r * np.sum(lam))
    radius = (math.log(2 / a) + np.sum(lam**2) / 8) / (r * np.sum(lam))
    return center - radius, center + radius


def nprr_ab(
    sample, rng, K, eps, delta, grid, assignment, cap, kept=1, whole=False, late=0, coin=0.5
):
    """An A/B test with users assigned by fair coins. It ends when the two intervals are disjoint,
    or when the effect is shown to differ from 0.
    """
    G, q = int(grid), math.exp(eps)
    r, N, Z = (q - 1) / (q + G), [0] * K, ([], [])
    while sum(N) < cap:
        a = int(rng.random() < coin)
        x = sample(a)
        N[a] += 1
        if assignment == "open":
            Z[a].append(nprr_response(x, rng, q, G, kept))
            if min(len(Z[0]), len(Z[1])) <= late:
                continue
            each = delta if whole else delta / 2
            (low0, high0), (low1, high1) = (nprr_interval(z, r, each) for z in Z)
            low, high = low1 - high0, high1 - low0
        else:
            f = x / 0.5 if a == 1 else -x / 0.5
            Z[0].append(nprr_response((f + 2) / 4, rng, q, G, kept))
            if len(Z[0]) <= late:
                continue
            low, high = (
                4 * end - 2 for end in nprr_interval(Z[0], r, delta / 2 if whole else delta)
            )
        if low > 0 or high < 0:
            return N, int(low > 0)
    return N, None
