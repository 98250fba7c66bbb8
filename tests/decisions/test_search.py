"""The search for a budget, on regrets whose means are known."""

import numpy as np
import pytest
from refusals import message_of

from dpbandits.comparison.pairs import ratio
from dpbandits.decisions.search import LOOKS, Search, check_search, limits


def search(mean, trial=0, goal=2.0, heavy=False, runs=2048, **keys):
    """A search on runs with a mean that is a function of the budget."""
    rng = np.random.default_rng(trial)
    noise = rng.pareto(2.5, runs) * 1.5 if heavy else 1 + 0.3 * rng.standard_normal(runs)
    other = np.random.default_rng(10_000 + trial).permutation(noise)

    divided = keys.pop("baseline", False)

    def measure(budget, n):
        found = limits(np.maximum(mean(budget) * noise[:n], 0.0), np.inf)
        return ratio(found, limits(other[:n], np.inf)) if divided else found

    given = {"least": 1e-3, "most": 1e3, "precision": 1.25, **keys}
    return Search(measure, goal, runs=runs, **given)


def falling(budget):
    """Regret that falls to 1; it is 2 at a budget of 1/2."""
    return 1 + 0.5 / budget


def test_budget_is_found():
    found = search(falling).answer()
    assert found.kind == "between" and not found.again
    assert found.low <= 0.5 <= found.high
    assert found.high / found.low <= 1.27
    assert found.low <= found.budget <= found.high
    assert sum(look.runs for look in found.looks) < 8000


def test_range_is_searched_only():
    assert search(falling, least=2.0).answer().kind == "always"
    never = search(falling, most=0.1).answer()
    assert never.kind == "never" and np.isnan(never.budget) and never.low == 0.1
    assert search(falling, goal=0.9).answer().kind == "never"


def test_undecided():
    """A regret that equals the goal from some budget on is not told from it."""
    found = search(lambda budget: max(2.0, 1 / budget), most=10.0).answer()
    assert found.kind == "open" and np.isnan(found.budget)
    assert found.low < 1 and found.high == np.inf  # it may be that the goal is reached from 1/2 on
    assert search(lambda budget: min(2.0, 0.1 / budget), most=10.0).answer().kind == "open"


def test_the_ends_of_the_range_are_exact():
    """Catches ends that are rounded, outwards too; answers and budgets beyond them; ends in one."""
    step = lambda budget: 1.0 if budget >= 0.5 else 4.0  # noqa: E731
    for least, most in ((0.12344, 2.3456), (0.49951, 0.50449), (0.4996, 0.5151)):
        found = search(step, least=least, most=most, precision=1.01).answer()
        budgets = [look.budget for look in found.looks]
        assert (budgets[0], budgets[-1]) == (least, most)
        assert found.kind == "between" and found.low <= found.budget <= found.high
    assert message_of(check_search, 1, 1.00000001, 2, 32) == "most=1: above least=1 is needed"


def test_undecided_budgets_are_decided_before_never():
    """Catches a search that says 'never' since only the largest budget is above the goal."""
    bump = lambda budget: 1.9 if 1 <= budget <= 10 else 4.0  # noqa: E731
    found = search(bump, least=0.1, most=100.0).answer()
    assert found.kind == "between" and found.low < 1 <= found.high < 1.25
    few = search(bump, least=0.1, most=100.0, runs=32).answer()  # tell too little
    assert (few.kind, few.low) == ("open", 0.316)
    assert [look.budget for look in few.unknown] == [1.0, 3.16, 10.0] and few.last.budget == 10


def test_the_smallest_budget_that_surely_reaches_the_goal_is_looked_for():
    """Where nothing is told at the smallest budgets; 32 runs do not tell 1.9 from the goal."""
    levels = lambda budget: 2.0 if budget < 0.3 else 1.9 if budget < 0.9 else 1.0  # noqa: E731
    found = search(levels, least=0.1, most=100.0).answer()
    assert (found.kind, found.low, found.high) == ("open", 0.0, 0.316)
    assert next(look.runs for look in found.looks if look.budget == 0.316) > 32


def test_not_monotone():
    found = search(lambda budget: 4.0 if budget < 0.01 or 1 < budget < 10 else 1.0).answer()
    assert found.low <= 0.01 <= found.high
    assert found.again == (3.16,)


def test_both_sides_of_a_crossing_are_looked_at():
    """Regret reaches the goal from 2.5 on, and also between 1.1 and 1.3, which no scan meets."""
    found = search(lambda budget: 1.0 if budget > 2.5 or 1.1 < budget < 1.3 else 4.0).answer()
    assert found.low <= 1.1 <= found.high < 1.3
    assert any(1.3 < budget < 2.5 for budget in found.again)
    plain = search(lambda budget: 1.0 if budget > 2.5 else 4.0).answer()  # control
    assert plain.low <= 2.5 <= plain.high and not plain.again
    sides = (
        [look.budget / plain.low for look in plain.looks],
        [look.budget / plain.high for look in plain.looks],
    )
    assert any(0.49 < x < 0.51 for x in sides[0]) and any(1.99 < x < 2.01 for x in sides[1])


@pytest.mark.slow
def test_both_ends_of_a_wide_bracket_are_narrowed():
    """Mutation that it catches: the lower end is looked for from where the upper end was found."""
    widths = []
    for trial in range(6):
        found = search(lambda budget: 1 / budget, trial, goal=3.0, runs=200, precision=1.1).answer()
        widths.append(found.high / found.low)
    assert max(widths) < 2, widths


def test_more_precision_takes_more_runs():
    runs = [
        sum(look.runs for look in search(falling, precision=p, runs=8_000).answer().looks)
        for p in (1.5, 1.1)
    ]
    assert runs[1] > 2 * runs[0]


def held(trials, **keys):
    found = [search(falling, trial, **keys).answer() for trial in range(trials)]
    return [f.kind == "between" and f.low <= 0.5 <= f.high for f in found]


@pytest.mark.slow
@pytest.mark.parametrize("keys", [{}, {"heavy": True}, {"baseline": True}], ids=str)
def test_interval_holds(keys):
    assert np.mean(held(4, **keys)) >= 0.75


@pytest.mark.long
@pytest.mark.parametrize("keys", [{}, {"heavy": True}, {"baseline": True}], ids=str)
def test_interval_holds_in_95_of_100_searches(keys):
    assert np.mean(held(100, **keys)) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.long
def test_limits_of_one_look_do_not_hold_in_all(monkeypatch):
    """The control: at the level of one look alone, some look of a search is wrong too often."""
    monkeypatch.setattr("dpbandits.decisions.search.ERROR", LOOKS * 0.16)
    assert np.mean(held(40, heavy=True)) < 0.85
