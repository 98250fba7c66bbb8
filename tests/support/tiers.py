"""Decide which cases of a test belong to the fast tests."""

import pytest


def first(cases, n=1, then=pytest.mark.slow):
    """Return the cases. The first ``n`` belong to the fast tests, the others get a mark."""
    cases = list(cases)
    return [*cases[:n], *(_marked(case, then) for case in cases[n:])]


def every(n, cases):
    """Return the cases. Every ``n``-th belongs to the fast tests, the others get a mark."""
    slow = pytest.mark.slow
    return [_marked(case, slow) if i % n else case for i, case in enumerate(cases)]


def _marked(case, mark):
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, mark], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)
