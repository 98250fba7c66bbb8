"""Wu et al. 2023, raw moments: final regret against the contamination (the setting is ours).

Run first: bandit-run experiment=wu2023_raw.
"""

from dpbandits.figures.regret import contamination_panels


def draw(table):
    return contamination_panels(table, "Outliers, raw moments (Wu et al. 2023; our setting)")
