"""Private stopping rules: confidence, bounds, cost and the cap."""

import importlib
import itertools
import math
from functools import partial

import numpy as np
import pytest
from conformance import near, sign
from helpers import MEAN_RULES, SIGMAS, records

from dpbandits.stopping import nas as nas_module
from dpbandits.stopping.sparse_vector import bar, noise_scales
from dpbandits.theory.bounds import where_it_holds
from dpbandits.theory.sajed2019 import stopping_lower, stopping_upper


def samples(theorem, mu, eps, a, beta, R=1.0):
    """The number of samples in a theorem, NaN where its conditions fail."""
    return where_it_holds(theorem, R, a, mu, eps, beta)


lower_bound, upper_bound = (partial(samples, x) for x in (stopping_lower, stopping_upper))

PRIVATE = ["dp_nas", "dp_nas_exp"]
FAR = 2**53


def stop(name, spec, eps=1.0, a=0.5, beta=0.05, R=1.0, cap=FAR, run=0, plain=False):
    """Samples taken and estimate of one run."""
    [found] = stops(name, spec, [run], eps, a, beta, R, cap, plain)
    return found


def stops(name, spec, runs, eps=1.0, a=0.5, beta=0.05, R=1.0, cap=FAR, plain=False):
    """Those of some runs."""
    given = {"eps": eps, "rel_error": a, "beta": beta, "R": R, "runs": runs, "plain": plain}
    found = records(name, spec, cap, checkpoints=np.array([cap]), **given)
    return [(pulls[-1].sum(), estimate) for pulls, estimate in found]


GRID = list(itertools.product([-0.9, 0.1, 0.5], [0.2, 0.8], [0.05, 0.3], [0.5, 10.0]))


def share_wrong(name, mean, a, beta, eps, runs, **more):
    found = stops(name, sign(mean), range(runs), eps, a, beta, **more)
    return np.mean([not abs(estimate - mean) <= a * abs(mean) for _, estimate in found])


@pytest.mark.slow
@pytest.mark.parametrize("name", MEAN_RULES)
def test_the_estimate_is_right_with_the_confidence_that_is_promised(name):
    runs = 100
    for mean, a, beta, eps in GRID:
        allowed = beta + SIGMAS * math.sqrt(beta * (1 - beta) / runs)
        assert share_wrong(name, mean, a, beta, eps, runs) <= min(allowed, 0.5)


@pytest.mark.parametrize("name", MEAN_RULES)
def test_with_a_fifth_of_the_bar_it_is_not(name, monkeypatch):
    """The control: the same check rejects rules that stop too soon."""
    module = importlib.import_module(f"dpbandits.stopping.{name}")
    word, right = ("nas_bar", nas_module.nas_bar) if name == "nas" else ("bar", bar)
    monkeypatch.setattr(module, word, lambda *given: right(*given) / 5)
    runs, beta = 300, 0.05
    wrong = share_wrong(name, 0.1, 0.5, beta, 1.0, runs, plain=True)
    assert wrong > beta + SIGMAS * math.sqrt(beta * (1 - beta) / runs)


BOUNDED = [
    *itertools.product([0.05, -0.3], [0.1, 0.5], [0.1, 1.0], [0.05, 0.01], [1.0]),
    *itertools.product([0.1, -0.5], [0.25, 0.5], [0.1, 1.0], [0.05], [2.0]),
]


@pytest.mark.parametrize(("mu", "a", "eps", "beta", "R"), BOUNDED)
def test_times_lie_within_the_bounds_of_the_theorems(mu, a, eps, beta, R):
    lower, upper = (f(mu, eps, a, beta, R) for f in (lower_bound, upper_bound))
    for name in PRIVATE:
        times = np.array([t for t, _ in stops(name, sign(mu, R), range(60), eps, a, beta, R)])
        assert (times > lower).mean() > 0.25
        assert name == "dp_nas" or (times <= upper).mean() >= 1 - beta
        assert (times > upper / 2000).all()  # control: a bound that does not hold


def test_bounds_where_the_theorems_do_not_hold_are_nan():
    assert upper_bound(0.05, math.inf, 0.5, 0.05) < upper_bound(0.05, 1.0, 0.5, 0.05)
    for nothing in ((0.0, 1, 0.5, 0.05), (0.1, 1, 0.5, 0.09), (0.9, 1, 0.9, 0.05)):
        assert math.isnan(upper_bound(*nothing))
    for nothing in ((0.0, 1, 0.5, 0.05), (0.1, 1, 0.5, 0.25)):
        assert math.isnan(lower_bound(*nothing))


def test_the_upper_bound_follows_from_the_proof():
    """Where neither samples nor noise are farther off than beta allows, DP-NAS-EXP has halted."""
    grid = itertools.product(
        10.0 ** np.arange(-9, 0.1, 1.5),
        [1e-6, 0.01, 0.3, 0.99],
        [1e-3, 0.1, 10],
        [1e-9, 0.01, 0.08],
    )
    checked = 0
    for (mu, a, eps, beta), R in itertools.product(grid, [1.0, 20.0]):
        upper = upper_bound(mu, eps, a, beta, R)
        if math.isnan(upper):
            continue
        s1, s2, s3 = noise_scales(eps, R)
        k = 1
        while True:
            t = 2.0**k
            h = R * math.sqrt(2 / t * math.log(16 * k**2 / beta))
            noise = 2 * s1 * math.log(4 / beta) + 2 * s2 * math.log(8 * k**2 / beta)
            noise += s3 / a * math.log(4 / beta)
            if mu >= h * (2 + 1 / a) + noise / t:
                break
            k += 1
        assert t <= upper
        checked += 1
    assert checked > 300


def test_the_exponential_rule_takes_one_test_a_doubling_whatever_the_stopping_time():
    time, estimate = stop("dp_nas_exp", sign(1e-6), a=0.5)
    assert time > 10**14 and abs(estimate - 1e-6) < 0.5e-6
    assert math.log2(time) == int(math.log2(time))


@pytest.mark.parametrize("name", ["nas", "dp_nas"])
def test_a_trillion_samples_are_a_moment_s_work(name):
    time, estimate = stop(name, sign(1e-4), a=0.1)
    assert 10**12 < time < 10**13 and abs(estimate - 1e-4) < 1e-5


@pytest.mark.parametrize("name", MEAN_RULES)
def test_a_cap_at_the_stopping_time_changes_nothing(name):
    x = near(0.6, 1)
    halted = stop(name, x, a=0.6, cap=6000)
    time = halted[0]
    assert 1 < time < 6000 and not math.isnan(halted[1])
    if name != "dp_nas":  # whose draws depend on how many samples are left
        assert stop(name, x, a=0.6, cap=time) == halted
    at_once = stop("nas", x, a=0.6, cap=time - 1)
    assert name != "nas" or math.isnan(at_once[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", MEAN_RULES)
@pytest.mark.parametrize("eps", [1e-100, 1e-9, 1e9, 1e300])
def test_extreme_parameters(name, eps):
    for R, a, beta in itertools.product([1e-100, 1.0, 1e100], [1e-100, 0.999], [1e-100, 0.999]):
        samples, estimate = stop(name, sign(0.9 * R, R), eps=eps, a=a, beta=beta, R=R, cap=FAR)
        assert 0 <= samples <= FAR
        assert math.isnan(estimate) or math.isfinite(estimate)
