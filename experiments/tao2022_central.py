"""Tao et al. 2022, central DP: regret over time under heavy tails (the setting is ours).

Above: practical constants at T = 1e6, beside Robust UCB, which is not private. Below: DPR-SE with
the paper's own constants, which need T = 1e12. Run first: bandit-run experiment=tao2022_central.
"""

from dpbandits.figures.regret import panels


def draw(table, bounds=None):
    title = "Heavy tails, eps-global DP (Tao et al. 2022; our setting)"
    return panels(table, title, band="ci", bounds=bounds)
