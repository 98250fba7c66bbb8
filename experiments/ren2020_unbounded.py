"""Ren et al. 2020, supplement: regret over time with unbounded rewards behind a sigmoid.

Run first: bandit-run experiment=ren2020_unbounded (4e9 rounds of 20 arms).
"""

from dpbandits.figures import one_panel


def draw(table):
    same = table.replace({"env": {"ren_gaussian_sigmoid": "ren_gaussian"}})
    return one_panel(same, "Unbounded rewards (Ren et al. 2020, supplement)")
