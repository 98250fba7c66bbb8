"""Top Two identification of the best arm, in doubling phases with forgetting.

This is Algorithm 10 of Azize's thesis with the costs and thresholds of AdaP-TT and AdaP-TT*. The
leader and its challenger change only when a phase ends, so the rounds until then form a block.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiled import inlined, shared, shared_borrowing
from ...game import Game, arms, pull_sum, pulls, rounds_left
from ..noise.mechanisms import laplace_mean

CODED = 1  # the position of the name in ``variant``
PROVED, EMPIRICAL = 1, 2  # the positions of the names in ``threshold``
ZETA = math.pi**2 / 6.0  # zeta(s) for s = 2


@shared
def top_two(
    game: Game, rng: np.random.Generator, eps: float, delta: float, starred: bool, proved: bool
) -> float:
    """Play until the arm of largest private mean passes the stopping test, and return its number.

    The result is NaN if the game ends before an arm passes the test. eps-DP: every reward enters
    one release.

    Args:
        game: the game.
        rng: the learner's generator.
        eps: privacy budget.
        delta: probability of a wrong answer.
        starred: whether to use the costs and thresholds of AdaP-TT* instead of AdaP-TT.
        proved: whether to use the proved threshold instead of the threshold of the authors' code.
    """
    K = arms(game)
    if rounds_left(game) < K:
        return np.nan
    m, n, k = np.zeros(K), np.ones(K), np.ones(K)  # private mean, length, number of the last phase
    start, total, leads = np.ones(K), np.zeros(K), np.zeros(K)  # leads: rounds as leader
    for a in range(K):
        m[a] = laplace_mean(rng, pull_sum(game, a, 1), 1.0, eps)
    while rounds_left(game) > 0:
        best = np.argmax(m)
        if is_convincing(m, n, best, eps, delta, starred, proved):
            return float(best)
        b = private_leader(m, n, k, eps)
        c = challenger(m, start, b, eps, starred)
        needed_b, needed_c = 2.0 * start[b] - pulls(game, b), 2.0 * start[c] - pulls(game, c)
        block = min(rounds_until(leads[b], needed_b, needed_c), float(rounds_left(game)))
        of_leader = rounds_of_leader(leads[b] + block) - rounds_of_leader(leads[b])
        leads[b] += block
        total[b] += pull_sum(game, b, int(of_leader))
        total[c] += pull_sum(game, c, int(block - of_leader))
        a = b if of_leader == needed_b else c
        if pulls(game, a) == 2.0 * start[a]:
            n[a] = pulls(game, a) - start[a]
            m[a] = laplace_mean(rng, total[a], n[a], eps)
            k[a] += 1.0
            start[a], total[a] = pulls(game, a), 0.0
    return np.nan


@shared_borrowing
def private_leader(m: np.ndarray, n: np.ndarray, k: np.ndarray, eps: float) -> int:
    """Return the arm of largest index ``m + sqrt(k/n) + k/(eps n)`` (line 16)."""
    best, largest = 0, -np.inf
    for a in range(len(m)):
        index = m[a] + math.sqrt(k[a] / n[a]) + k[a] / (eps * n[a])
        if index > largest:
            best, largest = a, index
    return best


@shared_borrowing
def challenger(m: np.ndarray, w: np.ndarray, b: int, eps: float, starred: bool) -> int:
    """Return the arm other than ``b`` that has the smallest transportation cost from ``b`` (line
    17).
    """
    found, smallest = -1, np.inf
    for a in range(len(m)):
        cost = transportation_cost(m[b] - m[a], w[b], w[a], eps, starred)
        if a != b and cost < smallest:
            found, smallest = a, cost
    return found


@inlined
def rounds_of_leader(leads: float) -> float:
    """Return in how many of the ``leads`` rounds in which an arm was leader the arm itself was
    played. In the other rounds the challenger of the arm was played.

    In a round, the leader is played instead of its challenger if it was played in at most half of
    ``leads`` rounds, where ``leads`` includes the present round (line 18 with beta = 1/2).
    """
    return math.floor(0.5 * leads) + 1.0 if leads > 0.0 else 0.0


@inlined
def rounds_until(leads: float, needed_b: float, needed_c: float) -> float:
    """Return the number of rounds until the leader has been played ``needed_b`` times more, or its
    challenger ``needed_c`` times more, whichever is first.

    The leader has led in ``leads`` rounds before.
    """
    played_b = rounds_of_leader(leads)
    b, c = played_b + needed_b, leads - played_b + needed_c
    until_b = 2.0 * (b - 1.0) if b > 1.0 else 1.0
    return min(until_b, 2.0 * c + 1.0) - leads


@inlined
def transportation_cost(d: float, w: float, v: float, eps: float, starred: bool) -> float:
    """Compute the transportation cost W of two arms whose means differ by ``d`` (eq. 5.9, 5.12).

    ``w`` and ``v`` are the weights of the arms. The cost is 0 if ``d`` is not positive.
    """
    if d <= 0.0:
        return 0.0
    return d * (min(3.0 * eps, d) if starred else d) * 2.0 / (1.0 / w + 1.0 / v)  # 2 sigma^2 = 1/2


@shared
def is_convincing(
    m: np.ndarray,
    n: np.ndarray,
    best: int,
    eps: float,
    delta: float,
    starred: bool,
    proved: bool,
) -> bool:
    """Return whether the cost from ``best`` to every other arm reaches its threshold (line 12)."""
    K = len(m)
    for b in range(K):
        if b == best:
            continue
        d = m[best] - m[b]
        if not proved:
            if d * d / (2.0 * (1.0 / n[best] + 1.0 / n[b])) < empirical(n[best], n[b], delta, eps):
                return False
            continue
        cost = transportation_cost(d, n[best], n[b], eps, starred)
        if cost == 0.0:
            return False
        for rough in (True, False):  # most costs are below the rough bound, which is cheap
            if starred:
                needed = starred_threshold(d, n[best], n[b], K, delta, eps, rough)
            else:
                needed = threshold(n[best], n[b], K, delta, eps, rough)
            if cost < needed:
                return False
    return True


@shared
def threshold(w: float, v: float, K: int, delta: float, eps: float, rough: bool) -> float:
    """Compute the threshold of AdaP-TT for sigma = 1/2 and s = 2 (eq. 5.11).

    If ``rough`` is true, a lower bound on the threshold is computed instead, which is cheaper.
    """
    k, j = phases(w) ** 2, phases(v) ** 2
    l, r = math.log(2.0 * K * ZETA * k / delta), math.log(2.0 * K * ZETA * j / delta)
    risk = delta / (2.0 * ZETA**2 * k * j)
    return 2.0 * gaussian_threshold(w, v, K, risk, rough) + (4.0 / eps**2) * (l * l / w + r * r / v)


@shared
def starred_threshold(
    d: float, w: float, v: float, K: int, delta: float, eps: float, rough: bool
) -> float:
    """Compute the threshold of AdaP-TT* for means that differ by ``d`` (eq. 5.14).

    The constants are sigma = 1/2 and s = 2. If ``rough`` is true, the result is at most the
    threshold.
    """
    l, h = log_of_phases(w, K, delta), lambert(w, K, delta)
    r, g = log_of_phases(v, K, delta), lambert(v, K, delta)
    if d < 3.0 * eps:
        both = math.sqrt(h / w) * l + math.sqrt(g / v) * r
        return 0.5 * threshold(w, v, K, 2.0 * delta / 3.0, eps, rough) + math.sqrt(8.0) / eps * both
    return 12.0 * max(l, r) + 3.0 * math.sqrt(2.0) * eps * (math.sqrt(w * h) + math.sqrt(v * g))


@inlined
def phases(n: float) -> float:
    """Compute k(n) = log2 n + 2."""
    return math.log2(n) + 2.0


@inlined
def log_of_phases(n: float, K: int, delta: float) -> float:
    """Compute ln(3 K zeta(s) k(n)^s / delta) for s = 2."""
    return math.log(3.0 * K * ZETA * phases(n) ** 2 / delta)


@inlined
def lambert(n: float, K: int, delta: float) -> float:
    """Compute h(n) = y/2 with ``y - ln y = 2 ln(3 K zeta(s) k(n)^s/delta) + 4 ln(4 + ln n) + 1/2``.

    The solution y >= 1 is found by Newton's method from the right, since y - ln y is convex.
    """
    x = 2.0 * log_of_phases(n, K, delta) + 4.0 * math.log(4.0 + math.log(n)) + 0.5
    y = x + 2.0 * math.log(x)
    step = 1.0
    while step > 1e-13 * y:
        step = (y - math.log(y) - x) / (1.0 - 1.0 / y)
        y -= step
    return 0.5 * y


@inlined
def empirical(w: float, v: float, delta: float, eps: float) -> float:
    """Compute the threshold of the authors' code, which is not proved."""
    l = math.log(1.0 / delta)
    counts = math.log1p(math.log(w)) + math.log1p(math.log(v))
    return l + counts + (1.0 / w + 1.0 / v) * (l / eps) ** 2


