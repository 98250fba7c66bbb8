"""The numbers of the paper are those of committed pages, which commands make."""

import re

import pytest

from dpbandits.claims.claim import kind
from dpbandits.files import package_folder

TOP = package_folder("conf").parent
PAPER = (TOP / "paper" / "paper.md").read_text()
SOURCE = re.compile(r"<!-- ([\w/.]+)(?:: (.*?))? -->")
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
KNOWN = ("7", "10")  # of the horizon, 10^7


def rows(page, heading=""):
    """The cells of the rows of a table of a page, the first one after a heading."""
    table = re.search(r"(?:^\|.*\n)+", (TOP / page).read_text().partition(heading)[2], flags=re.M)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", x)] for x in table[0].splitlines()[2:]]


def claims():
    """What the sentence on claims says, from the verdicts."""
    header, *_ = (TOP / "results/claims.md").read_text().splitlines()
    place = [cell.strip() for cell in header.split("|")].index("verdict")
    verdicts = [
        row.split("|")[place].strip()
        for row in (TOP / "results/claims.md").read_text().splitlines()[2:]
        if row.startswith("|")
    ]
    count = [*map(kind, verdicts)].count
    return (
        f"Of {len(verdicts)} claims, most of them from the experiments of papers,"
        f" {count('reproduced')} are reproduced, {count('partly')} in part and"
        f" {count('not reproduced')} not at all; of {count('undecided')} the intervals do not"
        " decide."
    )


def twins():
    """What the sentence on broken twins says, and that each is noticed and no variant is."""
    broken = rows("benchmarks/privacy.md", "## Broken twins")
    correct = rows("benchmarks/privacy.md", "## Correct variants")
    assert all("objects" in row for row in broken) and not any("objects" in row for row in correct)
    return f"of {len(broken)} broken twins", f"{len(correct)} unusual but private variants"


def one_line(text):
    return " ".join(SOURCE.sub("", text).split())


def test_counted_numbers():
    assert claims() in one_line(PAPER)
    for words in twins():
        assert words in one_line(PAPER)


def test_quoted_numbers_stand_on_their_pages():
    quoted = [found for found in SOURCE.findall(PAPER) if found[1]]
    assert len(quoted) >= 3
    for page, words in quoted:
        assert words in (TOP / page).read_text(), page


def unsourced(paper):
    """The numbers of a text that are neither counted nor quoted."""
    text = paper.split("---\n", 2)[2]
    sourced = " ".join([claims(), *twins(), *(words for _, words in SOURCE.findall(paper))])
    known = {*NUMBER.findall(sourced), *KNOWN}
    words = re.sub(r"@\w+|`[^`]*`", "", SOURCE.sub("", text))
    return [number for number in NUMBER.findall(words) if number not in known]


def test_every_number_has_a_source():
    assert not unsourced(PAPER)


def test_a_number_without_a_source_is_noticed():
    """Control."""
    assert unsourced(PAPER + "\nIt is 123 times as fast.\n") == ["123"]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"@(\w+)", PAPER))))
def test_what_is_cited_is_in_the_bibliography(name):
    assert f"{{{name}," in (TOP / "paper" / "paper.bib").read_text()


def test_the_paper_has_two_pages():
    assert 600 < len(one_line(PAPER).split()) < 1000
