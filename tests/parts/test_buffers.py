"""Lazy buffers: their lengths, and what they release."""

import math

import numpy as np
import pytest

from dpbandits.parts.schedules.buffers import fill_buffer, new_buffers, room_in_buffer


def released(x, eps, seed=1):
    """The mean after each reward, and the number of rewards that it is of."""
    buffers, rng = new_buffers(2), np.random.default_rng(seed)
    found = []
    for value in x:
        fill_buffer(rng, eps, buffers, 1, value, 1)
        found.append((buffers.mean[1], buffers.length[1]))
    assert buffers.length[0] == 0
    return found


def test_buffers_double_and_forget():
    found = released([1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1], math.inf)
    assert found == [(1, 1)] * 2 + [(0.5, 2)] * 4 + [(0.25, 4)] * 8 + [(1, 8)]


def test_a_block_is_as_good_as_its_rewards():
    buffers, rng = new_buffers(1), np.random.default_rng(1)
    for x, n in ((1.0, 1), (1.0, 2), (2.0, 3), (1.0, 1)):
        assert room_in_buffer(buffers, 0) >= n
        fill_buffer(rng, math.inf, buffers, 0, x, n)
    assert (buffers.mean[0], buffers.length[0]) == (0.75, 4)
    assert (room_in_buffer(buffers, 0), buffers.total[0]) == (8, 0)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_noise_of_a_release(n):
    """Its variance is 2/(eps n)^2."""
    eps, rewards = 0.5, 2 * n - 1
    means = [released([0.0] * rewards, eps, seed)[-1][0] for seed in range(5000)]
    assert np.mean(means) == pytest.approx(0, abs=5 * math.sqrt(2 / 5000) / (eps * n))
    assert np.var(means) == pytest.approx(2 / (eps * n) ** 2, rel=0.2)
