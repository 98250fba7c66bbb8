"""One generator for all random numbers of a policy, whichever module of Python draws them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

KEPT = ("Generator", "BitGenerator", "SeedSequence", "get_state", "set_state", "bytes", "mtrand")


class NumpyShim:
    """The functions of ``numpy.random`` and the methods of ``RandomState``, by a generator."""

    def __init__(self, rng: Any, seeded: Any = None):
        self._rng, self._seeded = rng, seeded

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._rng, name)

    def seed(self, *seeds: Any) -> None:
        """Draw the numbers of a seed from now on, if it is a fixed one."""
        self._rng = self._seeded(seeds)

    def rand(self, *shape: int) -> Any:
        return self._rng.random(shape or None)

    def randn(self, *shape: int) -> Any:
        return self._rng.standard_normal(shape or None)

    def random_sample(self, size: Any = None) -> Any:
        return self._rng.random(size)

    ranf = sample = random_sample

    def randint(self, low: int, high: int | None = None, size: Any = None, dtype: Any = int) -> Any:
        return self._rng.integers(low, high, size, dtype)

    def shuffle(self, x: Any) -> None:
        order = [int(i) for i in self._rng.permutation(len(x))]
        x[:] = x[order] if isinstance(x, np.ndarray) else [x[i] for i in order]


class StdlibShim:
    """The functions of the module ``random`` and the methods of ``Random``, by a generator."""

    def __init__(self, rng: Any, seeded: Any = None):
        self._rng, self._seeded = rng, seeded

    def seed(self, *seeds: Any, **named: Any) -> None:
        """Draw the numbers of a seed from now on, if it is a fixed one."""
        self._rng = self._seeded(seeds)

    def getrandbits(self, k: int) -> int:
        return sum(int(self._rng.integers(2)) << i for i in range(k))

    def random(self) -> float:
        return self._rng.random()

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

    def lognormvariate(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        return math.exp(self.gauss(mu, sigma))

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        numbers = range(start) if stop is None else range(start, stop, step)
        return numbers[int(self._rng.integers(len(numbers)))]

    def randint(self, a: int, b: int) -> int:
        return int(self._rng.integers(a, b + 1))

    def choice(self, seq: Any) -> Any:
        return seq[int(self._rng.integers(len(seq)))]

    def choices(self, population: Any, weights: Any = None, *, k: int = 1) -> list[Any]:
        p = None if weights is None else np.asarray(weights, float) / np.sum(weights)
        return [population[int(self._rng.choice(len(population), p=p))] for _ in range(k)]

    def sample(self, population: Any, k: int) -> list[Any]:
        return [population[int(i)] for i in self._rng.permutation(len(population))[:k]]

    def shuffle(self, x: list[Any]) -> None:
        x[:] = self.sample(x, len(x))


@contextmanager
def redirect_random(
    rng: Any, fixed: bool = False, given: list[str] | None = None
) -> Iterator[None]:
    """Let the modules ``numpy.random`` and ``random``, and generators that are made meanwhile, draw
    from a generator.

    Args:
        rng: the generator.
        fixed: whether seeds that are given have their effect: the numbers are then those of a
            generator with this seed, the same in each game.
        given: the seeds that are given are added to it, as text.
    """
    make = np.random.default_rng

    def seeded(seeds: tuple[Any, ...]) -> Any:
        """The generator that draws after a seed is given."""
        if not seeds or seeds[0] is None:
            return rng
        if hasattr(seeds[0], "standard_normal"):  # a generator
            return seeds[0]
        if given is not None:
            given.append(repr(seeds[0]))
        if not fixed:
            return rng
        seed = seeds[0]
        return make(list(seed.encode()) if isinstance(seed, str) else abs(hash(seed))
                    if isinstance(seed, int | float) else seed)  # fmt: skip

    class RandomState(NumpyShim):
        def __init__(self, *seeds: Any):
            super().__init__(seeded(seeds), seeded)

    class Random(StdlibShim):
        def __init__(self, *seeds: Any):
            super().__init__(seeded(seeds), seeded)

    legacy, standard = NumpyShim(rng, seeded), StdlibShim(rng, seeded)
    drawing = [name for name in np.random.__all__ if name[0].islower() and name not in KEPT]
    by_legacy = lambda n: lambda *x, **y: getattr(legacy, n)(*x, **y)  # noqa: E731
    with_numpy: dict[str, Any] = {n: by_legacy(n) for n in drawing if hasattr(legacy, n)}
    with_numpy |= {"RandomState": RandomState}
    with_numpy |= {"default_rng": lambda seed=None: seeded((seed,))}
    with_python = {n: getattr(standard, n) for n in dir(standard) if n[0] != "_"}
    with_python |= {"Random": Random}
    before: list[tuple[Any, str, Any]] = []
    try:
        for module, functions in ((np.random, with_numpy), (random, with_python)):
            for name, function in functions.items():
                before.append((module, name, getattr(module, name)))
                setattr(module, name, function)
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)
