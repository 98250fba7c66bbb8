"""The arm of largest draw has the law of an argmax over draws, though few are drawn."""

import math
from itertools import product

import numpy as np
import pytest
from helpers import P_VALUE, SIGMAS
from scipy.integrate import trapezoid
from scipy.stats import beta, binom, kstest

from dpbandits.parts.means import largest_draw as part

TOO_SMALL = 0.9  # of a bound


def posterior(mu, n):
    return beta(mu * n + 1, (1 - mu) * n + 1)


def too_small(mu, n, x, tail=part.tail):
    rate, top, slope = tail(mu, n, x)
    return TOO_SMALL * rate, top, slope


MEANS = 0.0, 1e-4, 0.02, 0.3, 0.5, 0.8, 0.97, 1.0
COUNTS = 0.0, 1.0, 3.0, 20.0, 500.0, 1e5
FARTHER = 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.75, 0.9


def test_log_density():
    for mu, n, y in product(MEANS, COUNTS, (1e-6, 0.2, 0.5, 0.99)):
        wanted = posterior(mu, n).logpdf(y)
        assert part.log_density(mu, n, y) == pytest.approx(wanted, rel=1e-9, abs=1e-8)


@pytest.mark.slow
def test_the_bound_is_above_the_densities_of_all_posteriors():
    """Of smaller means and of more rewards; the mass of the bound is that of the event."""
    seen = 0
    for mu, n, far in product(MEANS, COUNTS, FARTHER):
        x = mu + far * (1.0 - mu)
        rate, top, slope = part.tail(mu, n, x)
        if rate == math.inf:
            continue
        seen += 1
        assert -math.expm1(-rate) == pytest.approx(math.exp(top) / slope)
        y = x + (1 - x) * np.linspace(1e-9, 1 - 1e-9, 200)
        bound = top - slope * (y - x)
        for share, more in product((1.0, 0.999, 0.9, 0.3, 0.0), (1.0, 1.01, 2.0, 100.0)):
            other = posterior(share * mu, more * n)
            assert (other.logpdf(y) <= bound + 1e-6).all()
            assert other.sf(x) <= -math.expm1(-rate) * (1 + 1e-6)
    assert seen > 100


def test_no_bound_is_known_close_to_the_mean_nor_for_increasing_densities():
    """Controls: there the density beyond the level increases with the number of rewards."""
    assert part.tail(0.5, 100.0, 0.55)[0] == math.inf
    assert part.tail(0.5, 100.0, 0.45)[0] == math.inf
    assert part.tail(1.0, 100.0, 0.999)[0] == math.inf
    assert part.tail(0.5, 100.0, 0.7)[0] < 0.01


def race_of(*posteriors):
    return part.new_race(*(np.array(x, float) for x in zip(*posteriors, strict=True)))


def draws_beyond(j, N=60_000):
    """How often an arm's draw is beyond the level, these draws, and their law."""
    rng, race = np.random.default_rng(j), race_of((0.7, 0, 400), (0.45, 0, 30), (0.2, 0, 8))
    part.renew(rng, race, 500, 0.0)
    x, law = race.level[0], posterior(race.mean[j], race.n[j])
    assert race.arms[0] == 0 and (race.rate < 1.0).all()
    drawn = np.array([part.draw_beyond(rng, race, j, race.mean[j]) for _ in range(N)])
    share = law.cdf(x) if j == 0 else law.sf(x)
    sign = -1 if j == 0 else 1
    drawn = drawn[drawn >= 0]
    assert (sign * drawn >= sign * x).all()
    beyond = lambda y: (law.cdf(y) if j == 0 else law.sf(x) - law.sf(y)) / share  # noqa: E731
    return binom(N, share), drawn, beyond


@pytest.mark.parametrize("j", range(3))
def test_draws_beyond_the_level_have_their_law(j):
    counts, drawn, law = draws_beyond(j)
    assert abs(len(drawn) - counts.mean()) < SIGMAS * counts.std()
    assert kstest(drawn, law).pvalue > P_VALUE


