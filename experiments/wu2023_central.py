"""Wu et al. 2023, central moments: final regret against the contamination (the setting is ours).

Run first: bandit-run experiment=wu2023_central.
"""

from dpbandits.figures.regret import contamination_panels


def draw(table):
    return contamination_panels(table, "Outliers, means far from 0 (Wu et al. 2023; our setting)")
