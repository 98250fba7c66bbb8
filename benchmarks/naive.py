"""The algorithms as straightforward Numba loops over rounds, for the comparisons in bench.py.

Each function is ``name(rng, means, T, *parameters)``, with the parameters in the order of the
package's algorithm. The functions return the pulls of each arm, float64 array (K,). In each round a
function computes the index of every arm, takes the argmax, draws one reward and updates arrays. An
episodic algorithm counts the rounds of an episode one by one. The code follows the formulas of the
papers, as someone who knows Numba well would write it in an hour. The code saves no computations,
but is not slowed down on purpose either. As in the package, division by zero is not checked.

Rewards are Bernoulli, with two exceptions: they are Pareto of shape 1.95 for ``robust_ucb`` and
``dpr_ucb``, and normal of variance 1 for ``heldp_ucb_ls`` and ``heldp_ucb_bs``. All users have the
privacy level ``eps_min``.
"""

import math
from functools import partial

import numba
import numpy as np

njit = partial(numba.njit, error_model="numpy")
SHAPE = 1.95  # shape of Pareto rewards


# Rewards and noise


@njit
def bernoulli(rng, mean):
    return 1.0 if rng.random() < mean else 0.0


@njit
def normal(rng, mean):
    return mean + rng.standard_normal()


@njit
def pareto(rng, mean):
    return mean * (SHAPE - 1.0) / SHAPE * math.exp(rng.standard_exponential() / SHAPE)


@njit
def laplace(rng, scale):
    return rng.laplace(0.0, scale)


@njit
def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


# Optimistic algorithms, round by round


def optimistic(upper):
    """Play the arm with the largest index ``upper(mean, N, l)``, l = ln t, in each round t."""

    @njit
    def play(rng, means, T):
        K = len(means)
        N, S, index = np.zeros(K), np.zeros(K), np.full(K, np.inf)
        for t in range(1, T + 1):
            l = math.log(t)
            for i in range(K):
                if N[i] > 0:
                    index[i] = upper(S[i] / N[i], N[i], l)
            a = np.argmax(index)
            S[a] += bernoulli(rng, means[a])
            N[a] += 1.0
        return N

    return play


@njit
def ucb_index(mean, N, l):
    """Auer, Cesa-Bianchi & Fischer 2002."""
    return mean + math.sqrt(2.0 * l / N)


@njit
def kl(p, q):
    """Return the Kullback-Leibler divergence of two Bernoulli laws, for 0 < q < 1."""
    first = p * math.log(p / q) if p > 0.0 else 0.0
    return first + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


@njit
def kl_upper(p, d):
    """Return max{q : kl(p, q) <= d} by bisection, to 1e-10. The interval at the beginning comes
    from Pinsker's inequality.
    """
    low, high = p, min(1.0, p + math.sqrt(d / 2.0))
    while high - low > 1e-10:
        q = 0.5 * (low + high)
        if kl(p, q) <= d:
            low = q
        else:
            high = q
    return low


@njit
def kl_ucb_index(mean, N, l):
    """Garivier & Cappe 2011."""
    return kl_upper(mean, l / N)


ucb, kl_ucb = map(optimistic, (ucb_index, kl_ucb_index))


@njit
def robust_ucb(rng, means, T, u, v):
    """Bubeck, Cesa-Bianchi & Lugosi 2013. The truncated mean is computed by its definition. The
    truncation level depends on t, so all earlier rewards are truncated again in each round, and T
    rounds take O(T^2) time. The i-th reward x counts if |x|^(1+v) <= u i / ln t^2; |x|^(1+v)/i is
    computed only once.
    """
    K = len(means)
    x, size = np.zeros((K, T)), np.zeros((K, T))
    N, index = np.zeros(K, np.int64), np.full(K, np.inf)
    for t in range(1, T + 1):
        l = 2.0 * math.log(t)
        for i in range(K):
            if N[i] > 0:
                total = 0.0
                for j in range(N[i]):
                    total += x[i, j] if size[i, j] * l <= u else 0.0
                bonus = 4.0 * u ** (1.0 / (1.0 + v)) * (l / N[i]) ** (v / (1.0 + v))
                index[i] = total / N[i] + bonus
        a = np.argmax(index)
        reward = pareto(rng, means[a])
        x[a, N[a]] = reward
        N[a] += 1
        size[a, N[a] - 1] = abs(reward) ** (1.0 + v) / N[a]
    return N.astype(np.float64)


