"""Lower bounds on the samples that identify the best arm: the optimum, and its limits."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import rel_entr

from dpbandits.theory.azize2024 import samples_lower, samples_lower_of_divergence
from dpbandits.theory.bounds import ConditionFailed

INSTANCES = [[0.9, 0.5], [0.95, 0.9, 0.9, 0.5], [0.3, 0.75, 0.7]]


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def rates(w, means, eps):
    """The smallest of kl and eps TV over instances in which another arm is as good as the best."""
    best = int(np.argmax(means))
    found = []
    for a in range(len(means)):
        if a != best:
            grid = np.linspace(means[a], means[best], 2001)
            divergence = (w[best] * kl(means[best], grid) + w[a] * kl(means[a], grid)).min()
            variation = (w[best] * abs(means[best] - grid) + w[a] * abs(means[a] - grid)).min()
            found.append(min(divergence, eps * variation))
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize("means", INSTANCES)
@pytest.mark.parametrize("eps", [0.05, 0.5])
def test_the_characteristic_time_is_the_best_over_all_weights(means, eps):
    """Against a direct search of the weights on a grid of alternatives."""

    def slowness(z):
        return 1 / rates(np.exp(z) / np.exp(z).sum(), means, eps)

    starts = np.random.default_rng(0).normal(0, 0.5, (2, len(means)))
    options = {"maxiter": 300, "adaptive": True}
    direct = min(minimize(slowness, z, method="Nelder-Mead", options=options).fun for z in starts)
    found = samples_lower(means, eps, 0.01) / math.log(1 / 0.03)
    assert found <= direct * (1 + 1e-6)
    assert found == pytest.approx(direct, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("means", INSTANCES)
def test_bounds_grow_as_the_budget_shrinks_and_the_divergence_s_is_larger(means):
    budgets = [10.0, 1.0, 0.3, 0.1, 0.01, 0.001]
    first = [samples_lower(means, eps, 0.01) for eps in budgets]
    second = [samples_lower_of_divergence(means, eps, 0.01) for eps in budgets]
    for values in (first, second):
        assert all(b >= a * (1 - 1e-6) for a, b in itertools.pairwise(values))
    assert all(b >= a * (1 - 1e-4) for a, b in zip(first, second, strict=True))
    assert second[2] > 1.0001 * first[2] or second[3] > 1.0001 * first[3]
    without = samples_lower(means, math.inf, 0.01)
    assert first[0] == pytest.approx(without) and second[0] == pytest.approx(without, rel=1e-3)
    assert first[-1] == pytest.approx(10 * first[-2], rel=1e-3)  # 1/eps


def test_two_gaps_have_the_closed_form_of_total_variation():
    """At small eps two arms are pulled alike: 1/T* = eps gap/2."""
    assert samples_lower([0.9, 0.5], 1e-3, 0.1) == pytest.approx(5000 * math.log(1 / 0.3), rel=1e-6)


def test_a_best_mean_of_1_is_the_limit_of_means_below_1():
    """An arm without weight says nothing, although its divergence from a mean of 1 is infinite."""
    for bound in (samples_lower, samples_lower_of_divergence):
        for eps in (0.1, 1.0, math.inf):
            near = bound([1 - 1e-9, 0.5, 0.0], eps, 0.05)
            assert bound([1.0, 0.5, 0.0], eps, 0.05) == pytest.approx(near, rel=1e-4)


def test_conditions():
    for means, delta in (([0.5, 0.5], 0.1), ([0.9, 0.5], 0.4)):
        with pytest.raises(ConditionFailed):
            samples_lower(means, 1.0, delta)
