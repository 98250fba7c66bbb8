"""Measure how different colours look: in grey, and with three kinds of colour blindness."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.colors import to_rgb

APART = 20.0  # distance in CIELAB below which two lines with the same dash look alike
# The matrix from linear RGB to XYZ (IEC 61966-2-1); WHITE is the XYZ of white
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = XYZ.sum(axis=1)
# Matrices from linear RGB to the RGB that a reader sees: unchanged, in grey, and with protanopia,
# deuteranopia and tritanopia (Machado, Oliveira & Fernandes 2009, severity 1)
VIEWS = np.array([
    np.eye(3), [XYZ[1]] * 3,
    [[0.15229, 1.05258, -0.20487], [0.11450, 0.78628, 0.09922], [-0.00388, -0.04812, 1.05200]],
    [[0.36732, 0.86065, -0.22797], [0.28009, 0.67250, 0.04741], [-0.01182, 0.04294, 0.96888]],
    [[1.25553, -0.07675, -0.17878], [-0.07841, 0.93081, 0.14760], [0.00473, 0.69137, 0.30390]],
])  # fmt: skip


@cache
def _seen(colour: str) -> np.ndarray:
    """Return the CIELAB coordinates of a colour in each of VIEWS: array (5, 3), a row for each
    view.
    """
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = (np.clip(VIEWS @ linear, 0, 1) @ XYZ.T / WHITE).T
    f = [np.where(v > 0.008856, np.cbrt(v), 7.787 * v + 16 / 116) for v in (x, y, z)]
    return np.stack([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])], axis=1)


def distance(one: str, other: str) -> float:
    """Return the Euclidean distance of two colours in CIELAB, the smallest over all VIEWS."""
    return float(np.linalg.norm(_seen(one) - _seen(other), axis=1).min())
