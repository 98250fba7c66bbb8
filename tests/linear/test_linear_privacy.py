"""Alignments of broken twins of the linear algorithms do not hold; guarantees; audits."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import LINEAR, algorithm, defaults, replaced

import dpbandits as dp
from dpbandits.audit.alignment.align import align
from dpbandits.audit.targets.decisions import target_of
from dpbandits.authoring import gaussian
from dpbandits.parts.linear.design import least_squares

SHORT = {"adac_gope": (512, 1000)}  # horizons: that of a phase, or several


def half(rng, deviation):
    return gaussian(rng, deviation / 2)


def one_number(rng, b, S, deviation):
    z = gaussian(rng, deviation)
    for i in range(len(b)):
        S[i] = S[i] + (b[i] + z)
        b[i] = 0.0


def half_sums(rng, b, S, deviation):
    for i in range(len(b)):
        S[i] = S[i] + (b[i] + gaussian(rng, deviation / 2))
        b[i] = 0.0


def afresh(rng, b, S, deviation):
    """All rewards so far, with new noise at each switch."""
    for i in range(len(b)):
        S[i] = b[i] + gaussian(rng, deviation)


def half_estimate(rng, z, n, sums, deviation):
    return least_squares(rng, z, n, sums, deviation / 2)


def inverse(rng, z, n, sums, deviation):
    """V^-1 in the place of V^{-1/2}: noise on the sums of z r, as small as in their middle."""
    V = (z.T * n) @ z
    b = z.T @ sums
    noisy = [b[i] + gaussian(rng, deviation) for i in range(len(b))]
    return np.linalg.solve(V, np.array([float(x) for x in noisy]))


def one_estimate(rng, z, n, sums, deviation):
    """One number in the place of a vector."""
    L = np.linalg.cholesky((z.T * n) @ z)
    noise = gaussian(rng, deviation)
    y = [x + noise for x in np.linalg.solve(L, z.T @ sums)]
    return np.linalg.solve(L.T, np.array([float(x) for x in y]))


def gope_with(**names):
    own = algorithm("adac_gope").function.py_func
    return replaced(own, eliminate=replaced(own.__globals__["eliminate"], **names))


def oful_with(release_sums):
    return replaced(algorithm("adac_oful").function, release_sums=release_sums)


BROKEN = {
    "half the noise of estimates": ("adac_gope", {}, gope_with(least_squares=half_estimate)),
    "V^-1": ("adac_gope", {}, gope_with(least_squares=inverse)),
    "a number for an estimate": ("adac_gope", {}, gope_with(least_squares=one_estimate)),
    "half the noise of an action": ("adac_gope", {"noise": "sums"}, gope_with(gaussian=half)),
    "half the noise of sums": ("adac_oful", {}, oful_with(half_sums)),
    "a number for sums": ("adac_oful", {}, oful_with(one_number)),
    "noise drawn afresh": ("adac_oful", {}, oful_with(afresh)),
}


def policy(name, own, budget, function=None):
    found = algorithm(name)
    found = replace(found, function=function) if function else found
    short = {"delta": 0.5} if name == "adac_gope" else {}
    return target_of(found, budget, defaults(name) | short | own, SHORT.get(name, ()))


@pytest.mark.parametrize("twin", BROKEN)
def test_broken_twins_are_not_aligned(twin):
    name, own, function = BROKEN[twin]
    found = align(policy(name, own, 2.0, function), 40)
    assert not found.holds and found.problem is not None


@pytest.mark.parametrize("name", ["adac_gope", "adac_oful"])
def test_guarantees_are_printed_with_their_conversion(name):
    found = algorithm(name)
    words = found.promise({"rho": 0.3})
    assert words.startswith("0.3-global zCDP of all actions when one reward differs")
    assert "rewards in [-1, 1] and" in words and "of length at most 1" in words
    assert "rho + 2 sqrt(rho ln(1/delta)) = " in words
    assert found.guarantee.epsilon({"rho": 0.3}) == math.inf


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in LINEAR if algorithm(name).private])
def test_the_sampling_audit_refutes_nothing(name):
    budget = {"rho": 1.0} if algorithm(name).budget == "rho" else {"eps": 100.0}
    table = dp.audit(algo=name, **budget, runs=20_000, jobs=1)
    assert (table["verdict"] == "consistent").all()
    assert (table["aligned"] == table["replays"]).all()
