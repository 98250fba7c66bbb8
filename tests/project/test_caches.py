"""Which cached results an edit of a file makes again: one file of each layer, for each cache."""

import pytest
from edited_copy import ALGORITHM, CACHES, EditedCopy

ALL, RUNS = {"version", "machine code", "page"}, {"version", "page"}
# What is kept: whatever does not decide the numbers of a run, or the code that is compiled
AFTER = {
    "cli/run.py": set(),
    "api.py": set(),
    "report/page.py": set(),
    "figures/style.py": set(),
    "claims.py": set(),
    "decisions/budget.py": set(),
    "comparison/limits.py": set(),
    "theory/bounds.py": set(),
    "settings/resolve.py": set(),
    "results/run_store.py": set(),
    "results/intervals.py": {"page"},
    "running/runners.py": set(),
    "running/play.py": RUNS,
    ALGORITHM: RUNS,  # its machine code has a state of its own: tests/compiled/test_cache.py
    "algorithms/ucb.py": set(),
    "authoring.py": set(),
    "parts/linear/spectra.py": ALL,
    "parts/noise/mechanisms.py": ALL,
    "parts/counting/honaker.py": {"machine code"},
    "contextual_game.py": ALL,
    "game.py": ALL,
    "environments/laws.py": ALL,
    "contracts/gaussian_dp.py": ALL,
    "validation.py": ALL,
    "compiled/random_numbers.py": ALL,
    "files.py": ALL,
    "errors.py": ALL,
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        yield EditedCopy(tmp_path_factory.mktemp("copy"), patch)


@pytest.mark.parametrize("file", AFTER)
def test_what_an_edit_makes_again(file, copy):
    before = copy.states()
    copy.edit(file)
    after = copy.states()
    assert {name for name in CACHES if before[name] != after[name]} == AFTER[file]
