"""The verdicts of audits: their meaning, and the choice of one verdict if several methods lead to
different verdicts.
"""

from __future__ import annotations

VIOLATED, MISALIGNED, UNDECIDED = "VIOLATED", "MISALIGNED", "undecided"
CONSISTENT, PROVED = "consistent", "proved"
# The verdict is the first of these words to which any sample, replay or exact loss leads
MEANING = {
    VIOLATED: "a loss above the promised loss was computed, or measured at the stated confidence",
    MISALIGNED: "a replay of the alignment failed: the proof that the guarantee names does not "
    "hold for this code",
    UNDECIDED: "the interval of the exact loss contains the promised loss, or replays of an "
    "external policy failed and samples do not refute its promise, or the rewards have no range, "
    "or the time ran out",
    CONSISTENT: "no sample and no replay contradicts the promise; a loss below the loss in the "
    "column 'would be seen from' may remain undetected",
    PROVED: "the exact loss of the actions is at most the promised loss",
}
OBJECTIONS = (VIOLATED, MISALIGNED)
# An exact loss exceeds the promised loss if it is above this multiple of the promised loss
ABOVE = 1.0 + 1e-9


def combined(*words: str) -> str:
    """Return the verdict of ``words`` that comes first in ``MEANING``, or "" if there is none."""
    return next((word for word in MEANING if word in words), "")


def of_samples(measured: float, promised: float) -> str:
    """Return the verdict from samples; ``measured`` is the lower confidence bound on the loss."""
    return VIOLATED if measured >= promised else CONSISTENT


def of_replays(aligned: int, replays: int) -> str:
    """Return the verdict from the replays of an alignment, of which ``aligned`` succeeded."""
    return MISALIGNED if aligned < replays else CONSISTENT if replays else ""


def of_exact(low: float, high: float, promised: float) -> str:
    """Return the verdict from an exact loss, which lies in the interval [low, high]."""
    limit = promised * ABOVE
    return VIOLATED if low > limit else PROVED if high <= limit else UNDECIDED
