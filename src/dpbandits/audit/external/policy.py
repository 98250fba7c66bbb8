"""An external policy: an object in plain Python that chooses arms and receives rewards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...contracts.algorithm import Algorithm
from ...contracts.alignments import Alignment
from ...contracts.assumptions import UNIT_INTERVAL
from ...contracts.guarantees import ACTIONS, RESPONSE, global_dp
from ...contracts.parameters import POSITIVE
from ...errors import BadInput, first_line, plain
from ..numbers.draws import array_of
from ..numbers.redirect import redirect_random, replaced, unseeded_generators

Make = Callable[..., Any]  # make(arms=K, horizon=T, eps=eps, rng=generator) returns a policy
Reward = Callable[[int, int], float]  # of a round, from 0, and an arm
PROBES, PROBED = 3, 32  # games, and their rounds, in which a policy is examined
ANY_NUMBER = 10**9
ARRAYS = ("array", "asarray")  # functions of NumPy that make arrays of the numbers of a list
# of any policy: what it costs is summed up, however many draws of noise the reward enters
ANY_NOISE = Alignment("all noise that holds the changed reward", ANY_NUMBER, ANY_NUMBER)


class GameOver(BaseException):
    """All rounds are played. A policy that has a loop of its own need not catch it."""


def play_policy(make: Make, reward: Reward, K: int, T: int, eps: float, rng: Any) -> list[int]:
    """The arms of all rounds that a new policy plays.

    Args:
        make: makes the policy, which has methods ``choose() -> int`` and ``receive(arm, reward)``,
            or one method ``play(pull)``, a loop of its own that calls ``pull(arm) -> reward``.
        reward: of a round, from 0, and an arm.
        K: number of arms.
        T: number of rounds.
        eps: the privacy budget.
        rng: generator of the policy's random numbers.

    Raises:
        BadInput: it chooses an arm that does not exist, or has not these methods.
    """
    try:
        policy = make(arms=K, horizon=T, eps=eps, rng=rng)
    except TypeError as error:  # most likely of the call
        raise BadInput(f"policy={name_of(make)}: {first_line(error)}") from error
    arms: list[int] = []

    def pull(arm: Any) -> float:
        if len(arms) == T:
            raise GameOver
        a = int(arm)
        if not 0 <= a < K:
            raise BadInput(f"policy={name_of(make)}: it chose arm {a} of {K} arms, 0 to {K - 1}")
        arms.append(a)
        return reward(len(arms) - 1, a)

    if hasattr(policy, "play"):
        with suppress(GameOver):
            policy.play(pull)
        return arms
    if not (hasattr(policy, "choose") and hasattr(policy, "receive")):
        raise BadInput(
            f"policy={name_of(make)}: a policy has methods choose() and receive(arm, reward)"
        )
    choose, receive = policy.choose, policy.receive
    for _ in range(T):
        a = choose()
        receive(a, pull(a))
    return arms


@dataclass(frozen=True)
class ExternalPolicy:
    """What makes policies, and where their random numbers come from.

    Attributes:
        make: makes the policies.
        fixed: whether they seed generators with the same number in each game, so that what these
            draw is known. Other seeds are random, and as good as the audit's own numbers.
        unseeded: whether they make generators without a seed that the audit cannot replace.
    """

    make: Make
    fixed: bool
    unseeded: bool

    def __call__(self, reward: Reward, K: int, T: int, eps: float, rng: Any) -> list[int]:
        """As ``play_policy``, with all random numbers from one generator."""
        arrays = {name: array_of(getattr(np, name)) for name in ARRAYS}
        noted = {} if isinstance(rng, np.random.Generator) else arrays
        with redirect_random(rng, self.fixed), replaced(np, noted):
            return play_policy(self.make, reward, K, T, eps, rng)


def examine(make: Make) -> ExternalPolicy:
    """What makes policies, examined in a few games.

    Raises:
        BadInput: it makes no policies.
    """
    seeds: list[list[str]] = [[] for _ in range(PROBES)]
    with unseeded_generators() as unseeded:
        for i, given in enumerate(seeds):
            rng = np.random.default_rng([20, i])
            table = rng.random((PROBED, 2))
            with redirect_random(rng, given=given):
                try:
                    play_policy(make, lambda t, a: float(table[t, a]), 2, PROBED, 1.0, rng)  # noqa: B023
                except BadInput:
                    raise
                except Exception:  # the audit reports what is raised
                    continue
    fixed = any(len(set(same)) == 1 for same in zip(*seeds, strict=False))
    return ExternalPolicy(make, fixed, bool(unseeded))


def claimed(make: Make, local: bool = False) -> Algorithm:
    """What is audited of policies: that all their actions are eps-DP if one reward in [0, 1]
    changes; with local privacy, that the response of each user is.

    Raises:
        BadInput: it makes no policies.
    """
    if not callable(make):
        words = "it is called policy(arms=K, horizon=T, eps=eps, rng=generator)"
        raise BadInput(f"policy={plain(make)}: {words}")
    hides = RESPONSE if local else ACTIONS
    return Algorithm(
        name=name_of(make),
        group="algo",
        version="",
        function=examine(make),
        domains={"eps": POSITIVE},
        rewards=UNIT_INTERVAL,
        guarantee=global_dp("the promise under audit", hides=hides, alignment=ANY_NOISE),
    )


def name_of(make: Make) -> str:
    """The name of a class or function that makes policies."""
    return str(getattr(make, "__name__", type(make).__name__))