@njit
def prefix_noise(nodes, n, noise):
    """Return the noise of the sum of n items, which is the sum of the noise of one node for each
    digit 1 of n in binary. With the n-th item, the node of the lowest such digit is complete.
    """
    lowest = 0
    while (n >> lowest) & 1 == 0:
        lowest += 1
    nodes[lowest] = noise
    total = 0.0
    for b in range(lowest, len(nodes)):
        if (n >> b) & 1:
            total += nodes[b]
    return total


@njit
def levels(T):
    return math.floor(math.log2(T)) + 1


@njit
def ucb_of_trees(rng, means, T, scale, bonus, least):
    """UCB on the noisy sums of trees. The noise of a node has the scale ``scale``, and ``bonus`` is
    added to the index because of the noise. The logarithm in the radius is at least ``least``.
    """
    K = len(means)
    nodes = np.zeros((K, levels(T)))
    N, S, noisy, index = np.zeros(K), np.zeros(K), np.zeros(K), np.full(K, np.inf)
    for t in range(1, T + 1):
        l = max(math.log(t), least)
        for i in range(K):
            if N[i] > 0:
                index[i] = noisy[i] / N[i] + math.sqrt(2.0 * l / N[i]) + bonus / N[i]
        a = np.argmax(index)
        S[a] += bernoulli(rng, means[a])
        N[a] += 1.0
        noisy[a] = S[a] + prefix_noise(nodes[a], int(N[a]), laplace(rng, scale))
    return N


@njit
def dp_ucb(rng, means, T, eps, gamma, tree_budget, tree, bonus):
    """Mishra & Thakurta 2015, Algorithm 1; only with the tree and the bonus of the paper."""
    K, log_T = len(means), math.log(T)
    Gamma = K * log_T**2 * math.log(K * T * log_T / gamma) / eps
    scale = levels(T) / (eps / K if tree_budget == 1 else eps)
    return ucb_of_trees(rng, means, T, scale, Gamma, 0.0)


@njit
def dp_ucb_bound(rng, means, T, eps, tree, bonus):
    """DP-UCB with the bonus of Azize's thesis (p. 102)."""
    l = math.log(2.0 * T)
    privacy = math.sqrt(8.0) * math.log(T) ** 1.5 * l / eps
    return ucb_of_trees(rng, means, T, levels(T) / eps, privacy, l)


@njit
def dpr_ucb(rng, means, T, eps, u, v, c, tree, bonus):
    """Tao et al. 2022, Algorithms 1 and 2."""
    K, L = len(means), levels(T)
    log_T = math.log(T)
    factor = c * u ** (1.0 / (1.0 + v)) * (log_T ** (1.5 + 1.0 / v)) ** (v / (1.0 + v))
    nodes = np.zeros((K, L))
    N, S, noisy, index = np.zeros(K), np.zeros(K), np.zeros(K), np.full(K, np.inf)
    for t in range(1, T + 1):
        l = math.log(2.0) + 4.0 * math.log(t)
        for i in range(K):
            if N[i] > 0:
                index[i] = noisy[i] / N[i] + factor * (l / (N[i] * eps)) ** (v / (1.0 + v))
        a = np.argmax(index)
        N[a] += 1.0
        B = (eps * u * N[a] / log_T**1.5) ** (1.0 / (1.0 + v))
        x = pareto(rng, means[a])
        S[a] += x if abs(x) <= B else 0.0
        noise = laplace(rng, 2.0 * B * L / eps)
        noisy[a] = S[a] + prefix_noise(nodes[a], int(N[a]), noise)
    return N


def agent_2(reward):
    """Ren et al. 2020, Agent 2: users, with the same level, add Laplace noise to a reward."""

    @njit
    def play(rng, means, T, eps):
        K = len(means)
        N, s, A, index = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)
        for t in range(1, T + 1):
            l = 4.0 * math.log(t)
            a = np.argmin(A)
            if A[a] > l / eps**2:
                for i in range(K):
                    radius = math.sqrt(l / (2.0 * N[i])) + math.sqrt(8.0 * A[i] * l) / N[i]
                    index[i] = s[i] / N[i] + radius
                a = np.argmax(index)
            s[a] += reward(rng, means[a]) + laplace(rng, 1.0 / eps)
            N[a] += 1.0
            A[a] += 1.0 / eps**2
        return N

    return play


