"""Slow, obvious reference implementations, written from the papers alone: the tests' oracle."""

import math


def first_argmax(index: list[float]) -> int:
    """The position of the largest index; ties go to the lowest arm."""
    best = 0
    for a in range(1, len(index)):
        if index[a] > index[best]:
            best = a
    return best


def kl(p: float, q: float) -> float:
    """kl(Bernoulli(p), Bernoulli(q)), with 0 ln 0 = 0 and x ln(x/0) = inf."""
    total = 0.0
    for x, y in ((p, q), (1 - p, 1 - q)):
        if x > 0:
            if y <= 0:
                return math.inf
            total += x * math.log(x / y)
    return total


def kl_upper(p: float, d: float) -> float:
    """max{q in [0, 1] : kl(p, q) <= d}, by bisection on [p, 1], where kl(p, .) increases."""
    if kl(p, 1.0) <= d:
        return 1.0
    low, high = p, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if kl(p, middle) <= d:
            low = middle
        else:
            high = middle
    return low


class Tree:
    """The binary mechanism; node (b, j) is the sum of the items (j - 1) 2^b + 1, ..., j 2^b."""

    def __init__(self, scale, noise):
        self.scale = scale  # of every node's Laplace noise
        self.noise = noise
        self.items = []
        self.node_sum = {}
        self.node_noise = {}

    def add(self, x):
        """Append item n, which closes the node of n's lowest set bit."""
        self.items.append(x)
        n = len(self.items)
        b = 0
        while n % 2 ** (b + 1) == 0:
            b += 1
        node = (b, n // 2**b)
        self.node_sum[node] = sum(self.items[n - 2**b : n])
        self.node_noise[node] = self.noise(self.scale)

    def noisy_sum(self):
        """The noisy sum of all items so far: one node for each binary digit 1 of n."""
        n = len(self.items)
        total = 0.0
        end = 0  # the last item covered so far
        for b in reversed(range(n.bit_length())):
            if n // 2**b % 2 == 1:
                end += 2**b
                total += self.node_sum[b, end // 2**b] + self.node_noise[b, end // 2**b]
        return total


def ucb(reward, K, T, noise) -> list[int]:
    """Auer, Cesa-Bianchi & Fischer 2002, UCB1."""
    rewards = [[] for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        if t <= K:
            a = t - 1
        else:
            index = []
            for i in range(K):
                N = len(rewards[i])
                index.append(sum(rewards[i]) / N + math.sqrt(2 * math.log(t) / N))
            a = first_argmax(index)
        rewards[a].append(reward(a, t))
        played.append(a)
    return played


def kl_ucb(reward, K, T, noise) -> list[int]:
    """Garivier & Cappe 2011, KL-UCB with c = 0, for Bernoulli kl."""
    rewards = [[] for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        if t <= K:
            a = t - 1
        else:
            index = []
            for i in range(K):
                N = len(rewards[i])
                index.append(kl_upper(sum(rewards[i]) / N, math.log(t) / N))
            a = first_argmax(index)
        rewards[a].append(reward(a, t))
        played.append(a)
    return played


def dp_ucb(reward, K, T, noise, eps, gamma=0.1, tree_budget="whole") -> list[int]:
    """Mishra & Thakurta 2015, Algorithm 1 (DP-UCB): a tree of rewards per arm."""
    L = math.floor(math.log2(T)) + 1
    budget = {"whole": eps, "split": eps / K}[tree_budget]
    trees = [Tree(L / budget, noise) for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        if t <= K:
            a = t - 1
        else:
            index = []
            for i in range(K):
                N = len(trees[i].items)
                mean = trees[i].noisy_sum() / N
                Gamma = K * math.log(T) ** 2 * math.log(K * T * math.log(T) / gamma) / eps
                index.append(mean + math.sqrt(2 * math.log(t) / N) + Gamma / N)
            a = first_argmax(index)
        trees[a].add(reward(a, t))
        played.append(a)
    return played


def dp_ucb_bound(reward, K, T, noise, eps) -> list[int]:
    """Mishra & Thakurta 2015, Algorithm 1, with the tight bonus of Azize's thesis (p. 102)."""
    L = math.floor(math.log2(T)) + 1
    trees = [Tree(L / eps, noise) for _ in range(K)]
    played = []
    for t in range(1, T + 1):
        if t <= K:
            a = t - 1
        else:
            index = []
            for i in range(K):
                N = len(trees[i].items)
                mean = trees[i].noisy_sum() / N
                sampling = math.sqrt(2 * math.log(2 * T) / N)
                privacy = math.sqrt(8) * math.log(T) ** 1.5 * math.log(2 * T) / (eps * N)
                index.append(mean + sampling + privacy)
            a = first_argmax(index)
        trees[a].add(reward(a, t))
        played.append(a)
    return played


def dp_se(reward, K, T, noise, eps, beta) -> list[int]:
    """Sajed & Sheffet 2019, Algorithm 3 (DP Successive Elimination)."""
    S = list(range(K))
    played = []
    e = 0
    while len(S) > 1:
        e += 1
        D = 2.0**-e
        L8 = math.log(8 * len(S) * e**2 / beta)
        L4 = math.log(4 * len(S) * e**2 / beta)
        R = math.floor(max(32 * L8 / D**2, 8 * L4 / (eps * D))) + 1
        samples = {a: [] for a in S}
        for _ in range(R):
            for a in S:
                if len(played) == T:
                    return played
                played.append(a)
                samples[a].append(reward(a, len(played)))
        h = math.sqrt(L8 / (2 * R))
        c = L4 / (R * eps)
        mu = {a: sum(samples[a]) / R + noise(1 / (eps * R)) for a in S}
        mu_max = max(mu.values())
        S = [a for a in S if not mu_max - mu[a] > 2 * h + 2 * c]
    while len(played) < T:
        played.append(S[0])
        reward(S[0], len(played))
    return played


def adap(reward, K, T, noise, eps, index) -> list[int]:
    """Azize & Basu 2022, Algorithm 1: the doubling episodes for any index(m, n, t)."""
    N = [0] * K  # pulls
    n = [0] * K  # length of the last whole episode
    m = [0.0] * K  # private mean of the last whole episode
    played = []
    while len(played) < T:
        t = len(played) + 1
        if t <= K:
            a, length = t - 1, 1
        else:
            a = first_argmax([index(m[i], n[i], t) for i in range(K)])
            length = N[a]
        episode = []
        while len(episode) < length:
            if len(played) == T:
                return played
            played.append(a)
            episode.append(reward(a, len(played)))
        N[a] += length
        n[a] = length
        m[a] = sum(episode) / length + noise(1 / (eps * length))
    return played


def adap_ucb(reward, K, T, noise, eps, alpha=3.1) -> list[int]:
    """Azize & Basu 2022, Algorithm 1 with the index of AdaP-UCB."""

    def index(m, n, t):
        sampling = math.sqrt(alpha * math.log(t) / (2 * n))
        privacy = alpha * math.log(t) / (eps * n)
        return m + sampling + privacy

    return adap(reward, K, T, noise, eps, index)


def adap_klucb(reward, K, T, noise, eps, alpha=3.1) -> list[int]:
    """Azize & Basu 2022, Algorithm 1 with the index of AdaP-KLUCB."""

    def index(m, n, t):
        privacy = alpha * math.log(t) / (eps * n)
        clipped = min(max(m + privacy, 0.0), 1.0)
        return kl_upper(clipped, alpha * math.log(t) / n)

    return adap(reward, K, T, noise, eps, index)


def sigmoid(r):
    """The transform of CTL-S and CTB-S: an unbounded reward becomes one in (0, 1)."""
    return 1 / (1 + math.exp(-r))


def unchanged(r):
    """The transform of CTL and CTB, whose rewards lie in [0, 1] already."""
    return r


def heldp_l(reward, K, T, noise, eps_min, level, transform) -> list[int]:
    """Ren et al. 2020, Agent 2, behind a curator that adds Laplace noise to transform(reward)."""
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


def heldp_b(reward, K, T, eps_min, level, uniform, transform) -> list[int]:
    """Ren et al. 2020, Agent 4, behind a curator that sends one bit for transform(reward)."""
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


def heldp_ucb_l(reward, K, T, noise, eps_min, level, uniform) -> list[int]:
    """Ren et al. 2020, Agent 2 with curator CTL; level(t) is the level of round t's user."""
    return heldp_l(reward, K, T, noise, eps_min, level, unchanged)


def heldp_ucb_ls(reward, K, T, noise, eps_min, level, uniform) -> list[int]:
    """Ren et al. 2020, Agent 2 with curator CTL-S."""
    return heldp_l(reward, K, T, noise, eps_min, level, sigmoid)


def heldp_ucb_b(reward, K, T, noise, eps_min, level, uniform) -> list[int]:
    """Ren et al. 2020, Agent 4 with curator CTB; uniform() decides the bit."""
    return heldp_b(reward, K, T, eps_min, level, uniform, unchanged)


def heldp_ucb_bs(reward, K, T, noise, eps_min, level, uniform) -> list[int]:
    """Ren et al. 2020, Agent 4 with curator CTB-S."""
    return heldp_b(reward, K, T, eps_min, level, uniform, sigmoid)


def bernoulli_reward(means, rng):
    """Rewards drawn from Bernoulli(means[a])."""
    return lambda a, t: float(rng.random() < means[a])


def table_reward(table):
    """Rewards fixed in advance: row t - 1, column a."""
    return lambda a, t: table[t - 1][a]
