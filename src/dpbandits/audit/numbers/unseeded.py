"""Generators that are made without a seed, so that no seed of an audit decides their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
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
    entropy, asked = of_numpy.randbits, []  # type: ignore[attr-defined]

    def randbits(bits: int) -> int:
        asked.append(bits)
        return int(entropy(bits))

    with replaced(of_numpy, {"randbits": randbits}):
        yield asked


@contextmanager
def replaced(module: ModuleType, functions: Mapping[str, Any]) -> Iterator[None]:
    """Let functions stand for those of a module, by their names."""
    before = {name: getattr(module, name) for name in functions}
    vars(module).update(functions)
    try:
        yield
    finally:
        vars(module).update(before)
