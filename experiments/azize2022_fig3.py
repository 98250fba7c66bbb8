"""Azize & Basu 2022, Fig. 3: regret of AdaP-KLUCB against eps, and the two privacy regimes.

The two terms of the lower bound (Theorem 3, asymptotic in T) are drawn separately. The terms are
equal at eps = kl / (6 gap). Below this budget, in the shaded regime, the term for privacy is the
larger one.
"""

from dpbandits.figures.final_regret import budget_panels
from dpbandits.figures.style import styled
from dpbandits.theory.azize2022 import lower_bound_terms, privacy_threshold

MEANS = [0.8, 0.1, 0.1, 0.1, 0.1]
TERMS = [
    r"lower bound, asymptotic (Thm. 3): $\ln T\,\Sigma_a\,\Delta_a / \mathrm{kl}_a$",
    r"lower bound, asymptotic (Thm. 3): $\ln T\,\Sigma_a\,1/(6\epsilon)$",
]


@styled
def draw(table, bounds=None):
    T = table.settings["horizon"].max()
    title = "Regret against the privacy budget, a large gap (Azize & Basu 2022, Fig. 3)"
    terms = {
        label: lambda eps, i=i: lower_bound_terms(MEANS, eps, T)[i] for i, label in enumerate(TERMS)
    }
    figure = budget_panels(table, title, terms=terms, bounds=bounds)
    ax = figure.axes[0]
    ax.margins(x=0.03)
    ax.autoscale_view()
    threshold = privacy_threshold(MEANS[1], MEANS[0])
    limits = ax.get_xlim()
    ax.axvspan(limits[0], threshold, color="#56B4E9", alpha=0.12, lw=0)
    ax.set_xlim(limits)
    text = f"high privacy:\n$\\epsilon$ < {threshold:.3f}"
    ax.text(threshold * 0.95, 0.04, text, ha="right", transform=ax.get_xaxis_transform())
    return figure
