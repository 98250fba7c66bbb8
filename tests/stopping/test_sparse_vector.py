"""The next noise above a level, drawn in one step, has the law of noise drawn one by one."""

import numpy as np
import pytest
from scipy import stats

from dpbandits.compiled import kernel
from dpbandits.stopping.sparse_vector import first_above


@kernel
def drawn_above(rng, runs, n, scale, level):
    found = np.empty((runs, 2))
    for i in range(runs):
        found[i, 0], found[i, 1] = first_above(rng, n, scale, level)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "scale", "level"), [(30, 1.0, 2.5), (30, 1.0, 0.2), (200, 5.0, 22.0), (1, 2.0, 1.0)]
)
def test_the_first_variable_above_a_level_is_drawn_in_law(n, scale, level):
    """Against Laplace variables drawn one by one: place and value of the first above the level."""
    runs = 10_000
    found = drawn_above(np.random.default_rng(1), runs, n, scale, level)
    x = np.random.default_rng(2).laplace(0, scale, (runs, n))
    above = np.column_stack([x > level, np.ones(runs, bool)])
    place = above.argmax(axis=1) + 1
    value = np.column_stack([x, np.zeros(runs)])[np.arange(runs), place - 1]
    assert stats.ks_2samp(found[:, 0], place).pvalue > 1e-6
    some = found[found[:, 0] <= n, 1], value[place <= n]
    assert stats.ks_2samp(*some).pvalue > 1e-6
    assert (some[0] > level).all() and (found[found[:, 0] > n, 1] == 0).all()
    # control: 0.8 and 1.2 times the scale are told apart
    for factor in (0.8, 1.2):
        other = drawn_above(np.random.default_rng(1), runs, n, factor * scale, level)
        both = (
            stats.ks_2samp(other[:, 0], place),
            stats.ks_2samp(other[other[:, 0] <= n, 1], some[1]),
        )
        assert min(test.pvalue for test in both) < 1e-6


@pytest.mark.slow
def test_a_level_that_is_not_positive_draws_the_next_variable():
    found = drawn_above(np.random.default_rng(1), 20_000, 9, 3.0, -1.0)
    assert (found[:, 0] == 1).all()
    assert stats.kstest(found[:, 1], stats.laplace(0, 3.0).cdf).pvalue > 1e-6
    assert drawn_above(np.random.default_rng(1), 1, 9, 0.0, 1.0).tolist() == [[10, 0]]