def agent_4(reward):
    """Ren et al. 2020, Agent 4, for users with the same level, who send one bit."""

    @njit
    def play(rng, means, T, eps):
        K, tanh = len(means), math.tanh(eps / 2.0)
        c = 1.0 / tanh
        N, s, B, index = np.zeros(K), np.zeros(K), np.zeros(K), np.full(K, np.inf)
        for t in range(1, T + 1):
            l = 4.0 * math.log(t)
            for i in range(K):
                if N[i] > 0:
                    index[i] = s[i] / N[i] + math.sqrt(B[i] * l / 2.0) / N[i]
            a = np.argmax(index)
            one = rng.random() < 0.5 + (reward(rng, means[a]) - 0.5) * tanh
            s[a] += (1.0 + c) / 2.0 if one else (1.0 - c) / 2.0
            N[a] += 1.0
            B[a] += c**2
        return N

    return play


@njit
def sigmoid_of_normal(rng, mean):
    return sigmoid(normal(rng, mean))


heldp_ucb_l, heldp_ucb_ls = agent_2(bernoulli), agent_2(sigmoid_of_normal)
heldp_ucb_b, heldp_ucb_bs = agent_4(bernoulli), agent_4(sigmoid_of_normal)


# Episodic algorithms, also round by round


@njit
def laplace_noise(rng, n, eps):
    return laplace(rng, 1.0 / (eps * n))


@njit
def gaussian_noise(rng, n, rho):
    return normal(rng, 0.0) * math.sqrt(1.0 / (2.0 * rho * n**2))


def doubling_episodes(upper, noise):
    """Azize & Basu 2022, Algorithm 1. The index is ``upper(m, n, l, eps)`` with l = alpha ln t, and
    ``noise(rng, n, eps)`` is the noise of the mean of n rewards.
    """

    @njit
    def play(rng, means, T, eps, alpha):
        K = len(means)
        N, n, m, index = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)
        a, length, left, total = 0, 0.0, 0.0, 0.0
        for t in range(1, T + 1):
            if left == 0.0:  # an episode begins
                if t <= K:
                    a, length = t - 1, 1.0
                else:
                    l = alpha * math.log(t)
                    for i in range(K):
                        index[i] = upper(m[i], n[i], l, eps)
                    a = np.argmax(index)
                    length = N[a]
                left, total = length, 0.0
            total += bernoulli(rng, means[a])
            N[a] += 1.0
            left -= 1.0
            if left == 0.0:
                n[a], m[a] = length, total / length + noise(rng, length, eps)
        return N

    return play


@njit
def hoeffding_index(m, n, l, eps):
    return m + math.sqrt(l / (2.0 * n)) + l / (eps * n)


@njit
def kl_index(m, n, l, eps):
    return kl_upper(min(max(m + l / (eps * n), 0.0), 1.0), l / n)


@njit
def gaussian_index(m, n, l, rho):
    return m + math.sqrt((1.0 / (2.0 * n) + 1.0 / (rho * n**2)) * l)


adap_ucb = doubling_episodes(hoeffding_index, laplace_noise)
adap_klucb = doubling_episodes(kl_index, laplace_noise)
adac_ucb = doubling_episodes(gaussian_index, gaussian_noise)


@njit
def adar_ucb(rng, means, T, eps, order, beta):
    """Azize & Basu 2023."""
    return adac_ucb(rng, means, T, eps / order, beta)


def phases_without_forgetting(choose):
    """Azize et al. 2025. A phase multiplies the number of pulls of its arm by alpha."""

    @njit
    def play(rng, means, T, eps, alpha, first):
        K = len(means)
        N, S, m = np.zeros(K), np.zeros(K), np.zeros(K)
        a, left, total = 0, 0.0, 0.0
        for t in range(1, T + 1):
            if left == 0.0:  # a phase begins
                if np.min(N) == 0.0:
                    a = np.argmin(N)
                    left = max(math.ceil(first / eps), 1.0)
                else:
                    a = choose(m, N, math.log(t), eps)
                    left = max(math.ceil(alpha * N[a]) - N[a], 1.0)
                total = 0.0
            total += bernoulli(rng, means[a])
            N[a] += 1.0
            left -= 1.0
            if left == 0.0:
                S[a] += total + laplace(rng, 1.0 / eps)
                m[a] = min(max(S[a] / N[a], 0.0), 1.0)
        return N

    return play


