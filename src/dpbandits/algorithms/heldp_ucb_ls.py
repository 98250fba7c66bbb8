"""HeLDP-UCB-LS: HeLDP-UCB-L for unbounded rewards."""

from ..authoring import Positive, kernel, local_dp, one_release, sigmoid
from ..parts.noise.local_randomizers import send_sigmoid
from .heldp_ucb_l import agent_2

NAME = "HeLDP-UCB-LS"
LINE = "sky blue", "dotted"
GUARANTEE = local_dp("Ren et al. 2020, Corollary 13", send_sigmoid, alignment=one_release)
ROUND_BY_ROUND = True
LEADING_TERM = "V_L"  # the leading term of the regret; eps_min should minimise this term


play = agent_2(sigmoid)


@kernel
def heldp_ucb_ls(game, rng, eps_min: Positive):
    """HeLDP-UCB-L with Curator CTL-S (Ren et al. 2020): users send the reward's sigmoid plus noise.
    Each user's response is DP at that user's level. Any rewards.

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, eps_min)
