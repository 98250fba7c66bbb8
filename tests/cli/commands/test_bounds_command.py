"""bandit-bounds: the theorems that it prints, beside measured regret."""

from pathlib import Path

import pytest

from dpbandits.cli import bounds, run
from dpbandits.theory import azize2025

C2 = [0.75, 0.625, 0.5, 0.375, 0.25]


def test_bounds_of_a_setting_that_was_not_run(bandit):
    printed = bandit(bounds, "algo=adap_ucb env=bernoulli_gap eps=0.5 horizon=1e5 all=true")
    assert printed[0] == "adap_ucb on bernoulli_gap, eps 0.5, T = 1e5"
    assert printed[1] == "measured: no finished runs in results"
    rows = [
        line.split("  ") for line in printed[5 : printed.index("theorems that do not apply:") - 1]
    ]
    rows = {row[0]: [x.strip() for x in row[1:] if x.strip()] for row in rows if row[0]}
    assert rows["Azize & Basu 2022, Theorem 7"][:3] == ["upper", "exact", "4,940"]
    assert rows["Azize & Basu 2022, Theorem 3"][:3] == ["lower", "asymptotic", "28.14"]
    assert rows["Azize & Basu 2022, Theorem 2"][:2] == ["lower", "worst case"]
    assert "  Azize & Basu 2022, Theorem 8: needs adap_klucb" in printed
    short = bandit(bounds, "algo=adap_ucb env=bernoulli_gap eps=0.5 horizon=1e5")
    assert short[:-1] == printed[: len(short) - 1]
    others = len(printed) - printed.index("theorems that do not apply:") - 1
    assert short[-1] == f"{others} other theorems do not apply; all=true says why"
    assert not Path("results").exists()


@pytest.mark.parametrize("game", ["horizon=1", "env=bernoulli env.means=[.5,.5] horizon=100"])
def test_a_lower_bound_of_0_gives_no_ratio(bandit, game):
    """At the horizon 1, ln T is 0. If all means are equal, there is no regret."""
    bandit(run, f"algo=dp_se eps=1 {game} runs=2 jobs=1")
    printed = bandit(bounds, f"algo=dp_se eps=1 {game}")
    assert printed[1].startswith("measured: ") and printed[2] == ""


@pytest.mark.slow
def test_bounds_stand_beside_what_was_measured(bandit):
    line = "algo=adap_ucb env=bernoulli_c2 eps=0.5 horizon=1e5"
    summary = bandit(run, f"{line} runs=3 jobs=1")[2]
    before = sorted(Path().rglob("*"))
    printed = bandit(bounds, f"{line} runs=7")
    mean = summary.split()[4]
    assert printed[1] == f"measured: {mean} (3 equal runs)" and "of measured" in printed[4]
    ratio = float(mean.replace(",", "")) / azize2025.bernoulli_lower(C2, 0.5, 1e5)
    source = "(Azize et al. 2025, Theorem 1, asymptotic)"
    assert printed[2] == f"the measured regret is {ratio:.3g} times the best lower bound {source}"
    assert sorted(Path().rglob("*")) == before
    for other in ("seed=1", "algo.alpha=4", "env=bernoulli_c1", "results=elsewhere"):
        assert bandit(bounds, f"{line} {other}")[1].startswith("measured: no finished runs in")


@pytest.mark.slow
def test_runs_that_differ_have_an_interval(bandit):
    """The control for equal runs is the test above."""
    line = "algo=adap_klucb env=bernoulli_c2 eps=1 horizon=500"
    mean, low, _, high = bandit(run, f"{line} runs=3 jobs=1")[2].split()[4:8]
    said = f"measured: {mean} (95 % interval {low} to {high}, 3 runs)"
    assert bandit(bounds, line)[1] == said


def test_an_order_has_a_formula_and_no_number(bandit):
    printed = bandit(bounds, "algo=dp_se env=bernoulli_c2 eps=0.5 horizon=1e5")
    (row,) = [x for x in printed if x.startswith("Sajed & Sheffet 2019, Theorem 4.3")]
    formula = "sum ln T/gap + K ln T/eps (for sufficiently large T)"
    assert " ".join(row.split()) == f"Sajed & Sheffet 2019, Theorem 4.3 upper order {formula}"


def test_what_is_refuted_says_so(bandit):
    printed = bandit(bounds, "algo=ldpr_se env=twopoint_heavy algo.v=.9")
    (row,) = [x for x in printed if x.startswith("Tao et al. 2022, Theorem 7  ")]
    assert row.split()[6:8] == ["upper", "refuted"] and "Zhou & Zhang" in row


def test_conditions_that_fail_are_listed(bandit):
    printed = bandit(bounds, "algo=adap_ucb algo.alpha=1 eps=0.5 all=true")
    assert "  Azize & Basu 2022, Theorem 7: needs alpha > 3; alpha = 1" in printed
    nothing = bandit(bounds, "algo=dp_ucb env=ren_mixed horizon=3 all=true")
    assert "no theorem applies to this setting" in nothing
    assert "  Azize & Basu 2022, Theorem 2: needs T >= K - 1; T = 3, K = 20" in nothing


def test_bounds_of_users_with_levels_of_their_own(bandit):
    printed = bandit(
        bounds, "algo=heldp_ucb_b population=uniform_levels eps_min=1 horizon=1e4 all=true"
    )
    assert printed[0] == (
        "heldp_ucb_b on bernoulli_c2, users of uniform_levels, eps_min 1, T = 1e4"
    )
    assert any(line.startswith("Ren et al. 2020, Theorem 10 ") for line in printed)
    assert any(line.startswith("  Ren et al. 2020, Corollary 11: needs eps_t") for line in printed)
