"""AdaP-TT: Top Two identification of the best arm on the private means of forgetful phases."""

import math
from typing import Literal

import numpy as np

from ..authoring import (
    BEST_ARM, CODED, EMPIRICAL, PROVED, STOPPING_AND_ANSWER, UNIT_INTERVAL, Budget, Fraction, arms,
    global_dp, inlined, is_convincing, kernel, laplace_mean, one_release, pull, pull_sum, random,
    rounds_left, shared_rare, top_two,
)  # fmt: skip

NAME = "AdaP-TT"
LINE = "green", "solid"
QUESTION = BEST_ARM
REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp(
    "Azize's thesis, Theorem 5.20", "episode_means", STOPPING_AND_ANSWER, one_release
)


@kernel
def adap_tt(
    game,
    rng,
    eps: Budget,
    delta: Fraction,
    variant: Literal["printed", "coded"],
    threshold: Literal["usual", "proved", "empirical"],
):
    """AdaP-TT (Azize's thesis, Alg. 10; Azize et al. 2024). The actions, the stopping time and the
    answer together are eps-DP. Rewards in [0, 1]. With probability 1 - delta the answer is right.

    Args:
        eps: privacy budget.
        delta: probability of naming an arm that is not the best.
        variant: 0 (printed), as in the thesis. 1 (coded), as in the code that made its figures.
        threshold: 0 (usual), proved for printed and empirical for coded. 1 (proved), with s = 2 and
            the power of k that a print of it lacks (docs/errata.md). 2 (empirical): that of the
            code, for which nothing is proved.
    """
    if variant != CODED:
        return top_two(game, rng, eps, delta, False, threshold != EMPIRICAL)
    answer = np.full(1, np.nan)
    as_coded(game, rng, eps, delta, threshold == PROVED, answer)
    return answer[0]


@shared_rare
def as_coded(game, rng, eps, delta, proved, answer):
    """The authors' code: a coin chooses between the leader and its challenger, which is chosen
    anew in every round; the leader is the arm that must be convincing.
    """
    K = arms(game)
    if rounds_left(game) < K:
        return
    m, n = np.zeros(K), np.ones(K)  # private mean and length of the last phase
    finished, total, count = np.ones(K), np.zeros(K), np.zeros(K)  # pulls before and in this one
    for a in range(K):
        m[a] = laplace_mean(rng, pull_sum(game, a, 1), 1.0, eps)
    leader, slack = coded_leader(m, n, float(K), eps), slack_of(finished)
    c, next_cost = 0, -np.inf  # the challenger, and a lower bound on all other costs
    while rounds_left(game) > 0:
        a = leader
        if random(rng) > 0.5:  # positive costs never decrease before a phase ends
            if coded_cost(m, finished, count, slack, leader, c) >= next_cost:
                c, next_cost = coded_challenger(m, finished, count, slack, leader)
            a = c
        total[a] += pull(game, a)
        count[a] += 1.0
        if count[a] == finished[a]:
            m[a] = laplace_mean(rng, total[a], count[a], eps)
            n[a] = count[a]
            finished[a] += count[a]
            total[a] = count[a] = 0.0
            leader, slack = coded_leader(m, n, np.sum(finished), eps), slack_of(finished)
            next_cost = -np.inf
            if is_convincing(m, n, leader, eps, delta, False, proved):
                answer[0] = np.argmax(m)
                return


@inlined
def coded_leader(m, n, t, eps):
    l = math.log(t)
    best, largest = 0, -np.inf
    for a in range(len(m)):
        index = m[a] + l / (eps * n[a]) + math.sqrt(l / (2.0 * n[a]))
        if index > largest:
            best, largest = a, index
    return best


@inlined
def slack_of(finished):
    return 1.0 / (1.0 + math.sqrt(np.sum(finished)))


@inlined
def coded_cost(m, finished, count, slack, b, a):
    w, v = finished[b] + count[b], finished[a] + count[a]
    return (m[b] - m[a] + slack) / math.sqrt(1.0 / w + 1.0 / v)


@inlined
def coded_challenger(m, finished, count, slack, b):
    """The arm of smallest cost, and a lower bound on the costs of the others until a phase ends:
    the smallest of them, or -inf if one may decrease.
    """
    found, smallest, following = -1, np.inf, np.inf
    for a in range(len(m)):
        cost = coded_cost(m, finished, count, slack, b, a)
        if a != b and cost < smallest:
            found, smallest, following = a, cost, smallest if smallest > 0.0 else -np.inf
        elif a != b:
            following = min(following, cost if cost > 0.0 else -np.inf)
    return found, following
