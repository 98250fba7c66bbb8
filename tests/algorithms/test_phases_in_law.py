"""DP-KLUCB and DP-IMED against their references with independent noise: mean pulls of each arm."""

import numpy as np
import pytest
import references
from helpers import SIGMAS, bernoulli, play

SETTINGS = {  # means, eps, horizon, parameters
    "eps .05": ([0.9, 0.2], 0.05, 2000, {}),
    "eps .3": ([0.6, 0.5, 0.1], 0.3, 1000, {"alpha": 1.5}),
    "eps 1": ([0.75, 0.625, 0.5, 0.375, 0.25], 1.0, 1500, {}),
    "eps 5": ([0.3, 0.5], 5.0, 600, {"alpha": 3.0}),
    "a long first phase": ([0.5, 0.8, 0.6], 0.4, 800, {"first": 4.0}),
}
RUNS, RUNS_OF_THE_REFERENCE = 800, 300


def distance(fast, slow):
    """The largest difference of mean pulls of an arm in standard errors."""
    error = np.sqrt(fast.var(axis=0) / len(fast) + slow.var(axis=0) / len(slow))
    return (abs(fast.mean(axis=0) - slow.mean(axis=0)) / error).max()


@pytest.mark.long
@pytest.mark.parametrize("name", ["dp_klucb", "dp_imed"])
@pytest.mark.parametrize("label", SETTINGS)
def test_mean_pulls_are_the_reference_s(name, label):
    means, eps, T, changes = SETTINGS[label]
    rng = np.random.default_rng(5)
    reward = references.bernoulli_reward(means, rng)
    slow = []
    for _ in range(RUNS_OF_THE_REFERENCE):
        arms = getattr(references, name)(
            reward, len(means), T, lambda scale: rng.laplace(0, scale), eps, **changes
        )
        slow.append(np.bincount(arms, minlength=len(means)))

    def pulls(eps, **changes):
        runs = range(RUNS)
        return np.array([play(name, bernoulli(*means), T, eps, run=r, **changes)[-1] for r in runs])

    fast, slow, other = pulls(eps, **changes), np.array(slow), pulls(eps / 10, **changes)
    assert distance(fast, slow) < SIGMAS
    assert distance(np.log(fast), np.log(slow)) < SIGMAS
    assert distance(np.log(other), np.log(slow)) > SIGMAS  # control: more noise; no heavy tails
