"""Guarantees: declared by every algorithm, and the page that is made from them."""

import dataclasses
import importlib.util
import math
import re

import numpy as np
import pytest
from helpers import CONF, LOCAL, NAMES, PRIVATE, RULES, SIGNS, algorithm
from refusals import message_of
from scipy import stats
from scipy.special import logsumexp
from sweeps import own_algorithm

from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.contracts import __main__ as contracts_main
from dpbandits.contracts.algorithm import from_function, load
from dpbandits.contracts.gaussian_dp import eps_of_noise
from dpbandits.contracts.guarantees import (
    NOT_PRIVATE,
    RDP,
    SKELLAM,
    ZCDP,
    Guarantee,
    gaussian_zcdp,
    global_dp,
    local_dp,
)


@pytest.mark.parametrize("name", [*NAMES, *RULES])
def test_every_algorithm_declares_its_guarantee(name):
    found = algorithm(name)
    promised = found.guarantee
    assert isinstance(promised, Guarantee)
    if not found.private:
        assert promised == NOT_PRIVATE
        assert found.promise() == "not private"
        assert promised.epsilon({}) == math.inf
        return
    if promised.gaussian is None:
        local = {*LOCAL, *SIGNS, "ldpr_se", "ldp_ncb", "ctb_tt", "nprr_ab"}
        assert promised.notion == ("local" if name in local else "global")
        assert promised.epsilon({"eps": 0.3}) == 0.3
    else:
        assert promised.epsilon({"eps": 0.3, "rho": 0.3}) == math.inf  # no pure DP
    assert set(promised.letters) <= {*found.domains, "eps"}
    assert (promised.curator is not None) == (promised.notion == "local")
    assert promised.mechanism is None or promised.mechanism in MECHANISMS
    assert promised.mechanism or promised.curator or name in RULES
    words, notion = found.promise({"eps": 0.3, "rho": 0.3, "order": 4, "s": 8}), promised.notion
    renyi = "(order, 0.07312 order)" if name == "dist_rdp_se" else "(4, 0.3)"
    start = {"global zCDP": f"0.3-{notion} of ", "global RDP": f"{renyi}-{notion} of "}
    start["DP"] = "(0.3, delta)-DP of the shuffled messages"
    assert words.startswith(start.get(notion, f"0.3-{notion} DP of ")) and promised.source in words
    assert ("rewards in [" in words) == (
        found.rewards is not None and found.rewards.needed_for_privacy
    )


def test_a_guarantee_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        global_dp("x").source = "y"  # type: ignore[misc]


def test_the_page_is_made_from_the_guarantees():
    text = (CONF.parent / "docs" / "guarantees.md").read_text()
    assert text == contracts_main.page()
    [module] = re.findall(r"python -m ([\w.]+) > docs/guarantees.md", text)
    assert importlib.util.find_spec(f"{module}.__main__").loader.path == contracts_main.__file__
    for name in [*NAMES, *RULES]:
        assert f"| `{name}` |" in text


def test_what_is_no_guarantee_is_refused_in_one_line(tmp_path):
    source = "GUARANTEE = 'eps-DP'\n\n\ndef mine(game, rng, eps):\n    pass\n"
    home = own_algorithm(tmp_path, "mine", source)
    assert "GUARANTEE must be a Guarantee" in message_of(load, home / "mine.py")


@pytest.mark.parametrize(
    ("group", "name", "words"),
    [
        ("rule", "STOPPING", "BEST_ARM or HYPOTHESES, or be left out"),
        ("algo", "BEST_ARM", "left out"),
    ],
)
def test_what_is_no_question_is_refused_in_one_line(tmp_path, group, name, words):
    """``STOPPING`` says what a guarantee hides, and is no question."""
    source = f"from dpbandits.authoring import {name}\n\nQUESTION = {name}\n\n\n"
    source += "def mine(game, rng, eps):\n    return 1.0\n"
    (tmp_path / group).mkdir()
    (tmp_path / group / "mine.py").write_text(source)
    assert f"QUESTION must be {words}" in message_of(load, tmp_path / group / "mine.py")


def test_without_a_guarantee_none_is_claimed(tmp_path):
    home = own_algorithm(tmp_path, "silent", "def silent(game, rng, eps):\n    pass\n")
    assert load(home / "silent.py").promise({"eps": 1.0}) == "no guarantee is declared"


def test_private_algorithms_are_found():
    assert len(PRIVATE) == 28


def test_local_guarantees_know_their_curator():
    def send(rng, r, eps):
        return r

    assert local_dp("x", send).curator is send


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("rho", [0.01, 0.1, 1.0, 10.0])
def test_conversions_hold_for_gaussian_noise_and_are_not_far_off(rho, delta):
    """They exceed the exact eps of Gaussian noise; the best order gives the conversion of zCDP."""
    exact = eps_of_noise(ZCDP.mu({"rho": rho}), delta)
    concentrated = ZCDP.epsilon({"rho": rho}, delta)
    assert exact < concentrated < 2 * exact
    orders = 1 + np.geomspace(1e-3, 1e4, 400)
    renyi = [RDP.epsilon({"order": a, "eps": rho * a}, delta) for a in orders]
    assert min(renyi) == pytest.approx(concentrated, rel=1e-3)
    assert RDP.mu({"order": 4, "eps": 4 * rho}) == ZCDP.mu({"rho": rho})


@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("s", [1.0, 10.0])
def test_skellam_noise_has_the_promised_renyi_divergence(eps, s):
    """Exactly, from the law of the shifted noise, at the smallest granularity."""
    g = math.ceil(s * eps)  # of one user
    variance = (g / eps) ** 2
    reach = int(30 * math.sqrt(variance) + 4 * g + 40)
    k = np.arange(-reach, reach + 1)
    p, q = (stats.skellam(variance / 2, variance / 2).logpmf(k - x) for x in (0, g))
    for order in (2, 3, 6):
        there = np.isfinite(p) & np.isfinite(q)
        terms = order * p[there] + (1 - order) * q[there]
        divergence = logsumexp(terms) / (order - 1)
        assert divergence <= order * SKELLAM.rho({"eps": eps, "s": s}) * (1 + 1e-9)
    exact = SKELLAM.epsilon({"eps": eps, "s": s}, 1e-6)
    rho = SKELLAM.rho({"eps": eps, "s": s})
    by_hand = min(a * rho + math.log(1e6) / (a - 1) for a in range(2, 2000))
    assert exact == pytest.approx(by_hand)


def test_conversions_are_printed_with_their_formula():
    words = algorithm("adac_ucb").promise({"rho": 0.5})
    found = 0.5 + 2 * math.sqrt(0.5 * math.log(1e6))
    assert f"eps' = rho + 2 sqrt(rho ln(1/delta)) = {found:.4g} at delta = 1e-06" in words
    assert "at delta" not in algorithm("adac_ucb").promise()
    words = algorithm("adar_ucb").promise({"order": 3, "eps": 0.5})
    assert f"eps' = eps + ln(1/delta)/(order - 1) = {0.5 + math.log(1e6) / 2:.4g} at" in words
    assert algorithm("adar_ucb").promise({"eps": 0.5}).startswith("(order, 0.5)-global RDP of ")


def test_zcdp_without_a_rho_is_refused_in_one_line():
    def mine(game, rng, eps):
        pass

    assert "global zCDP needs a parameter rho" in message_of(
        from_function, mine, "algo", None, gaussian_zcdp("x")
    )
