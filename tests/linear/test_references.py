"""The linear algorithms are those of slow references, which notice deliberate errors."""

import math

import linear_references
import numpy as np
import private_references
import pytest
from linear_references import gope
from tiers import first

import dpbandits as dp
from dpbandits.parts.linear.design import d_optimal
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator

SIGMAS = 5.0
SLACK = 2e-3  # relative, of a mean regret: two designs agree to 1e-3 only
T, RUNS = 250_000, 400


def sphere(instance, K, d):
    x = np.random.default_rng([instance, 77]).standard_normal((K + 1, d))
    x /= np.linalg.norm(x, axis=1)[:, None]
    return x[1:], x[0]


def apart(slow, fast, slack=0.0):
    """The distance of two means in standard errors, less a slack."""
    distance = max(abs(np.mean(slow) - np.mean(fast)) - slack * np.mean(fast), 0.0)
    errors = [np.std(x) / math.sqrt(len(x)) for x in (slow, fast)]
    return distance / max(math.hypot(*errors), 1e-9)


def final(algo, env, T, runs, **given):
    given |= {"checkpoints": 1, "jobs": 1, "seed": 5, "shuffle_arms": False}
    table = dp.run(algo=algo, env=env, horizon=T, runs=runs, **given)
    return table[table["t"] == T]["regret"].to_numpy()


def edge(d, more):
    """Actions of which one has a gap that is ``more`` above 2 beta in phase 2: whether it stays
    depends on the noise. Their optimal designs are unique.
    """
    x = (0.4 - more) / 0.9
    features = np.eye(d + 1, d)
    features[d, :2] = x, math.sqrt(1 - x * x)
    features[1, :2] = 0, -1
    return features, 0.9 * np.eye(d)[0]


PHASED = {  # d, more, delta, rho, noise
    "no noise": (2, 0.03, 0.001, math.inf, "middle"),
    "middle": (2, 0.01, 0.001, 1e-4, "middle"),
    "sums": (2, 0.01, 0.001, 1e-4, "sums"),
    "no noise, d 3": (3, 0.02, 0.1, math.inf, "middle"),
    "no noise, d 4": (4, -0.02, 0.001, math.inf, "middle"),
    "no noise, below": (2, -0.03, 0.5, math.inf, "middle"),
    "middle, d 3": (3, 0.01, 0.001, 1e-3, "middle"),
    "middle, d 4": (4, 0.01, 0.1, 1e-2, "middle"),
    "middle, rho 1": (2, -0.03, 0.001, 1.0, "middle"),
    "sums, d 3": (3, 0.01, 0.001, 1e-3, "sums"),
    "sums, d 4": (4, 0.01, 0.1, 1e-2, "sums"),
    "sums, rho 1": (2, -0.03, 0.001, 1.0, "sums"),
}


def phased_slow(case, mutant="", runs=RUNS):
    d, more, delta, rho, noise = PHASED[case]
    features, theta = edge(d, more)
    gaps, rng = (features @ theta).max() - features @ theta, np.random.default_rng(3)
    return [
        gope(features, theta, None, T, delta, rng, rho, noise, mutant=mutant) @ gaps
        for _ in range(runs)
    ]


def phased_fast(case):
    d, more, delta, rho, noise = PHASED[case]
    env = dp.linear(*edge(d, more))
    if rho == math.inf:
        return final(dp.algorithm("gope", delta=delta), env, T, 5 * RUNS)
    own = dp.algorithm("adac_gope", delta=delta, noise=noise)
    return final(own, env, T, 5 * RUNS, rho=rho)


@pytest.mark.parametrize("case", first(PHASED, 2))
def test_phased_elimination_has_the_regret_of_its_reference(case):
    assert apart(phased_slow(case), phased_fast(case), SLACK) < SIGMAS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "mutant"),
    [
        ("no noise", "delta_l"), ("no noise", "ln"), ("middle", "delta_l"), ("sums", "delta_l"),
        ("sums", "half"), ("middle, rho 1", "root"), ("sums, rho 1", "root"),
    ],
)  # fmt: skip
def test_errors_of_phased_elimination_are_noticed(case, mutant):
    assert apart(phased_slow(case, mutant, 1500), phased_fast(case), SLACK) > SIGMAS


@pytest.mark.parametrize("mutant", ["", "floor", "delta_l", "ln"])
def test_the_lengths_of_phases_are_exact(mutant):
    """With hardly any noise in the rewards, and the same designs, pulls are the same."""
    for instance in range(6):
        features, theta = sphere(instance, 6, 3)
        rng = np.random.default_rng(0)
        pulls = gope(features, theta, 1e-9, T, 0.001, rng, design=d_optimal, mutant=mutant)
        gaps = (features @ theta).max() - features @ theta
        env = dp.linear(features, theta, noise="gaussian", sigma=1e-9)
        [fast] = final("gope", env, T, 1)
        same = math.isclose(fast, pulls @ gaps, rel_tol=1e-9)
        assert same == (mutant == "") or (instance and mutant)


