"""Every key takes exactly what its domain says, and what it takes is what is run."""

import math

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from sweeps import requested

import dpbandits as dp
from dpbandits.authoring import pull, rounds_left
from dpbandits.contracts.question import STOPPING
from dpbandits.errors import BadInput
from dpbandits.results.table import Table
from dpbandits.settings.choices import plain_data

BUDGETS = [("adap_ucb", "eps"), ("adac_ucb", "rho"), ("heldp_ucb_l", "eps"),
           ("heldp_ucb_l", "eps_min"), ("adap_ucb", "alpha")]  # fmt: skip


@pytest.mark.parametrize(("algo", "key"), BUDGETS)
def test_the_inverse_of_the_horizon_is_a_number(algo, key):
    asked = {"algo": algo, "horizon": [100, 1000]}
    if key == "alpha":
        asked["algo"] = dp.algorithm(algo, alpha=["1/horizon"])
    else:
        asked[key] = "1/horizon"
    settings = requested(**asked).settings
    found = [{"eps": s.budget, **s.parameters}[key] for s in settings]
    assert found == [0.01, 0.001]
    assert {type(x) for s in settings for x in s.columns.values()} <= {float, str}


def test_the_inverse_of_the_horizon_in_a_table():
    table = dp.run("dp_se", eps=["1/horizon", 1], horizon=[100, 200], runs=1, jobs=1)
    assert sorted(table["eps"].unique()) == [0.005, 0.01, 1.0]


def test_where_there_is_no_horizon_there_is_no_inverse():
    message = message_of(requested, question=STOPPING, eps="1/horizon")
    assert message.startswith("eps=1/horizon: a number above 0")


def without_annotation(game, rng, eps=0.25, m=3.0):
    while rounds_left(game) > 0:
        pull(game, int(m) % 2)


def without_default(game, rng, eps):
    pull(game, 0)


def with_levels(game, rng, eps, eps_min=0.2):
    pull(game, 0)


def test_a_default_of_a_budget_in_a_signature_is_used():
    (setting,) = requested(algo=without_annotation).settings
    assert setting.budget == 0.25
    (setting,) = requested(algo=without_annotation, eps=2).settings
    assert setting.budget == 2.0
    (setting,) = requested(algo=without_default).settings
    assert setting.budget == 1.0
    (setting,) = requested(algo=with_levels).settings
    assert setting.parameters == {"eps": 1.0, "eps_min": 0.2}


@pytest.mark.parametrize("value", [0, -1, math.nan, "strong", True, "1e400", 1e-200])
@pytest.mark.parametrize("function", [without_annotation, without_default])
def test_a_budget_without_an_annotation_is_one(function, value):
    assert "eps=" in message_of(requested, algo=function, eps=value)


def test_a_default_that_is_no_budget_is_refused():
    def mine(game, rng, eps=-1.0):
        pull(game, 0)

    assert message_of(requested, algo=mine).startswith("eps=-1.0: a number above 0")


ALIKE = [
    {"eps": [0.1 + 0.2, 0.3]},
    {"eps": [1, 1 + 1e-9]},
    {"algo": dp.algorithm("adap_ucb", alpha=[3.1, 3.1000000001])},
    {"env": [dp.one_better(0.3), dp.one_better(0.1 + 0.2)]},
    {"algo": "adac_ucb", "rho": [0.1, 0.1 + 1e-12]},
    {"question": STOPPING, "rel_error": [0.2, 0.2 + 1e-9]},
]


@pytest.mark.parametrize("given", ALIKE)
def test_values_that_look_alike_are_refused(given):
    assert "show both values as" in message_of(requested, **given)


def test_values_that_differ_in_what_is_shown_are_run():
    """Control; of a horizon all digits are shown."""
    assert len(requested(eps=[0.3, 0.300001], horizon=[2**20 - 1, 2**20, 2**20 + 1]).settings) == 6


def test_tables_with_values_that_look_alike_are_refused():
    table = pd.DataFrame({"algo": "a", "t": 1.0, "regret": 0.5, "eps": [0.3, 0.3, 1.0, 1.0]})
    assert len(Table.of_frame(table).frame()) == 4
    table["eps"] = [0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2]
    with pytest.raises(BadInput, match=r"show both values as 0\.3"):
        Table.of_frame(table)


def test_all_digits_of_a_seed_are_used():
    assert requested(seed=2**53 + 1).settings[0].seed == 2**53 + 1
    assert requested(seed=str(2**53 + 1)).settings[0].seed == 2**53 + 1
    assert message_of(requested, seed=2**62 + 1).startswith("seed=4611686018427387905: ")


class Fails:
    def __repr__(self):
        raise RuntimeError("no text")

    __eq__ = __bool__ = __iter__ = __repr__


CANNOT = [pd.NA, pd.NaT, 1j, b"1", {1}, object(), Fails(), (x for x in [1]), {0.5: 2}, [pd.NA], ...,
          np.datetime64("2020-01-01"), np.ma.masked_array([1.0], [True]), 10**5000]  # fmt: skip


@pytest.mark.parametrize("value", CANNOT, ids=lambda x: type(x).__name__)
def test_what_no_configuration_holds_is_refused_by_name(value):
    assert message_of(plain_data, "eps", value).startswith("eps")
    assert message_of(requested, eps=value).startswith("eps")


def test_plain_data():
    assert plain_data("a", np.float32(0.5)) == 0.5
    assert plain_data("a", (np.array([1, 2]), np.bool_(True))) == [[1, 2], True]
    assert plain_data("a", pd.Series([0.5])) == [0.5]
    assert [type(plain_data("a", x)) for x in (np.str_("x"), True, np.int8(1))] == [str, bool, int]
