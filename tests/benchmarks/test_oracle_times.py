"""The benchmark of policies with an oracle: the naive version plays the same game."""

from pathlib import Path

import oracles
import pytest

PAGE = Path(oracles.__file__).with_suffix(".md")


def test_the_committed_runs_take_at_most_half_of_the_naive_version():
    """And make about as many mistakes, so that both do the same work."""
    lines = [x.strip("| ").split("|") for x in PAGE.read_text().splitlines() if x[:3] == "| `"]
    assert len(lines) == len(oracles.CASES) * len(oracles.SHAPES)
    for *_, ratio, mistakes, naive in lines:
        assert float(ratio) <= 0.5
        assert float(naive) / 1.25 < float(mistakes) < float(naive) * 1.25


@pytest.mark.slow
def test_both_versions_play_all_users():
    for work in oracles.case("bpo", "logistic", 5, 2):
        assert 0.1 * oracles.ROWS < work(0) < 0.5 * oracles.ROWS
