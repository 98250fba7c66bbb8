"""A folder on a disk that is too small by some kilobytes, and a folder of a hundred commands."""

import os
from concurrent.futures import ThreadPoolExecutor

import faults
import pytest
from commands import captured, command
from sweeps import csv_after, requested, words

SWEEP = {"algo": ["dp_se", "adap_klucb"], "eps": [0.1, 0.5, 1], "horizon": 1e5, "runs": 20}


@pytest.fixture(scope="module")
def right():
    return csv_after(requested(**SWEEP))


def mount(place, size, *options):
    choice = ",".join([*options, f"size={size}k"])
    return captured("mount", "-t", "tmpfs", "-o", choice, "tmpfs", str(place))


@pytest.fixture
def disk(tmp_path):
    """A disk in memory; its size is changed by the test."""
    if (done := mount(tmp_path, 8000)).returncode:
        pytest.skip(f"a disk cannot be mounted: {done.stderr.strip()}")
    yield tmp_path
    captured("umount", str(tmp_path))


def used(place):
    found = os.statvfs(place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize // 1024


@pytest.mark.long
def test_a_disk_that_is_some_kilobytes_too_small(disk, right):
    """It has room for all but a few kilobytes of what a command writes; then it gets more."""
    line = ["bandit-run", *words(**SWEEP), "jobs=1", f"results={disk / 'r'}"]

    def tables():
        return [path.read_bytes() for path in disk.glob("r/*.csv")]

    assert command(*line).returncode == 0 and tables() == [right]
    most, refused = used(disk), 0
    assert most > 100
    for size in [4, 40, *range(most - 44, most + 1, 8)]:
        captured("rm", "-r", str(disk / "r"))
        mount(disk, size, "remount")
        done = command(*line)
        refused += done.returncode
        assert done.returncode in (0, 1) and "Traceback" not in done.stderr, (size, done.stderr)
        if done.returncode:
            assert "No space left on device" in done.stderr, size
            assert [line.startswith("bandit-run: ") for line in done.stderr.splitlines()] == [True]
        assert tables() in ([], [right]), size
        mount(disk, 8000, "remount")
        again = command(*line)
        assert again.returncode == 0 and tables() == [right], again.stderr
        left = [path.name for path in disk.rglob("*")]
        assert not [name for name in left if name.endswith(".part") or "damaged" in name]
    assert refused >= 4


@pytest.mark.long
def test_a_hundred_commands_on_one_folder(tmp_path, monkeypatch, right):
    monkeypatch.setattr(faults, "limit", 600)  # seconds, which bound the wait for each
    line = ["bandit-run", *words(**SWEEP), "jobs=1", f"results={tmp_path}"]
    with ThreadPoolExecutor(100) as pool:
        processes = [faults.begin(line, str(tmp_path / f"{i}.err")) for i in range(100)]
        ends = [*pool.map(faults.end_of, processes)]
    assert ends == [(0, False)] * 100
    assert [path.read_bytes() for path in tmp_path.glob("*.csv")] == [right]
    assert not [x for x in tmp_path.glob("*.err") if "Traceback" in x.read_text()]
