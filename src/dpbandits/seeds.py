"""Seeds: every run has its own streams of random numbers, whatever is run beside it."""

from __future__ import annotations

import numpy as np

ENVIRONMENT, LEARNER, SHUFFLE = range(3)


def generator(seed: int, run: int, stream: int) -> np.random.Generator:
    """The generator of one stream of one run; it depends on these three numbers alone.

    Rewards and noise come from different streams, so a change of noise does not move rewards.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(run, stream))
    return np.random.Generator(np.random.SFC64(sequence))