@inlined
def gaussian_threshold(w: float, v: float, K: int, delta: float, rough: bool) -> float:
    """Compute the threshold for Gaussian means without privacy (eq. 5.10).

    If ``rough`` is true, a lower bound is computed instead: C^G(x) is replaced by x, which is
    smaller.
    """
    counts = 2.0 * math.log(4.0 + math.log(w)) + 2.0 * math.log(4.0 + math.log(v))
    x = 0.5 * math.log((K - 1) / delta)
    return 2.0 * (x if rough else calibration(x)) + counts


@shared
def calibration(x: float) -> float:
    """Compute the calibration function C^G(x) by golden-section search (Kaufmann & Koolen 2021).

    C^G(x) is the least (2 l - 2 l ln(4 l) + ln zeta(2 l) - ln(1 - l)/2 + x)/l over 1/2 < l < 1.
    """
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    low, high = 0.5, 1.0
    p, q = high - golden * (high - low), low + golden * (high - low)
    f, g = calibrated(p, x), calibrated(q, x)
    while high - low > 1e-8:
        if f < g:
            high, q, g = q, p, f
            p = high - golden * (high - low)
            f = calibrated(p, x)
        else:
            low, p, f = p, q, g
            q = low + golden * (high - low)
            g = calibrated(q, x)
    return min(f, g)


@shared
def calibrated(l: float, x: float) -> float:
    """Compute the function of ``l`` that ``calibration`` minimises."""
    linear = 2.0 * l - 2.0 * l * math.log(4.0 * l)
    return (linear + math.log(zeta(2.0 * l)) - 0.5 * math.log1p(-l) + x) / l


@inlined
def zeta(s: float) -> float:
    """Compute Riemann's zeta function for s in (1, 2] to 1e-14, by the Euler-Maclaurin formula."""
    N, total = 10.0, 0.0
    for i in range(1, 10):
        total += float(i) ** -s
    tail = N ** (1.0 - s) / (s - 1.0) + 0.5 * N**-s + s * N ** (-s - 1.0) / 12.0
    third = s * (s + 1.0) * (s + 2.0)
    fifth = third * (s + 3.0) * (s + 4.0)
    seventh = fifth * (s + 5.0) * (s + 6.0)
    tail -= third * N ** (-s - 3.0) / 720.0 - fifth * N ** (-s - 5.0) / 30240.0
    return total + tail - seventh * N ** (-s - 7.0) / 1209600.0
