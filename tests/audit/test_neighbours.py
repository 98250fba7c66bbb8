"""Neighbouring sequences of rewards, and the search for those that matter."""

import numpy as np
import pytest

from dpbandits.audit.targets.neighbours import change_of_mind, largest_untruncated, random_walk


@pytest.mark.parametrize("K", [1, 2, 3])
def test_neighbours_differ_in_one_reward(K):
    rng = np.random.default_rng(K)
    for T in (2, 8, 33):
        for _ in range(20):
            walk = random_walk(rng, T, K, -1.0, 2.0)
            for m in (-3, 0, int(rng.integers(T)), T, T + 9):
                x, y = walk.pair(m, 1)
                assert x.shape == y.shape == (T, K)
                assert (x != y).sum() == 1
                assert set(np.unique([x, y])) <= {-1.0, 2.0}
            x, y = walk.pair(0, T)
            assert (x != y).sum() == T


def test_a_change_of_mind_is_found():
    rng = np.random.default_rng(0)
    walk = random_walk(rng, 100, 2, 0.0, 1.0)
    arm = walk.order[0, 1]
    for step in (0, 1, 17, 99):
        found = change_of_mind(walk, lambda x, n=step: np.array([x[:, arm].sum() > n]) * 1.0)
        assert found == step
    assert change_of_mind(walk, lambda x: np.zeros(3)) is None


def test_the_largest_reward_that_is_not_truncated_is_found():
    def behaviour(x):
        return np.array([1.0, 3.0 if np.abs(x[np.abs(x) <= 7.3]).sum() else 1.0])

    assert largest_untruncated(behaviour, 4, 2, 1e-2, 1e4) == pytest.approx(7.3, rel=0.01)
    assert 1e-2 < largest_untruncated(lambda x: np.ones(2), 4, 2, 1e-2, 1e4) < 1e4
