"""Radii and indices against their definitions."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from dpbandits.parts import argmax as optimism
from dpbandits.parts.radii import bernoulli_kl, hoeffding, kl_upper, laplace_tail


def test_hoeffding_and_laplace_tail():
    assert hoeffding(8.0, 4.0) == 0.5
    assert laplace_tail(10.0, 0.5, 3.0) == 0.6
    assert laplace_tail(10.0, math.inf, 3.0) == 0.0


def test_kl_and_its_limits():
    assert bernoulli_kl(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert bernoulli_kl(0.3, 0.3) == 0.0
    assert bernoulli_kl(0.0, 0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl(1.0, 0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl(0.0, 0.0) == bernoulli_kl(1.0, 1.0) == 0.0
    assert bernoulli_kl(0.5, 1.0) == bernoulli_kl(0.5, 0.0) == math.inf


def test_kl_upper_solves_to_1e_10():
    for p in [0.0, 1e-12, 1e-6, 0.1, 0.3, 0.5, 0.9, 0.999999, 1 - 1e-12, 1.0]:
        for d in [0.0, 1e-14, 1e-8, 1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 50.0, 700.0]:
            q = kl_upper(p, d)
            assert p - 1e-10 <= q <= 1.0
            if p in (0.0, 1.0):
                expected = 1 - math.exp(-d) if p == 0.0 else 1.0
            else:
                expected = p + divergence_root(p, d)
            assert q == pytest.approx(expected, abs=1e-10), (p, d)


def divergence_root(p, d):
    """The x > 0 with kl(p, p + x) = d, by Brent's method; log1p keeps the digits of a small x."""

    def excess(x):
        return -p * math.log1p(x / p) - (1 - p) * math.log1p(-x / (1 - p)) - d

    top = (1 - p) * (1 - 1e-15)
    if d == 0 or excess(top) <= 0:
        return 0.0 if d == 0 else top
    return brentq(excess, 0.0, top, xtol=1e-15, rtol=1e-14)


def test_kl_upper_grows():
    values = [[kl_upper(p, d) for d in np.geomspace(1e-6, 20, 60)] for p in np.linspace(0, 1, 30)]
    assert (np.diff(values, axis=0) >= -1e-12).all()
    assert (np.diff(values, axis=1) >= -1e-12).all()


@pytest.mark.parametrize("bonus", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("noise", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("window", [optimism.WINDOW, 0.2, 4.0])
@pytest.mark.parametrize(("steady", "played"), [(True, 0), (False, 0), (True, 10**6)])
def test_the_leader_is_the_argmax_of_every_round(bonus, noise, window, steady, played, monkeypatch):
    """Totals walk at random with the given noise; wide windows make their end matter. If N is not
    steady, every other pull brings nothing, as of a user who sends nothing. Some games have gone
    on for long: all arms have been played so often."""
    monkeypatch.setattr(optimism, "WINDOW", window)
    rng = np.random.default_rng(6)
    K, kept = 4, 0
    race = optimism.new_race(K, 0.0, 0.5, 0.5 if steady else 1.0)
    N = np.full(K, float(played))
    S, total = 0.65 * N, 0.65 * N
    if played:
        race.level[:], race.width[:] = 0.65, bonus / np.sqrt(N)
    start = K * played + 1
    for t in range(start, start + 15_000):
        asked = t <= optimism.last_round(race, start + 15_000)
        if asked and optimism.keeps_lead(race, total[a], N[a]):  # noqa: F821
            kept += 1
        else:
            a = optimism.lead(race, t, total, N)
        with np.errstate(divide="ignore", invalid="ignore"):
            index = np.where(N > 0, total / N + math.sqrt(math.log(t)) * bonus / np.sqrt(N), np.inf)
        assert a == np.argmax(index)
        if steady or rng.random() < 0.5:
            S[a] += rng.random() < 0.8 - 0.1 * a
            N[a] += 1
            total[a] = S[a] + noise * rng.normal()
            race.level[a] = total[a] / N[a]
            race.width[a] = bonus / math.sqrt(N[a])
    assert kept > 1000 or window > 1.0 or noise == 10.0 or bonus == 30.0


@pytest.mark.parametrize("window", [optimism.WINDOW, 0.2, 4.0])
@pytest.mark.parametrize("fade", [0.2, 0.5, 1.0])
def test_a_lead_is_kept_only_where_no_total_can_lose_it(window, fade, monkeypatch):
    """For each later round of a window, the total at which the leader's index equals the largest
    of the others does not keep the lead; one that is somewhat larger does."""
    monkeypatch.setattr(optimism, "WINDOW", window)
    rng = np.random.default_rng(8)
    for t in np.repeat([1, 20, 32, 40, 1000, 10**6], 40):
        power, n = rng.uniform(0.1, 0.9), math.ceil(t * 10 ** rng.uniform(-3, 0))
        race = optimism.new_race(3, 0.0, power, fade)
        race.width[:] = rng.choice([0.0, 0.1, 3.0], 3)
        race.level[:] = rng.normal(size=3)
        race.level[0] += 10 + 10 * math.log(t)  # it leads
        total = np.array([race.level[0] * n, 0.0, 0.0])
        assert optimism.lead(race, t, total, np.full(3, float(n))) == 0
        end = optimism.last_round(race, 10**8)
        for later in np.unique(np.linspace(t, end, 9).astype(int)):
            growth = math.log(later) ** power
            for N in {n, n + int(later - t)} if fade == 1.0 else {n + int(later - t)}:
                bonus = growth * race.width[0] * n**fade * N ** (1.0 - fade)
                even = N * max(race.level[1:] + growth * race.width[1:]) - bonus
                assert not optimism.keeps_lead(race, even, float(N))
                slack = 100.0 * (1.0 + growth) * N
                assert optimism.keeps_lead(race, even + slack, float(N))
