"""The page on coverage: every place that it names exists, and what it does not name is not here."""

import re

import pytest
from builder import coverage_page as coverage
from builder.coverage_page import TOP, bounds_of, items, located

from dpbandits.claims.claim import load_claims
from dpbandits.settings.groups import names_in
from dpbandits.theory.bounds import every_bound

PREFIXES = ("azize2022_", "sajed2019_", "ren2020_", "tao2022_", "wu2023_")
NAMED = [place for place, _, _ in coverage.places()]


def is_missing(place):
    """Whether no file, or nothing at the top of a file, has this name."""
    file, name = located(place)
    found = rf"^(def |class )?{name}\b"
    return not file.is_file() or not re.search(found, file.read_text(), flags=re.M)


@pytest.mark.slow
def test_the_page_is_made_from_the_file():
    assert (TOP / "docs" / "coverage.md").read_text() == coverage.page()


def test_every_place_exists():
    """The controls are names that do not exist, in files that do, and files that do not."""
    assert len(NAMED) > 100 and not [place for place in NAMED if is_missing(place)]
    for wrong in ("algorithms/dp_se.py::dp_s", "algorithms/dp_see.py", "experiment ren2020_fig1z"):
        assert is_missing(wrong)
    assert is_missing("claim R99")
    assert is_missing("tests/theory/test_random_settings.py::test_nothing")


def test_an_item_without_a_place_has_a_reason():
    for paper, numbers in items().items():
        for number, item in numbers.items():
            assert item["what"] and set(item) <= {"what", "here", "but"}, number
            assert item.get("here") or item.get("but") or bounds_of(paper, number), number


@pytest.mark.slow
def test_every_theorem_experiment_and_claim_of_the_five_papers_is_named():
    found = {f for paper, numbers in items().items() for n in numbers for f in bounds_of(paper, n)}
    of_papers = [b for b in every_bound() if b.source.startswith(tuple(items()))]
    assert len(of_papers) == len(found) > 30
    experiments = {name for name in names_in("experiment") if name.startswith(PREFIXES)}
    claims = {name for name in load_claims() if re.fullmatch(r"[ARS]\d+", name)}
    kinds = {"experiment": experiments, "claim": claims}
    for kind, names in kinds.items():
        assert {place.split()[1] for place in NAMED if place.startswith(f"{kind} ")} == names
