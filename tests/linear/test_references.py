"""The linear algorithms are those of slow references, which notice deliberate errors."""

import math

import linear_references
import numpy as np
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
    table = dp.run(algo=algo, env=env, horizon=T, runs=runs, checkpoints=1, jobs=1, seed=5, **given)
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
        ("sums", "half"),
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


def oful_fast(case, runs):
    name, env, extra = case
    given = {k: v for k, v in extra.items() if k != "rho"}
    rho = {"rho": extra["rho"]} if "rho" in extra else {}
    own = dp.algorithm(name, **given)
    return final(own, dp.contextual(**ENVS[env]), ROUNDS, runs, **rho, assume=True)


CASES = [
    (name, env, extra)
    for env in ENVS
    for name, extra in [
        ("adac_oful", {"C": 1.0, "rho": 30.0, "bonus": "eigenvalue"}),
        ("lin_ucb", {}),
        ("rs_oful", {"C": 1.0}),
        ("adac_oful", {"C": 0.3, "rho": 300.0, "bonus": "printed", "lam_0": 2.0}),
    ]
]


MUTANTS = [  # and the case that has what it changes
    (0, "lam"), (0, "l"), (0, "root"), (0, "contexts"), (0, "C"), (0, "ln"), (1, "lam"), (1, "ln"),
    (1, "root"), (1, "contexts"), (2, "C"), (2, "lam"), (3, "l"), (3, "C"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "mutant"), [*((i, "") for i in range(len(CASES))), *MUTANTS], ids=str
)
def test_optimism_with_the_same_random_numbers_has_the_same_regret(case, mutant):
    name, env, extra = CASES[case]
    slow, oful = [], getattr(linear_references, name)
    for run in range(3):
        coins, noise = (generator(5, run, stream) for stream in (ENVIRONMENT, LEARNER))
        given = extra | {"mutant": mutant, "noise": noise}
        slow += oful(ENVS[env], ROUNDS, 1, 0.001, 0.1, coins, **given).tolist()
    assert np.allclose(slow, oful_fast(CASES[case], 3), rtol=1e-6) == (mutant == "")