@njit
def divergence(x, y, eps):
    """Return the minimum over z in [x, y] of eps (z - x) + kl(z, y). The minimum is at the z with
    logit(z) = logit(y) - eps, or at x.
    """
    if y >= 1.0:
        return eps * (1.0 - x) if x < 1.0 else 0.0
    z = max(x, y * math.exp(-eps) / (1.0 - y + y * math.exp(-eps)))
    return (eps * (z - x) if z > x else 0.0) + kl(z, y)


@njit
def largest_index(m, N, l, eps):
    """Return the arm for which the largest q with N d(m, q) <= l is largest."""
    best, found = 0, -1.0
    for i in range(len(m)):
        low, high = m[i], 1.0
        if N[i] * divergence(m[i], 1.0, eps) <= l:
            low = 1.0
        for _ in range(50):
            q = (low + high) / 2.0
            if N[i] * divergence(m[i], q, eps) <= l:
                low = q
            else:
                high = q
        if low > found:
            best, found = i, low
    return best


@njit
def smallest_cost(m, N, l, eps):
    """Return the arm with the smallest N d(m, largest m) + ln N."""
    best, found = 0, np.inf
    for i in range(len(m)):
        cost = N[i] * divergence(m[i], np.max(m), eps) + math.log(N[i])
        if cost < found:
            best, found = i, cost
    return best


dp_klucb, dp_imed = map(phases_without_forgetting, (largest_index, smallest_cost))


# Courses


@njit
def etc(rng, means, T, m):
    """Lattimore & Szepesvari 2020, Algorithm 1."""
    K = len(means)
    m = m if m > 0.0 else (T / K) ** (2.0 / 3.0) * math.log(T) ** (1.0 / 3.0)
    m = max(math.ceil(m), 1)
    N, S, best = np.zeros(K), np.zeros(K), 0
    for t in range(T):
        if t < m * K:
            S[t % K] += bernoulli(rng, means[t % K])
            N[t % K] += 1.0
            best = np.argmax(S)
        else:
            bernoulli(rng, means[best])
            N[best] += 1.0
    return N


@njit
def eps_greedy(rng, means, T, c, d):
    """Auer, Cesa-Bianchi & Fischer 2002, Figure 3."""
    K = len(means)
    N, S, mean = np.zeros(K), np.zeros(K), np.zeros(K)
    for t in range(1, T + 1):
        a = rng.integers(0, K) if rng.random() < c * K / (d * d * t) else np.argmax(mean)
        S[a] += bernoulli(rng, means[a])
        N[a] += 1.0
        mean[a] = S[a] / N[a]
    return N


@njit
def exp3(rng, means, T, gamma):
    """Auer, Cesa-Bianchi, Freund & Schapire 2002, Figure 1."""
    K = len(means)
    if gamma == 0.0:
        gamma = min(1.0, math.sqrt(K * math.log(K) / ((math.e - 1.0) * T)))
    N, w, p = np.zeros(K), np.ones(K), np.zeros(K)
    for _ in range(T):
        p = (1.0 - gamma) * w / w.sum() + gamma / K
        u, a, below = rng.random(), 0, p[0]
        while a < K - 1 and below <= u:
            a += 1
            below += p[a]
        w[a] *= math.exp(gamma * bernoulli(rng, means[a]) / (K * p[a]))
        w /= w.max()
        N[a] += 1.0
    return N


# Posteriors and lazy buffers


@njit
def ts(rng, means, T):
    """Agrawal & Goyal 2017, Beta posteriors."""
    K = len(means)
    S, F, theta = np.zeros(K), np.zeros(K), np.zeros(K)
    for _ in range(T):
        for i in range(K):
            theta[i] = rng.beta(S[i] + 1.0, F[i] + 1.0)
        a = np.argmax(theta)
        x = bernoulli(rng, means[a])
        S[a] += x
        F[a] += 1.0 - x
    return S + F


@njit
def logarithm(x, base2):
    return math.log2(x) if base2 else math.log(x)


@njit
def posterior(rng, mean, n):
    mu = min(max(mean, 0.0), 1.0)
    return rng.beta(mu * n + 1.0, (1.0 - mu) * n + 1.0)


