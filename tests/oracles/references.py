"""Slow, simple reference implementations, written from the papers alone. Tests compare the package
with them.
"""

import itertools
import math
from bisect import bisect_left
from functools import partial

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom, norm


def first_argmax(index: list[float]) -> int:
    """Return the position of the largest index. Ties go to the arm with the lowest number."""
    best = 0
    for a in range(1, len(index)):
        if index[a] > index[best]:
            best = a
    return best


def kl(p: float, q: float) -> float:
    """Return kl(Bernoulli(p), Bernoulli(q)), with 0 ln 0 = 0 and x ln(x/0) = inf."""
    total = 0.0
    for x, y in ((p, q), (1 - p, 1 - q)):
        if x > 0:
            if y <= 0:
                return math.inf
            total += x * math.log(x / y)
    return total


def kl_upper(p: float, d: float) -> float:
    """Return max{q in [0, 1] : kl(p, q) <= d}. The function kl(p, .) increases on [p, 1]."""
    return last_inside(p, lambda q: kl(p, q) <= d)


def last_inside(low, inside):
    """Return the largest number x in [low, 1] for which ``inside(x)`` is true, by bisection."""
    if inside(1.0):
        return 1.0
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if inside(middle):
            low = middle
        else:
            high = middle
    return low


class Counter:
    """A stream of items. The noisy sum of all items so far is released after each item."""

    def __init__(self, scale, noise):
        self.scale = scale  # function: the scale of a node's noise, given its last item
        self.noise = noise
        self.items = []
        self.drawn = {}  # the noise of each node


