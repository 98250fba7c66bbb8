"""What an algorithm promises to the people whose rewards it sees: as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Curator = Callable[..., float]  # (rng, reward, eps)

ONE_REWARD = "when one reward differs"
ANY_TWO_REWARDS = "whatever the reward"
ACTIONS = "all actions"
RESPONSE = "each user's response"
STOPPING = "stopping time and estimate"


def all_of_eps(values: Mapping[str, float]) -> float:
    """The whole budget is spent: the parameter eps."""
    return values["eps"]


def nothing_hidden(values: Mapping[str, float]) -> float:
    """No budget bounds what is told."""
    return math.inf


@dataclass(frozen=True)
class Guarantee:
    """What is promised, to whom, under which assumption, and who proved it.

    The likelihood of every event about ``hides`` changes at most by a factor e^epsilon between two
    sequences of rewards that are ``neighbours``.

    Attributes:
        notion: ``global`` (the curator sees rewards, what it does is private), ``local`` (what each
            user sends is private) or ``none``.
        epsilon: the privacy loss as a function of the parameters by name, in nats; for local
            privacy ``eps`` is the user's own level.
        hides: what an adversary may see.
        neighbours: which sequences of rewards may not be told apart.
        source: where it is proved.
        mechanism: the release that it rests on, a name in ``privacy/mechanisms.py``, or None.
        curator: for local privacy, ``curator(rng, reward, eps)``, what a user sends.
    """

    notion: str
    epsilon: Callable[[Mapping[str, float]], float]
    hides: str
    neighbours: str
    source: str
    mechanism: str | None = None
    curator: Curator | None = None

    def in_words(self, epsilon: float | None, rewards: str) -> str:
        """A sentence for a person; without a number for the privacy loss it says eps.

        Args:
            epsilon: the privacy loss, or None.
            rewards: what is assumed of the rewards.
        """
        if self.notion == "none":
            return "not private"
        loss = "eps" if epsilon is None else f"{epsilon:g}"
        what = f"{loss}-{self.notion} DP of {self.hides} {self.neighbours}"
        return f"{what}, for {rewards} ({self.source})"


NOT_PRIVATE = Guarantee("none", nothing_hidden, "nothing", "", "")


def global_dp(source: str, mechanism: str | None = None, hides: str = ACTIONS) -> Guarantee:
    """Global DP: what is done is eps-DP for sequences that differ in one reward."""
    return Guarantee("global", all_of_eps, hides, ONE_REWARD, source, mechanism)


def local_dp(source: str, curator: Curator) -> Guarantee:
    """Local DP: what ``curator(rng, reward, eps)`` sends is DP at the user's own level."""
    return Guarantee("local", all_of_eps, RESPONSE, ANY_TWO_REWARDS, source, None, curator)
