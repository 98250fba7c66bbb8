"""The words of verdicts: how they combine, the same in tables, in scripts and on pages."""

import re
from itertools import permutations

import pandas as pd
import privacy_table
import pytest
from helpers import CONF

from dpbandits.audit import verdicts
from dpbandits.audit.verdicts import MEANING, OBJECTIONS, combined
from dpbandits.report.privacy import privacy_of

ROOT = CONF.parent


def test_a_verdict_is_the_first_word_that_applies():
    for words in permutations(MEANING):
        assert combined(*words) == "VIOLATED"
        assert combined(*words[:2]) == min(words[:2], key=list(MEANING).index)
    assert combined("consistent", "") == "consistent" and combined() == combined("") == ""
    assert {word for word in MEANING if word.isupper()} == {*OBJECTIONS}


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (verdicts.of_samples(0.99, 1.0), "consistent"),
        (verdicts.of_samples(1.0, 1.0), "VIOLATED"),
        (verdicts.of_replays(0, 0), ""),
        (verdicts.of_replays(100, 100), "consistent"),
        (verdicts.of_replays(99, 100), "MISALIGNED"),
        (verdicts.of_exact(0.9, 1.0 + 1e-10, 1.0), "proved"),
        (verdicts.of_exact(0.9, 1.1, 1.0), "undecided"),
        (verdicts.of_exact(1.1, 1.1, 1.0), "VIOLATED"),
    ],
)
def test_each_method_leads_to_a_word(found, word):
    assert found == word


def test_the_page_explains_the_words_in_their_order():
    page = (ROOT / "docs" / "privacy.md").read_text()
    section = page.partition("## The verdict")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\w+) \| (.+) \|$", section, re.MULTILINE)[1:]
    assert rows == [*MEANING.items()]


ROW = {
    "kind": "algorithm", "name": "adap_ucb", "budget": "eps", "unit": "eps", "eps": 1.0,
    "promised": 1.0, "measured": 0.5, "aligned": 100, "replays": 100, "verdict": "consistent",
}  # fmt: skip
LOSS = {"algo": "adap_ucb", "promised": 1.0, "low": 0.9, "high": 0.9, "horizon": 8}


@pytest.mark.parametrize(
    ("row", "response", "exact", "verdict"),
    [
        ({}, None, "proved", "consistent"),
        ({}, None, "undecided", "undecided"),
        ({}, None, "VIOLATED", "VIOLATED"),
        ({"verdict": "MISALIGNED"}, None, "proved", "MISALIGNED"),
        ({"verdict": "MISALIGNED"}, None, "VIOLATED", "VIOLATED"),
        ({}, "VIOLATED", "proved", "VIOLATED"),
    ],
)
def test_the_page_of_results_and_the_report_have_one_word(row, response, exact, verdict, tmp_path):
    audits = pd.DataFrame(
        [ROW | row, *([ROW | {"kind": "response", "verdict": response}] * bool(response))]
    )
    losses = pd.DataFrame([LOSS | {"verdict": exact}])
    assert privacy_table.rows_of(audits, losses)[0][-1] == verdict
    audits.to_csv(tmp_path / "audit.csv", index=False)
    losses.to_csv(tmp_path / "exact.csv", index=False)
    assert privacy_of(tmp_path, [])["verdict"].tolist() == [verdict]
