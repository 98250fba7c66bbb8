"""The naive loops of the benchmark play the same algorithms as the package: without noise, here,
and in law, in tests/algorithms/test_conformance.py.
"""

import importlib.util
from functools import cache

import naive
import numba
import numpy as np
import pytest
from conformance import ROWS
from helpers import NAMES, NASH, THOMPSON, WEIGHTED, arguments, bernoulli, play, without_noise

from dpbandits.environments.catalogue import build

DETERMINISTIC = sorted(
    name
    for name in {*NAMES} - {"prae_c", *NASH, *THOMPSON, *WEIGHTED}  # which play some arms at random
    if ROWS[name].in_law[0].spec["law"] == "bernoulli" and hasattr(naive, name)
)


@cache
def plain_loops():
    """The naive loops in plain Python, which take no seconds to compile."""
    spec = importlib.util.spec_from_file_location("plain_loops", naive.__file__)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba, "njit", lambda function, **_: function)
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_without_noise_a_naive_loop_plays_the_same_arms(name):
    """On rewards that are always 1 or always 0: the numbers of pulls are equal."""
    eps, changes = without_noise(name), ROWS[name].short
    eps = min(eps, 1e9)
    for means in ([1.0, 0.0], [0.0, 1.0]):
        for T in (2, 64, 500):
            given = arguments(name, eps, T, build(bernoulli(*means)), **changes)
            rng = np.random.default_rng(1)
            pulls = getattr(plain_loops(), name)(rng, np.array(means), T, *given)
            expected = play(name, bernoulli(*means), T, eps=eps, plain=True, **changes)[-1]
            assert (pulls == expected).all()