def lazy_buffers(choose):
    """Hu & Hegde 2022, Algorithm 2, with a ``choose(rng, m, O, l, eps)`` of the arm, l = ln t."""

    @njit
    def play(rng, means, T, eps, log):
        K = len(means)
        N, m, O, total, size = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)
        for t in range(1, T + 1):
            a = t - 1 if t <= K else choose(rng, m, O, logarithm(t, log), eps)
            N[a] += 1.0
            total[a] += bernoulli(rng, means[a])
            size[a] += 1.0
            if size[a] == max(2.0 * O[a], 1.0):
                O[a] = size[a]
                m[a] = (total[a] + laplace(rng, 1.0 / eps)) / O[a]
                total[a] = size[a] = 0.0
        return N

    return play


@njit
def largest_draw(rng, m, O, l, eps):
    theta = np.zeros(len(m))
    for i in range(len(m)):
        theta[i] = posterior(rng, m[i] + 3.0 * l / (eps * O[i]), O[i])
    return np.argmax(theta)


@njit
def largest_lazy_index(rng, m, O, l, eps):
    return np.argmax(m + np.sqrt(3.0 * l / O) + 3.0 * l / (eps * O))


lazy_dp_ts, anytime_lazy_ucb = map(lazy_buffers, (largest_draw, largest_lazy_index))


@njit
def dp_ts(rng, means, T, eps, log):
    """Hu & Hegde 2022, Algorithm 1."""
    K = len(means)
    C, B, O, buffer = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)
    end, L = np.ones(K), np.ones(K)  # ends of the epochs, and levels of their trees
    nodes, theta = np.zeros((K, levels(T) + 1)), np.zeros(K)
    for t in range(1, T + 1):
        a = t - 1
        if t > K:
            for i in range(K):
                l = logarithm(O[i] + 1.0, log) * logarithm(t, log)
                width = 6.0 * math.sqrt(8.0) * l / (eps * O[i])
                theta[i] = posterior(rng, (C[i] + B[i]) / O[i] + width, O[i])
            a = np.argmax(theta)
        O[a] += 1.0
        buffer[a] += bernoulli(rng, means[a])
        if O[a] == end[a]:
            C[a] += buffer[a] + laplace(rng, 2.0 / eps)
            B[a] = buffer[a] = 0.0
            end[a] = 2.0 * end[a] + 1.0
            L[a] += 1.0
        else:
            n = int(O[a] - (end[a] - 1.0) / 2.0)
            B[a] = buffer[a] + prefix_noise(nodes[a], n, laplace(rng, 2.0 * L[a] / eps))
    return O


def elimination(epoch):
    """Successive elimination. ``epoch(k, e, *parameters)`` describes epoch e with k arms. It
    returns five numbers: the pulls R of each arm; the level B above which a reward counts as 0; the
    scale of the noise of a mean; the scale of the noise of a reward; the largest distance from the
    largest mean at which an arm is kept.
    """

    @njit
    def play(rng, means, T, *parameters):
        K = len(means)
        N, sums, mu, viable = np.zeros(K), np.zeros(K), np.zeros(K), np.ones(K, np.bool_)
        t, e = 0, 0
        while True:
            e += 1
            R, B, of_mean, of_reward, width = epoch(viable.sum(), e, *parameters)
            sums[:] = 0.0
            pulled = 0
            while pulled < R:
                for a in range(K):
                    if viable[a]:
                        if t == T:
                            return N
                        x = bernoulli(rng, means[a])
                        sums[a] += x if x <= B else 0.0
                        if of_reward > 0.0:
                            sums[a] += laplace(rng, of_reward)
                        N[a] += 1.0
                        t += 1
                pulled += 1
            for a in range(K):
                mu[a] = sums[a] / R + laplace(rng, of_mean) if viable[a] else -np.inf
            viable &= mu.max() - mu <= width

    return play


@njit
def sajed_sheffet(k, e, eps, beta):
    """Sajed & Sheffet 2019, Algorithm 3."""
    D = 2.0**-e
    L8, L4 = math.log(8.0 * k * e**2 / beta), math.log(4.0 * k * e**2 / beta)
    R = math.floor(max(32.0 * L8 / D**2, 8.0 * L4 / (eps * D))) + 1.0
    return R, np.inf, 1.0 / (eps * R), 0.0, 2.0 * math.sqrt(L8 / (2.0 * R)) + 2.0 * L4 / (R * eps)


