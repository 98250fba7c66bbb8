"""Ren et al. 2020, Fig. 2: final regrets of Fig. 1 (e)-(h) are linear in V_L or V_B.

One line with intercept is fitted through all 16 points; R^2 is that of the fit.
Run first: bandit-run experiment=ren2020_fig2 (free after ren2020_fig1e .. h).
"""

from dpbandits.cli.config.compose import compose_config
from dpbandits.environments.populations import build_population
from dpbandits.figures.regret import scatter_with_fit
from dpbandits.theory.ren2020 import v_b, v_l

TERMS = {"heldp_ucb_l": v_l, "heldp_ucb_b": v_b}


def leading_term(algo, population, eps_min):
    """V_L or V_B of a setting."""
    spec = compose_config((f"population={population}",), ())["population_spec"]
    return TERMS[algo](build_population(spec), eps_min)


def draw(table):
    last = table[table["t"] == table["horizon"]]
    settings = last.groupby(["algo", "population", "eps_min"], sort=False)["regret"]
    points = settings.agg(["mean", "std", "count"]).reset_index()
    keys = points[["algo", "population", "eps_min"]].itertuples(index=False)
    points["x"] = [leading_term(*key) for key in keys]
    title = "Final regret against the leading term (Ren et al. 2020, Fig. 2)"
    return scatter_with_fit(points, r"$V_L$ (HeLDP-UCB-L) or $V_B$ (HeLDP-UCB-B)", title, table)
