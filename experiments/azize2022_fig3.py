"""Azize & Basu 2022, Fig. 3: regret of AdaP-KLUCB against eps, and the two privacy regimes.

The two terms of the lower bound (Theorem 3, asymptotic in T) are drawn apart; they meet at
eps = kl / (6 gap), below which privacy decides (shaded).
Run first: bandit-run experiment=azize2022_fig3 (an episodic algorithm only: no time at all).
"""

from dpbandits.figures.regret import budget_panels, shade_high_privacy
from dpbandits.theory.azize2022 import lower_bound_terms, privacy_threshold

MEANS = [0.8, 0.1, 0.1, 0.1, 0.1]


def draw(table, bounds=None):
    T = table["horizon"].max()
    title = "Regret against the privacy budget (Azize & Basu 2022, Fig. 3)"
    terms = {
        r"$\ln T\,\sum_a \Delta_a / \mathrm{kl}_a$ (Thm. 3)": lambda e: lower_bound_terms(
            MEANS, e, T
        )[0],
        r"$\ln T\,\sum_a 1/(6\epsilon)$ (Thm. 3)": lambda e: lower_bound_terms(MEANS, e, T)[1],
    }
    figure = budget_panels(table, title, terms=terms, bounds=bounds)
    shade_high_privacy(figure.axes[0], privacy_threshold(MEANS[1], MEANS[0]))
    return figure