@njit
def tao_central(k, e, eps, u, v, c, beta):
    """Tao et al. 2022, Algorithm 3."""
    L = math.log(4.0 * k * e**2 / beta)
    R = math.ceil(u ** (1.0 / v) * (c * 2.0**e) ** ((1.0 + v) / v) * L / eps + 1.0)
    B = (u * R * eps / L) ** (1.0 / (1.0 + v))
    err = u ** (1.0 / (1.0 + v)) * (L / (R * eps)) ** (v / (1.0 + v))
    return R, B, 2.0 * B / (R * eps), 0.0, c / 2.0 * err


@njit
def tao_local(k, e, eps, u, v, c, beta):
    """Tao et al. 2022, Algorithm 4, with sqrt(R) in err."""
    L = math.log(8.0 * k * e**2 / beta)
    R = math.ceil(u ** (2.0 / v) * (c * 4.0**e) ** (2.0 * (1.0 + v) / v) * L / eps**2 + L)
    B = (u * math.sqrt(R) * eps / math.sqrt(L)) ** (1.0 / (1.0 + v))
    err = u ** (1.0 / (1.0 + v)) * (math.sqrt(L / R) / eps) ** (v / (1.0 + v))
    return R, B, 0.0, 2.0 * B / eps, c / 2.0 * err


dp_se, dpr_se, ldpr_se = map(elimination, (sajed_sheffet, tao_central, tao_local))


@njit
def level_and_radius(n, eps, k, alpha1, delta):
    """Wu et al. 2023: return the level at which n values are truncated, and the radius of their
    mean (with ``constants: unit``).
    """
    l = math.log(1.0 / delta)
    M = (n * eps / l) ** (1.0 / k)
    if alpha1 > 0.0:
        M = min(M, alpha1 ** (-1.0 / k))
    share = 1.0 - 1.0 / k
    return M, math.sqrt(l / n) + (l / (n * eps)) ** share + alpha1**share


@njit
def prae_r(rng, means, T, eps, k, alpha1, delta, constants, forced):
    """Wu et al. 2023, Algorithms 1 and 2, for ``constants: unit`` and ``forced: batch``."""
    K = len(means)
    N, mu, viable = np.zeros(K), np.zeros(K), np.ones(K, np.bool_)
    until = 3.0 * math.log(4.0 / delta) / alpha1 if alpha1 > 0.0 else 0.0
    t, B = 0, 1
    while True:
        B *= 2
        M, radius = level_and_radius(B, eps, k, alpha1, delta)
        forced_arm = int(rng.random() * K) if until > B else -1
        for a in range(K):
            if forced_arm == a or (forced_arm < 0 and viable[a]):
                total = 0.0
                for _ in range(B):
                    if t == T:
                        return N
                    x = bernoulli(rng, means[a])
                    total += x if abs(x) <= M else 0.0
                    N[a] += 1.0
                    t += 1
                mu[a] = total / B + laplace(rng, 2.0 * M / (B * eps))
        if forced_arm < 0:
            mu[~viable] = -np.inf
            viable &= mu.max() - mu <= 2.0 * radius


@njit
def prae_c(rng, means, T, eps, k, alpha1, D, delta, constants, forced, c1):
    """Wu et al. 2023, Algorithms 1 and 3, for ``constants: unit``, ``forced: batch`` and a given
    ``c1``.
    """
    K = len(means)
    N, mu, viable = np.zeros(K), np.zeros(K), np.ones(K, np.bool_)
    r = 10.0 ** (1.0 / k)
    if alpha1 > 0.0:
        r = ((1.0 - alpha1) / (0.249 - alpha1)) ** (1.0 / k)
    until = c1 * math.log(4.0 * D / (r * delta)) / min(1.0, eps)
    if alpha1 > 0.0:
        until = max(until, 3.0 * math.log(4.0 / delta) / alpha1)
    share = np.zeros(math.ceil(2.0 * D / r) + 2)
    t, n = 0, 0
    while True:
        n = 2 * n if n > 0 else 1  # size of a fold, half a batch
        M, radius = level_and_radius(n, eps, k, alpha1, delta)
        forced_arm = int(rng.random() * K) if n < until else -1
        for a in range(K):
            if forced_arm == a or (forced_arm < 0 and viable[a]):
                share[:] = 0.0
                total, J = 0.0, 0.0
                for i in range(2 * n):
                    if t == T:
                        return N
                    if i == n:  # the second fold begins: J is the noisy mode of the first
                        for b in range(len(share)):
                            share[b] = share[b] / n + laplace(rng, 2.0 / (n * eps))
                        J = -D - r + r * np.argmax(share)
                    x = bernoulli(rng, means[a])
                    if i < n:
                        share[int((x + D + r) / r)] += 1.0
                    else:
                        total += x - J if abs(x - J) <= M else 0.0
                    N[a] += 1.0
                    t += 1
                mu[a] = J + total / n + laplace(rng, 2.0 * M / (n * eps))
        if forced_arm < 0:
            mu[~viable] = -np.inf
            viable &= mu.max() - mu <= 2.0 * radius


