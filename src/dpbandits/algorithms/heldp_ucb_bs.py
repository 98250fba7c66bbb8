"""HeLDP-UCB-BS: HeLDP-UCB-B for rewards without bounds."""

from ..compiled.decorators import kernel
from ..contracts.guarantees import local_dp
from ..contracts.parameters import Positive
from ..parts.local_randomizers import send_bit_of_sigmoid
from .heldp_ucb_b import agent_4

NAME = "HeLDP-UCB-BS"
GUARANTEE = local_dp("Ren et al. 2020, Corollary 13", send_bit_of_sigmoid)
ROUND_BY_ROUND = True
LEADING_TERM = "V_B"  # of its regret, which a good eps_min makes small


@kernel
def heldp_ucb_bs(game, rng, eps_min: Positive):
    """HeLDP-UCB-B behind Curator CTB-S (Ren et al. 2020): a bit of the reward's sigmoid is sent.
    Each user's response is DP at that user's own level. Any rewards.

    Args:
        eps_min: users with a lower level send nothing.
    """
    agent_4(game, rng, eps_min, True)
