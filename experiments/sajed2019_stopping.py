"""Sajed & Sheffet 2019, section 3: when NAS and its two private variants stop, and how often they
are right (the paper runs no such experiment; the setting is ours).

A column of panels for each budget, a row for each relative error, and the bounds of Theorems 3.3
and 3.4. Run first: bandit-stop experiment=sajed2019_stopping.
"""

from dpbandits.figures.stopping import stopping_panels
from dpbandits.theory.bounds import ConditionFailed
from dpbandits.theory.sajed2019 import stopping_lower, stopping_upper


def where_it_holds(theorem):
    """A theorem's number of samples, or None where it says nothing."""

    def bound(mu, eps, a, beta, R=1.0):
        try:
            return theorem(R, a, mu, eps, beta)
        except ConditionFailed:
            return None

    return bound


BOUNDS = {
    "upper bound of DP-NAS-EXP, probability $1 - \\beta$ (Thm 3.3)": where_it_holds(stopping_upper),
    "lower bound of private rules, probability 1/4 (Thm 3.4)": where_it_holds(stopping_lower),
}


def draw(table):
    title = "Stopping times on {-1, 1} (Sajed & Sheffet 2019, Alg. 1 and 2; our setting)"
    return stopping_panels(table, title, BOUNDS)
