"""Budgets, populations of users and eps_min: what sets columns of a table."""

import math

import pandas as pd
import pytest
from helpers import setting, settings
from refusals import message_of

import dpbandits as dp

B = {"algo": "heldp_ucb_b"}
CROWD = B | {"population": "uniform_levels"}
SMALL = {"horizon": 300, "runs": 2, "jobs": 1, "checkpoints": 3}
CROWDS = ["uniform_levels", "clipped_normal"]
# arguments of a call, and the settings in its table: the columns that tell them apart, and rows
TABLES = {
    "equal levels need eps alone": (B | {"eps": 2}, ["eps"], [(2,)]),
    "unbounded rewards": ({"algo": "heldp_ucb_ls", "env": "ren_gaussian", "eps": 2}, ["eps"],
     [(2,)]),
    "a sigmoid of rewards": ({"algo": "heldp_ucb_l", "eps": 2,
     "env": dp.environment("ren_gaussian", sigmoid=True)}, ["eps"], [(2,)]),
    "populations and eps_min that vary": (B | {"population": CROWDS, "eps_min": [0.5, 1]},
     ["population", "eps_min"], [(crowd, x) for crowd in CROWDS for x in (0.5, 1)]),
    "a population that does not vary": (CROWD | {"eps_min": 1}, ["population", "eps_min"],
     [("uniform_levels", 1)]),
    "eps_min of equal levels": ({"algo": "heldp_ucb_l", "eps": 2, "eps_min": [1, 2]}, ["eps_min"],
     [(1,), (2,)]),
    "equal levels beside a population": (
     B | {"population": ["homogeneous", "uniform_levels"], "eps_min": [0.5, 1]},
     ["eps", "population", "eps_min"],
     [(1, "homogeneous", 0.5), (1, "homogeneous", 1), (100, "uniform_levels", 0.5),
      (100, "uniform_levels", 1)]),
    "eps of equal levels beside a population": (
     B | {"population": ["homogeneous", "uniform_levels"], "eps_min": [0.5], "eps": [1, 2]},
     ["eps", "population"], [(1, "homogeneous"), (2, "homogeneous"), (100, "uniform_levels")]),
    "zCDP": ({"algo": "adac_ucb", "rho": [0.1, 1]}, ["rho"], [(0.1,), (1,)]),
    "zCDP by default": ({"algo": "adac_ucb"}, ["rho"], [(1,)]),
    "budgets of two names": (
     {"algo": ["adac_ucb", "adap_ucb", "adar_ucb", "ucb"], "eps": [0.5], "rho": [0.1, 1]},
     ["algo", "eps", "rho"],
     [("adac_ucb", None, 0.1), ("adac_ucb", None, 1), ("adap_ucb", 0.5, None),
      ("adar_ucb", 0.5, None), ("ucb", math.inf, math.inf)]),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_two_settings_never_share_their_rows(case, tmp_path):
    """Blank for an algorithm with another budget, infinite for one without; each setting once."""
    given, names, expected = TABLES[case]
    found = dp.run(**given, **SMALL)
    budgets = [name for name in ("eps", "rho") if name in names] or ["eps"]
    users = ["population", "eps_min"] if {"population", "eps_min"} & {*names} else []
    assert list(found.columns) == (
        ["algo", "env", *budgets, "horizon", "seed", *users, "setting", "run", "t", "regret"]
    )
    rows = found[names].drop_duplicates().astype(object)
    rows = [tuple(None if pd.isna(x) else x for x in row) for row in rows.to_numpy().tolist()]
    assert rows == expected
    assert dp.summary(found)["runs"].tolist() == [2] * len(rows)
    if "eps" in found:
        loaded = dp.load(dp.save(found, tmp_path / "table.csv"))
        loaded = loaded.astype({"setting": found["setting"].dtype})  # read as categories
        pd.testing.assert_frame_equal(loaded, found, check_dtype=False)


def test_algorithms_without_local_privacy_ignore_swept_populations():
    algorithms = ["ucb", "adap_ucb", "heldp_ucb_b"]
    sweep = {"algo": algorithms, "population": ["uniform_levels"], "eps_min": [1, 2]}
    found = settings(sweep=sweep)
    assert [(s.algo, s.columns.get("population"), s.columns.get("eps_min")) for s in found] == [
        ("ucb", None, None),
        ("adap_ucb", None, None),
        ("heldp_ucb_b", "uniform_levels", 1),
        ("heldp_ucb_b", "uniform_levels", 2),
    ]
    assert found[0] == setting(algo="ucb") and found[1] == setting(algo="adap_ucb")


def test_a_budget_is_for_the_algorithms_of_a_sweep_that_take_it():
    """The control: none takes it."""
    found = settings(algo=["ucb", "adap_ucb", "adac_ucb"], eps=0.5)
    assert [(s.algo, s.budget_name, s.budget) for s in found] == [
        ("ucb", "eps", math.inf), ("adap_ucb", "eps", 0.5), ("adac_ucb", "rho", 1.0)
    ]  # fmt: skip
    refused = message_of(settings, algo=["ucb", "adac_ucb"], eps=0.5)
    assert refused == "eps=0.5: ucb is not private and takes no eps; leave it out"


def test_one_level_of_ones_own_is_the_same_as_eps():
    own = dp.run(**B, population=dp.levels([2]), eps_min=2, **SMALL)["regret"].tolist()
    assert own == dp.run(**B, eps=2, **SMALL)["regret"].tolist()
    assert own != dp.run(**B, eps=1, **SMALL)["regret"].tolist()


def test_users_of_a_file(tmp_path):
    file = tmp_path / "users.csv"
    crowd = dp.population("file", path=str(file), column="level")

    def regret(population):
        found = dp.run(**B, population=population, eps_min=2, **SMALL)
        assert population is not crowd or set(found["population"]) == {"file"}
        return found["regret"].tolist()

    file.write_text("who,level\nann,0.5\nbob,2\n")
    first = regret(crowd)
    assert first == regret(dp.levels([0.5, 2]))
    file.write_text("who,level\nann,3\nbob,2\n")
    assert regret(crowd) != first  # the edited file is read again


def test_auto_for_equal_levels_is_their_level():
    assert setting(**B, eps=2, eps_min="auto") == setting(**B, eps=2)


def test_no_noise_is_an_infinite_budget():
    """AdaC-UCB and AdaR-UCB then play the same rounds, and none of noise is left."""
    given = SMALL | {"horizon": 5000, "beta": 1.0}
    free = dp.run(algo="adac_ucb", rho=math.inf, **given)["regret"].tolist()
    assert free == dp.run(algo="adar_ucb", eps=math.inf, **given)["regret"].tolist()
    assert free == dp.run(algo="adac_ucb", rho=1e90, **given)["regret"].tolist()
    assert free != dp.run(algo="adac_ucb", rho=0.1, **given)["regret"].tolist()


def test_renyi_dp_of_gaussian_noise_is_zcdp():
    given = SMALL | {"horizon": 5000}
    one = dp.run(algo="adar_ucb", eps=0.5, order=5, **given)["regret"].tolist()
    assert one == dp.run(algo="adac_ucb", rho=0.1, **given)["regret"].tolist()


# In calls from Python a list is a sweep
LISTS = [
    (CROWD | {"eps_min": [1, 0]}, "eps_min=0: a finite number above 0"),
    (CROWD | {"eps_min": 1, "eps": [1, 2]}, "sweep.eps: each user of a population"),
    ({"algo": ["ucb", "dp_se"], "rho": [1]}, "sweep.rho: no algorithm of the sweep has"),
]


@pytest.mark.parametrize(("given", "words"), LISTS, ids=[words for _, words in LISTS])
def test_lists_of_levels_that_do_not_fit_the_algorithm_are_refused(given, words):
    assert message_of(settings, **given).startswith(words)
