"""Azize & Basu 2022, Fig. 3: regret of AdaP-KLUCB against eps, and the two privacy regimes.

The two terms of the lower bound (Theorem 3, asymptotic in T) are drawn separately. They meet at
eps = kl / (6 gap); below it, in the shaded regime, the regret is the cost of privacy.
"""

from dpbandits.figures.regret_vs_budget import budget_panels, shade_high_privacy
from dpbandits.theory.azize2022 import lower_bound_terms, privacy_threshold

MEANS = [0.8, 0.1, 0.1, 0.1, 0.1]
TERMS = [
    r"$\ln T\,\sum_a \Delta_a / \mathrm{kl}_a$ (Thm. 3)",
    r"$\ln T\,\sum_a 1/(6\epsilon)$ (Thm. 3)",
]


def draw(table, bounds=None):
    T = table["horizon"].max()
    title = "Regret against the privacy budget (Azize & Basu 2022, Fig. 3)"
    terms = {
        label: lambda eps, i=i: lower_bound_terms(MEANS, eps, T)[i] for i, label in enumerate(TERMS)
    }
    figure = budget_panels(table, title, terms=terms, bounds=bounds)
    shade_high_privacy(figure.axes[0], privacy_threshold(MEANS[1], MEANS[0]))
    return figure
