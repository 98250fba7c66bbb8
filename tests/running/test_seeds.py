"""The state of a generator can be set in memory."""

import numpy as np

from dpbandits.running.seeds import LEARNER, generator, state_in_memory, states


def test_a_generator_is_set_to_the_state_of_another():
    rng = generator(0, 0, 0)
    memory = state_in_memory(rng)
    for seed in (0, 7, 2**61):
        for state, run in zip(states(seed, range(20), LEARNER), range(20), strict=True):
            rng.integers(5, dtype=np.uint32)  # half a number is left over
            memory[:] = state
            other = generator(seed, run, LEARNER)
            assert rng.integers(2**32, size=3, dtype=np.uint32).tolist() == (
                other.integers(2**32, size=3, dtype=np.uint32).tolist()
            )
            assert rng.random() == other.random()
