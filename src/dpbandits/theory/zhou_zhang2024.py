"""The local rate of Zhou & Zhang 2024, which refutes Theorem 7 of Tao et al. 2022."""

from __future__ import annotations

from .bounds import LOWER, ORDER, theorem
from .conditions import HEAVY_TAILED, LOCAL


@theorem(
    "Zhou & Zhang 2024",
    LOWER,
    "App. C.3",
    ORDER,
    "T^((k+1)/(2k)) (K/eps^2)^((k-1)/(2k)), k = 1 + v",
    LOCAL,
    *HEAVY_TAILED,
    note="the minimax rate: on the worst instance with u = 1",
)
def local_minimax(K: int, eps: float, T: float, v: float) -> float:
    """Order of the minimax regret of eps-local DP for E|X|^(1+v) <= 1, eps <= 1 (App. C.3)."""
    k = 1 + v
    return T ** ((k + 1) / (2 * k)) * (K / eps**2) ** ((k - 1) / (2 * k))
