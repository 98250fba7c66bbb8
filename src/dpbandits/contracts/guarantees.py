"""Privacy guarantees of algorithms, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Curator = Callable[..., float]  # (rng, reward, eps)

ONE_REWARD = "when one reward differs"
ANY_TWO_REWARDS = "between any two rewards"
ACTIONS = "all actions"
RESPONSE = "each user's response"
STOPPING = "stopping time and estimate"


def all_of_eps(values: Mapping[str, float]) -> float:
    """The privacy loss is the parameter eps."""
    return values["eps"]


def nothing_hidden(values: Mapping[str, float]) -> float:
    """The privacy loss is unbounded."""
    return math.inf


@dataclass(frozen=True)
class Guarantee:
    """A guarantee of differential privacy, with its neighbouring relation and its source.

    The probability of every event about ``hides`` changes by a factor of at most e^epsilon between
    two neighbouring sequences of rewards.

    Attributes:
        notion: ``global`` (a trusted curator sees the rewards, its output is private), ``local``
            (the response of each user is private) or ``none``.
        epsilon: the privacy loss in nats as a function of the parameters by name; for local
            privacy ``eps`` is the level of the user.
        hides: the output that an adversary observes.
        neighbours: the neighbouring relation.
        source: paper and theorem that prove it.
        mechanism: the release that it rests on, a name in ``audit/releases.py``, or None.
        curator: for local privacy, the local randomizer ``curator(rng, reward, eps)``.
    """

    notion: str
    epsilon: Callable[[Mapping[str, float]], float]
    hides: str
    neighbours: str
    source: str
    mechanism: str | None = None
    curator: Curator | None = None

    def in_words(self, epsilon: float | None, rewards: str) -> str:
        """The guarantee as a phrase.

        Args:
            epsilon: the privacy loss; None prints ``eps``.
            rewards: the assumption on the rewards, in words.
        """
        if self.notion == "none":
            return "not private"
        loss = "eps" if epsilon is None else f"{epsilon:g}"
        what = f"{loss}-{self.notion} DP of {self.hides} {self.neighbours}"
        return f"{what}, for {rewards} ({self.source})"


NOT_PRIVATE = Guarantee("none", nothing_hidden, "nothing", "", "")


def global_dp(source: str, mechanism: str | None = None, hides: str = ACTIONS) -> Guarantee:
    """Global DP: ``hides`` is eps-DP for sequences of rewards that differ in one reward."""
    return Guarantee("global", all_of_eps, hides, ONE_REWARD, source, mechanism)


def local_dp(source: str, curator: Curator) -> Guarantee:
    """Local DP: the output of ``curator(rng, reward, eps)`` is DP at the level of the user."""
    return Guarantee("local", all_of_eps, RESPONSE, ANY_TWO_REWARDS, source, None, curator)
