"""Private stopping rules: the paper's decisions, confidence, bounds, cost and the cap."""

import importlib
import itertools
import json
import math
from functools import cache, partial

import numpy as np
import pytest
import stopping_references
from helpers import MEAN_RULES, SIGMAS, algorithm, answer_in
from in_law import apart
from scipy import stats

from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import PARAMETERS, TABLE, Environment
from dpbandits.environments.populations import homogeneous
from dpbandits.game import new_game, rounds_played
from dpbandits.parts.noise.mechanisms import laplace
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator
from dpbandits.stopping import dp_nas as dp_nas_module
from dpbandits.stopping import nas as nas_module
from dpbandits.stopping.sparse_vector import bar, first_above, noise_scales
from dpbandits.theory.bounds import where_it_holds
from dpbandits.theory.sajed2019 import stopping_lower, stopping_upper


def samples(theorem, mu, eps, a, beta, R=1.0):
    """The number of samples in a theorem, NaN where its conditions fail."""
    return where_it_holds(theorem, R, a, mu, eps, beta)


lower_bound, upper_bound = (partial(samples, x) for x in (stopping_lower, stopping_upper))

PRIVATE = ["dp_nas", "dp_nas_exp"]
FAR = 2**53


def sign(mean, scale=1.0):
    return {"law": "sign", "mean": mean, "scale": scale}


def stop(name, spec, eps=1.0, a=0.5, beta=0.05, R=1.0, cap=FAR, run=0, plain=False, rng=None):
    """Samples taken and estimate of one run; ``spec`` may be an array of fixed rewards."""
    env = fixed(spec) if isinstance(spec, np.ndarray) else environment(json.dumps(spec))
    env_rng = generator(0, run, ENVIRONMENT)
    game = new_game(env, homogeneous(1.0).users(), env_rng, cap, np.array([cap]))
    numbers = (a, beta, R) if name == "nas" else (eps, a, beta, R)
    estimate = answer_in(game, algorithm(name), rng or generator(0, run, LEARNER), numbers, plain)
    return rounds_played(game), estimate


def rewards(T, mean, seed, dyadic=False, R=1.0):
    """Fixed rewards in [-R, R], one arm, with about the given mean."""
    x = np.clip(np.random.default_rng(seed).normal(mean, 0.5 * R, T), -R, R)
    return np.round(x * 64) / 64 if dyadic else x


@cache
def environment(spec):
    return build(json.loads(spec)).alone(0).environment


def fixed(x):
    """The environment whose arm pays the given rewards."""
    no_points, parameters = np.zeros((0, 2)), np.zeros((1, PARAMETERS))
    return Environment(np.array([TABLE]), parameters, no_points, x.reshape(-1, 1), 0.0)


def test_every_rule_has_a_configuration_and_a_reference():
    assert {"nas", *PRIVATE} == set(MEAN_RULES)
    for name in MEAN_RULES:
        assert callable(getattr(stopping_references, name))
        wanted = ["rel_error", "beta", "R"] if name == "nas" else ["eps", "rel_error", "beta", "R"]
        assert list(algorithm(name).domains) == wanted


# where the rules halt within some thousand samples: eps, a, beta, R, mean
QUICK = [
    (2.0, 0.5, 0.1, 1.0, 0.6),
    (0.3, 0.9, 0.3, 1.0, -0.7),
    (5.0, 0.3, 0.02, 2.5, 1.5),
    (math.inf, 0.5, 0.05, 1.0, 0.4),
    (3.0, 0.2, 0.05, 1.0, -9.0),  # every sample is -R: no sum moves faster
]


@pytest.mark.parametrize("setting", QUICK)
@pytest.mark.parametrize("name", MEAN_RULES)
@pytest.mark.parametrize("kind", ["plain", "compiled"])
def test_on_the_same_samples_and_noise_a_rule_is_the_paper_s(name, setting, kind, monkeypatch):
    """The reference draws A_t at every t. DP-NAS asks which of the next A_t is the first below a
    level: in plain Python it is answered from the same A_t; compiled, there is no noise."""
    eps, a, beta, R, mean = setting
    if name == "dp_nas" and kind == "compiled":
        eps = math.inf
    cap = 6000
    for seed in range(4):
        x = rewards(cap, mean, seed, R=R)
        env_rng, own = generator(0, seed, LEARNER), generator(0, seed, LEARNER)
        tests = Replay(np.random.default_rng(seed).laplace(0, 1, cap))
        exact = name == "dp_nas" and kind == "plain"
        if exact:
            monkeypatch.setattr(dp_nas_module, "first_above", tests.first_above)

        def noise(scale, env_rng=env_rng, tests=tests, exact=exact, s3=4 * R / eps):
            if exact and tests.drew_the_first and scale != s3:
                return scale * next(tests.values)
            tests.drew_the_first = True
            return laplace(env_rng, scale)

        reference = getattr(stopping_references, name)
        time, estimate = reference(lambda t, x=x: x[t - 1], noise, eps, a, beta, R, cap)
        assert time < cap
        given = {"eps": eps, "a": a, "beta": beta, "R": R, "cap": cap, "rng": own}
        found = stop(name, x, plain=kind == "plain", **given)
        assert found == (time, pytest.approx(estimate, rel=1e-9))
        if name != "dp_nas":  # as many draws, in the same order
            assert env_rng.random() == own.random()


