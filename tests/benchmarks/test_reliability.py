"""The table of kills, damage and bad input: nothing lost, repeated or ended badly."""

import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "reliability.py"


def rows_of(text):
    """What is tried, and the numbers beside it."""
    rows = [line.strip("|").split("|") for line in text.splitlines()[2:] if line.startswith("|")]
    return {what.strip(): [int(x) for x in numbers] for what, *numbers in rows}


def total(rows, word):
    """How many were tried of what has a word in its name."""
    return sum(numbers[0] for what, numbers in rows.items() if word in what)


def test_the_committed_table_is_large_enough_and_all_zeros():
    rows = rows_of(FILE.with_suffix(".md").read_text())
    assert all(not any(wrong) for _, *wrong in rows.values()), rows
    kills = total(rows, "SIG")
    assert kills >= 200 and total(rows, "a kernel compiles") >= kills / 10
    for name in ("SIGKILL", "SIGTERM", "SIGINT"):
        assert sum(name in what for what in rows) >= 6
    assert total(rows, "bad words") >= 2000 and total(rows, "damaged") >= 32
    assert total(rows, "calls from Python") >= 1000


@pytest.mark.long
def test_the_script_makes_such_a_table():
    """With a few tries of each."""
    done = subprocess.run(
        [sys.executable, FILE, "--small"], capture_output=True, text=True, timeout=1000
    )
    assert done.returncode == 0, done.stderr
    rows, committed = (rows_of(text) for text in (done.stdout, FILE.with_suffix(".md").read_text()))
    assert {x for x in committed if "SIG" in x or "damaged" in x} <= rows.keys()
    assert all(numbers[0] > 0 for what, numbers in rows.items() if "bad words" not in what), rows
    assert total(rows, "bad words") > 10
    assert all(not any(wrong) for _, *wrong in rows.values()), done.stdout + done.stderr
