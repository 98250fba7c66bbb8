"""Events that tell two samples apart, and the bound on the privacy loss that they prove."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from dpbandits.audit.sampling.events import Event, learn, rank, ratio
from dpbandits.audit.targets.target import MISSING


def test_the_score_is_the_loss_between_clopper_and_pearson_s_bounds():
    n, level = 1000, 0.02
    for k, other in ((500, 100), (30, 3), (7, 0), (1000, 400), (100, 500)):
        low = binomtest(k, n).proportion_ci(1 - level, method="exact").low
        high = binomtest(other, n).proportion_ci(1 - level, method="exact").high
        for scale in (math.log, norm.ppf):
            found = rank(
                np.array(k), np.array(other), n, level, ratio if scale is math.log else scale
            )
            assert found == pytest.approx(scale(low) - scale(high))
    assert rank(np.array(0), np.array(0), n, level, ratio) == -np.inf


def test_an_event_is_learned_and_described():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 10, (4000, 3)), rng.integers(0, 10, (4000, 3))
    x[(x[:, 1] > 6) & (x[:, 2] <= 2), 1] = 0
    score, event, (p, q) = learn((x, y), 0.01)
    assert event.side == 1 and score > 2
    assert event.happens(x).sum() < 40 < 300 < event.happens(y).sum()
    assert p == pytest.approx(event.happens(y).mean(), rel=0.3) and q < 0.01
    words = event.in_words(["a", "b", "c"])
    assert "b > 6" in words and "c <= 2" in words and "a" not in words.split()


def test_nothing_is_learned_where_nothing_differs():
    score, event, _ = learn((np.ones((100, 2)), np.ones((100, 2))), 0.01)
    assert score == 0 and event == Event((), 0)


def test_the_most_promising_event_is_chosen_although_none_is_sure():
    """Of a loss of .1 in few runs no bound is above 0; the event that always happens is none."""
    rng = np.random.default_rng(4)
    score, event, (p, q) = learn((rng.random((200, 1)), rng.random((200, 1)) + 0.05), 0.01)
    assert score == 0 and event.bounds and 0 < q < 1 and 0 < p < 1


def test_an_event_of_one_in_three_hundred_runs_is_found_in_a_large_sample():
    rng, n = np.random.default_rng(5), 20_000
    x, y = rng.random((n, 2)), rng.random((n, 2))
    x[rng.random(n) < 1 / 300, 1] = 3.0
    score, event, _ = learn((x, y), 0.01)
    assert score > 0 and event.side == 0
    assert event.happens(y).sum() < 10 and event.happens(x).sum() > 40


def test_what_is_missing_is_said_in_words():
    """A cut between a missing value and the others is no number of the output."""
    given = ((0, -np.inf, MISSING / 2), (1, MISSING / 2, np.inf), (2, MISSING / 2, 3.0))
    words = Event(given, 0).in_words(["arm named", "estimate", "response"])
    assert words == "no arm named and some estimate and some response <= 3"
    given = ((0, -np.inf, 3.0), (1, 1.0, 2.0), (2, 1.0, np.inf))  # controls: nothing is missing
    words = Event(given, 0).in_words(["pulls", "regret", "time"])
    assert words == "pulls <= 3 and 1 < regret <= 2 and time > 1"
