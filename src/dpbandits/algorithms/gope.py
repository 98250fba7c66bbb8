"""GOPE: phased elimination with optimal designs. Not private."""

import math

from ..authoring import LINEAR, NOT_PRIVATE, Confidence, kernel, skip_rounds, rounds_left
from .adac_gope import eliminate

NAME = "GOPE"
LINE = "grey", "dashdotted"
REWARDS = LINEAR
GUARANTEE = NOT_PRIVATE


@kernel
def gope(game, rng, delta: Confidence):
    """Phased elimination with G-optimal exploration (Lattimore & Szepesvari 2020, Alg. 12). The
    phases equal the phases of Alg. 8 in Azize's thesis, and no noise is added. Not private.

    Args:
        delta: failure probability.
    """
    A = eliminate(game, rng, math.inf, delta, True)
    skip_rounds(game, A, rounds_left(game))
