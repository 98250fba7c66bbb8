"""The number of rounds in which one arm leads, found by bisection."""

from __future__ import annotations

from collections.abc import Callable

from ...compiled import inlined


def bisected(leader: Callable) -> Callable:
    """Return a function ``rounds_of_lead(state, eps, t, log, most)``.

    The function returns for how many rounds from round t, at most ``most``, the leader of round t
    remains the leader. An arm that overtakes the leader must stay above it.

    Args:
        leader: ``leader(state, eps, t, log)`` returns the leader of round t; a function that is
            decorated with ``inlined``.
    """

    @inlined
    def rounds_of_lead(state, eps, t, log, most):
        a = leader(state, eps, t, log)
        leads, bound, n = 1, most + 1, most  # the arm leads for leads, ..., bound - 1 rounds
        while bound - leads > 1:
            if leader(state, eps, t + n - 1, log) == a:
                leads = n
            else:
                bound = n
            n = (leads + bound) // 2
        return leads

    return rounds_of_lead