# Users who send signs, and servers that only sum


def robust_signs(late):
    """Zhou & Zhang 2024, Alg. 2. Without outliers, both variants have the same rewards."""

    @njit
    def play(rng, means, T, eps, k, alpha1, c):
        K = len(means)
        N, S, index = np.zeros(K), np.zeros(K), np.full(K, np.inf)
        tanh = math.tanh(eps / 2.0)
        ratio = alpha1 / eps if late else alpha1
        for t in range(1, T + 1):
            l = 4.0 * math.log(max(t, 2))
            few = 1.5 * l / alpha1 if alpha1 > 0.0 else l
            for a in range(K):
                index[a] = np.inf
                if N[a] > few:
                    radius = (math.sqrt(l / N[a]) / eps) ** (1.0 - 1.0 / k)
                    index[a] = S[a] / N[a] + c * ratio ** (1.0 - 1.0 / k) + c * radius
            a = np.argmax(index)
            n = 2.0 ** math.floor(math.log2(N[a] + 1.0))
            M = (eps * math.sqrt(n / l)) ** (1.0 / k)
            if alpha1 > 0.0:
                M = min(M, (1.0 / ratio) ** (1.0 / k))
            x = bernoulli(rng, means[a])
            x = x if abs(x) <= M else 0.0
            S[a] += M / tanh if rng.random() < 0.5 + x / (2.0 * M) * tanh else -M / tanh
            N[a] += 1.0
        return N

    return play


ctl_ucb, ltc_ucb = map(robust_signs, (False, True))


@njit
def server_that_sums(rng, means, T, eps, p, batches, s, sigma, is_skellam):
    K = len(means)
    N, mean, is_viable = np.zeros(K), np.zeros(K), np.ones(K)
    b, t = 1.0, 0
    while t < T and is_viable.sum() > 1:
        l = (2.0 + 2.0 * batches) ** b
        S = is_viable.sum()
        if l * S > T - t:
            break
        g = float(int(min(math.ceil(s * eps * math.sqrt(l)), 2.0**52, 2.0**61 / l)))
        for a in range(K):
            if is_viable[a] == 0.0:
                continue
            total = 0.0
            for _ in range(int(l)):
                total += g * bernoulli(rng, means[a])
                t += 1
            N[a] += l
            scale = g / eps
            if is_skellam:
                noise = float(rng.poisson(scale**2 / 2.0)) - float(rng.poisson(scale**2 / 2.0))
            else:
                noise = math.floor(scale * rng.standard_exponential())
                noise -= math.floor(scale * rng.standard_exponential())
            tau = math.ceil(scale * math.log(2.0 * T))
            m = l * g + 2.0 * tau + 1.0
            y = (total + noise) % m
            mean[a] = (y - m if y > l * g + tau else y) / (l * g)
        L = math.log(2.0 * S * b**2 / p)
        w = math.sqrt(math.log(4.0 * S * b**2 / p) / (2.0 * l))
        w += sigma * math.sqrt(L) / l + L / (s * eps * l)
        best = -np.inf
        for a in range(K):
            if is_viable[a] == 1.0:
                best = max(best, mean[a])
        for a in range(K):
            if is_viable[a] == 1.0 and best - mean[a] > 2.0 * w:
                is_viable[a] = 0.0
        b += 1.0
    a = -1
    while t < T:
        a = (a + 1) % K
        if is_viable[a] == 1.0:
            N[a] += 1.0
            t += 1
    return N


@njit
def dist_dp_se(rng, means, T, eps, p, batches):
    """Chowdhury & Zhou 2023, discrete Laplace noise."""
    return server_that_sums(rng, means, T, eps, p, batches, 1.0, math.sqrt(2.0) / eps, False)


@njit
def dist_rdp_se(rng, means, T, eps, p, s, batches):
    """Chowdhury & Zhou 2023, Skellam noise."""
    sigma = 2.0 / eps + math.sqrt(2.0) / (s * eps)
    return server_that_sums(rng, means, T, eps, p, batches, s, sigma, True)


