"""Bounds on the eigenvalues of shifted noise (SS: Shariff & Sheffet 2018, section 4)."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...compiled import shared
from ...contracts.gaussian_dp import mu_for
from .noisy_matrices import LT2

PRINTED = 0.0
LEAST = 0.1  # rho_min without noise, instead of the 0 of the paper's formula (our choice)


class Shifted(NamedTuple):
    """The noise of a tree of matrices, and bounds that hold up to the failure probability alpha."""

    s: float  # standard deviation of Gaussian noise
    k: float  # degrees of freedom of Wishart noise, 0 for Gaussian noise
    shift: float  # the number that is added to the diagonal of the released matrix
    low: float  # rho_min, a lower bound on the eigenvalues of the shifted noise H
    high: float  # rho_max, an upper bound on these eigenvalues
    gamma: float  # an upper bound on |h|_{H^-1}, where h is the noise of u


@shared
def gaussian_nodes(
    eps: float, delta: float, m: float, d: float, T: float, alpha: float, calibration: float
) -> Shifted:
    """Compute Gaussian noise for (eps, delta)-joint DP (SS, section 4.2), and its bounds.

    The scale of the noise is the printed scale or, with the exact calibration, the smallest
    sufficient scale (``mu_for``).
    """
    s = 4.0 * math.sqrt(m) * LT2 * math.log(4.0 / delta) / eps
    if calibration != PRINTED:
        s = math.sqrt(m) * LT2 / mu_for(eps, delta)
    l = 2.0 * math.log(2.0 * T / alpha)
    Y = s * math.sqrt(2.0 * m) * (4.0 * math.sqrt(d) + l) if s > 0.0 else LEAST
    return Shifted(
        s, 0.0, 2.0 * Y, Y, 3.0 * Y, s * math.sqrt(m / Y) * (math.sqrt(d) + math.sqrt(l))
    )


@shared
def wishart_nodes(eps: float, delta: float, m: float, d: float, T: float, alpha: float) -> Shifted:
    """Compute Wishart noise for (eps, delta)-joint DP (SS, section 4.1), and its bounds."""
    k = 224.0 * m / (eps * eps) * math.log(8.0 * m / delta) * math.log(2.0 / delta)
    mk = m * (d + 1.0 + math.ceil(k))
    root = math.sqrt(d) + math.sqrt(2.0 * math.log(8.0 * T / alpha))
    w = LT2 * math.sqrt(mk) * root
    least = LT2 * max(math.sqrt(mk) - root, 0.0) ** 2
    return Shifted(0.0, mk / m, 4.0 * w - least, 4.0 * w, 8.0 * w, math.sqrt(w))
