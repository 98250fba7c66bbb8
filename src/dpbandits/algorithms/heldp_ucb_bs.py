"""HeLDP-UCB-BS: HeLDP-UCB-B for unbounded rewards."""

from ..authoring import Positive, kernel, local_dp, one_bit
from ..parts.noise.local_randomizers import convert_to_bernoulli_of_sigmoid, send_bit_of_sigmoid
from .heldp_ucb_b import agent_4

NAME = "HeLDP-UCB-BS"
LINE = "sky blue", "dashdotted"
GUARANTEE = local_dp("Ren et al. 2020, Corollary 13", send_bit_of_sigmoid, alignment=one_bit)
ROUND_BY_ROUND = True
LEADING_TERM = "V_B"  # the leading term of the regret; eps_min should minimise this term


play = agent_4(convert_to_bernoulli_of_sigmoid)


@kernel
def heldp_ucb_bs(game, rng, eps_min: Positive):
    """HeLDP-UCB-B with Curator CTB-S (Ren et al. 2020): users send a bit of the reward's sigmoid.
    Each user's response is DP at that user's level. Any rewards.

    Args:
        eps_min: users with a lower level send nothing.
    """
    play(game, rng, eps_min)
