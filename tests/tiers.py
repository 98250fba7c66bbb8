"""Which cases of a test the fast tests play."""

import pytest


def first(cases, n=1, then=pytest.mark.slow):
    """The first ``n`` cases are played by the fast tests; the others are marked."""
    cases = list(cases)
    others = (x if isinstance(x, tuple) else (x,) for x in cases[n:])
    return [*cases[:n], *(pytest.param(*x, marks=then) for x in others)]


def every(n, cases):
    """Every ``n``-th case is played by the fast tests."""
    return [x for i, case in enumerate(cases) for x in first([case], 1 if i % n == 0 else 0)]
