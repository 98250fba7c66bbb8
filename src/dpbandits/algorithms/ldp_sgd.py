"""LDP-SGD: greedy play by gradient descent on one private message of each user."""

from typing import Literal

import numpy as np

from ..authoring import (
    BOUNDED_CONTEXTUAL, Budget, Positive, contexts, dimension, ensure_contexts, kernel,
    message_dp, one_bit, play, rounds_left, sigmoid,
)  # fmt: skip
from ..parts.linear.greedy import descend, greedy, inner_product
from ..parts.noise.sphere import send_direction, sphere_radius

NAME = "LDP-SGD"
LINE = "violet", "solid"
REWARDS = BOUNDED_CONTEXTUAL
GUARANTEE = message_dp("Han et al. 2021, Algorithm 1", None, one_bit, "sphere_message")
ROUND_BY_ROUND = True
LINEAR = 0.0  # the number of the link ``linear``
LONGEST = 2.0  # R = 2 c_r C_B, the largest length of the gradient: |mu - r| <= 2 and |x| <= 1


@kernel
def ldp_sgd(
    game, rng, eps: Budget, eta: Positive, link: Literal["linear", "logistic"]
):  # fmt: skip
    """LDP-SGD (Han et al. 2021, Algorithm 1). eps-local DP of each user's message about a context
    of length at most 1 and a reward in [-1, 1].

    The user plays the context x with the largest <theta, x>, breaks ties at random (ours), and
    sends a private gradient. theta is projected onto the unit ball (ours; the paper has no
    projection). Without the projection, the gradient soon exceeds R, the largest length that the
    randomizer can send without bias.

    Args:
        eps: privacy budget; infinite: no noise.
        eta: the step of round t is eta/(t + 1); the step of the paper depends on unknown constants.
        link: the mean of a reward is mu(<theta, x>), where mu(z) is z (``linear``) or 1/(1 + e^-z)
            (``logistic``, for rewards in [0, 1]).
    """
    d = dimension(game)
    theta, v, z = np.zeros(d), np.zeros(d), np.zeros(d)
    radius = sphere_radius(d, eps, LONGEST)
    t = 0
    x = contexts(game)
    while rounds_left(game) > 0:
        t += 1
        ensure_contexts(game)  # x holds the contexts of this round
        a = greedy(rng, theta, x)
        mu = inner_product(theta, x, a)
        if link != LINEAR:
            mu = sigmoid(mu)
        g = mu - play(game, a)
        for i in range(d):
            v[i] = g * x[a, i]
        send_direction(rng, v, z, radius, eps, LONGEST)
        descend(theta, v, eta / (t + 1.0))
