"""Every function of ``validation``: what it returns, and the message with which it refuses."""

import math
import os

import pytest
from refusals import message_of

from dpbandits.contracts.parameters import FRACTION, POSITIVE, Named
from dpbandits.validation import (
    argument,
    as_integer,
    as_number,
    file_at,
    folder,
    numbers,
    overflowing,
    path_of,
    read_csv,
    to_float,
    workers,
    yes_no,
)

HUGE = int("1" + "0" * 400)  # no float holds it
NOT_NUMBERS = ["many", "", None, True, [1], {"a": 1}, math.nan, "nan", "0x10", "${eps}"]
NOT_FINITE = [math.inf, -math.inf, "inf", "1e400", HUGE]


@pytest.mark.parametrize("value", [0, -0.0, 1.5, "1.5", "1e-3", 5e-324, 10**300])
def test_finite_numbers(value):
    assert as_number("x", value) == float(value)


@pytest.mark.parametrize("value", NOT_NUMBERS + NOT_FINITE, ids=lambda x: str(x)[:20])
def test_what_is_not_a_finite_number_is_refused(value):
    message = message_of(as_number, "x", value)
    assert message.startswith("x=") and "a finite number is needed" in message


def test_lists_of_numbers():
    assert numbers("x", [1, "2", 0.5]) == [1.0, 2.0, 0.5]
    assert numbers("x", (1,)) == [1.0]
    for value in ([], "12", 5, None, {"a": 1}):
        assert "x=" in message_of(numbers, "x", value)
        assert "a list of numbers is needed, such as [0.5,1]" in message_of(numbers, "x", value)
    assert message_of(numbers, "x", [1, "high"]) == "x=high: a finite number is needed"


def test_yes_and_no():
    assert yes_no("x", True) is True and yes_no("x", False) is False
    for value in (1, 0, "true", None, [True]):
        assert "true or false is needed" in message_of(yes_no, "x", value)


@pytest.mark.parametrize(
    ("value", "expected"), [(3, 3), (1e7, 10**7), ("1e3", 1000), ("3", 3), (2**53 + 1, 2**53 + 1)]
)
def test_whole_numbers(value, expected):
    found = as_integer("x", value, at_least=1)
    assert found == expected and type(found) is int


@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, *NOT_FINITE, 1.5, "0.5", 0, -1, 2**63], ids=lambda x: str(x)[:20]
)
def test_what_is_not_a_whole_number_in_range_is_refused(value):
    message = message_of(as_integer, "x", value, at_least=1)
    assert message.startswith("x=") and "a whole number of at least 1" in message


def test_the_largest_whole_number_is_named_if_it_matters():
    assert "at most" not in message_of(as_integer, "x", 0, 1)
    assert "at most 9 is needed" in message_of(as_integer, "x", 0, 1, 9)
    assert f"at most {2**62}" in message_of(as_integer, "x", 1e30, 1)


def test_numbers_of_workers():
    assert [workers(x) for x in (-1, 1, 4096)] == [-1, 1, 4096]
    assert "or -1 for one per core" in message_of(workers, 0)
    for value in (-2, 5000, 1.5, "many", True):
        assert message_of(workers, value).startswith("jobs=")


def test_a_number_larger_than_any_float_is_not_infinity():
    for text in ("1e400", "-1.5E+400", "1_0.5e999"):
        assert math.isnan(to_float(text)) and overflowing(text)
    for text in ("inf", "-Infinity"):
        assert math.isinf(to_float(text)) and not overflowing(text)
    for text in (
        "1e308",
        "1e-400",
        "a1e400",
        "data/1e400",
        "1e400.csv",
        "1e400x",
        None,
        1,
        math.inf,
    ):
        assert overflowing(text) is None


@pytest.mark.parametrize("cores", ["x", "", "1.5", "-1"])
def test_a_number_of_cores_that_joblib_cannot_read(monkeypatch, cores):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", cores)
    assert message_of(workers, 1) == f"LOKY_MAX_CPU_COUNT={cores}: a whole number is needed"
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "2")
    assert workers(1) == 1


def test_a_path_may_begin_at_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder("results", "~/runs") == tmp_path / "runs"
    assert path_of("file", "~") == file_at("~") == tmp_path
    assert file_at("~/x.csv") == tmp_path / "x.csv" and str(file_at("a/~")) == "a/~"


def test_paths_of_folders(tmp_path):
    assert str(folder("results", "a b/c")) == "a b/c"
    assert folder("results", tmp_path) == tmp_path
    for value in (None, "", [], ["a"], {"a": 1}, "a\nb", "a\0", "\x1b[31m"):
        assert "the path of a folder is needed" in message_of(folder, "results", value)


def test_a_device_and_a_pipe_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(ValueError, match="not a device or a pipe"):
            file_at(path)
    assert file_at(tmp_path / "missing") == tmp_path / "missing"


def test_a_missing_file_is_almost_that_of_another(tmp_path):
    for name in ("rewards.csv", "other.csv"):
        (tmp_path / name).write_text("a,b\n1,0\n")
    said = message_of(read_csv, "file", tmp_path / "reward.csv")
    assert said == f"file: no such file; did you mean {tmp_path / 'rewards.csv'}?"
    assert message_of(read_csv, "file", tmp_path / "x.csv") == "file: no such file"
    assert message_of(read_csv, "file", tmp_path / "none" / "x.csv") == "file: no such file"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_columns_are_separated_by_commas(tmp_path, separator):
    file = tmp_path / "rewards.csv"
    file.write_text(f"a{separator}b\n1{separator}0\n")
    said = message_of(read_csv, "file", file)
    assert said == "file: not a readable CSV (separate the columns by commas)"
    file.write_text("a;b,c\n1,0\n")  # control
    assert list(read_csv("file", file)) == ["a;b", "c"]


WORDS = Named({"whole": 0.0, "split": 1.0})
LITERAL = Named({"literal": 0.0}, POSITIVE)


def test_arguments():
    assert argument("x", "0.5", FRACTION, 100) == 0.5
    assert argument("x", "1/horizon", FRACTION, 100) == 0.01
    assert argument("x", "1/horizon", FRACTION, 1) == 1.0  # the limit of the open interval
    assert argument("x", "2/horizon", FRACTION, 100) == 0.02
    assert "is needed" in message_of(argument, "x", "two/horizon", FRACTION, 100)
    assert message_of(argument, "x", 1e-300, FRACTION, 100) == (
        "x=1e-300: a number of at least 1e-100 is needed"
    )
    assert argument("x", "split", WORDS, 100) == 1.0
    assert argument("x", "literal", LITERAL, 100) == 0.0
    assert argument("x", 3, LITERAL, 100) == 3.0


@pytest.mark.parametrize("value", [*NOT_NUMBERS, *NOT_FINITE, 0, 1, -1], ids=lambda x: str(x)[:20])
def test_arguments_outside_their_domain_are_refused(value):
    message = message_of(argument, "x", value, FRACTION, 100)
    assert message.startswith("x=") and message.endswith("a number in (0, 1) is needed")


def test_arguments_that_are_no_choice_or_name_are_refused():
    for value in ("half", 0, None, ["whole"]):
        assert "whole or split is needed" in message_of(argument, "x", value, WORDS, 100)
    for value in ("literaly", 0, -1, "nan", None):
        message = message_of(argument, "x", value, LITERAL, 100)
        assert message.startswith("x=") and "literal" in message
    assert "is needed" in message_of(argument, "x", "1/horizon", FRACTION, math.nan)
