"""Events that tell two samples apart, and the bound on the privacy loss that they prove."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from dpbandits.audit.events import Event, epsilon_bound, learn, mu_bound


def test_the_bound_is_clopper_and_pearson_s():
    n, level = 1000, 0.02
    for k, other in ((500, 100), (30, 3), (7, 0), (1000, 400)):
        low = binomtest(k, n).proportion_ci(1 - level, method="exact").low
        high = binomtest(other, n).proportion_ci(1 - level, method="exact").high
        wanted = max(math.log(low) - math.log(high), 0.0)
        assert epsilon_bound(np.array(k), np.array(other), n, level) == pytest.approx(wanted)
    assert epsilon_bound(np.array(0), np.array(0), n, level) == 0
    assert epsilon_bound(np.array(n), np.array(n), n, level) == 0


def test_an_event_is_learned_and_described():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 10, (4000, 3)), rng.integers(0, 10, (4000, 3))
    x[(x[:, 1] > 6) & (x[:, 2] <= 2), 1] = 0
    score, event = learn((x, y), 0.01)
    assert event.side == 1 and score > 2
    assert event.count(x) < 40 < 300 < event.count(y)
    words = event.in_words(["a", "b", "c"])
    assert "b > 6" in words and "c <= 2" in words and "a" not in words.split()


def test_nothing_is_learned_where_nothing_differs():
    score, event = learn((np.ones((100, 2)), np.ones((100, 2))), 0.01)
    assert score == 0 and event == Event((), 0)


def test_the_bound_on_mu_is_too_large_as_rarely_as_stated():
    """Events whose frequencies are those of two normal laws at a distance of mu."""
    rng, n, level, mu = np.random.default_rng(1), 2000, 0.1, 0.8
    for cut in (-1.0, 0.4, 2.0):
        p, q = norm.sf(cut - mu), norm.sf(cut)
        bounds = mu_bound(rng.binomial(n, p, 4000), rng.binomial(n, q, 4000), n, level)
        assert (bounds > mu).mean() <= level
        assert np.median(bounds) > mu - 0.4
        assert (bounds > 0.7 * mu).mean() > level  # the control: what promises .7 mu is caught
    assert mu_bound(np.array([0, n]), np.array([0, n]), n, level).tolist() == [0, 0]
