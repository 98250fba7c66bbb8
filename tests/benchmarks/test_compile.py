"""The table of compile times, on invented numbers."""

import compile as compiling
import pytest
import ratios
from helpers import EVERY, RULES

# In times of the imports; in seconds of a quiet machine as many times QUIET
FIRST = {"trivial": 0.4, "adap_klucb": 4.0, "ucb": 2.0, "prae_c": 3.0}
FURTHER = {name: FIRST[name] / 2 for name in ("adap_klucb", "ucb", "prae_c")}
TOGETHER = {"adap_klucb": 4.0, "ucb": 1.0, "prae_c": 1.5}


@pytest.mark.slow
def test_all_algorithms_and_rules_are_compiled():
    assert compiling.names_of_all() == [*EVERY, *RULES]
    assert {*compiling.BEFORE, *compiling.CHECKED} <= {*EVERY}
    assert all(compiling.setting_of(name).algorithm.compiled for name in [*EVERY, *RULES])


def test_the_table_has_all_times_and_no_complaint_within_the_targets():
    text = compiling.text_of(FIRST, FURTHER, TOGETHER, 0.5)
    assert "| `ucb`        |    1.84 |      0.92 |             0.92 |" in text
    assert "| largest      |    3.68 |      1.84 |             3.68 |" in text
    assert "| sum          |         |           |              6.0 |" in text
    assert "takes 0.37 s" in text
    assert "imports take 0.92 s; on the machine of the measurement they took 0.50 s" in text
    assert "is 6 times the time of the imports" in text
    assert text.endswith("All are met.\n")


@pytest.mark.parametrize(
    ("first", "further", "total", "line"),
    [
        (
            {"ucb": 5.1, "dp_se": 5.2, "ts": 5}, {}, 60,
            "as a first algorithm 2 of 3 take more than 5 s, `dp_se` most: 5.2 s",
        ),
        (
            {"ucb": 5}, {"ucb": 3.1}, 60,
            "as a further algorithm 1 of 1 take more than 3 s, `ucb` most: 3.1 s",
        ),
        ({"ucb": 5}, {"ucb": 3}, 61, "all together: 61 s, above 60 s"),
    ],
)  # fmt: skip
def test_a_missed_target_is_reported(first, further, total, line):
    assert compiling.misses(first, further, total) == [line]


def test_compiling_that_takes_half_as_long_again_is_reported():
    committed = compiling.ratios_of((FIRST, FURTHER, TOGETHER, 0.5))
    assert committed["compile, all together"] == 6.5
    assert committed["compile, ucb further"] == 1.0
    assert len(committed) == 7
    assert all(name.startswith(ratios.COMPILING) for name in committed)
    for name in committed:
        assert ratios.complaints(committed | {name: 1.3 * committed[name]}, committed) == []
        (line,) = ratios.complaints(committed | {name: 1.45 * committed[name]}, committed)
        assert line.startswith(f"{name}: ")
        assert "more than 1.35 times the committed" in line