class Tree(Counter):
    """The binary mechanism; node (b, j) is the sum of the items (j - 1) 2^b + 1, ..., j 2^b."""

    def add(self, x):
        """Append item n, with which the node of n's lowest set bit is complete."""
        self.items.append(x)
        n = len(self.items)
        b = 0
        while n % 2 ** (b + 1) == 0:
            b += 1
        self.drawn[b, n // 2**b] = self.noise(self.scale(n))

    def nodes(self):
        """The nodes that the prefix consists of, one for each binary digit 1 of n."""
        n = len(self.items)
        end = 0  # the last item covered so far
        for b in reversed(range(n.bit_length())):
            if n // 2**b % 2 == 1:
                end += 2**b
                yield b, end // 2**b

    def noisy_sum(self):
        """Return the noisy sum of all items so far."""
        total = 0.0
        for b, j in self.nodes():
            total += sum(self.items[(j - 1) * 2**b : j * 2**b]) + self.drawn[b, j]
        return total

    def weights(self):
        """Return the scale of the noise of each node in the noisy sum."""
        return [self.scale(j * 2**b) for b, j in self.nodes()]


class HonakerTree(Tree):
    """The binary mechanism with Honaker's estimates from below; ``drawn`` are the estimates."""

    def add(self, x):
        """Append item n. Draw the noise of each node that is then complete, the leaf first."""
        self.items.append(x)
        n = len(self.items)
        d = 0
        while n % 2**d == 0:
            v = self.noise(self.scale(n))
            if d > 0:
                v += (self.drawn[d - 1, n // 2**d * 2 - 1] + self.drawn[d - 1, n // 2**d * 2]) / 2
            self.drawn[d, n // 2**d] = v
            d += 1

    def noisy_sum(self):
        return sum(self.items) + sum(self.drawn[d, j] / (2 - 2.0**-d) for d, j in self.nodes())

    def weights(self):
        """Return the scale of each Laplace variable in the noisy sum, by the last item of its
        subtree.
        """
        return [
            self.scale(i * 2**d) * 2.0**-j / (2 - 2.0**-d)
            for d, i in self.nodes()
            for j in range(d + 1)
            for _ in range(2**j)
        ]


class KaryTree(Counter):
    """k-ary trees with balanced digits; node (l, i) holds the items i k^l + 1, ..., (i + 1) k^l."""

    k = 19

    def add(self, x):
        """Append an item. The noise of new nodes is drawn from the lowest level on, with the
        nearest to p first.
        """
        self.items.append(x)
        for _, l, i in reversed(list(self.nodes(far_first=True))):
            if (l, i) not in self.drawn:
                self.drawn[l, i] = self.noise(self.scale((i + 1) * self.k**l))

    def nodes(self, far_first=False):
        """Return signs, levels and numbers of the nodes of the prefix, from the top level."""
        k, rest, digits = self.k, len(self.items), []
        while rest != 0:
            d = (rest + k // 2) % k - k // 2
            digits.append(d)
            rest = (rest - d) // k
        p = 0
        for l in reversed(range(len(digits))):
            d = digits[l]
            for j in reversed(range(abs(d))) if far_first else range(abs(d)):
                yield (1, l, p // k**l + j) if d > 0 else (-1, l, p // k**l - (j + 1))
            p += d * k**l
        assert p == len(self.items)

    def noisy_sum(self):
        return sum(self.items) + sum(sign * self.drawn[l, i] for sign, l, i in self.nodes())

    def weights(self):
        return [self.scale((i + 1) * self.k**l) for _, l, i in self.nodes()]


COUNTERS = {"binary": Tree, "honaker": HonakerTree, "kary": KaryTree}


def new_counter(tree, T, sensitivity, eps, noise):
    """Return a counter for at most T items. It is eps-DP if item n has the sensitivity
    ``sensitivity(n)``.
    """
    levels = math.floor(math.log2(T)) + 1
    if tree == "kary":
        levels = next(h for h in range(1, 99) if (KaryTree.k**h - 1) // 2 >= T)
    return COUNTERS[tree](lambda n: laplace_scale(sensitivity(n) * levels, eps), noise)


def chernoff_quantile(weights, l):
    """Compute inf over s < 1/max b of (l - sum of ln(1 - b^2 s^2))/s, where b are the Laplace
    scales.
    """
    if max(weights) == 0:
        return 0.0
    b, count = np.unique(weights, return_counts=True)
    edge = 1 / b.max()
    # s = edge/(1 + e^-y): the search is as fine at the edge as at 0
    found = minimize_scalar(
        lambda y: (
            (l - count @ np.log1p(-((b * edge / (1 + math.exp(-y))) ** 2)))
            * (1 + math.exp(-y))
            / edge
        ),
        bounds=(-20, 20),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return found.fun


def at_round(t):
    """Return the l of the calibrated bonus, -ln(t^-4 / 2)."""
    return math.log(2 * t**4)


def by_index(reward, K, T, index, note) -> list[int]:
    """Play each arm once, then the arm with the largest ``index(i, t)``. ``note(a, x)`` adds reward
    x of arm a.
    """
    played = []
    for t in range(1, T + 1):
        a = t - 1 if t <= K else first_argmax([index(i, t) for i in range(K)])
        note(a, reward(a, t))
        played.append(a)
    return played


def ucb(reward, K, T, noise) -> list[int]:
    """Auer, Cesa-Bianchi & Fischer 2002, UCB1."""
    rewards = [[] for _ in range(K)]

    def index(i, t):
        N = len(rewards[i])
        return sum(rewards[i]) / N + math.sqrt(2 * math.log(t) / N)

    return by_index(reward, K, T, index, lambda a, x: rewards[a].append(x))


def kl_ucb(reward, K, T, noise) -> list[int]:
    """Garivier & Cappe 2011, KL-UCB with c = 0, for Bernoulli kl."""
    rewards = [[] for _ in range(K)]

    def index(i, t):
        N = len(rewards[i])
        return kl_upper(sum(rewards[i]) / N, math.log(t) / N)

    return by_index(reward, K, T, index, lambda a, x: rewards[a].append(x))


def dp_ucb(reward, K, T, noise, eps, gamma, tree_budget, tree, bonus) -> list[int]:
    """Mishra & Thakurta 2015, Algorithm 1 (DP-UCB), with a tree of rewards for each arm."""
    budget = {"whole": eps, "split": eps / K}[tree_budget]
    trees = [new_counter(tree, T, lambda n: 1.0, budget, noise) for _ in range(K)]

    def index(i, t):
        N = len(trees[i].items)
        mean = trees[i].noisy_sum() / N
        Gamma = K * math.log(T) ** 2 * math.log(K * T * math.log(T) / gamma) / eps
        if bonus == "calibrated":
            Gamma = chernoff_quantile(trees[i].weights(), at_round(t))
        return mean + math.sqrt(2 * math.log(t) / N) + Gamma / N

    return by_index(reward, K, T, index, lambda a, x: trees[a].add(x))


def dp_ucb_bound(reward, K, T, noise, eps, tree, bonus) -> list[int]:
    """Mishra & Thakurta 2015, Algorithm 1, with the tight bonus of Azize's thesis (p. 102)."""
    trees = [new_counter(tree, T, lambda n: 1.0, eps, noise) for _ in range(K)]

    def index(i, t):
        N = len(trees[i].items)
        mean = trees[i].noisy_sum() / N
        sampling = math.sqrt(2 * math.log(2 * T) / N)
        privacy = math.sqrt(8) * math.log(T) ** 1.5 * math.log(2 * T) / (eps * N)
        if bonus == "calibrated":
            privacy = chernoff_quantile(trees[i].weights(), at_round(t)) / N
        return mean + sampling + privacy

    return by_index(reward, K, T, index, lambda a, x: trees[a].add(x))


def eliminate(reward, K, T, epoch, whole=False) -> list[int]:
    """Successive elimination. Epoch e with k arms is described by ``R, kept, mean, width = epoch(k,
    e)``. Each arm has R pulls, in turn. A reward x counts as ``kept(x)``. An arm stays if its
    ``mean(samples)`` is at most ``width`` below the largest. If ``whole``, an epoch that would end
    after T is not played.
    """
    S = list(range(K))
    played = []
    e = 0
    while len(S) > 1:
        e += 1
        R, kept, mean, width = epoch(len(S), e)
        if whole and len(played) + R * len(S) > T:
            break
        samples = {a: [] for a in S}
        for _ in range(R):
            for a in S:
                if len(played) == T:
                    return played
                played.append(a)
                samples[a].append(kept(reward(a, len(played))))
        mu = {a: mean(samples[a]) for a in S}
        mu_max = max(mu.values())
        S = [a for a in S if not mu_max - mu[a] > width]
    return in_turn(S, T, played)


def pulled(reward, a, n, T, played) -> list[float]:
    """Return the rewards of arm a in the next n rounds, or up to round T."""
    rewards = []
    while len(rewards) < n and len(played) < T:
        played.append(a)
        rewards.append(reward(a, len(played)))
    return rewards


def in_turn(S, T, played) -> list[int]:
    """Play the remaining arms in turn until the horizon."""
    while len(played) < T:
        played += S[: T - len(played)]
    return played


def dp_se(reward, K, T, noise, eps, beta) -> list[int]:
    """Sajed & Sheffet 2019, Algorithm 3 (DP Successive Elimination)."""

    def epoch(k, e):
        D = 2.0**-e
        L8 = math.log(8 * k * e**2 / beta)
        L4 = math.log(4 * k * e**2 / beta)
        R = math.floor(max(32 * L8 / D**2, 8 * L4 / (eps * D))) + 1
        h = math.sqrt(L8 / (2 * R))
        c = L4 / (R * eps)
        return R, unchanged, lambda x: sum(x) / R + noise(1 / (eps * R)), 2 * h + 2 * c

    return eliminate(reward, K, T, epoch)


def adap(reward, K, T, noise, scale, index) -> list[int]:
    """Azize & Basu 2022, Algorithm 1, with episodes of doubling length. ``scale(n)`` is the scale
    of the noise of a mean, and ``index(m, n, t)`` the index.
    """
    N = [0] * K  # pulls
    n = [0] * K  # length of the last complete episode
    m = [0.0] * K  # private mean of the last complete episode
    played = []
    while len(played) < T:
        t = len(played) + 1
        if t <= K:
            a, length = t - 1, 1
        else:
            a = first_argmax([index(m[i], n[i], t) for i in range(K)])
            length = N[a]
        episode = pulled(reward, a, length, T, played)
        if len(episode) == length:
            N[a] += length
            n[a] = length
            m[a] = sum(episode) / length + noise(scale(length))
    return played


def adap_ucb(reward, K, T, noise, eps, alpha=3.1) -> list[int]:
    """Azize & Basu 2022, Algorithm 1 with the index of AdaP-UCB."""

    def index(m, n, t):
        sampling = math.sqrt(alpha * math.log(t) / (2 * n))
        privacy = alpha * math.log(t) / (eps * n)
        return m + sampling + privacy

    return adap(reward, K, T, noise, lambda n: 1 / (eps * n), index)


def adap_klucb(reward, K, T, noise, eps, alpha=3.1) -> list[int]:
    """Azize & Basu 2022, Algorithm 1 with the index of AdaP-KLUCB."""

    def index(m, n, t):
        privacy = alpha * math.log(t) / (eps * n)
        clipped = min(max(m + privacy, 0.0), 1.0)
        return kl_upper(clipped, alpha * math.log(t) / n)

    return adap(reward, K, T, noise, lambda n: 1 / (eps * n), index)


def adac_ucb(reward, K, T, noise, rho, beta=3.1) -> list[int]:
    """Azize's thesis, AdaC-UCB; noise(s) is Gaussian of standard deviation s."""

    def deviation(n):
        return math.sqrt(1 / (2 * rho * n**2))

    def index(m, n, t):
        return m + math.sqrt((1 / (2 * n) + 1 / (rho * n**2)) * beta * math.log(t))

    return adap(reward, K, T, noise, deviation, index)


def adar_ucb(reward, K, T, noise, eps, order=2, beta=3.1) -> list[int]:
    """Azize & Basu 2023, AdaR-UCB; noise(s) is Gaussian of standard deviation s."""

    def deviation(n):
        return math.sqrt(order / (2 * eps * n**2))

    def index(m, n, t):
        return m + math.sqrt((1 / (2 * n) + order / (eps * n**2)) * beta * math.log(t))

    return adap(reward, K, T, noise, deviation, index)


def private_divergence(x, y, eps):
    """Azize et al. 2025: return min over z between x and y of eps |z - x| + kl(z, y). For x < y the
    slope in z is eps + logit(z) - logit(y), so the minimum is at logit(z) = logit(y) - eps, or at
    x.
    """
    if math.isinf(eps):
        return kl(x, y)
    if x > y:
        return private_divergence(1 - x, 1 - y, eps)
    odds = y * math.exp(-eps)
    z = max(x, odds / (1 - y + odds)) if y > 0 else 0.0
    return eps * (z - x) + kl(z, y)


def private_upper(x, c, eps):
    """Return max{q in [0, 1] : d(x, q) <= c}. The function d(x, .) increases on [x, 1]."""
    return last_inside(x, lambda q: private_divergence(x, q, eps) <= c)


def phases(reward, K, T, noise, eps, alpha, first, choose) -> list[int]:
    """Azize et al. 2025: the phases of DP-KLUCB and DP-IMED, without forgetting.

    ``choose(m, n, t)`` returns the arm of the next phase. For each arm, m is the clipped private
    mean of all its rewards, and n their number.
    """
    S = [0.0] * K
    n = [0] * K
    played = []
    while len(played) < T:
        if 0 in n:
            a = n.index(0)
            length = max(1, math.ceil(first / eps))
        else:
            m = [min(max(S[i] / n[i], 0.0), 1.0) for i in range(K)]
            a = choose(m, n, len(played) + 1)
            length = max(1, math.ceil(alpha * n[a]) - n[a])
        phase = pulled(reward, a, length, T, played)
        if len(phase) == length:
            S[a] += sum(phase) + noise(1 / eps)
            n[a] += length
    return played


def dp_klucb(reward, K, T, noise, eps, alpha=2, first=0) -> list[int]:
    """Azize et al. 2025, DP-KLUCB."""

    def choose(m, n, t):
        return first_argmax([private_upper(m[i], math.log(t) / n[i], eps) for i in range(K)])

    return phases(reward, K, T, noise, eps, alpha, first, choose)


def dp_imed(reward, K, T, noise, eps, alpha=2, first=0) -> list[int]:
    """Azize et al. 2025, DP-IMED."""

    def choose(m, n, t):
        cost = [n[i] * private_divergence(m[i], max(m), eps) + math.log(n[i]) for i in range(K)]
        return cost.index(min(cost))

    return phases(reward, K, T, noise, eps, alpha, first, choose)


def natural_or_base2(log):
    """Return the logarithm of Hu & Hegde 2022; in their notation, log has base 2."""
    return {"natural": math.log, "base2": math.log2}[log]


def clip01(x):
    return min(max(x, 0.0), 1.0)


def etc(reward, K, T, noise, m) -> list[int]:
    """Explore then commit, with m pulls of each arm. The value 0 stands for (T/K)^(2/3) (ln
    T)^(1/3).
    """
    m = max(1, math.ceil(m if m > 0 else (T / K) ** (2 / 3) * math.log(T) ** (1 / 3)))
    total, played = [0.0] * K, []
    for t in range(1, T + 1):
        a = (t - 1) % K if t <= m * K else first_argmax(total)
        x = reward(a, t)
        if t <= m * K:
            total[a] += x
        played.append(a)
    return played


def eps_greedy(reward, K, T, noise, c, d, uniform) -> list[int]:
    """Auer, Cesa-Bianchi & Fischer 2002, Figure 3."""
    rewards, played = [[] for _ in range(K)], []
    for t in range(1, T + 1):
        epsilon_t = min(1, c * K / (d**2 * t))
        if uniform() < epsilon_t:
            a = math.floor(uniform() * K)
        else:
            a = first_argmax([sum(x) / len(x) if x else 0.0 for x in rewards])
        rewards[a].append(reward(a, t))
        played.append(a)
    return played


def exp3(reward, K, T, noise, gamma, uniform) -> list[int]:
    """Auer, Cesa-Bianchi, Freund & Schapire 2002, Figure 1. The value 0 stands for the gamma of
    Corollary 3.2, with the horizon as the bound on the best sum of rewards.
    """
    if gamma == 0:
        gamma = min(1, math.sqrt(K * math.log(K) / ((math.e - 1) * T)))
    w, played = [1.0] * K, []
    for t in range(1, T + 1):
        p = [(1 - gamma) * w[i] / sum(w) + gamma / K for i in range(K)]
        u, a = uniform(), 0
        while a < K - 1 and sum(p[: a + 1]) <= u:
            a += 1
        w[a] *= math.exp(gamma * reward(a, t) / p[a] / K)
        w = [x / max(w) for x in w]
        played.append(a)
    return played


def ts(reward, K, T, noise, uniform, draw_beta) -> list[int]:
    """Agrawal & Goyal 2017, Thompson sampling; draw_beta(a, b) draws from Beta(a, b)."""
    successes = [0] * K
    failures = [0] * K
    played = []
    for t in range(1, T + 1):
        a = first_argmax([draw_beta(successes[i] + 1, failures[i] + 1) for i in range(K)])
        if uniform() < reward(a, t):
            successes[a] += 1
        else:
            failures[a] += 1
        played.append(a)
    return played


def lazy_buffers(reward, K, T, noise, eps, choose) -> list[int]:
    """Hu & Hegde 2022, Algorithm 2. ``choose(m, O, t)`` returns the arm of a round after the first
    K. For each arm, O is the number of rewards in its last full buffer, and m is their private
    mean.
    """
    m = [0.0] * K
    O = [1] * K
    r = [0] * K
    buffer = [[] for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        a = t - 1 if t <= K else choose(m, O, t)
        played.append(a)
        x = reward(a, t)
        if t <= K:
            m[a] = x + noise(1 / eps)
            continue
        buffer[a].append(x)
        if len(buffer[a]) == 2 ** (r[a] + 1):
            O[a] = 2 ** (r[a] + 1)
            m[a] = sum(buffer[a]) / O[a] + noise(1 / (eps * O[a]))
            r[a] += 1
            buffer[a] = []
    return played


def lazy_dp_ts(reward, K, T, noise, eps, draw_beta, log="natural") -> list[int]:
    """Hu & Hegde 2022, Algorithm 2 (Lazy-DP-TS)."""
    ln = natural_or_base2(log)

    def choose(m, O, t):
        theta = []
        for i in range(K):
            mu = clip01(m[i] + 3 * ln(t) / (eps * O[i]))
            theta.append(draw_beta(mu * O[i] + 1, (1 - mu) * O[i] + 1))
        return first_argmax(theta)

    return lazy_buffers(reward, K, T, noise, eps, choose)


def anytime_lazy_ucb(reward, K, T, noise, eps, log="natural") -> list[int]:
    """Anytime-Lazy-UCB: the buffers of Lazy-DP-TS, with an optimistic index in every round."""
    ln = natural_or_base2(log)

    def choose(m, O, t):
        index = []
        for i in range(K):
            index.append(m[i] + math.sqrt(3 * ln(t) / O[i]) + 3 * ln(t) / (eps * O[i]))
        return first_argmax(index)

    return lazy_buffers(reward, K, T, noise, eps, choose)


def dp_ts(reward, K, T, noise, eps, draw_beta, log="natural") -> list[int]:
    """Hu & Hegde 2022, Algorithm 1 (DP-TS). The tree of 2^(r+1) rewards has r + 2 levels."""
    ln = natural_or_base2(log)
    C = [0.0] * K
    B = [0.0] * K
    O = [1] * K
    r = [0] * K
    buffer = [[] for _ in range(K)]
    trees = [Tree(lambda n: 2 * 2 / eps, noise) for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        if t <= K:
            a = t - 1
            C[a] = reward(a, t) + noise(2 / eps)
        else:
            theta = []
            for i in range(K):
                shift = 6 * math.sqrt(8) * ln(O[i] + 1) * ln(t) / (eps * O[i])
                mu = clip01((C[i] + B[i]) / O[i] + shift)
                theta.append(draw_beta(mu * O[i] + 1, (1 - mu) * O[i] + 1))
            a = first_argmax(theta)
            O[a] += 1
            buffer[a].append(reward(a, t))
            if O[a] == 2 ** (r[a] + 2) - 1:
                C[a] += sum(buffer[a]) + noise(2 / eps)
                B[a] = 0.0
                r[a] += 1
                buffer[a] = []
                scale = 2 * (r[a] + 2) / eps
                trees[a] = Tree(lambda n, scale=scale: scale, noise)
            else:
                trees[a].add(buffer[a][-1])
                B[a] = trees[a].noisy_sum()
        played.append(a)
    return played


def sigmoid(r):
    """The transform of CTL-S and CTB-S, which maps an unbounded reward into (0, 1)."""
    return 1 / (1 + math.exp(-r))


def unchanged(r):
    """The transform of CTL and CTB, which changes nothing, since rewards lie in [0, 1] already."""
    return r


def heldp_l(reward, K, T, noise, eps_min, level, transform) -> list[int]:
    """Ren et al. 2020, Agent 2, with a curator that adds Laplace noise to ``transform(reward)``.
    The user of round t has the level ``level(t)``.
    """
    N = [0] * K  # responses kept
    s = [0.0] * K  # their sum
    A = [0.0] * K  # sum of 1/eps^2 over them
    played = []
    for t in range(1, T + 1):
        log_t4 = 4 * math.log(t)
        starved = [i for i in range(K) if A[i] <= eps_min**-2 * log_t4]
        if starved:
            a = min(starved, key=lambda i: (A[i], i))
        else:
            index = []
            for i in range(K):
                sampling = math.sqrt(log_t4 / (2 * N[i]))
                privacy = math.sqrt(8 * A[i] * log_t4 / N[i] ** 2)
                index.append(s[i] / N[i] + sampling + privacy)
            a = first_argmax(index)
        played.append(a)
        r = reward(a, t)
        eps = level(t)
        if eps >= eps_min:
            N[a] += 1
            s[a] += transform(r) + noise(1 / eps)
            A[a] += eps**-2
    return played


def heldp_b(reward, K, T, noise, eps_min, level, uniform, transform) -> list[int]:
    """Ren et al. 2020, Agent 4, with a curator that sends one bit for ``transform(reward)``, drawn
    by ``uniform()``.
    """
    N = [0] * K  # responses kept
    s = [0.0] * K  # sum of g(bit; eps), unbiased for the transformed reward
    B = [0.0] * K  # sum of coth(eps/2)^2
    played = []
    for t in range(1, T + 1):
        index = []
        for i in range(K):
            if N[i] == 0:
                index.append(math.inf)
            else:
                index.append(s[i] / N[i] + math.sqrt(B[i] * 4 * math.log(t) / (2 * N[i] ** 2)))
        a = first_argmax(index)
        played.append(a)
        r = reward(a, t)
        eps = level(t)
        if eps >= eps_min:
            p = 1 / 2 + (transform(r) - 1 / 2) * math.tanh(eps / 2)
            bit = 1 if uniform() < p else 0
            c = 1 / math.tanh(eps / 2)
            N[a] += 1
            s[a] += (1 + c) / 2 if bit == 1 else (1 - c) / 2
            B[a] += c**2
    return played


# Ren et al. 2020, Agents 2 and 4, with the curators CTL and CTB, and with CTL-S and CTB-S
heldp_ucb_l, heldp_ucb_ls = (partial(heldp_l, transform=x) for x in (unchanged, sigmoid))
heldp_ucb_b, heldp_ucb_bs = (partial(heldp_b, transform=x) for x in (unchanged, sigmoid))


def laplace_scale(sensitivity, eps):
    """Return sensitivity / eps. Without privacy there is no noise, even if the sensitivity is
    infinite.
    """
    return 0.0 if math.isinf(eps) else sensitivity / eps


def truncated(x, B):
    """Return x, or 0 if its absolute value exceeds B."""
    return x if abs(x) <= B else 0.0


def robust_ucb(reward, K, T, noise, u, v) -> list[int]:
    """Bubeck, Cesa-Bianchi & Lugosi 2013, Robust UCB with the truncated empirical mean."""
    rewards = [[] for _ in range(K)]

    def index(arm, t):
        N, log_t2 = len(rewards[arm]), 2 * math.log(t)
        kept = [
            truncated(rewards[arm][i - 1], (u * i / log_t2) ** (1 / (1 + v)))
            for i in range(1, N + 1)
        ]
        return sum(kept) / N + 4 * u ** (1 / (1 + v)) * (log_t2 / N) ** (v / (1 + v))

    return by_index(reward, K, T, index, lambda a, x: rewards[a].append(x))


def dpr_ucb(reward, K, T, noise, eps, u, v, c, tree, bonus) -> list[int]:
    """Tao et al. 2022, Algorithms 1 and 2, but every node of a tree spends eps/L, not eps/ln T.

    The calibrated bonus has the radius of Bubeck, Cesa-Bianchi & Lugosi 2013, Lemma 1.
    """
    if T == 1:  # no decision, and the level is infinite for ln T = 0
        reward(0, 1)
        return [0]

    def level(n):
        return (eps * u * n / math.log(T) ** 1.5) ** (1 / (1 + v))

    trees = [new_counter(tree, T, lambda n: 2 * level(n), eps, noise) for _ in range(K)]

    def index(i, t):
        N = len(trees[i].items)
        logs = math.log(2 * t**4) * math.log(T) ** (1.5 + 1 / v)
        radius = c * u ** (1 / (1 + v)) * (logs / (N * eps)) ** (v / (1 + v))
        if bonus == "calibrated":
            l, B = at_round(t), level(N)
            radius = sum(u / level(j) ** v for j in range(1, N + 1)) / N
            radius += math.sqrt(2 * B ** (1 - v) * u * l / N) + B * l / (3 * N)
            radius += chernoff_quantile(trees[i].weights(), l) / N
        return trees[i].noisy_sum() / N + radius

    def note(a, x):
        trees[a].add(truncated(x, level(len(trees[a].items) + 1)))

    return by_index(reward, K, T, index, note)


def dpr_se(reward, K, T, noise, eps, u, v, c, beta) -> list[int]:
    """Tao et al. 2022, Algorithm 3 (DP Robust Successive Elimination)."""

    def epoch(k, tau):
        L = math.log(4 * k * tau**2 / beta)
        D = 2.0**-tau
        if math.isinf(eps):
            R = 1  # D^((1+v)/v) may be 0 here, where arms tie in all epochs
        else:
            R = rounds(lambda: u ** (1 / v) * (c / D) ** ((1 + v) / v) * L / eps + 1, T)
        B = (u * R * eps / L) ** (1 / (1 + v))
        err = u ** (1 / (1 + v)) * (L / (R * eps)) ** (v / (1 + v))

        def mean(x):
            return sum(x) / R + noise(laplace_scale(2 * B / R, eps))

        return R, lambda x: truncated(x, B), mean, c / 2 * err

    return eliminate(reward, K, T, epoch)


def rounds(formula, T):
    """Return the value of a formula, rounded up. If it overflows, return T, since no arm gets more
    pulls.
    """
    try:
        return math.ceil(formula())
    except OverflowError:
        return T


def ldpr_se(reward, K, T, noise, eps, u, v, c, beta) -> list[int]:
    """Tao et al. 2022, Algorithm 4 (LDP Robust Successive Elimination), with sqrt(R) in err."""

    def epoch(k, tau):
        L = math.log(8 * k * tau**2 / beta)
        D = 4.0**-tau
        if math.isinf(eps):
            R = math.ceil(L)
        else:
            R = rounds(lambda: u ** (2 / v) * (c / D) ** (2 * (1 + v) / v) * L / eps**2 + L, T)
        B = (u * math.sqrt(R) * eps / math.sqrt(L)) ** (1 / (1 + v))
        err = u ** (1 / (1 + v)) * (math.sqrt(L) / (math.sqrt(R) * eps)) ** (v / (1 + v))

        def kept(x):
            return truncated(x, B) + noise(laplace_scale(2 * B, eps))

        return R, kept, lambda x: sum(x) / R, c / 2 * err

    return eliminate(reward, K, T, epoch)


def robust_signs(
    reward, K, T, noise, eps, k, alpha1, c, uniform, late, is_outlier=lambda: False
) -> list[int]:
    """Zhou & Zhang 2024, Algorithms 1 and 2. Outliers are chosen by an adversary who knows the
    algorithm: the value M replaces a reward or, if ``late``, the largest report that counts
    replaces a report. A user's device must know M in advance, so n is a power of two. The only
    other change of the printed algorithms is that ln 1 = 0 becomes ln 2 in the first round.
    """
    C = (math.exp(eps) + 1) / (math.exp(eps) - 1) if eps < 300 else 1.0
    if eps < 1e-6:
        C = 2 / eps
    keeps = (1 + 1 / C) / 2  # e^eps/(1 + e^eps)
    ratio = alpha1 / eps if late else alpha1
    kept_reports = [[] for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        log_inverse_delta = math.log(max(t, 2) ** 4)
        index = []
        for a in range(K):
            N = len(kept_reports[a])
            burn_in = 6 * math.log(max(t, 2)) / alpha1 if alpha1 > 0 else log_inverse_delta
            if burn_in >= N:
                index.append(math.inf)
                continue
            gamma = (1 / eps * math.sqrt(log_inverse_delta / N)) ** (1 - 1 / k)
            beta = c * ratio ** (1 - 1 / k) + c * gamma
            index.append(sum(kept_reports[a]) / N + beta)
        a = first_argmax(index)
        n = 1
        while 2 * n <= len(kept_reports[a]) + 1:
            n *= 2
        M = (eps * math.sqrt(n) / math.sqrt(log_inverse_delta)) ** (1 / k)
        if alpha1 > 0:
            M = min(M, (1 / ratio) ** (1 / k))
        x = reward(a, t)
        if not late and is_outlier():
            x = M
        x = x if abs(x) <= M else 0.0
        up = (1 + x / M) / 2
        z = M * C if uniform() < up * keeps + (1 - up) * (1 - keeps) else -M * C
        if late and is_outlier():
            z = M * C
        kept_reports[a].append(z if abs(z) <= M * C else 0.0)
        played.append(a)
    return played


# Zhou & Zhang 2024, Algorithm 2 for corruption-then-LDP, and for LDP-then-corruption
ctl_ucb, ltc_ucb = (partial(robust_signs, late=late) for late in (False, True))


def distributed(reward, K, T, noise, uniform, eps, p, batches, s, sigma, h) -> list[int]:
    """Chowdhury & Zhou 2023: users encode their rewards; a server sums the codes modulo m and
    decodes the sum.

    ``noise(scale)`` is the integer noise that all users of a sum add in total.
    """

    def epoch(k, b):
        l = {"doubled": 2, "quadrupled": 4}[batches] ** b

        def mean(collected):
            if math.isinf(eps):  # an infinite granularity, and no noise
                return sum(collected) / l
            g = math.ceil(s * eps * math.sqrt(l))
            tau = math.ceil(g / eps * math.log(2 * T))
            m = l * g + 2 * tau + 1
            total = int(noise(g / eps))
            for x in collected:
                low = math.floor(x * g)
                rest = x * g - low
                total += low + (rest > 0 and uniform() < rest)
            y = total % m
            return (y - m if y > l * g + tau else y) / (g * l)

        w = math.sqrt(math.log(4 * k * b**2 / p) / (2 * l))
        L = math.log(2 * k * b**2 / p)
        return l, unchanged, mean, 2 * (w + sigma * math.sqrt(L) / l + h * L / l)

    return eliminate(reward, K, T, epoch, whole=True)


def dist_dp_se(reward, K, T, noise, eps, p, batches, uniform) -> list[int]:
    """Chowdhury & Zhou 2023 with discrete Laplace noise."""
    sigma, h = math.sqrt(2) / eps, 1 / eps
    return distributed(reward, K, T, noise, uniform, eps, p, batches, 1, sigma, h)


def dist_rdp_se(reward, K, T, noise, eps, p, s, batches, uniform) -> list[int]:
    """Chowdhury & Zhou 2023 with Skellam noise."""
    sigma, h = 2 / eps + math.sqrt(2) / (s * eps), 1 / (s * eps)
    return distributed(reward, K, T, noise, uniform, eps, p, batches, s, sigma, h)


def delta_of_bits(N, eps):
    """Sum (P(x) - e^eps P(x - 1))+ over all counts x of N fair coins, term by term."""
    p = binom.pmf(np.arange(-1, N + 2), N, 0.5)
    return np.maximum(p[1:] - math.exp(eps) * p[:-1], 0).sum()


def gaussian_deviation(eps, delta):
    """Return the smallest standard deviation s of Balle & Wang 2018 for sensitivity 1, by root
    finding.
    """

    def excess(s):
        return norm.cdf(0.5 / s - eps * s) - math.exp(eps) * norm.cdf(-0.5 / s - eps * s) - delta

    return brentq(excess, 1e-3, 1e6, xtol=1e-14)


def shuffle_se(reward, K, T, noise, eps, delta, p, trust, uniform) -> list[int]:
    """Elimination on counts of bits; ``noise(deviation)`` comes from coins or a server."""
    N, s, keep = 0, 0.0, 1.0
    if trust == "shuffler" and not math.isinf(eps):
        N = bisect_left(range(10**6), True, key=lambda n: delta_of_bits(n, eps) <= delta)
    elif trust == "server" and not math.isinf(eps):
        s = gaussian_deviation(eps, delta)
    elif trust == "nobody":
        keep = 1 / (1 + math.exp(-eps))

    def kept(x):
        bit = x if x in (0, 1) else int(uniform() < x)
        return bit if trust != "nobody" or uniform() < keep else 1 - bit

    def epoch(k, b):
        l = 2**b

        def mean(bits):
            count = sum(bits)
            if N:
                return (count + round(N / 2 + noise(math.sqrt(N) / 2)) - N / 2) / l
            if s:
                return (count + noise(s)) / l
            return (count / l - (1 - keep)) / (2 * keep - 1)

        v = ((l + N) / 4 + s**2) / (2 * keep - 1) ** 2
        return l, kept, mean, 2 * math.sqrt(2 * v * math.log(4 * k * b**2 / p)) / l

    return eliminate(reward, K, T, epoch, whole=True)


def discrete_laplace(scale, rng):
    """The difference of two geometric variables, P(k) proportional to e^(-|k|/scale)."""
    q = -math.expm1(-1 / scale)
    return int(rng.geometric(q)) - int(rng.geometric(q))


def skellam(scale, rng):
    """The difference of two Poisson variables, of variance scale^2."""
    return int(rng.poisson(scale**2 / 2)) - int(rng.poisson(scale**2 / 2))


def reference_level(n, eps, delta, k, alpha1):
    """Return M of Wu et al. 2023: in a mean of n samples, samples above M count as 0."""
    M = (n * eps / math.log(1 / delta)) ** (1 / k)
    return M if alpha1 == 0 else min(M, alpha1 ** (-1 / k))


def reference_width(k, alpha1):
    """Return r of Wu et al. 2023, Corollaries 6.6 and 6.8, the width of a bin."""
    iota = 10 if alpha1 == 0 else (1 - alpha1) / (0.249 - alpha1)
    return iota ** (1 / k)


def reference_radius(n, eps, delta, k, alpha1, constants, explicit):
    """Return beta of Wu et al. 2023 for n samples, with constants 1 or by ``explicit(M, l,
    tails)``.
    """
    if constants == "unit":
        l = math.log(1 / delta)
        # the orders of Theorems 6.1 and 6.5
        return math.sqrt(l / n) + (l / (n * eps)) ** (1 - 1 / k) + alpha1 ** (1 - 1 / k)
    M = reference_level(n, eps, delta, k, alpha1)
    if math.isinf(M):
        return math.inf  # as M grows, (2/3) M l/n does
    l = math.log(4 / delta)
    return explicit(M, l, (2 / 3 + 2 / eps) * M * l / n)


def reference_radius_raw(n, eps, delta, k, alpha1, constants):
    """Return beta of prae_r for the mean of n samples."""

    def explicit(M, l, tails):
        return math.sqrt(2 * l / n) + tails + M ** (1 - k) + 2 * alpha1 * (M + 1)

    return reference_radius(n, eps, delta, k, alpha1, constants, explicit)


def reference_radius_central(n, eps, delta, k, alpha1, constants):
    """Return beta of prae_c for n samples in each fold."""

    def explicit(M, l, tails):
        r = reference_width(k, alpha1)
        excess = M - 2 * r
        m = 1 + 2 * r
        bounds = [m * math.sqrt(2 * l / n) + tails + m**k * M ** (1 - k) + 2 * alpha1 * (M + m)]
        if excess > 0:
            V = 1 + 4 * r**2 * excess**-k
            bias = M * excess**-k
            bounds.append(math.sqrt(2 * V * l / n) + tails + bias + 2 * alpha1 * (M + 2 * r))
        return min(bounds)

    return reference_radius(n, eps, delta, k, alpha1, constants, explicit)


def reference_forced_raw(eps, delta, alpha1):
    """Return Tbar of prae_r: as long as n is smaller, arms are played at random."""
    return 0.0 if alpha1 == 0 else 3 * math.log(4 / delta) / alpha1


def reference_forced_central(eps, delta, k, alpha1, D, c1):
    """Return Tbar of prae_c. With c1 = "provable", the term of the histogram is the proved one."""
    r = reference_width(k, alpha1)
    if c1 == "provable":
        factor = 8 + 8 / eps if alpha1 == 0 else 80 + 20 / eps
        histogram = factor * math.log(8 * (2 * D / r + 2) / delta)
    else:
        histogram = c1 * math.log(4 * D / (r * delta)) / min(1, eps)
    return histogram if alpha1 == 0 else max(3 * math.log(4 / delta) / alpha1, histogram)


def prae(reward, K, T, forced, uniform, samples_of, forced_until, mean, radius) -> list[int]:
    """Wu et al. 2023, Algorithm 1, with given functions ``mean(rewards)`` and ``radius(n)``, where
    n = samples_of(B).
    """
    S = list(range(K))
    played = []
    tau = 0
    while len(S) > 1:
        tau += 1
        B = 2**tau
        n = samples_of(B)
        if n < forced_until:
            for i in range(B):
                if len(played) == T:
                    return played
                if forced == "round" or i == 0:
                    a = int(uniform() * K)
                played.append(a)
                reward(a, len(played))
            continue
        samples = {a: pulled(reward, a, B, T, played) for a in S}
        if len(samples[S[-1]]) < B:
            return played
        mu = {a: mean(samples[a]) for a in S}
        mu_max = max(mu.values())
        S = [a for a in S if not mu_max - mu[a] > 2 * radius(n)]
    return in_turn(S, T, played)


def prae_r(reward, K, T, noise, eps, k, alpha1, delta, constants, forced, uniform) -> list[int]:
    """Wu et al. 2023, Algorithm 1 with Algorithm 2, for a finite raw moment."""

    def mean(x):
        n = len(x)
        M = reference_level(n, eps, delta, k, alpha1)
        return sum(truncated(y, M) for y in x) / n + noise(laplace_scale(2 * M / n, eps))

    def radius(n):
        return reference_radius_raw(n, eps, delta, k, alpha1, constants)

    forced_until = reference_forced_raw(eps, delta, alpha1)
    return prae(reward, K, T, forced, uniform, lambda B: B, forced_until, mean, radius)


def prae_c(
    reward, K, T, noise, eps, k, alpha1, D, delta, constants, forced, c1, uniform
) -> list[int]:
    """Wu et al. 2023, Algorithm 1 with Algorithm 3, for a finite central moment."""

    def mean(x):
        n = len(x) // 2
        first, second = x[:n], x[n:]
        r = reference_width(k, alpha1)
        edges = [-D - r + i * r for i in range(math.ceil(2 * D / r) + 3)]
        share = []
        for left, right in itertools.pairwise(edges):
            inside = sum(1 for y in first if left <= y < right)
            share.append(inside / n + noise(laplace_scale(2 / n, eps)))
        J = edges[first_argmax(share)]
        M = reference_level(n, eps, delta, k, alpha1)
        rest = sum(truncated(y - J, M) for y in second) / n
        return J + rest + noise(laplace_scale(2 * M / n, eps))

    def radius(n):
        return reference_radius_central(n, eps, delta, k, alpha1, constants)

    forced_until = reference_forced_central(eps, delta, k, alpha1, D, c1)
    return prae(reward, K, T, forced, uniform, lambda B: B // 2, forced_until, mean, radius)


def bernoulli_reward(means, rng):
    """Return a function that draws rewards from Bernoulli(means[a])."""
    return lambda a, t: float(rng.random() < means[a])


def table_reward(table):
    """Return a function that reads rewards from a table: row t - 1, column a."""
    return lambda a, t: table[t - 1][a]


def random_arm(uniform, K):
    return int(uniform() * K)


def argmax_of_all(K, T, reward, played, send, N, S, index):
    """Play the arm with the largest ``index(n, s)`` until round T. Without observations, the index
    is infinite.
    """
    while len(played) < T:
        a = first_argmax([index(N[b], S[b]) if N[b] else math.inf for b in range(K)])
        played.append(a)
        S[a] += send(reward(a, len(played)))
        N[a] += 1
    return played


def ncb(reward, K, T, noise, c, uniform) -> list[int]:
    """Barman et al. 2023, as coded by Sarkar et al. 2025."""
    N, S, played = [0] * K, [0.0] * K, []
    while len(played) < T and max(S) <= c**2 * math.log(T):
        a = random_arm(uniform, K)
        played.append(a)
        S[a] += reward(a, len(played))
        N[a] += 1

    def index(n, s):
        return s / n + 2 * c * math.sqrt(2 * (s / n) * math.log(T) / n)

    return argmax_of_all(K, T, reward, played, lambda x: x, N, S, index)


def gdp_ncb(reward, K, T, noise, eps, c, alpha, repair, uniform) -> list[int]:
    """Sarkar et al. 2025, as they coded it. With ``repair`` "fresh", the first phase is ours."""
    W = int(math.sqrt(T)) + 1
    log_W = math.log(W)
    most = 1600 * (c**2 * log_W + log_W**2 / eps)
    rewards, sums, played = [[] for _ in range(K)], [0.0] * K, []
    unseen = [[] for _ in range(K)]
    while len(played) < min(T, W) and max(sums) <= most:
        a = random_arm(uniform, K)
        played.append(a)
        x = reward(a, len(played))
        rewards[a].append(x)
        unseen[a].append(x)
        if repair == "none":
            sums[a] = sum(rewards[a])
        elif len(played) in [2**i for i in range(60)]:
            for b in range(K):
                sums[b] += sum(unseen[b]) + noise(laplace_scale(1, eps))
                unseen[b] = []
    if repair == "fresh":
        rewards = [[] for _ in range(K)]
    length, mean = [1] * K, [0.0] * K
    while len(played) < T:
        index = []
        for b in range(K):
            n, m = len(rewards[b]) + length[b], mean[b]
            first = 2 * c * math.sqrt(2 * m * log_W / n)
            second = alpha * log_W**2 / (eps * n)
            third = 4 * math.sqrt(2 * alpha) * log_W**1.5 / (math.sqrt(eps) * n)
            index.append(m + first + second + third)
        a = first_argmax(index)
        new = pulled(reward, a, 2 * length[a], T, played)
        if len(new) == 2 * length[a]:
            n = len(rewards[a]) + len(new)
            total = sum(rewards[a]) + sum(new)
            private = (total + noise(laplace_scale(math.log(T), eps))) / n
            mean[a] = min(max(private, 0.0), 1.0)
            length[a] = len(new)
    return played


def ldp_ncb(reward, K, T, noise, eps, c, alpha, uniform) -> list[int]:
    """Sarkar et al. 2025, as they coded it, but all noise has the scale 1/eps."""
    W, log_T = int(math.sqrt(T)) + 1, math.log(T)
    N, S, played = [0] * K, [0.0] * K, []

    def mean(n, s):
        return min(max(s / n, 0.0), 1.0)

    def most(n, m):
        sure = max(m - math.sqrt(8 * alpha * log_T / n) / eps, 1e-20)
        width = math.sqrt(8 * n * alpha * log_T) / eps
        return 1600 * (c**2 * log_T + log_T**2 / (sure * eps**2)) + width

    def index(n, s):
        m = mean(n, s)
        first = 2 * c * math.sqrt(2 * m * log_T / n)
        second = math.sqrt(8 * alpha * log_T / n) / eps
        third = 4 * c * (2 * alpha) ** 0.25 * math.log(W) ** 0.75 / (math.sqrt(eps) * n**0.75)
        return m + first + second + third

    while len(played) < T and len(played) <= W:
        if any(N[b] * mean(N[b], S[b]) > most(N[b], mean(N[b], S[b])) for b in range(K) if N[b]):
            break
        a = random_arm(uniform, K)
        played.append(a)
        S[a] += reward(a, len(played)) + noise(laplace_scale(1, eps))
        N[a] += 1
    send = lambda x: x + noise(laplace_scale(1, eps))  # noqa: E731
    return argmax_of_all(K, T, reward, played, send, N, S, index)
