"""Orders of regret for servers that see only sums, derived from radii of Chowdhury & Zhou 2023."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .bounds import ORDER, Condition, bounds_of
from .conditions import PRIVACY, UNIT_REWARDS, algorithm
from .problem import positive

_, upper = bounds_of("Chowdhury & Zhou 2023")
P = Condition("p = 1/T", lambda p, T: math.isclose(p * T, 1, rel_tol=1e-6))


@upper("discrete Laplace noise (what its radii imply)", ORDER, "sum (ln T/gap + ln T/eps + gap)",
       algorithm("dist_dp_se"), UNIT_REWARDS, PRIVACY, P)  # fmt: skip
def dist_dp_se(gaps: Sequence[float], eps: float, T: float) -> float:
    """Order of the regret of Dist-DP-SE, with discrete Laplace noise and p = 1/T. With a trusted
    server, the order would be the same.
    """
    gap, l = positive(gaps), math.log(T)
    return float((l / gap + l / eps + gap).sum())


@upper("Skellam noise (what its radii imply)", ORDER,
       "sum (ln T/gap + sqrt(ln T)/eps + ln T/(s eps) + gap)",
       algorithm("dist_rdp_se"), UNIT_REWARDS, PRIVACY, P)  # fmt: skip
def dist_rdp_se(gaps: Sequence[float], eps: float, T: float, s: float) -> float:
    """Order of the regret of Dist-RDP-SE, with Skellam noise and p = 1/T."""
    gap, l = positive(gaps), math.log(T)
    return float((l / gap + math.sqrt(l) / eps + l / (s * eps) + gap).sum())
