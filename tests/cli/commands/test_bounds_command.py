"""bandit-bounds: the theorems that it prints, beside measured regret."""

from pathlib import Path

import pytest

from dpbandits.cli import bounds, run
from dpbandits.theory import azize2025

C2 = [0.75, 0.625, 0.5, 0.375, 0.25]


def test_bounds_of_a_setting_that_was_not_run(bandit):
    printed = bandit(bounds, "algo=adap_ucb env=bernoulli_gap eps=0.5 horizon=1e5 all=true")
    assert printed[0] == "adap_ucb on bernoulli_gap, eps 0.5, T = 1e5"
    assert printed[1] == "measured: nothing, there are no finished runs in results"
    rows = [line.split("  ") for line in printed[5 : printed.index("do not apply:") - 1]]
    rows = {row[0]: [x.strip() for x in row[1:] if x.strip()] for row in rows if row[0]}
    assert rows["Azize & Basu 2022, Theorem 7"][:3] == ["upper", "exact", "4,940"]
    assert rows["Azize & Basu 2022, Theorem 3"][:3] == ["lower", "asymptotic", "28.14"]
    assert rows["Azize & Basu 2022, Theorem 2"][:2] == ["lower", "worst case"]
    assert "  Azize & Basu 2022, Theorem 8: needs adap_klucb" in printed
    short = bandit(bounds, "algo=adap_ucb env=bernoulli_gap eps=0.5 horizon=1e5")
    assert short[:-1] == printed[: len(short) - 1]
    others = len(printed) - printed.index("do not apply:") - 1
    assert short[-1] == f"{others} other theorems do not apply; all=true says why"
    assert not Path("results").exists()


@pytest.mark.slow
def test_bounds_stand_beside_what_was_measured(bandit):
    line = "algo=adap_ucb env=bernoulli_c2 eps=0.5 horizon=1e5"
    summary = bandit(run, f"{line} runs=3 jobs=1")[2]
    before = sorted(Path().rglob("*"))
    printed = bandit(bounds, f"{line} runs=7")
    mean = summary.split()[4]
    assert printed[1].startswith(f"measured: {mean} (95 % interval ")
    assert printed[1].endswith(", 3 runs)") and "of measured" in printed[4]
    ratio = float(mean.replace(",", "")) / azize2025.bernoulli_lower(C2, 0.5, 1e5)
    source = "(Azize et al. 2025, Theorem 1, asymptotic)"
    assert printed[2] == f"by the best lower bound: {ratio:.3g} times {source}"
    assert sorted(Path().rglob("*")) == before
    for other in ("seed=1", "algo.alpha=4", "env=bernoulli_c1", "results=elsewhere"):
        assert bandit(bounds, f"{line} {other}")[1].startswith("measured: nothing")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("algo=dp_se env=bernoulli_c2 eps=0.5 horizon=1e5",
         ["Sajed & Sheffet 2019, Theorem 4.3 upper order "
          "sum ln T/gap + K ln T/eps (for sufficiently large T)"]),
        ("algo=ldpr_se env=twopoint_heavy algo.v=.9",
         ["Tao et al. 2022, Theorem 7 upper refuted", "Zhou & Zhang"]),
        ("algo=adap_ucb algo.alpha=1 eps=0.5 all=true",
         ["Azize & Basu 2022, Theorem 7: needs alpha > 3; alpha = 1"]),
        ("algo=dp_ucb env=ren_mixed horizon=3 all=true",
         ["no theorem applies to this setting",
          "Azize & Basu 2022, Theorem 2: needs T >= K - 1; T = 3, K = 20"]),
        ("algo=heldp_ucb_b population=uniform_levels eps_min=1 horizon=1e4 all=true",
         ["heldp_ucb_b on bernoulli_c2, users of uniform_levels, eps_min 1, T = 1e4",
          "Ren et al. 2020, Theorem 10 ", "Ren et al. 2020, Corollary 11: needs eps_t"]),
    ],
)  # fmt: skip
def test_what_a_theorem_says_of_a_setting(bandit, line, expected):
    """The formula of an order, what is refuted and by whom, and conditions that fail."""
    printed = [" ".join(x.split()) for x in bandit(bounds, line)]
    for start in expected:
        assert any(start in x for x in printed), printed
