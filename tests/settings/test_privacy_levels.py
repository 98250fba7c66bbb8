"""Budgets, populations of users and eps_min: what sets columns of a table, and what is refused."""

import math
from pathlib import Path

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


# Refused

POPULATIONS = [
    ("levels", {"shares": [0.5, 0.6]}, "population.shares=[0.5,0.6]:", "sum to 1"),
    ("levels", {"shares": [0.5, 0.3, 0.2]}, "population.shares=[0.5,0.3,0.2]:", "2 shares"),
    ("levels", {"shares": [1]}, "population.shares=[1", "2 shares"),
    ("levels", {"shares": [1.5, -0.5]}, "population.shares=[1.5,-0.5]:", "at least 0"),
    ("levels", {"shares": ["a", "b"]}, "population.shares=a:", "finite number"),
    ("levels", {"shares": 5}, "population.shares=5:", "list of numbers"),
    ("levels", {"levels": [-1, 1]}, "population.levels=-1", "from 0 to"),
    ("levels", {"levels": [math.nan, 1]}, "population.levels=nan:", "finite number"),
    ("levels", {"levels": [math.inf, 1]}, "population.levels=inf:", "finite number"),
    ("levels", {"levels": [1e7, 1]}, "population.levels=1", "from 0 to"),
    ("levels", {"levels": []}, "population.levels=[]:", "list of numbers"),
    ("levels", {"levels": "high"}, "population.levels=high:", "list of numbers"),
    ("levels", {"levels": [0, 0]}, "eps_min=0.5:", "no user"),
    ("levels", {"level": [1]}, "'population.level'", "did you mean population.levels?"),
    ("levels", {"kind": "foo"}, "population.kind", "'foo'", "clipped_normal"),
    ("clipped_normal", {"sd": 0}, "population.sd=0:", "above 0"),
    ("clipped_normal", {"sd": "wide"}, "population.sd=wide:", "finite number"),
    ("clipped_normal", {"mean": math.nan}, "population.mean=nan:", "finite number"),
    ("clipped_normal", {"low": -1}, "population.low=-1:", "from 0 to"),
    ("clipped_normal", {"low": 2, "high": 1}, "population.low=2:", "population.high"),
    ("file", {"path": "missing.csv"}, "population.path=missing.csv: no such file"),
    ("file", {"path": "."}, "population.path=.:", "directory"),
    ("file", {"path": "/dev/zero"}, "path=/dev/zero:", "pipe"),
    ("file", {"column": "epsilon"}, "column", "users.csv", "'epsilon'", "eps"),
    ("file", {"column": ["eps"]}, "column", "eps"),
    ("file", {"column": "who"}, "who", "ann", "finite number"),
    ("file", {"column": "some"}, "some", "x", "finite number"),
    ("file", {"column": "gaps"}, "gaps", "nan", "finite number"),
    ("file", {"column": "debts"}, "debts", "-1", "from 0 to"),
    ("file", {"path": "empty.csv"}, "population.path=empty.csv:", "CSV"),
    ("file", {"path": "header.csv"}, "population.path=header.csv:", "no rows"),
]


@pytest.mark.parametrize(
    ("name", "changes", "parts"),
    [(name, changes, parts) for name, changes, *parts in POPULATIONS],
    ids=[f"{name} {changes}" for name, changes, *_ in POPULATIONS],
)
def test_a_population_that_cannot_be_is_refused(name, changes, parts, here):
    Path("users.csv").write_text("who,eps,some,gaps,debts\nann,1,x,1,-1\nbob,2,3,,2\n")
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("eps\n")
    message = message_of(
        lambda: settings(**B, population=dp.population(name, **changes), eps_min=0.5)
    )
    assert all(part in message for part in parts), message


REFUSED = [
    (CROWD | {"eps_min": 0}, "eps_min=0: a finite number above 0"),
    (CROWD | {"eps_min": math.nan}, "eps_min=nan: a finite number above 0"),
    (CROWD | {"eps_min": math.inf}, "eps_min=inf: a finite number above 0"),
    (CROWD | {"eps_min": "text"}, "eps_min=text: a finite number above 0"),
    (CROWD | {"eps_min": True}, "eps_min=true: a finite number above 0"),
    (CROWD | {"eps_min": 100.5}, "eps_min=100.5: no users of uniform_levels"),
    (CROWD | {"eps_min": [1, 0]}, "eps_min=0: a finite number above 0"),
    (CROWD, "eps_min: users of uniform_levels with a lower level send nothing; give a number"),
    ({"algo": "adac_ucb", "eps": 1}, "eps=1: adac_ucb takes no eps; its privacy budget is rho"),
    ({"algo": "adap_ucb", "rho": 1}, "rho=1: adap_ucb takes no rho; its privacy budget is eps"),
    ({"algo": "ucb", "rho": 1}, "rho=1: ucb is not private and takes no rho; leave it out"),
    ({"algo": ["ucb", "dp_se"], "rho": [1]}, "sweep.rho: no algorithm of the sweep has"),
    ({"algo": "adac_ucb", "rho": 0}, "rho=0: a number above 0"),
    ({"algo": "adac_ucb", "rho": math.nan}, "rho=nan: a number above 0"),
    ({"algo": "adac_ucb", "eps_min": 1}, "eps_min=1: adac_ucb takes no eps_min"),
    ({"algo": "adar_ucb", "order": 1}, "algo.order=1: a finite number above 1"),
    (B | {"eps": 2, "eps_min": 3}, "eps_min=3: no users of level eps=2"),
    (B | {"eps": 2, "eps_min": 0}, "eps_min=0: a finite number above 0"),
    (B | {"population": dp.levels([0]), "eps_min": "auto"}, "population=levels: no user has"),
    (CROWD | {"eps_min": 1, "eps": 1}, "eps=1: the users of uniform_levels have levels of their"),
    (B | {"eps": math.inf}, "eps=inf: a finite number above 0"),
    (B | {"eps": 0}, "eps=0: a finite number above 0"),
    (B | {"eps": math.nan}, "eps=nan: a finite number above 0"),
    ({"algo": "heldp_ucb_l", "eps": 1e200}, "eps=1e200:"),
    (B | {"population": "uniform_level"}, "unknown population 'uniform_level': did you mean unif"),
    (B | {"population": 3}, "unknown population '3'"),
    ({"algo": "adap_ucb", "population": "uniform_levels"}, "population=uniform_levels: adap_ucb"),
    ({"algo": "adap_ucb", "eps_min": 1}, "eps_min=1: adap_ucb takes no eps_min"),
    (B | {"env": "ren_gaussian"}, "env=ren_gaussian: its rewards lie in [-inf, inf], but"),
    (CROWD | {"eps_min": 1, "eps": [1, 2]}, "sweep.eps: no algorithm"),
    ({"sweep": {"algo": ["ucb", "adap_ucb"], "eps_min": [1]}}, "sweep.eps_min: no algorithm"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_levels_that_do_not_fit_the_algorithm_are_refused(given, words):
    assert message_of(settings, **given).startswith(words)


@pytest.mark.parametrize(("name", "other"), [("b", "bs"), ("l", "ls")])
def test_the_variant_for_any_rewards_is_named(name, other):
    message = message_of(settings, algo=f"heldp_ucb_{name}", env="ren_gaussian")
    assert f"assumes rewards in [0, 1]; heldp_ucb_{other} takes any rewards" in message
