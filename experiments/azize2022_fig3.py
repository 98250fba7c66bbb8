"""Azize & Basu 2022, Fig. 3: regret of AdaP-KLUCB against eps, and the two privacy regimes.

The two terms of the lower bound (Theorem 3) are drawn apart; they meet at eps = kl / (6 gap), below
which privacy decides (shaded).
Run first: bandit-run experiment=azize2022_fig3 (an episodic algorithm only: no time at all).
"""

import numpy as np

from dpbandits.figures import budget_panels
from dpbandits.theory.azize2022 import lower_bound_terms, privacy_threshold

MEANS = [0.8, 0.1, 0.1, 0.1, 0.1]


def draw(table):
    figure = budget_panels(table, "Regret against the privacy budget (Azize & Basu 2022, Fig. 3)")
    ax = figure.axes[0]
    budgets = np.geomspace(table["eps"].min(), table["eps"].max(), 100)
    terms = [lower_bound_terms(MEANS, eps, table["horizon"].max()) for eps in budgets]
    information, privacy = np.array(terms).T
    ax.plot(budgets, information, "k--", lw=1)
    ax.plot(budgets, privacy, "k:", lw=1)
    label = "lower bound, Thm. 3:\n" + r"$\ln T\;\sum_a \Delta_a/\mathrm{kl}_a$"
    ax.text(9, information[-1] * 1.25, label, ha="right")
    ax.text(0.8, privacy[55] * 0.25, r"$\ln T\;\sum_a 1/(6\epsilon)$", ha="left")
    threshold = privacy_threshold(MEANS[1], MEANS[0])
    ax.axvspan(budgets[0], threshold, color="#56B4E9", alpha=0.12, lw=0)
    ax.set_xlim(budgets[0], budgets[-1])
    ax.text(0.055, 1.2, f"high privacy:\n$\\epsilon$ < {threshold:.3f}")
    return figure