# Nash confidence bounds, as Sarkar et al. 2025 coded them


@njit
def random_arms(rng, means, T, most):
    """Play random arms for at most T rounds, until the sum of the rewards of an arm exceeds
    ``most``.
    """
    N, S = np.zeros(len(means)), np.zeros(len(means))
    while N.sum() < T and S.max() <= most:
        a = int(len(means) * rng.random())
        S[a] += bernoulli(rng, means[a])
        N[a] += 1.0
    return N, S


@njit
def ncb(rng, means, T, c):
    """Barman et al. 2023."""
    l = math.log(T)
    N, S = random_arms(rng, means, T, c * c * l)
    index = np.full(len(means), np.inf)
    for _ in range(int(N.sum()), T):
        for i in range(len(means)):
            if N[i] > 0:
                index[i] = S[i] / N[i] + 2.0 * c * math.sqrt(2.0 * l * S[i]) / N[i]
        a = np.argmax(index)
        S[a] += bernoulli(rng, means[a])
        N[a] += 1.0
    return N


@njit
def gdp_ncb(rng, means, T, eps, c, alpha, repair):
    """Episodes of doubling length. If ``repair`` is 0, phase 1 tests noisy sums of new rewards."""
    K, W = len(means), math.floor(math.sqrt(T)) + 1.0
    w = math.log(W)
    most = 1600.0 * (c * c * w + w * w / eps)
    if repair == 1.0:
        N, S = random_arms(rng, means, min(T, W), most)
    else:
        N, S, new, look = np.zeros(K), np.zeros(K), np.zeros(K), 1.0
        while N.sum() < min(T, W) and S.max() <= most:
            a = int(K * rng.random())
            new[a] += bernoulli(rng, means[a])
            N[a] += 1.0
            if N.sum() == look:
                look *= 2.0
                for i in range(K):
                    S[i] += new[i] + laplace(rng, 1.0 / eps)
                    new[i] = 0.0
    t, used = int(N.sum()), N.copy()  # how many rewards of each arm the means may use
    if repair == 0.0:
        used[:], S[:] = 0.0, 0.0
    length, mean, index = np.ones(K), np.zeros(K), np.zeros(K)
    while t < T:
        for i in range(K):
            n = used[i] + length[i]
            index[i] = mean[i] + 2.0 * c * math.sqrt(2.0 * w * mean[i] / n)
            index[i] += alpha * w * w / (eps * n)
            index[i] += 4.0 * math.sqrt(2.0 * alpha * w**3 / eps) / n
        a = np.argmax(index)
        length[a] *= 2.0
        total, pulled = S[a], 0
        while t < T and pulled < length[a]:
            total += bernoulli(rng, means[a])
            N[a] += 1.0
            pulled += 1
            t += 1
        private = (total + laplace(rng, math.log(T) / eps)) / (used[a] + pulled)
        mean[a] = min(max(private, 0.0), 1.0)
    return N


@njit
def ldp_ncb(rng, means, T, eps, c, alpha):
    """Each user's response is the reward plus noise."""
    K, W, l = len(means), math.floor(math.sqrt(T)) + 1.0, math.log(T)
    w, N, S, index = math.log(W), np.zeros(K), np.zeros(K), np.full(K, np.inf)
    explores = True
    for t in range(T):
        if t > W:
            explores = False
        if explores:
            a = int(K * rng.random())
        else:
            for i in range(K):
                if N[i] > 0:
                    m = min(max(S[i] / N[i], 0.0), 1.0)
                    index[i] = m + 2.0 * c * math.sqrt(2.0 * l * m / N[i])
                    index[i] += math.sqrt(8.0 * alpha * l / N[i]) / eps
                    index[i] += 4.0 * c * (2.0 * alpha * w**3 / N[i] ** 3) ** 0.25 / math.sqrt(eps)
            a = np.argmax(index)
        S[a] += bernoulli(rng, means[a]) + laplace(rng, 1.0 / eps)
        N[a] += 1.0
        if explores:
            m = min(max(S[a] / N[a], 0.0), 1.0)
            low = max(m - math.sqrt(8.0 * alpha * l / N[a]) / eps, 1e-20)
            most = 1600.0 * (c * c * l + l * l / (eps * eps * low))
            explores = N[a] * m <= most + math.sqrt(8.0 * alpha * l * N[a]) / eps
    return N
