"""Top Two identification: thresholds, costs, blocks of rounds and coins, against definitions."""

import math

import identification_references as references
import numpy as np
import pytest
from scipy import stats
from tiers import first

from dpbandits.parts.identification import top_two
from dpbandits.parts.identification.coded_top_two import coded_leader, coded_rounds


@pytest.mark.parametrize("K", [2, 5, 40])
def test_thresholds_are_the_reference_s(K):
    rng = np.random.default_rng(K)
    for _ in range(60):
        w, v = np.floor(10 ** rng.uniform(0, 7, 2))
        delta, eps, d = 10 ** rng.uniform(-6, -0.5), 10 ** rng.uniform(-3, 2), rng.uniform(0, 1)
        arguments = {
            "threshold": (w, v, K, delta, eps),
            "starred_threshold": (d, w, v, K, delta, eps),
            "gaussian_threshold": (w, v, K, delta),
        }
        pairs = [
            (getattr(top_two, name)(*given, False), getattr(references, name)(*given))
            for name, given in arguments.items()
        ]
        pairs += [
            (top_two.empirical(w, v, delta, eps), references.empirical(w, v, delta, eps)),
            (top_two.transportation_cost(d, w, v, eps, True), references.cost(d, w, v, eps, True)),
        ]
        for found, expected in pairs:
            assert found == pytest.approx(expected, rel=1e-9, abs=0)
            assert found != pytest.approx(1.001 * expected, rel=1e-9, abs=0)
        assert top_two.threshold(w, v, K, delta, eps, True) < pairs[0][0] - 1.0
        assert top_two.starred_threshold(d, w, v, K, delta, eps, True) <= pairs[1][0]


def test_the_calibration_exceeds_its_argument():
    """Hence a rough threshold is smaller; the control: not by 3 everywhere."""
    excess = [top_two.calibration(x) - x for x in np.append(0.0, np.geomspace(1e-3, 1e4, 200))]
    assert 1.0 < min(excess) < 3.0


def test_without_privacy_the_thresholds_have_no_noise_terms():
    found = top_two.threshold(10.0, 20.0, 3, 0.1, math.inf, False)
    assert found == pytest.approx(references.threshold(10.0, 20.0, 3, 0.1, 1e12), rel=1e-9)
    starred = top_two.starred_threshold(0.5, 10.0, 20.0, 3, 0.1, math.inf, False)
    assert starred == pytest.approx(
        0.5 * top_two.threshold(10.0, 20.0, 3, 0.2 / 3, math.inf, False)
    )


def test_blocks_of_the_tracking_rule_are_its_rounds():
    """Line 18: the leader is played while its plays as leader are at most half of the rounds."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        leads, as_leader = 0, 0
        for _ in range(rng.integers(6)):
            needed = rng.integers(1, 9, 2)
            played = [0, 0]
            first = leads
            while played[0] < needed[0] and played[1] < needed[1]:
                of_leader = as_leader <= 0.5 * (leads + 1)
                as_leader += of_leader
                leads += 1
                played[not of_leader] += 1
            assert top_two.rounds_until(first, *map(float, needed)) == leads - first
            before, after = top_two.rounds_of_leader(first), top_two.rounds_of_leader(leads)
            assert after - before == played[0]


def test_leaders_and_challengers_are_the_definition_s():
    rng = np.random.default_rng(1)
    for _ in range(200):
        K, eps, starred = int(rng.integers(2, 6)), 10 ** rng.uniform(-1, 1), bool(rng.integers(2))
        m, k = rng.random(K), rng.integers(1, 9, K).astype(float)
        n = 2.0**k
        index = m + np.sqrt(k / n) + k / (eps * n)
        assert top_two.private_leader(m, n, k, eps) == index.argmax()
        t = rng.integers(2, 1000)
        index = m + math.log(t) / (eps * n) + np.sqrt(math.log(t) / (2 * n))
        assert coded_leader(m, n, float(t), eps) == index.argmax()
        b = int(index.argmax())
        costs = [
            references.cost(m[b] - x, n[b], v, eps, starred) for x, v in zip(m, n, strict=True)
        ]
        costs[b] = math.inf
        assert top_two.challenger(m, n, b, eps, starred) == np.argmin(costs)


def coded_pulls(rounds, runs):
    """Pulls of the leader of three arms in some rounds without the end of a phase."""
    m, found = np.array([0.9, 0.4, 0.3]), []
    for run in range(runs):
        N, rng = np.full(3, 1000.0), np.random.default_rng(run)
        assert coded_rounds(rng, m, N, np.full(3, 2e9), 0.1, 0, rounds) == -1
        assert N.sum() == 3000 + rounds
        found.append(N[0] - 1000)
    return np.array(found)


@pytest.mark.parametrize("rounds", first([1, 2, 3, 60, 300], 3))
def test_the_coin_of_the_coded_variant_is_fair(rounds):
    found = coded_pulls(rounds, 4000)
    edges = np.unique(stats.binom(rounds, 0.5).ppf([0, 0.1, 0.3, 0.5, 0.7, 0.9, 1]))
    expected = np.diff(stats.binom(rounds, 0.5).cdf(edges)) * len(found)
    observed = np.diff([np.sum(found <= x) for x in edges])
    z = (observed - expected) / np.sqrt(expected * (1 - expected / len(found)))
    assert np.abs(z).max() < 5


def in_single_rounds(rng, m, N, end, slack, b, left):
    """``coded_rounds`` with a challenger chosen by its definition in every round."""
    while True:
        number = int(rng.random() * 2**53)
        for i in range(53):
            a = b
            if number >> i & 1:
                costs = (m[b] - m + slack) / np.sqrt(1.0 / N[b] + 1.0 / N)
                a = np.argmin(np.where(np.arange(len(m)) == b, np.inf, costs))
            N[a], left = N[a] + 1, left - 1
            if N[a] == end[a]:
                return a
            if left == 0:
                return -1


@pytest.mark.parametrize("slack", first([0.5, 0.06, 0.01]))  # that of early and of later rounds
@pytest.mark.parametrize("means", [[0.7, 0.9, 0.65, 0.6, 0.1], [0.7, 0.9, 0.93, 0.95], [1, 1, 1]])
def test_coded_rounds_are_single_rounds(means, slack):
    """Also where a mean above the leader's makes costs negative, and where costs are equal."""
    m, end, ends = np.array(means, float), np.full(len(means), 2.0), 0
    N, singly = np.ones(len(m)), np.ones(len(m))
    for seed in range(300):
        rounds = 1 + 7 * seed % 200
        found = [
            play(np.random.default_rng(seed), m, counts, end, slack, 1, rounds)
            for play, counts in ((coded_rounds, N), (in_single_rounds, singly))
        ]
        assert found[0] == found[1] and (singly == N).all()
        if found[0] >= 0:
            end[found[0]], ends = 2 * end[found[0]], ends + 1
    assert ends >= 15
