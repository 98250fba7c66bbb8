"""Random numbers in kernels, equal bit by bit to the numbers of NumPy's ``Generator`` methods."""

from __future__ import annotations

import numpy as np

from .notes import inlined, inlined_counted


def random(rng: np.random.Generator) -> float:
    """Draw a uniform number on [0, 1)."""
    return rng.random()


def exponential(rng: np.random.Generator) -> float:
    """Draw an exponential number of mean 1."""
    return rng.standard_exponential()


def normal(rng: np.random.Generator) -> float:
    """Draw a standard normal number."""
    return rng.standard_normal()


def gamma(rng: np.random.Generator, shape: float) -> float:
    """Draw a gamma number of the given shape and scale 1."""
    return rng.standard_gamma(shape)


def beta(rng: np.random.Generator, a: float, b: float) -> float:
    """Draw a Beta(a, b) number."""
    return rng.beta(a, b)


def student(rng: np.random.Generator, df: float) -> float:
    """Draw a number of Student's t law with ``df`` degrees of freedom."""
    return rng.standard_t(df)


def binomial(rng: np.random.Generator, n: int, p: float) -> int:
    """Draw the number of successes in ``n`` trials of probability ``p``."""
    return rng.binomial(n, p)


def poisson(rng: np.random.Generator, mean: float) -> int:
    """Draw a Poisson number of the given mean."""
    return rng.poisson(mean)


for _function in (random, exponential, normal, gamma, beta, student, binomial, poisson):
    # Numba's poisson creates an array
    (inlined_counted if _function is poisson else inlined)(_function)
