"""Generators that are made without a seed, so that no seed of an audit decides their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy.random.bit_generator as of_numpy

SAID = (
    "it makes a random generator without a seed, as numpy.random.default_rng() does, so its numbers"
    " are undetermined; it can draw from rng, the generator that it is given"
)


@contextmanager
def unseeded_generators() -> Iterator[list[int]]:
    """The numbers of bits that NumPy asks the operating system for meanwhile, to seed generators
    that get no seed: ``default_rng()``, ``RandomState()``, ``SeedSequence()`` and their like, by
    whatever name they are called.
    """
    module: Any = of_numpy
    entropy, asked = module.randbits, []

    def randbits(bits: int) -> int:
        asked.append(bits)
        return int(entropy(bits))

    module.randbits = randbits
    try:
        yield asked
    finally:
        module.randbits = entropy
