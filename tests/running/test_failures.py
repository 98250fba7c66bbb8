"""The reason of a failure is the line that names its exception."""

import pytest

from dpbandits.running.failures import Failure

HEAD = "Traceback (most recent call last):\n"


@pytest.mark.parametrize(
    "line", ["numba.core.errors.TypingError: Failed in nopython mode", "Diverged: too long"]
)
def test_the_reason_of_a_failure_is_its_last_exception(line):
    trace = f"{HEAD}  File y\nValueError: no\n\nDuring handling of it:\n\n{HEAD}"
    trace += f"  File x\n    z()\n{line}\nUnknown attribute\n\nDuring: Pass inference\n"
    assert Failure(None, (0,), trace).reason == line


def test_a_reason_without_a_traceback_is_itself():
    assert Failure(None, (0,), "its worker died").reason == "its worker died"
