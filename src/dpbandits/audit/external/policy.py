"""An external policy: an object in plain Python that chooses arms and receives rewards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...contracts.algorithm import Algorithm
from ...contracts.alignments import Alignment
from ...contracts.assumptions import UNIT_INTERVAL
from ...contracts.guarantees import ACTIONS, RESPONSE, global_dp
from ...contracts.parameters import POSITIVE
from ...errors import BadInput, first_line, plain, unknown
from ...policies import Make, budget_name, make_policy, parameters_of, play_policy, policy_name
from ..numbers.draws import array_of
from ..numbers.redirect import REPEATED, named_generators, odd_generators, redirect_random, replaced

Reward = Callable[[int, int], float]  # the reward as a function of the round, from 0, and the arm
PROBES, PROBED = 3, 32  # number of games in which a policy is examined, and rounds of each game
ANY_NUMBER = 10**9
ARRAYS = ("array", "asarray")  # NumPy functions that make an array from a list of numbers
# The alignment of any policy: a changed reward may be added to any number of draws, whose costs are
# added
ANY_NOISE = Alignment("all noise that holds the changed reward", ANY_NUMBER, ANY_NUMBER)


def play_external(make: Make, reward: Reward, K: int, T: int, eps: float, rng: Any) -> list[int]:
    """Make a policy, play one game with it, and return the arm of each round.

    Args:
        make: a function or class that makes the policy, see ``policies``.
        reward: a function that returns the reward of a round, from 0, and an arm.
        K: number of arms.
        T: number of rounds.
        eps: the privacy budget.
        rng: generator of the policy's random numbers.

    Raises:
        BadInput: the policy chooses an arm that does not exist, or lacks the methods of a policy.
    """
    try:
        policy = make_policy(make, K, T, rng, {"eps": eps})
    except TypeError as error:  # most likely, the call of the class has wrong arguments
        raise BadInput(f"policy={policy_name(make)}: {first_line(error)}") from error
    arms: list[int] = []

    def pull(arm: int) -> float:
        arms.append(arm)
        return reward(len(arms) - 1, arm)

    play_policy(policy, pull, K, T)
    return arms


@dataclass(frozen=True)
class ExternalPolicy:
    """A function or class that makes policies, and what is known of the source of their random
    numbers.

    Attributes:
        make: the function or class.
        fixed: whether the policies seed generators with the same number in each game. If they do,
            the numbers of these generators are public. If False, seeds are random, and in replays
            the audit's own generator replaces the seeded generators.
        odd: why a replay may be unable to follow their random numbers: those of SAID, COPIED,
            BY_NAME and REPEATED that hold.
    """

    make: Make
    fixed: bool
    odd: tuple[str, ...]

    def __call__(self, reward: Reward, K: int, T: int, eps: float, rng: Any) -> list[int]:
        """Play a game (see ``play_external``) with all random numbers from one generator."""
        arrays = {name: array_of(getattr(np, name)) for name in ARRAYS}
        noted = {} if isinstance(rng, np.random.Generator) else arrays
        with redirect_random(rng, self.fixed), replaced(np, noted):
            return play_external(self.make, reward, K, T, eps, rng)


def examine(make: Make) -> ExternalPolicy:
    """Find out, in a few games, how policies seed their generators.

    Raises:
        BadInput: ``make`` makes no policies.
    """
    seeds: list[list[str]] = [[] for _ in range(PROBES)]
    with odd_generators() as odd, named_generators() as named:
        for i, given in enumerate(seeds):
            rng = np.random.default_rng([20, i])
            table = rng.random((PROBED, 2))
            with redirect_random(rng, given=given):
                try:
                    play_external(make, lambda t, a: float(table[t, a]), 2, PROBED, 1.0, rng)  # noqa: B023
                except BadInput:
                    raise
                except Exception:  # the audit reports this error later
                    continue
    fixed = any(len(set(same)) == 1 for same in zip(*seeds, strict=False))
    repeated = any(len({*given}) < len(given) for given in seeds)
    found = [*odd, *named, *[REPEATED] * repeated]
    return ExternalPolicy(make, fixed, tuple(dict.fromkeys(found)))


def claimed(make: Make, local: bool = False, values: Mapping[str, Any] | None = None) -> Algorithm:
    """Return an algorithm with the guarantee that is claimed for external policies.

    The claim is that the sequence of all actions is eps-DP with respect to one reward in [0, 1].
    With local privacy, the claim is that the response of each user is eps-DP.

    Args:
        make: the function or class that makes the policies.
        local: whether local privacy is claimed.
        values: the values of some parameters of the policies.

    Raises:
        BadInput: ``make`` makes no policies, or they lack one of the parameters.
    """
    if not callable(make):
        words = "a policy is called as policy(arms=K, horizon=T, eps=eps, rng=generator)"
        raise BadInput(f"policy={plain(make)}: {words}")
    if values:
        taken = parameters_of(make)
        known = ["eps" if name == budget_name(taken) else name for name in taken]
        for name in [name for name in values if name not in known]:
            raise unknown(f"parameter of policy={policy_name(make)}:", name, known)
        make = partial(make, **values)
    hides = RESPONSE if local else ACTIONS
    return Algorithm(
        name=policy_name(make),
        group="algo",
        version="",
        function=examine(make),
        domains={"eps": POSITIVE},
        rewards=UNIT_INTERVAL,
        guarantee=global_dp("the promise under audit", hides=hides, alignment=ANY_NOISE),
    )
