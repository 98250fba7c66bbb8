"""The comparison of measured ratios with the committed ones, on invented numbers."""

import math
import re
from pathlib import Path

import pytest
import ratios

COMMITTED = {"ucb, K = 5": 1.0, "dp_ucb, K = 20": 2.0}


def test_ratios_as_small_as_before_pass():
    assert ratios.complaints(COMMITTED, COMMITTED) == []
    assert ratios.complaints({"ucb, K = 5": 1.5, "dp_ucb, K = 20": 0.1}, COMMITTED) == []


@pytest.mark.parametrize("slow", [3.01, math.inf, math.nan])
def test_a_larger_ratio_is_reported_in_one_line(slow):
    committed = COMMITTED | {"dp_se, T = 1e7": 2.0}
    (line,) = ratios.complaints(committed | {"dp_se, T = 1e7": slow}, committed)
    assert line == f"dp_se, T = 1e7: {slow:.2f}, more than 1.5 times the committed 2.00"
    assert ratios.complaints(committed | {"dp_se, T = 1e7": 3.01}, committed, 2.0) == []


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("ucb, K = 5", 2.0), ("dp_ucb, K = 20", 3.0), ("ts, 5 Beta draws", 1.0),
        ("lin_ucb, 30 normals", 2.75), ("lin_ucb, 400 normals", 3.0),
        ("private_lin_ucb, 400 normals and a node", 3.0),
        ("ldp_lin_ucb, 30 normals and a message", 2.5), ("dp_ucb, honaker literal, 5 arms", 3.0),
    ],
)  # fmt: skip
def test_a_ratio_above_its_limit_is_reported_whatever_is_committed(name, limit):
    for slow in (limit + 0.01, math.nan):
        measured = COMMITTED | {name: slow}
        found = ratios.complaints(measured, COMMITTED | {name: limit}, tolerance=math.inf)
        lines = [line for line in found if "limit" in line]
        assert lines == [f"{name}: {slow:.2f}, above the limit of {limit:g}"]
    measured = COMMITTED | {name: limit}  # control: at the limit
    assert ratios.complaints(measured, measured) == []


@pytest.mark.parametrize("long", [2.0 * 1.51, math.nan])
def test_an_episodic_run_that_takes_longer_for_a_longer_game_is_reported(long):
    measured = {"dp_se, T = 1e7": 2.0, "dp_se, T = 1e12": long, "ucb, K = 5": 1.0}
    (line,) = ratios.above_limits(measured)
    assert line == f"dp_se, T = 1e12: {long / 2:.2f} times T = 1e7, above the limit of 1.5"
    assert ratios.above_limits(measured | {"dp_se, T = 1e12": 2.99}) == []


def test_a_ratio_without_counterpart_is_reported():
    (gone,) = ratios.complaints({"ucb, K = 5": 1.0}, COMMITTED)
    assert gone.startswith("dp_ucb, K = 20: committed, but no longer measured")
    (new,) = ratios.complaints(COMMITTED | {"mine, K = 5": 1.0}, COMMITTED)
    assert new.startswith("mine, K = 5: measured, but not committed")


def test_ratios_are_written_and_read_again(tmp_path):
    ratios.write(COMMITTED, tmp_path / "ratios.csv")
    assert ratios.read(tmp_path / "ratios.csv") == COMMITTED
    committed = ratios.read()
    assert len(committed) > 20
    assert all(0 < ratio < math.inf for ratio in committed.values())


def test_committed_ratios_of_rounds_are_within_their_limits():
    committed = ratios.read()
    limits = [2.0, 3.0, 3.0, 3.0, 1.0, 2.75, 3.0, 2.5, 3.0, 3.0, 3.0]
    assert list(ratios.LIMITS.values()) == limits
    for end, least in zip(ratios.LIMITS, (10, 10, 6, 6, 6, 3, 3, 3, 3, 1, 1), strict=True):
        assert sum(name.endswith(end) for name in committed) >= least
    assert not ratios.complaints(committed, committed)
    (worse,) = ratios.complaints(committed | {"ucb, K = 5": 2.01}, committed)  # control
    assert worse.startswith("ucb, K = 5")


def test_committed_runs_of_episodes_take_less_than_100_microseconds():
    table = Path(ratios.__file__).with_name("table.md").read_text()
    rows = re.split(r"\| algorithm +\| +T = 1e7 \|", table)[1].split("\n\n")[0].splitlines()[2:]
    times = {row.split("|")[1].strip(" `"): float(row.split("|")[2]) for row in rows}
    assert {"adap_klucb", "adap_ucb", "dp_se", "dpr_se", "ldpr_se", "prae_c"} < times.keys()
    assert max(times.values()) < 100
