"""The randomizer of vectors: the length of a message that is unbiased."""

import math

import pytest
from scipy.integrate import quad

from dpbandits.parts.noise.sphere import sphere_radius


@pytest.mark.parametrize("eps", [0.1, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("d", [2, 3, 7])
def test_a_message_about_the_longest_vector_has_its_mean(d, eps):
    """A message is a point of a sphere on the vector's side with probability e^eps/(1 + e^eps);
    its mean is the integral of the first coordinate over half of the sphere.
    """

    def at(angle):  # from the vector; the density of the angle is the power d - 2 of its sine
        return math.sin(angle) ** (d - 2)

    half = quad(lambda x: math.cos(x) * at(x), 0, math.pi / 2)[0] / quad(at, 0, math.pi / 2)[0]
    share = math.exp(eps) / (1.0 + math.exp(eps))
    assert sphere_radius(d, eps, 2.0) * half * (2.0 * share - 1.0) == pytest.approx(2.0)
