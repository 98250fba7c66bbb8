"""Check that NumPy and Numba draw the random numbers that earlier versions drew.

Tests compare pulls with golden (recorded) pull counts, which depend on these numbers. The id of a
setting does not contain the versions of libraries. So if a version draws other random numbers, its
runs must not be stored together with earlier runs.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

import numpy as np

from ..compiled import (
    beta,
    binomial,
    compiled_code,
    exponential,
    gamma,
    is_tested,
    kernel,
    normal,
    poisson,
    random,
    student,
)
from ..errors import BadInput
from ..files import write_atomically
from ..settings.setting import digest
from .seeds import generator

ROUNDS, DISTRIBUTIONS = 8, 8
DRAWN = "cb9f19bf71a4"  # the digest of the numbers that NumPy must draw
# An empty file with this name lies beside the machine code for one version of each library. It
# means that Numba's numbers were checked and are correct
CHECKED = "draws_are_equal"


def draw(rng, out):
    """Draw from each distribution, with small and with large parameters.

    For some distributions, NumPy uses different methods for small and for large parameters.
    """
    for t in range(len(out)):
        a = 0.5 if t % 2 else 4.0
        out[t, 0] = random(rng)
        out[t, 1] = exponential(rng)
        out[t, 2] = normal(rng)
        out[t, 3] = gamma(rng, a)
        out[t, 4] = beta(rng, a, a + 0.25)
        out[t, 5] = student(rng, a)
        out[t, 6] = binomial(rng, int(20.0 * a), 0.4)
        out[t, 7] = poisson(rng, 10.0 * a)


draw_compiled = kernel(draw)


@cache
def check_draws() -> None:
    """Check the random numbers of NumPy, and of Numba if this version of Numba was not tested.

    Raises:
        BadInput: the numbers differ from the numbers with which the golden pull counts were made.
    """
    rng, plain = generator(0, 0, 0), np.zeros((ROUNDS, DISTRIBUTIONS))
    draw(rng, plain)
    found = [f"{x:.9g}" for x in (*plain.ravel(), *rng.permutation(9), *rng.integers(9, size=9))]
    if digest(*found, length=len(DRAWN)) != DRAWN:
        raise BadInput(_said("NumPy"))
    if is_tested():
        return
    folder, compiled = compiled_code().path, np.zeros_like(plain)
    if folder and (folder / CHECKED).exists():
        return
    draw_compiled(generator(0, 0, 0), compiled)
    if not np.array_equal(compiled, plain):
        raise BadInput(_said("Numba"))
    if folder:
        write_atomically(folder / CHECKED, b"")


def _said(library: str) -> str:
    name = library.lower()
    return (
        f"{library} {version(name)} draws other random numbers than earlier versions, so new runs "
        f"would differ from the stored runs; install another version of {name}"
    )
