"""Random numbers in kernels, which equal the numbers of the generator's methods bit by bit."""

from __future__ import annotations

import numpy as np

from .notes import inlined, inlined_counted


def random(rng: np.random.Generator) -> float:
    """Uniform on [0, 1)."""
    return rng.random()


def exponential(rng: np.random.Generator) -> float:
    """Exponential of mean 1."""
    return rng.standard_exponential()


def normal(rng: np.random.Generator) -> float:
    """Standard normal."""
    return rng.standard_normal()


def gamma(rng: np.random.Generator, shape: float) -> float:
    """Gamma of scale 1."""
    return rng.standard_gamma(shape)


def beta(rng: np.random.Generator, a: float, b: float) -> float:
    """Beta(a, b)."""
    return rng.beta(a, b)


def student(rng: np.random.Generator, df: float) -> float:
    """Student's t."""
    return rng.standard_t(df)


def binomial(rng: np.random.Generator, n: int, p: float) -> int:
    """Number of successes in ``n`` trials of probability ``p``."""
    return rng.binomial(n, p)


def poisson(rng: np.random.Generator, mean: float) -> int:
    """Poisson."""
    return rng.poisson(mean)


for _function in (random, exponential, normal, gamma, beta, student, binomial, poisson):
    (inlined_counted if _function is poisson else inlined)(_function)  # Numba's creates an array
