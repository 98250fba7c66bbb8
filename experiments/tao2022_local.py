"""Tao et al. 2022, local DP: regret at practical constants, drawn by the script tao2022_central."""

from dpbandits.figures.draw import load_script

TITLE = (
    r"Heavy tails (moments of order $1 + v$), $\epsilon$-local DP, practical constants "
    "(Tao et al. 2022; our setting)"
)


def draw(table, bounds=None):
    return load_script("tao2022_central").draw(table, bounds, TITLE)
