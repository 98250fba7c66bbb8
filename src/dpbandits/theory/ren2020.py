"""Leading terms of the regret bounds of Ren et al. 2020, and the eps_min that they favour."""

from __future__ import annotations

from ..environments.populations import Population
from ..environments.users import half_tanh


def v_l(population: Population, eps_min: float) -> float:
    """V_L = E[(1 + 4/eps)^2 | eps >= eps_min] / p_0: regret of HeLDP-UCB-L grows with it (Thm. 7).

    Args:
        population: privacy levels of the users.
        eps_min: users with a lower level send nothing; p_0 is the share of the others.
    """
    return population.total(lambda e: (1 + 4 / e) ** 2, eps_min) / population.mass(eps_min) ** 2


def v_b(population: Population, eps_min: float) -> float:
    """V_B = E[coth^2(eps/2) | eps >= eps_min] / p_0, for HeLDP-UCB-B (Thm. 10)."""
    return population.total(lambda e: half_tanh(e) ** -2, eps_min) / population.mass(eps_min) ** 2


LEADING_TERMS = {"V_L": v_l, "V_B": v_b}


def candidates(population: Population, term: str) -> dict[float, float]:
    """The leading term at each candidate for eps_min, as the paper proposes to choose it."""
    return {e: LEADING_TERMS[term](population, e) for e in population.candidates()}
