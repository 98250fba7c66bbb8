"""Which cached results an edit of a file makes again: one file of each layer, for each cache."""

import pytest
from edited_copy import ALGORITHM, CACHES, edited_copy
from tiers import every

ALL, RUNS = {"version", "machine code", "audit"}, {"version", "audit"}
# What is made again: what decides the numbers of a run, the code that is compiled, or a finding
AFTER = {
    "cli/run.py": set(),
    "api/runs.py": set(),
    "report/study.py": set(),
    "figures/style.py": set(),
    "claims/statistics.py": set(),
    "decisions/budget.py": set(),
    "comparison/table.py": set(),
    "theory/bounds.py": {"audit"},  # an audit's setting may have eps_min=auto, of a theorem
    "settings/budgets.py": {"audit"},
    "theory/azize2022.py": set(),
    "results/run_store.py": set(),
    "results/intervals.py": {"audit"},
    "running/runners.py": set(),
    "running/play.py": RUNS,
    ALGORITHM: {"version"},  # its machine code has a state of its own
    "algorithms/ucb.py": set(),
    "authoring.py": set(),
    "audit/verdicts.py": {"audit"},
    "parts/linear/spectra.py": ALL - {"audit"},
    "parts/noise/mechanisms.py": ALL,
    "parts/counting/honaker.py": {"machine code", "audit"},  # a mechanism of the audit has its tree
    "contextual_game.py": ALL,
    "game.py": ALL,
    "environments/laws.py": ALL,
    "contracts/gaussian_dp.py": ALL,
    "contracts/guarantees.py": {"audit"},  # what is promised
    "compiled/random_numbers.py": ALL,
    "compiled/kernels.py": {"machine code"},
    "compiled/notes.py": {"machine code"},  # with the bits of plain Python
    "validation.py": set(),
    "files.py": set(),
    "errors.py": set(),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    with edited_copy(tmp_path_factory.mktemp("copy")) as copy:
        yield copy


@pytest.mark.slow
@pytest.mark.parametrize("file", every(4, AFTER))
def test_what_an_edit_makes_again(file, copy):
    before = copy.states()
    copy.edit(file)
    after = copy.states()
    assert {name for name in CACHES if before[name] != after[name]} == AFTER[file]