class Replay:
    """Laplace variables of scale 1 drawn in advance, for a reference and for ``first_above``."""

    def __init__(self, values):
        self.all = values
        self.values = iter(values)
        self.used = 0
        self.drew_the_first = False

    def first_above(self, rng, n, scale, level):
        for i in range(1, n + 1):
            minus_A = -scale * self.all[self.used + i - 1]
            if level <= 0 or minus_A > level:
                self.used += i
                return i, minus_A
        self.used += n
        return n + 1, 0.0


def test_other_noise_stops_at_another_time():
    """The control of the test above."""
    x = rewards(6000, 0.6, 0)
    times = {stop("dp_nas", x, run=run, cap=6000)[0] for run in range(5)}
    assert len(times) > 1


@pytest.mark.parametrize("beta", [0.04, 0.5])
@pytest.mark.parametrize("a", [0.2, 0.8])
def test_without_noise_dp_nas_is_nas_at_a_quarter_of_beta(a, beta):
    for seed in range(5):
        x = rewards(20_000, 0.5, seed, dyadic=True)
        given = {"a": a, "cap": 20_000}
        private = stop("dp_nas", x, eps=math.inf, beta=beta, **given)
        assert private == stop("nas", x, beta=beta / 4, **given)
        assert private[0] < 20_000
        assert private != stop("nas", x, beta=beta, **given)


@pytest.mark.parametrize("R", [1.0, 40.0])
@pytest.mark.parametrize("eps", [0.1, 3.0])
@pytest.mark.parametrize("name", PRIVATE)
def test_scales_of_the_noise(name, eps, R, monkeypatch):
    """B of scale 12R/eps, then A_t of 12R/eps, last L of 4R/eps; a fresh A_t at every test."""
    module = importlib.import_module(f"dpbandits.stopping.{name}")
    drawn = []

    def recorded(rng, scale):
        drawn.append(scale)
        return laplace(rng, scale)

    monkeypatch.setattr(module, "laplace", recorded)
    if name == "dp_nas":

        def above(rng, n, scale, level):
            drawn.append(scale)
            return first_above(rng, n, scale, level)

        monkeypatch.setattr(module, "first_above", above)
    time, _ = stop(name, sign(0.5 * R, R), eps=eps, R=R, plain=True)
    wide, narrow = 12 * R / eps, 4 * R / eps
    assert drawn[0] == drawn[1] == pytest.approx(wide) and drawn[-1] == pytest.approx(narrow)
    assert set(drawn[:-1]) == {drawn[0]}
    if name == "dp_nas_exp":
        assert len(drawn) == 2 + math.log2(time)


@pytest.mark.parametrize("name", MEAN_RULES)
@pytest.mark.parametrize("eps", [0.3, 4.0, math.inf])
def test_compiled_equals_plain_python(name, eps):
    laws = [
        sign(-0.6),
        {"law": "bernoulli", "means": [0.7, 0.1]},
        {"law": "mixed", "arms": [{"law": "uniform", "low": -0.2, "high": 1.0, "copies": 2}]},
        rewards(20_000, 0.6, 3),
    ]
    for spec in laws:
        for run in range(3):
            given = {"eps": eps, "a": 0.6, "run": run, "cap": 20_000}
            compiled = stop(name, spec, **given)
            assert compiled == stop(name, spec, plain=True, **given)
            assert compiled[0] < 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", MEAN_RULES)
def test_stopping_times_are_the_reference_s_in_law(name):
    """Independent random numbers; blocks and skipped tests must not be seen in the times."""
    eps, a, beta, mean = 1.0, 0.9, 0.4, 0.8
    rng = np.random.default_rng(4)
    reference = getattr(stopping_references, name)

    def sample(t):
        return 1.0 if rng.random() < (1 + mean) / 2 else -1.0

    slow = [
        reference(sample, lambda b: rng.laplace(0, b), eps, a, beta, 1.0, 10_000)
        for _ in range(400)
    ]
    given = {"eps": eps, "a": a, "beta": beta}
    fast = [stop(name, sign(mean), run=r, **given) for r in range(1200)]
    assert apart(slow, fast) < SIGMAS  # times and estimates
    times = [[t for t, _ in found] for found in (slow, fast)]
    assert stats.ks_2samp(*times).pvalue > 1e-6
    # control: another beta is told apart
    other = [stop(name, sign(mean), run=r, eps=eps, a=a, beta=0.1)[0] for r in range(1200)]
    assert apart(times[0], other) > SIGMAS


GRID = list(itertools.product([-0.9, 0.1, 0.5], [0.2, 0.8], [0.05, 0.3], [0.5, 10.0]))


def share_wrong(name, mean, a, beta, eps, runs, **more):
    found = [stop(name, sign(mean), eps=eps, a=a, beta=beta, run=r, **more)[1] for r in range(runs)]
    return np.mean([not abs(estimate - mean) <= a * abs(mean) for estimate in found])


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
        given = {"eps": eps, "a": a, "beta": beta, "R": R}
        times = np.array([stop(name, sign(mu, R), run=r, **given)[0] for r in range(60)])
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
def test_every_rule_stops_at_the_cap(name):
    for cap in (1, 2, 3, 7, 8, 1000, 10**9):
        for eps in (1e-3, 1.0, math.inf):
            samples, estimate = stop(name, sign(0.0), eps=eps, cap=cap)
            assert math.isnan(estimate) and samples <= cap
            assert name == "dp_nas_exp" or samples == cap


@pytest.mark.parametrize("name", MEAN_RULES)
def test_a_cap_at_the_stopping_time_changes_nothing(name):
    x = rewards(6000, 0.6, 1)
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
