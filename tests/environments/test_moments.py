"""Absolute moments against integrals of the densities, exact values and draws."""

import math
import subprocess
import sys

import numpy as np
import pytest

from dpbandits.environments.reward_laws import densities
from dpbandits.environments.reward_laws.densities import (
    gaussian_moment,
    pareto_moment,
    student_moment,
)
from dpbandits.environments.reward_laws.integrals import integral
from dpbandits.environments.reward_laws.points import discrete_moment, two_point_moment


def moment_of(law):
    """The function of the absolute moments of a law."""
    return getattr(densities, f"{law}_moment")


POWERS = (0.5, 1.0, 1.5, 1.9, 2.0, 2.5, 3.0)
CLOSE = 1e-9


def close(value, expected):
    return abs(value - expected) <= CLOSE * abs(expected)


def normal(z):
    return np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def t_density(x, mean, scale, df):
    head = math.gamma((df + 1) / 2) / math.gamma(df / 2) / math.sqrt(df * math.pi) / scale
    return head * (1 + ((x - mean) / scale) ** 2 / df) ** (-(df + 1) / 2)


# name: parameters, density, least and largest value, mean
LAWS = {
    "gaussian": ((0.3, 0.7), lambda x, m, s: normal((x - m) / s) / s, -math.inf, math.inf, 0.3),
    "uniform": ((-0.5, 2.0), lambda x, low, high: np.full_like(x, 0.4), -0.5, 2.0, 0.75),
    "beta": ((2.0, 3.0), lambda x, a, b: 12 * x * (1 - x) ** 2, 0.0, 1.0, 0.4),
    "pareto": ((4.5, 0.8), lambda x, s, low: s * low**s * x ** (-s - 1), 0.8, math.inf, 3.6 / 3.5),
    "student": ((0.3, 0.5, 4.5), t_density, -math.inf, math.inf, 0.3),
    "lognormal": ((-0.2, 0.5), lambda x, m, s: normal((np.log(x) - m) / s) / (s * x),
     0.0, math.inf, math.exp(-0.2 + 0.125)),
    "sigmoid_gaussian": ((0.4, 0.9),
     lambda x, m, s: normal((np.log(x / (1 - x)) - m) / s) / (s * x * (1 - x)), 0.0, 1.0, 0.5843),
}  # fmt: skip
CENTRES = ("negative", "zero", "inside", "mean", "above")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def centre(law, where):
    *_, high, mean = LAWS[law]
    above = high + 0.7 if high < math.inf else mean + 4
    places = {"negative": -1.3, "zero": 0.0, "inside": mean + 0.11, "mean": mean, "above": above}
    return places[where]


def reference(law, c):
    """The moments about c at all POWERS, summed on both sides of it over log|x - c|."""
    parameters, density, low, high, _ = LAWS[law]
    total = np.zeros(len(POWERS))
    for sign in (-1.0, 1.0):
        near, far = sorted((sign * (low - c), sign * (high - c)))
        if far <= 0:
            continue
        start = math.log(near) if near > 0 else -45.0
        stop = math.log(far) if far < math.inf else 40.0
        edges = np.linspace(start, stop, 1 + math.ceil((stop - start) / 0.03))
        half = np.diff(edges)[:, None] / 2
        logs = (edges[:-1, None] + half * (1 + NODES)).ravel()
        distance = np.exp(logs)
        with np.errstate(all="ignore"):
            mass = density(c + sign * distance, *parameters) * distance
        mass = np.nan_to_num(mass) * (half * WEIGHTS).ravel()
        total += [float(np.sum(mass * distance**q)) for q in POWERS]
    return total


@pytest.mark.parametrize("where", CENTRES)
@pytest.mark.parametrize("law", LAWS)
def test_the_moments_are_the_integrals_of_the_density(law, where):
    c = centre(law, where)
    moment = moment_of(law)
    for q, expected in zip(POWERS, reference(law, c), strict=True):
        value = moment(*LAWS[law][0], q, c)
        assert type(value) is float
        assert close(value, expected), (q, value, expected)
        # the comparison finds an error of 1 percent, in the moment or in its power
        assert not close(1.01 * value, expected)
        assert not close(moment(*LAWS[law][0], 1.01 * q, c), expected)


