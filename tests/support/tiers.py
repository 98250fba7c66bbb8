"""Which cases of a test the fast tests play."""

import pytest


def first(cases, n=1, then=pytest.mark.slow):
    """The first ``n`` cases are played by the fast tests; the others are marked."""
    cases = list(cases)
    return [*cases[:n], *(_marked(case, then) for case in cases[n:])]


def every(n, cases):
    """Every ``n``-th case is played by the fast tests."""
    slow = pytest.mark.slow
    return [_marked(case, slow) if i % n else case for i, case in enumerate(cases)]


def _marked(case, mark):
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, mark], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)
