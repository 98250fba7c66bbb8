"""Tao et al. 2022, local DP: regret over time under heavy tails (the setting is ours).

Above: the practical constant at T = 1e6, beside Robust UCB, which is not private. Below: LDPR-SE
with the paper's own constants, which need T = 1e12 and more. Run first: bandit-run
experiment=tao2022_local.
"""

from dpbandits.figures.regret import panels


def draw(table, bounds=None):
    title = "Heavy tails, eps-local DP (Tao et al. 2022; our setting)"
    return panels(table, title, band="ci", bounds=bounds)
