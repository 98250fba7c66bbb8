"""Operations of the processor: compiled code returns what plain Python does."""

import math

import pytest

from dpbandits.compiled import kernel, unlikely, whole

AT_ENDS = [-math.inf, -1e300, -(2.0**63), 2.0**63, 1e300, math.inf]


@kernel
def compiled_whole(x):
    return whole(x)


@kernel
def compiled_branch(x):
    return 1 if unlikely(x > 0.5) else 2


@pytest.mark.parametrize("x", [0.0, -0.0, 0.9, -0.9, 1.0, -1.0, 1e15 + 0.5, -1e15 - 0.5])
def test_the_integer_part_is_that_of_python(x):
    assert whole(x) == compiled_whole(x) == int(x)
    assert whole(x + 2.0) != compiled_whole(x)  # control


@pytest.mark.parametrize("x", AT_ENDS)
def test_an_integer_part_beyond_int64_is_an_end_of_int64(x):
    for found in (whole(x), compiled_whole(x)):
        assert found in (-(2**63), 2**63 - 1)


def test_a_branch_that_is_rarely_taken_is_taken_when_its_condition_holds():
    for x in (0.0, 0.5, 0.6, 1.0):
        assert compiled_branch(x) == compiled_branch.py_func(x) == (1 if x > 0.5 else 2)
