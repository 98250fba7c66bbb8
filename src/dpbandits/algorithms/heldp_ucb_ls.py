"""HeLDP-UCB-LS: HeLDP-UCB-L for rewards without bounds."""

from ..compiled.decorators import kernel
from ..contracts.guarantees import local_dp
from ..contracts.parameters import Positive
from ..parts.local_randomizers import send_sigmoid
from .heldp_ucb_l import agent_2

NAME = "HeLDP-UCB-LS"
GUARANTEE = local_dp("Ren et al. 2020, Corollary 13", send_sigmoid)
ROUND_BY_ROUND = True
LEADING_TERM = "V_L"  # of its regret, which a good eps_min makes small


@kernel
def heldp_ucb_ls(game, rng, eps_min: Positive):
    """HeLDP-UCB-L behind Curator CTL-S (Ren et al. 2020): the sigmoid of the reward is sent. Each
    user's response is DP at that user's own level. Any rewards.

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_2(game, rng, eps_min, True)