@pytest.mark.parametrize("mutant", ["", "root"])
def test_the_lengths_of_private_phases_are_exact(mutant):
    """As above; the noise of the phases is far below the width at which actions are kept."""
    for instance in range(6):
        features, theta = sphere(instance, 6, 3)
        rng = np.random.default_rng(0)
        given = (features, theta, 1e-9, T, 0.001, rng, 10.0)
        pulls = gope(*given, design=d_optimal, mutant=mutant)
        gaps = (features @ theta).max() - features @ theta
        env = dp.linear(features, theta, noise="gaussian", sigma=1e-9)
        [fast] = final("adac_gope", env, T, 1, rho=10, assume=True)
        assert math.isclose(fast, pulls @ gaps, rel_tol=1e-9) == (mutant == "")


BALL = {
    "K": 5, "theta": [0.6, -0.6, 0.5], "center": [0.3, 0.3, 0.3], "variance": 0.04, "ball": True,
    "noise": "sign", "sigma": 1.0,
}  # fmt: skip
NORMAL = BALL | {
    "variance": 0.2,
    "ball": False,
    "noise": "gaussian",
    "center": [0.0, 0.0, 0.0],
    "K": 3,
}
# Contexts of length 1 would tie in the first rounds: few are as long
PLANE = BALL | {"theta": [0.3, 0.9], "center": [0.0, 0.5], "K": 8}
LINE = BALL | {"theta": [1.0], "center": [0.1], "K": 2, "variance": 0.1}
ENVS = {"ball": BALL, "normal": NORMAL, "plane": PLANE, "line": LINE}
ROUNDS = 1000
# Each environment with optimism, then private contexts: algorithm, environment, budget, options
CASES = {
    f"{env}, {i}": (name, env, budget, options)
    for env in ENVS
    for i, (name, budget, options) in enumerate([
        ("adac_oful", {"rho": 30.0}, {"C": 1.0, "bonus": "eigenvalue"}),
        ("lin_ucb", {}, {}),
        ("rs_oful", {}, {"C": 1.0}),
        ("adac_oful", {"rho": 300.0}, {"C": 0.3, "bonus": "printed", "lam_0": 2.0}),
    ])
} | {
    "printed": ("private_lin_ucb", "ball", {"eps": 300.0}, {}),
    "messages": ("ldp_lin_ucb", "ball", {"eps": 1.0}, {}),
    "coded": ("ldp_lin_ucb", "ball", {"eps": 1e4}, {"variant": "coded"}),
    "wishart": ("private_lin_ucb", "plane", {"eps": 100.0}, {"noise": "wishart"}),
    "wishart, eps 3000": ("private_lin_ucb", "line", {"eps": 3000.0}, {"noise": "wishart"}),
    "exact": ("private_lin_ucb", "line", {"eps": 300.0}, {"calibration": "exact"}),
    "exact, eps 1": ("private_lin_ucb", "normal", {"eps": 1.0}, {"calibration": "exact"}),
    "printed, eps 1": ("private_lin_ucb", "ball", {"eps": 1.0}, {}),
    "exact messages": ("ldp_lin_ucb", "plane", {"eps": 1e3}, {"calibration": "exact"}),
    "exact, coded": (
        "ldp_lin_ucb", "line", {"eps": 300.0}, {"variant": "coded", "calibration": "exact"}
    ),
    "coded, normal": ("ldp_lin_ucb", "normal", {"eps": 1e5}, {"variant": "coded"}),
}  # fmt: skip
MUTANTS = [  # and the case that has what it changes
    ("ball, 0", "lam"), ("ball, 0", "l"), ("ball, 0", "root"), ("ball, 0", "contexts"),
    ("ball, 0", "C"), ("ball, 0", "ln"), ("ball, 1", "lam"), ("ball, 1", "ln"),
    ("ball, 1", "root"), ("ball, 1", "contexts"), ("ball, 2", "C"), ("ball, 2", "lam"),
    ("ball, 3", "l"), ("ball, 3", "C"),
    ("printed", "m"), ("printed", "ln 2"), ("printed", "shift"), ("printed", "gamma"),
    ("printed", "twice"), ("wishart", "m"), ("wishart", "ln 4"), ("wishart", "shift"),
    ("wishart", "gamma"), ("exact", "m"), ("exact, eps 1", "twice"),
    ("exact messages", "twice"), ("coded", "root"), ("coded", "sigma"), ("coded", "shift"),
    ("exact messages", "c"), ("exact messages", "root"),
]  # fmt: skip
# delta, and alpha or the weight of the ridge
NUMBERS = {"private_lin_ucb": (0.001, 0.05), "ldp_lin_ucb": (0.1, 0.1)}


@pytest.mark.parametrize(("case", "mutant"), first([*((c, "") for c in CASES), *MUTANTS], 41))
def test_the_same_random_numbers_have_the_same_regret(case, mutant):
    name, env, budget, options = CASES[case]
    slow = getattr(linear_references, name, None) or getattr(private_references, name)
    given, found = (ENVS[env], ROUNDS, 1, *NUMBERS.get(name, (0.001, 0.1))), []
    for run in range(3):
        env_rng, own = (generator(5, run, stream) for stream in (ENVIRONMENT, LEARNER))
        found += slow(*given, env_rng, **budget, **options, mutant=mutant, own=own).tolist()
    algo = dp.algorithm(name, **options)
    fast = final(algo, dp.contextual(**ENVS[env]), ROUNDS, 3, **budget, assume=True)
    assert np.allclose(found, fast, rtol=1e-6) == (mutant == "")
