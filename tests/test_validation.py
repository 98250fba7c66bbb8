"""What values mean that a user supplies; how others are refused stands in ``refusals.txt``."""

import math
import os

import pytest
from refusals import message_of

from dpbandits.contracts.parameters import FRACTION, POSITIVE, Named, Options
from dpbandits.validation import (
    argument,
    as_number,
    file_at,
    folder,
    overflowing,
    to_float,
    whole,
    workers,
)

HUGE = int("1" + "0" * 400)  # no float holds it
WORDS = Options(("whole", "split"))
LITERAL = Named({"literal": 0.0}, POSITIVE)


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3), (1e7, 10**7), ("1e3", 1000), ("3", 3), (2**53 + 1, 2**53 + 1)]
)
def test_whole_numbers(value, number):
    found = whole("x", value, at_least=1)
    assert found == number and type(found) is int
    assert as_number("x", value) == float(value)


@pytest.mark.parametrize(
    "value",
    ["many", "", None, True, [1], {"a": 1}, math.nan, "nan", "0x10", "${eps}", math.inf, HUGE],
    ids=lambda x: str(x)[:20],
)
def test_what_is_no_finite_number_is_refused(value):
    for call, needed in (
        (lambda: as_number("x", value), "a finite number"),
        (lambda: whole("x", value, at_least=1), "a whole number of at least 1"),
        (lambda: argument("x", value, FRACTION, 100), "a number in (0, 1)"),
        (lambda: argument("x", value, LITERAL, 100), "literal"),
    ):
        message = message_of(call)
        assert message.startswith("x=") and needed in message


def test_a_number_larger_than_any_float_is_not_infinity():
    for text in ("1e400", "-1.5E+400", "1_0.5e999"):
        assert math.isnan(to_float(text)) and overflowing(text)
    for text in ("inf", "-Infinity"):
        assert math.isinf(to_float(text)) and not overflowing(text)
    for text in ("1e308", "1e-400", "a1e400", "data/1e400", "1e400.csv", "1e400x", None, math.inf):
        assert overflowing(text) is None


@pytest.mark.parametrize("cores", ["x", "", "1.5", "-1"])
def test_a_number_of_cores_that_joblib_cannot_read(monkeypatch, cores):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", cores)
    assert message_of(workers, 1) == f"LOKY_MAX_CPU_COUNT={cores}: a whole number is needed"
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "2")
    assert [workers(x) for x in (-1, 1, 4096)] == [-1, 1, 4096]


@pytest.mark.parametrize(
    "value", [object(), True, None, "", [], {}, b"x", 2024, "x" * 5000, "a\nb", "a\0", "\x1b[31m"]
)
def test_only_a_path_is_a_folder(value, tmp_path):
    message = message_of(folder, "results", value)
    assert message.startswith("results=") and "the path of a folder is needed" in message
    assert ("such as ./2024" in message) == (value == 2024)
    assert ("File name too long" in message) == (value == "x" * 5000)
    assert folder("results", "2024").name == "2024" and folder("results", tmp_path) == tmp_path


def test_a_device_and_a_pipe_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(ValueError, match="not a device or a pipe"):
            file_at(path)
    assert file_at(tmp_path / "missing") == tmp_path / "missing"


@pytest.mark.parametrize(
    ("value", "domain", "horizon", "number"),
    [
        ("0.5", FRACTION, 100, 0.5),
        ("1/horizon", FRACTION, 100, 0.01),
        ("1/horizon", FRACTION, 1, 1.0),  # the limit of the open interval
        ("split", WORDS, 100, 1.0),
        ("literal", LITERAL, 100, 0.0),
        (3, LITERAL, 100, 3.0),
    ],
)
def test_arguments(value, domain, horizon, number):
    assert argument("x", value, domain, horizon) == number