def chances(mean, width, n, l):
    """The probability of each arm to have the largest draw, by integration."""
    y = np.linspace(0, 1, 4001)
    laws = [posterior(min(max(m, 0.0), 1.0), k) for m, k in zip(mean + width * l, n, strict=True)]
    cdf = np.array([law.cdf(y) for law in laws])
    others = [np.delete(cdf, j, axis=0).prod(axis=0) for j in range(len(n))]
    found = [trapezoid(law.pdf(y) * c, y) for law, c in zip(laws, others, strict=True)]
    return np.array(found) / sum(found)


def games(T=64, start=200, N=10_000):
    """How often arms win, whose posteriors change in the way of the three algorithms: means with
    bonuses that grow with log t; the leader's mean goes up and down, and it has more rewards."""
    rng, wins, wanted, variance = np.random.default_rng(3), np.zeros(4), np.zeros(4), np.zeros(4)
    path = 0.79 + np.cumsum(np.random.default_rng(4).choice([-0.0015, 0.0015], T))
    for game in range(N):
        race = race_of((0.79, 2e-3, 2000), (0.5, 0.01, 16), (0.58, 0.01, 35), (0.24, 0.03, 7))
        for t in range(start, start + T):
            a = part.largest_draw(rng, race, t, 0.0)
            wins[a] += 1
            if game == 0:
                p = chances(race.mean, race.width, race.n, math.log(t))
                wanted, variance = wanted + p, variance + p * (1 - p)
            race.mean[0], race.n[0] = path[t - start], race.n[0] + 1
    return wins, N * wanted, np.sqrt(N * variance)


def watched(monkeypatch, name):
    calls, function = [], getattr(part, name)

    def watching(*given):
        calls.append(given[1].arms[0])
        return function(*given)

    monkeypatch.setattr(part, name, watching)
    return calls


@pytest.mark.slow
def test_arms_win_as_often_as_with_draws_of_all(monkeypatch):
    all_drawn = watched(monkeypatch, "draw_all")
    wins, wanted, deviation = games()
    assert len(all_drawn) < wins.sum() / 3 and min(all_drawn) == 0
    assert (wanted > 300).all() and wins[1:].sum() > 5000
    assert (abs(wins - wanted) < SIGMAS * deviation).all()


@pytest.mark.slow
def test_a_bound_that_is_too_small_by_a_tenth_is_noticed(monkeypatch):
    """Controls."""
    monkeypatch.setattr(part, "tail", too_small)
    wins, wanted, deviation = games()
    assert wins[0] - wanted[0] > 1.4 * SIGMAS * deviation[0]
    counts, drawn, _ = draws_beyond(0, 240_000)
    assert counts.mean() - len(drawn) > 0.05 * counts.mean()


@pytest.mark.slow
def test_close_arms_are_drawn_in_every_round(monkeypatch):
    """A contender always, and all arms if most of them are contenders."""
    for others, leader in (((0.2, 0.0, 50), 0), ((0.6, 0.0, 50), -1)):
        rng, race = np.random.default_rng(1), race_of((0.6, 0, 500), (0.59, 0, 400), *[others] * 3)
        all_drawn = watched(monkeypatch, "draw_all")
        wins = np.bincount([part.largest_draw(rng, race, t, 0.0) for t in range(9000, 29_000)])
        p = chances(race.mean, race.width, race.n, 0.0)[: len(wins)]
        assert {*all_drawn} == {leader} and len(all_drawn) == 20_000
        assert (abs(wins - 20_000 * p) < SIGMAS * np.sqrt(20_000 * p * (1 - p))).all()
        monkeypatch.undo()


def test_one_arm():
    race = race_of((0.5, 0.1, 100.0))
    assert all(part.largest_draw(np.random.default_rng(1), race, t, 1.0) == 0 for t in (1, 2, 99))
