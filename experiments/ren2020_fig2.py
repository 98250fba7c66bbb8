"""Ren et al. 2020, Fig. 2: the final regrets of Fig. 1 (e)-(h) are linear in V_L or V_B.

One line with intercept is fitted to all 16 points; R^2 is that of the fit.
"""

import dpbandits as dp
from dpbandits.environments.populations import build_population
from dpbandits.figures.regret_vs_budget import scatter_with_fit
from dpbandits.settings.groups import read_group
from dpbandits.theory.ren2020 import v_b, v_l

TERMS = {"heldp_ucb_l": v_l, "heldp_ucb_b": v_b}
SETTING = ["algo", "population", "eps_min"]


def leading_term(algo, population, eps_min):
    """V_L or V_B of a setting."""
    return TERMS[algo](build_population(read_group("population", population)), eps_min)


def draw(table):
    points = dp.summary(table)
    points["x"] = [leading_term(*key) for key in points[SETTING].itertuples(index=False)]
    title = "Final regret against the leading term (Ren et al. 2020, Fig. 2)"
    return scatter_with_fit(points, r"$V_L$ (HeLDP-UCB-L) or $V_B$ (HeLDP-UCB-B)", title, table)
