"""The naive loops of the benchmark play the same algorithms as the package."""

import importlib.util
from functools import cache
from pathlib import Path

import helpers
import numba
import numpy as np
import pytest
from helpers import NAMES, SIGMAS, THOMPSON, arguments, bernoulli, play, setting, without_noise
from in_law import apart

import dpbandits as dp
from dpbandits.environments.catalogue import build
from dpbandits.running.play import play_many
from dpbandits.running.seeds import generator

FILE = Path(__file__).parents[2] / "benchmarks" / "naive.py"
MEANS = [0.75, 0.9, 0.1]
NORMAL = dp.environment("ren_gaussian", means=MEANS)
PARETO = dp.environment("pareto_v09", means=MEANS)
LAWS = {"heldp_ucb_ls": NORMAL, "heldp_ucb_bs": NORMAL, "robust_ucb": PARETO, "dpr_ucb": PARETO}
SHORT = helpers.SHORT | {"dpr_ucb": {"c": 0.5}}  # with c = 1 half the noise would not be seen
DETERMINISTIC = sorted(
    set(NAMES) - set(LAWS) - {"prae_c", "ncb", "gdp_ncb", "ldp_ncb"} - set(THOMPSON)
)  # on fixed rewards, without noise; the last three begin with random arms


@cache
def naive(compiled):
    """The naive loops; those that are not compiled take no seconds to compile."""
    spec = importlib.util.spec_from_file_location("naive", FILE)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(numba, "njit", lambda function, **_: function)
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_without_noise_a_naive_loop_plays_the_same_arms(name):
    """On rewards that are always 1 or always 0: the numbers of pulls are equal."""
    eps, changes = without_noise(name), SHORT[name]
    eps = min(eps, 1e9)
    for means in ([1.0, 0.0], [0.0, 1.0]):
        for T in (2, 64, 500):
            given = arguments(name, eps, T, build(bernoulli(*means)), **changes)
            rng = np.random.default_rng(1)
            pulls = getattr(naive(False), name)(rng, np.array(means), T, *given)
            expected = play(name, bernoulli(*means), T, eps=eps, plain=True, **changes)[-1]
            assert (pulls == expected).all()


def pulls_of_both(name, runs, T, **changes):
    """Pulls of each arm in some runs at eps 1 of the package and of the naive loop, float64 arrays
    (runs, K).
    """
    given = {"env": LAWS.get(name, dp.bernoulli(MEANS)), "horizon": T, "assume": True}
    given |= {"shuffle_arms": False}  # the loops play the arms as they are listed
    chosen = setting(algo=name, **given | SHORT[name] | changes)
    ours = [record.pulls[-1] for record in play_many(chosen, range(runs))]
    loop = getattr(naive(True), name)
    theirs = [
        loop(generator(1, run, 0), np.array(MEANS), T, *chosen.arguments) for run in range(runs)
    ]
    return np.array(ours, dtype=float), np.array(theirs)


def distance(ours, theirs):
    """The largest difference of mean pulls, and of mean squares, in standard errors."""
    return max(apart(ours**power, theirs**power) for power in (1, 2))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_naive_loop_has_the_law_of_the_algorithm(name):
    T = 1000 if name == "robust_ucb" else 5000  # the naive loop takes O(T^2)
    ours, theirs = pulls_of_both(name, 400, T)
    assert (theirs.sum(axis=1) == T).all()
    assert distance(ours, theirs) < SIGMAS
    assert np.ptp(ours, axis=0).max() > 0.0


@pytest.mark.slow
def test_another_law_is_noticed():
    """Control: AdaP-UCB with wider radii, HeLDP-UCB-B with less noise."""
    for name, changes in (("adap_ucb", {"alpha": 2.0}), ("heldp_ucb_b", {"eps": 1.2})):
        ours, _ = pulls_of_both(name, 400, 5000)
        _, theirs = pulls_of_both(name, 400, 5000, **changes)
        assert distance(ours, theirs) > 1.5 * SIGMAS
