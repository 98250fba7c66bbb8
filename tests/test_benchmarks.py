"""The comparison of measured ratios with the committed ones, on made-up numbers."""

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import ratios

COMMITTED = {"ucb, K = 5": 1.0, "dp_ucb, K = 20": 2.0}


def test_what_is_as_fast_as_before_passes():
    assert ratios.complaints(COMMITTED, COMMITTED) == []
    assert ratios.complaints({"ucb, K = 5": 1.5, "dp_ucb, K = 20": 0.1}, COMMITTED) == []


@pytest.mark.parametrize("slow", [3.01, math.inf, math.nan])
def test_what_is_slower_fails_in_one_line(slow):
    (line,) = ratios.complaints(COMMITTED | {"dp_ucb, K = 20": slow}, COMMITTED)
    assert line == f"dp_ucb, K = 20: {slow:.2f}, more than 1.5 times the committed 2.00"
    assert ratios.complaints(COMMITTED | {"dp_ucb, K = 20": 3.01}, COMMITTED, 2.0) == []


def test_what_stands_on_one_side_fails():
    (gone,) = ratios.complaints({"ucb, K = 5": 1.0}, COMMITTED)
    assert gone.startswith("dp_ucb, K = 20: committed, but not measured")
    (new,) = ratios.complaints(COMMITTED | {"mine, K = 5": 1.0}, COMMITTED)
    assert new.startswith("mine, K = 5: measured, but not committed")


def test_ratios_are_kept_and_read_again(tmp_path):
    ratios.write(COMMITTED, tmp_path / "ratios.csv")
    assert ratios.read(tmp_path / "ratios.csv") == COMMITTED
    committed = ratios.read()
    assert len(committed) > 20
    assert all(0 < ratio < math.inf for ratio in committed.values())


def test_committed_ratios_of_rounds_are_within_two_with_5_arms_and_three_with_20():
    limits = {", K = 5": 2.0, ", K = 20": 3.0}
    found = {end: [r for name, r in ratios.read().items() if name.endswith(end)] for end in limits}
    for end, limit in limits.items():
        assert len(found[end]) >= 10
        assert max(found[end]) <= limit


def test_committed_runs_of_episodes_take_less_than_100_microseconds():
    table = Path(ratios.__file__).with_name("table.md").read_text()
    rows = table.split("| algorithm    |   T = 1e7 |")[1].split("\n\n")[0].splitlines()[2:]
    times = {row.split("|")[1].strip(" `"): float(row.split("|")[2]) for row in rows}
    assert {"adap_klucb", "adap_ucb", "dp_se", "dpr_se", "ldpr_se", "prae_c"} < times.keys()
    assert max(times.values()) < 100
