"""Powers of counts and of logarithms against powers."""

import math

import numpy as np
import pytest

from dpbandits.parts.indices import powers


def worst_power(p, counts):
    """Largest relative difference of powers of growing counts from the powers themselves."""
    known = powers.new_powers(2, 3.0, p)
    return max(
        abs(powers.power_of_count(known, 1, n) / (3.0 * float(n) ** p) - 1.0) for n in counts
    )


def counts_up_to(most):
    """Some neighbours from 1 on, as an arm is played now and then."""
    grown = np.unique(np.geomspace(1, most, 400).astype(int))
    return sorted({n + i for n in grown.tolist() for i in (0, 1, 2, 50)})


@pytest.mark.parametrize("p", [-0.5, -0.09, 0.5, 0.53, 0.95, 1.0])
def test_a_power_of_a_count_is_the_power(p, monkeypatch):
    assert worst_power(p, range(1, 2**13)) == 0.0
    assert worst_power(p, counts_up_to(10**12)) < 1e-15
    if p != 1.0:  # a step eight times as large
        monkeypatch.setattr(powers, "CLOSE", 8.0 * powers.CLOSE)
        assert worst_power(p, counts_up_to(10**12)) > 1e-15


def test_a_power_depends_on_the_count_alone():
    """So two arms of equal counts have equal powers, and ties stay ties."""
    known = powers.new_powers(2, 0.1, -0.47)
    for n in counts_up_to(10**7):
        x = powers.power_of_count(known, 0, n)
        assert known.end[0] - known.start[0] == 2.0 ** max(math.frexp(n)[1] - 14, 0)
        if n % 3 == 0:
            assert powers.power_of_count(known, 1, n) == x


def test_a_scale_may_be_infinite():
    known = powers.new_powers(1, np.inf, 0.5)
    assert all(powers.power_of_count(known, 0, n) == np.inf for n in (1, 10**5))


def worst_power_of_log(p, rounds):
    """Largest relative difference of powers of logarithms from the powers themselves."""
    step = np.zeros(7)
    return max(abs(powers.power_of_log(step, t, p) / math.log(t) ** p - 1.0) for t in rounds)


@pytest.mark.parametrize("p", [-0.5, -0.16, 0.25, 0.9])
def test_a_power_of_a_logarithm_is_the_power(p, monkeypatch):
    assert worst_power_of_log(p, range(2, 2**13)) == 0.0
    rounds = [t for t in counts_up_to(10**12) if t > 1]
    assert worst_power_of_log(p, rounds) < 1e-15
    monkeypatch.setattr(powers, "CLOSE", 2.0**-9)  # a control
    assert worst_power_of_log(p, rounds) > 1e-15
