"""A table is read in pieces: as pandas reads it at once, in little more than its own memory."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from dpbandits.results import reading

COLUMNS = {
    "whole numbers": ["1", "2", "3", "4"],
    "then fractions": ["1", "2", "3.5", "4"],
    "blanks": ["", "1", "", "0.5"],
    "blank at first": ["", "", "0.5", "2"],
    "words": ["a", "b", "a", "b"],
    "words and blanks": ["a", "", "", "b"],
    "words after numbers": ["1", "0.50", "none", "2"],
    "words after blanks": ["", "", "none", "2"],
    "infinite": ["1", "inf", "2", "inf"],
    "truth": ["True", "False", "True", "True"],
    "truth and blanks": ["True", "False", "", "True"],
    "truth and numbers": ["True", "1", "False", "0"],
    "too large": ["1", "2", "99999999999999999999", "3"],
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_pieces_are_read_as_the_whole(tmp_path, monkeypatch, column, rows):
    monkeypatch.setattr(reading, "ROWS", rows)
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["n,x", *(f"{i},{x}" for i, x in enumerate(COLUMNS[column]))]))
    pd.testing.assert_frame_equal(reading.read_whole(file), pd.read_csv(file), check_dtype=False)


def test_numbers_among_words_are_words_wherever_they_stand(tmp_path):
    """Mutation that it catches: pandas divides a piece again, and some values become numbers."""
    file, rows = tmp_path / "t.csv", reading.ROWS // 2
    names, zeros = ",".join(map(str, range(20))), 20 * ",0"
    file.write_text(f"x,{names}\n" + f"0.50{zeros}\n" * rows + f"none{zeros}\n")
    whole = pd.read_csv(file, low_memory=False)
    assert set(whole["x"]) == {"0.50", "none"}
    pd.testing.assert_frame_equal(reading.read_whole(file), whole, check_dtype=False)


PEAK = """
import sys
from pathlib import Path
import pandas as pd
from dpbandits.results.reading import read_whole
pd.set_option("mode.string_storage", "python")
def peak(): return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
before = peak()
table = eval(sys.argv[1])(Path(sys.argv[2]))
print((peak() - before) / table.memory_usage().sum())
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no peak")
def test_reading_takes_little_more_memory_than_the_table(tmp_path):
    """Less than 1.7 times as much; reading it at once, the control, takes more than twice."""
    file = tmp_path / "t.csv"
    rows = "".join(f"ucb,c2,0.5,9,0,9,{i},1.5\n" for i in range(10**6))
    file.write_text("algo,env,eps,horizon,seed,t,run,regret\n" + rows)

    def peak(read):
        command = [sys.executable, "-c", PEAK, read, file]
        return float(subprocess.run(command, check=True, capture_output=True).stdout)

    assert peak("read_whole") < 1.7 < 2.2 < peak("lambda x: pd.read_csv(x, low_memory=False)")
