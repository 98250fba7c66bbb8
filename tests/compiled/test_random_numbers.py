"""Kernels draw NumPy's numbers: the same values, and the same state afterwards."""

import numpy as np
import pytest
from tiers import every

from dpbandits.compiled import kernel, random_numbers

CASES = [
    ("random", ()),
    ("exponential", ()),
    ("normal", ()),
    ("gamma", (3.3,)),
    ("gamma", (0.3,)),
    *[("beta", ab) for ab in [(3.3, 0.5), (0.3, 0.2), (1.0, 1.0), (61.0, 41.0), (1e6, 1.0)]],
    ("student", (3.0,)),
    *[("poisson", (mean,)) for mean in (0.0, 3.3, 60.0, 2.0**26, 1e15)],
    *[
        ("binomial", (n, p))
        for n, p in [(10, 0.3), (10**6, 0.7), (10**12, 1e-3), (0, 0.5), (5, 0.0), (7, 1.0)]
    ],
    ("binomial", (10**15, 0.9)),
]
DRAWS = 100_000  # one in a hundred numbers of a ziggurat is decided by its rare branches


@pytest.mark.parametrize(("name", "parameters"), every(4, CASES))
def test_a_kernel_draws_the_numbers_of_numpy(name, parameters):
    draw = getattr(random_numbers, name)

    @kernel
    def fill(rng, x, parameters):
        for i in range(len(x)):
            x[i] = draw(rng, *parameters)

    mine, theirs = (np.random.Generator(np.random.SFC64(7)) for _ in range(2))
    x = np.zeros(DRAWS)
    fill(mine, x, parameters)
    assert x.tolist() == [draw(theirs, *parameters) for _ in range(DRAWS)]
    assert mine.random(3).tolist() == theirs.random(3).tolist()
