"""Privacy of the linear algorithms: its words, and audits by sampling."""

import math

import pytest
from helpers import LINEAR, algorithm, defaults

import dpbandits as dp

# What is promised

ZCDP = (
    "0.3-global zCDP of all actions when one reward differs", "rewards in [-1, 1] and",
    "of length at most 1", "rho + 2 sqrt(rho ln(1/delta)) = ",
)  # fmt: skip
TREE = defaults("private_lin_ucb")
JOINT = "(1, 0.001)-joint DP of the actions of all other rounds when the cont"
PROMISES = [
    ("adac_gope", {"rho": 0.3}, ZCDP),
    ("adac_oful", {"rho": 0.3}, ZCDP),
    ("private_lin_ucb", {"eps": 1.0}, ("", "delta(eps) = Phi(")),
    ("private_lin_ucb", TREE | {"eps": 1.0}, (JOINT, "mu = 0.03014")),
    ("private_lin_ucb", TREE | {"eps": 1.0, "calibration": "exact"},
     (JOINT, "mu = 0.3884: exactly (1, 0.001)-DP, and (1, 0.001)-DP")),
    ("private_lin_ucb", TREE | {"eps": 31.1, "noise": "wishart", "T": 2e4},
     ("", "holds up to an eps of 31.19")),
    ("private_lin_ucb", TREE | {"eps": 31.2, "noise": "wishart", "T": 2e4},
     ("", "which 31.2 exceeds: it is NOT proved")),
    ("ldp_lin_ucb", defaults("ldp_lin_ucb") | {"eps": 8e5, "variant": "coded"},
     ("", "exactly (800000, 1)-DP, which is NOT what is promised")),
    ("ldp_sgd", {"eps": 1.0},
     ("1-pure local DP of each user's message between any two rounds, for",)),
    ("ldp_ols", defaults("ldp_ols") | {"eps": 1.0, "calibration": "exact"},
     ("", "(1, 0.1)-local DP of each user's message")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "words"), PROMISES)
def test_guarantees_are_printed_with_the_curve_of_their_noise(name, values, words):
    found = algorithm(name).promise(values)
    assert found.startswith(words[0]) and all(x in found for x in words)
    assert ("NOT" in found) == any("NOT" in x for x in words)


@pytest.mark.parametrize(("name", "own", "last"), [
    ("private_lin_ucb", {}, 1997),
    ("ldp_lin_ucb", {}, 26.2),
    ("ldp_lin_ucb", {"variant": "coded"}, 11.6),
    ("ldp_ols", {}, 5.7),
])  # fmt: skip
def test_the_printed_noise_is_too_small_for_large_eps(name, own, last):
    """It is proportional to 1/eps: it is enough up to these eps."""
    for eps, kept in ((last, True), (1.02 * last, False)):
        words = algorithm(name).promise(defaults(name) | own | {"eps": eps})
        assert ("NOT" not in words) == kept


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in LINEAR if algorithm(name).private])
def test_the_sampling_audit_refutes_nothing(name):
    budget = {"rho": 1.0} if algorithm(name).budget == "rho" else {"eps": 100.0}
    table = dp.audit(algo=name, **budget, runs=20_000, jobs=1)
    assert (table["verdict"] == "consistent").all()
    assert (table["aligned"] == table["replays"]).all()


@pytest.mark.slow
def test_the_audit_computes_the_exact_loss_of_a_message():
    for eps in (0.1, 1.0, 5.0):
        found = dp.audit(mechanism="sphere_message", eps=eps, runs=1000, jobs=1)
        assert math.isclose(found["exact"].iloc[0], eps, rel_tol=1e-9)
