"""The algorithms with private contexts are those of slow references, which notice errors."""

import numpy as np
import pytest
from private_references import ldp_lin_ucb, private_lin_ucb
from test_references import ENVS, final
from tiers import first

import dpbandits as dp
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator

ROUNDS = 1000
SLOW = {"private_lin_ucb": private_lin_ucb, "ldp_lin_ucb": ldp_lin_ucb}
CASES = {  # algorithm, environment, eps, options
    "printed": ("private_lin_ucb", "ball", 300.0, {}),
    "messages": ("ldp_lin_ucb", "ball", 1.0, {}),
    "coded": ("ldp_lin_ucb", "ball", 1e4, {"variant": "coded"}),
    "wishart": ("private_lin_ucb", "plane", 100.0, {"noise": "wishart"}),
    "wishart, eps 3000": ("private_lin_ucb", "line", 3000.0, {"noise": "wishart"}),
    "exact": ("private_lin_ucb", "line", 300.0, {"calibration": "exact"}),
    "exact, eps 1": ("private_lin_ucb", "normal", 1.0, {"calibration": "exact"}),
    "printed, eps 1": ("private_lin_ucb", "ball", 1.0, {}),
    "exact messages": ("ldp_lin_ucb", "plane", 1e3, {"calibration": "exact"}),
    "exact, coded": ("ldp_lin_ucb", "line", 300.0, {"variant": "coded", "calibration": "exact"}),
    "coded, normal": ("ldp_lin_ucb", "normal", 1e5, {"variant": "coded"}),
}
MUTANTS = [  # and the case that has what it changes
    ("printed", "m"), ("printed", "ln 2"), ("printed", "shift"), ("printed", "gamma"),
    ("printed", "twice"), ("wishart", "m"), ("wishart", "ln 4"), ("wishart", "shift"),
    ("wishart", "gamma"), ("exact", "m"), ("exact, eps 1", "twice"),
    ("exact messages", "twice"), ("coded", "root"), ("coded", "sigma"), ("coded", "shift"),
    ("exact messages", "c"), ("exact messages", "root"),
]  # fmt: skip


def fast(case, runs):
    name, env, eps, options = CASES[case]
    own = dp.algorithm(name, **options)
    return final(own, dp.contextual(**ENVS[env]), ROUNDS, runs, eps=eps, assume=True)


@pytest.mark.parametrize(("case", "mutant"), first([*((c, "") for c in CASES), *MUTANTS], 8))
def test_the_same_random_numbers_have_the_same_regret(case, mutant):
    name, env, eps, options = CASES[case]
    delta, alpha = (0.001, 0.05) if name == "private_lin_ucb" else (0.1, 0.1)
    given, found = (ENVS[env], ROUNDS, 1, eps, delta, alpha), []
    for run in range(3):
        coins, own = (generator(5, run, stream) for stream in (ENVIRONMENT, LEARNER))
        found += SLOW[name](*given, coins, **options, mutant=mutant, own=own).tolist()
    assert np.allclose(found, fast(case, 3), rtol=1e-6) == (mutant == "")
