"""Let all random numbers of a policy come from one generator, whichever Python module draws them.

This module also detects generators that an audit cannot replace, and those that are made without a
seed, whose numbers it cannot repeat.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import numpy.random._pickle as _pickle
import numpy.random.bit_generator as of_numpy

from ...compiled.faults import restored_globals
from .streams import shuffle

CONSTRUCTOR = "__bit_generator_ctor"  # the function with which NumPy begins to copy a generator
KEPT = ("Generator", "BitGenerator", "SeedSequence", "get_state", "set_state", "bytes", "mtrand")
SAID = (
    "the code makes a random generator without a seed, as numpy.random.default_rng() does, so the"
    " random numbers are undetermined; draw them from rng, the generator that the code receives"
)


REPEATED = (
    "the code makes several generators with the same seed, so their random numbers are equal, which"
    " a replay cannot follow"
)
COPIED = (
    "the code copies the generator that it receives, and a replay cannot follow the copy; draw from"
    " rng itself, or from rng.spawn(1)[0]"
)
BY_NAME = (
    "the code, or a library that it uses, draws from the global generator of numpy.random or random"
    " under a name of its own, as after from numpy.random import laplace, which a replay cannot"
    " follow; draw from rng, the generator that the code receives"
)


class Shim:
    """An object whose methods replace functions of a module, and draw from one generator.

    Attributes:
        _seeded: a function that returns the generator to draw from, given the seeds.
    """

    _seeded: Callable[..., Any]

    def __init__(self, *seeds: Any):
        self._rng = self._seeded(*seeds)

    def seed(self, *seeds: Any, **named: Any) -> None:
        """From now on, draw from the generator for these seeds (see ``redirect_random``)."""
        self._rng = self._seeded(*seeds)

    def random(self, size: Any = None) -> Any:
        return self._rng.random(size)

    def shuffle(self, x: Any) -> None:
        shuffle(self._rng, x)


class NumpyShim(Shim):
    """A replacement for the functions of ``numpy.random`` and the methods of ``RandomState``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._rng, name)

    def rand(self, *shape: int) -> Any:
        return self._rng.random(shape or None)

    def randn(self, *shape: int) -> Any:
        return self._rng.standard_normal(shape or None)

    random_sample = ranf = sample = Shim.random

    def randint(self, low: int, high: int | None = None, size: Any = None, dtype: Any = int) -> Any:
        return self._rng.integers(low, high, size, dtype)


class StdlibShim(Shim):
    """A replacement for the functions of the module ``random`` and the methods of ``Random``."""

    randrange, randint, choice = Random.randrange, Random.randint, Random.choice
    lognormvariate = Random.lognormvariate

    def _randbelow(self, n: int) -> int:
        return int(self._rng.integers(n))

    def getrandbits(self, k: int) -> int:
        return sum(self._randbelow(2) << i for i in range(k))

    def uniform(self, a: float, b: float) -> float:
        return self._rng.uniform(a, b)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        return self._rng.normal(mu, sigma)

    normalvariate = gauss

    def expovariate(self, lambd: float = 1.0) -> float:
        return self._rng.exponential(1.0 / lambd)

    def betavariate(self, alpha: float, beta: float) -> float:
        return self._rng.beta(alpha, beta)

    def gammavariate(self, alpha: float, beta: float) -> float:
        return self._rng.gamma(alpha, beta)

    def choices(self, population: Any, weights: Any = None, *, k: int = 1) -> list[Any]:
        p = None if weights is None else np.asarray(weights, float) / np.sum(weights)
        return [population[int(self._rng.choice(len(population), p=p))] for _ in range(k)]

    def sample(self, population: Any, k: int) -> list[Any]:
        return [population[int(i)] for i in self._rng.permutation(len(population))[:k]]