# To 15 digits by mpmath with 50: a normal's 1F1; B(a, q+1) 2F1(1-b, a; a+q+1; c) and its like for
# both sides of a beta's c; the like for a Pareto; for Student's t, whose variance is mixed over
# inverse gammas, its moment about the mean times 2F1(-q/2, (df-q)/2; 1/2; -d^2/df) where c lies d
# scales away; mp.quad for the last two laws.
EXACT = [
    ("gaussian", (0.5, 0.001, 1.9, 0.0), 0.267944282000485),
    ("gaussian", (0.0, 1.0, 0.5, 1000.0), 31.622772648833),
    ("gaussian", (0.0, 1.0, 1.5, 9900.0), 985037.566504446),
    ("gaussian", (0.0, 1.0, 3.0, 10100.0), 1030301030300.0),
    ("gaussian", (-3.0, 10.0, 1.5, 10000000.0), 31622790831.9462),
    ("uniform", (1000.0, 1000.25, 1.9, -1000000.0), 251666176043.074),
    ("uniform", (0.0, 1.0, 0.5, 1.0000000009313226), 0.66666666759797),
    ("beta", (0.01, 5.0, 1.5, 0.3), 0.163000555270259),
    ("beta", (0.0001, 0.0001, 1.9, 0.3), 0.304602449235046),
    ("beta", (2.5, 1.5, 1.9, 0.625), 0.0531292914860355),
    ("beta", (0.5, 300.0, 0.5, -0.01), 0.10754978094139),
    ("beta", (300.0, 200.0, 3.0, 0.6), 1.67095693172298e-5),
    ("beta", (50.0, 0.05, 1.9, 0.999), 2.8181820661397e-5),
    ("beta", (1.0, 0.5, 1.5, 0.6666666666666666), 0.147229530937634),
    ("pareto", (2.1, 0.3, 1.9, 0.3), 0.813790242051972),
    ("pareto", (5.0, 1.0, 4.999, 5.0), 5762.14843345872),
    ("pareto", (1.901, 1.0, 1.9, 10000.0), 39796651.4595309),
    ("pareto", (3.0, 2.0, 1.5, -50.0), 385.990697861188),
    ("pareto", (100.0, 1.0, 1.9, 1.0101010101010102), 0.000155266686456923),
    ("student", (0.0, 1.0, 5.0, 4.999, 10.0), 212103.370240827),
    ("student", (0.3, 0.25, 1.91, 1.9, 12.8), 134.115264271266),
    ("student", (0.0, 1.0, 3.0, 1.9, 1000.0), 501188.519195931),
    ("student", (0.0, 1.0, 2.001, 1.5, -50.0), 354.368936387018),
    ("student", (0.0, 2.0, 300.0, 3.0, 1.0), 17.8256018383142),
    ("student", (0.0, 1.0, 1.0, 0.5, 0.1), 1.41597583387291),
    ("lognormal", (0.0, 2.0, 3.0, 1.0), 65651047.8588309),
    ("lognormal", (0.0, 2.0, 3.0, 7.38905609893065), 65595132.1641689),
    ("lognormal", (-1.0, 0.01, 1.9, 0.37), 2.99765595480478e-5),
    ("lognormal", (0.0, 4.0, 1.5, -100.0), 65661821.7243195),
    ("sigmoid_gaussian", (-8.0, 4.0, 1.9, 0.1), 0.0231064435490076),
    ("sigmoid_gaussian", (0.0, 30.0, 1.5, 0.5), 0.33725579737972),
    ("sigmoid_gaussian", (2.0, 0.01, 3.0, 0.8807970779778823), 1.84742176212811e-9),
    ("sigmoid_gaussian", (-20.0, 1.0, 3.0, 0.0), 7.8823581765456e-25),
]


@pytest.mark.parametrize(("law", "given", "expected"), EXACT)
def test_hard_cases(law, given, expected):
    assert close(moment_of(law)(*given), expected)


@pytest.mark.parametrize("d", [0.0, 1e-6, 3.0, 150.0, 1e3, 9999.0, 10001.0, 1e6, 1e12, 1e70])
def test_a_normal_far_from_c(d):
    assert close(gaussian_moment(d, 1.0, 2.0, 0.0), d**2 + 1)
    assert close(gaussian_moment(0.0, 2.0, 4.0, 2 * d), 16 * (d**4 + 6 * d**2 + 3))


def test_points():
    for q in POWERS:
        for c in (-1.0, 0.0, 0.3, 1.0, 2.5):
            two = 0.7 * abs(-0.5 - c) ** q + 0.3 * abs(1.0 - c) ** q
            assert close(two_point_moment(-0.5, 1.0, 0.3, q, c), two)
            three = math.fsum(p * abs(x - c) ** q for x, p in ((0.0, 0.2), (0.3, 0.5), (2.5, 0.3)))
            values, shares = np.array([0.0, 0.3, 2.5]), np.array([0.2, 0.5, 0.3])
            value = discrete_moment(values, shares, q, c)
            assert type(value) is float
            assert close(value, three)
            assert not close(1.01 * value, three)
    column = np.random.default_rng(3).normal(size=100)
    assert close(discrete_moment(column, np.full(100, 0.01), 2.0, column.mean()), column.var())
    assert two_point_moment(0.0, 1.0, 0.0, 0.5, 0.0) == 0.0


@pytest.mark.parametrize("c", [-1.0, 0.0, 0.5, 1.0, 7.0])
@pytest.mark.parametrize("q", [0.5, 1.9, 2.0, 3.0])
def test_infinite_exactly_from_the_shape_on(q, c):
    for law in (
        lambda s: pareto_moment(s, 1.0, q, c),
        lambda s: student_moment(0.5, 1.0, s, q, c),
    ):
        assert law(q) == law(0.5 * q) == law(math.nextafter(q, 0.0)) == math.inf
        assert [math.isfinite(law(q + gap)) for gap in (1e-6, 1e-3, 0.1, 10.0)] == [True] * 4
        # what is left is the tail, which grows as 1/(shape - q)
        assert law(q + 1e-6) == pytest.approx(10 * law(q + 1e-5), rel=0.05)


def test_student_s_t_of_many_degrees_of_freedom_is_nearly_normal():
    for q in POWERS:
        for c in (-0.5, 0.2, 1.7):
            wide = student_moment(0.3, 0.7, 1e9, q, c)
            assert wide == pytest.approx(gaussian_moment(0.3, 0.7, q, c), rel=1e-7)


def test_an_integral_that_is_not_accurate_is_refused():
    with pytest.raises(ArithmeticError, match="integral of a moment"):
        integral(lambda x: 2.0 + math.sin(1e6 * x), 0.0, 1.0)


@pytest.mark.slow
def test_integration_is_not_imported_at_the_start():
    code = "import sys, dpbandits.environments.catalogue; print('scipy.integrate' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
