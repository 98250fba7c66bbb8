"""What the auditor asks of anything that it audits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..contracts.algorithm import Algorithm
from .neighbours import Neighbours


class Subject(Protocol):
    """Something that promises privacy: it is played on data, and an adversary looks on."""

    @property
    def kind(self) -> str:
        """What it is, in a word."""

    @property
    def name(self) -> str: ...

    @property
    def eps(self) -> float:
        """The privacy budget that it is given."""

    @property
    def promised(self) -> float:
        """The privacy loss that it promises with that budget."""

    @property
    def version(self) -> str:
        """What changes with its sources."""

    @property
    def runs(self) -> int:
        """Runs of a test that are enough to tell, where it is compiled."""

    @property
    def compiled(self) -> bool: ...

    def pairs(self, rng: np.random.Generator, n: int) -> list[Neighbours]:
        """About ``n`` pairs of neighbouring data that are worth a look."""

    def sample(self, data: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """What an adversary sees of some data in independent runs, float array (runs, columns)."""

    def columns(self, data: np.ndarray) -> list[str]:
        """What these columns are."""

    def exact(self) -> float | None:
        """The exact privacy loss of the release beneath, where it is known."""


@dataclass(frozen=True)
class Defined:
    """What subjects that a file defines have in common.

    Attributes:
        algorithm: the algorithm or stopping rule.
        eps: the privacy budget that it is given.
    """

    algorithm: Algorithm
    eps: float

    @property
    def name(self) -> str:
        return self.algorithm.name

    @property
    def version(self) -> str:
        return self.algorithm.version

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters, as a configuration holds them."""
        return {"eps": self.eps}

    @property
    def promised(self) -> float:
        guarantee = self.algorithm.guarantee
        return guarantee.epsilon(self.parameters) if guarantee else self.eps