@contextmanager
def redirect_random(
    rng: Any, fixed: bool = False, given: list[str] | None = None
) -> Iterator[Callable[[], None]]:
    """Let ``numpy.random``, ``random`` and generators made inside the block draw from ``rng``.

    Args:
        rng: the generator.
        fixed: whether setting a seed has its usual effect. If true, numbers drawn after a seed is
            set come from a generator with this seed, and are the same in each game. If false, a
            seed has this effect only if a generator of the same kind had the seed before, since
            both generators then draw the same numbers.
        given: a list to which the kinds of generators and their seeds are added as text, or None.

    Yields:
        a function that makes both modules draw from ``rng`` again after a seed was set.
    """
    make, before = np.random.default_rng, set()
    kinds = "default_rng", "RandomState", "Random"

    def seeded(kind: int, *seeds: Any) -> Any:
        """Return the generator to draw from after a seed is set for a generator of one of the
        ``kinds``.
        """
        if not seeds or seeds[0] is None:
            return rng
        if hasattr(seeds[0], "standard_normal"):  # the seed is a generator
            return seeds[0]
        seed, key = seeds[0], f"{kinds[kind]} {seeds[0]!r}"
        if given is not None:
            given.append(key)
        if not fixed and key not in before:
            before.add(key)
            return rng
        return make([kind, *seed.encode()] if isinstance(seed, str) else [kind, abs(hash(seed))]
                    if isinstance(seed, int | float) else seed)  # fmt: skip

    def restart() -> None:
        for shim in (legacy, standard):
            shim.seed()

    shims = NumpyShim, StdlibShim
    made = {n: type(n, (shim,), {"_seeded": staticmethod(partial(seeded, k))})
            for k, (n, shim) in enumerate(zip(kinds[1:], shims, strict=True), 1)}  # fmt: skip
    legacy, standard = (shim() for shim in made.values())
    drawing = [name for name in np.random.__all__ if name[0].islower() and name not in KEPT]
    by_legacy = lambda n: lambda *x, **y: getattr(legacy, n)(*x, **y)  # noqa: E731
    with_numpy: dict[str, Any] = {n: by_legacy(n) for n in drawing if hasattr(legacy, n)}
    with_numpy |= {"RandomState": made["RandomState"]}
    with_numpy |= {"default_rng": lambda seed=None: seeded(0, seed)}
    with_python = {n: getattr(standard, n) for n in dir(standard) if n[0] != "_"}
    with_python["Random"] = made["Random"]
    with replaced(np.random, with_numpy), replaced(random, with_python):
        yield restart


@contextmanager
def odd_generators() -> Iterator[list[str]]:
    """Detect generators of NumPy that are made inside the block without a seed, and copies.

    The block receives a list. Each time NumPy asks the operating system for random bits to seed a
    generator, as in ``default_rng()``, ``RandomState()`` or ``SeedSequence()``, SAID is added to
    the list. Each time a generator is copied, as by ``copy.deepcopy`` or ``pickle``, COPIED is
    added.
    """
    entropy, found = of_numpy.randbits, []  # type: ignore[attr-defined]

    def randbits(bits: int) -> int:
        found.append(SAID)
        return int(entropy(bits))

    def copied(kind: Any) -> Any:
        found.append(COPIED)
        return kind(0)  # NumPy sets its state and its seed afterwards

    # pickle finds the function by its name
    copied.__module__, copied.__qualname__ = _pickle.__name__, CONSTRUCTOR
    with replaced(of_numpy, {"randbits": randbits}), replaced(_pickle, {CONSTRUCTOR: copied}):
        yield found


@contextmanager
def named_generators() -> Iterator[list[str]]:
    """Detect numbers from the global generators of ``numpy.random`` and ``random`` that are drawn
    inside the block under names that ``redirect_random`` cannot replace.

    The block receives a list, to which BY_NAME is added at the end if there are such numbers.
    """
    found: list[str] = []
    with restored_globals():
        before = _global_states()
        yield found
        found += [BY_NAME] * (before != _global_states())


def _global_states() -> tuple[Any, ...]:
    state: Any = np.random.get_state()  # noqa: NPY002
    _, key, *rest = state
    return key.tobytes(), *rest, random.getstate()


@contextmanager
def replaced(module: ModuleType, functions: Mapping[str, Any]) -> Iterator[None]:
    """Replace functions of a module, given by name, inside the block."""
    before = {name: getattr(module, name) for name in functions}
    vars(module).update(functions)
    try:
        yield
    finally:
        vars(module).update(before)
