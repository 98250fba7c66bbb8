"""Broken twins that the audit by sampling catches, besides those of ``broken``."""

import math

from dpbandits.authoring import inlined, laplace, local_dp

from .broken import BROKEN
from .twin import (
    ZCDP,
    episodic,
    gaussian_episodic,
    gaussian_noise_times,
    in_rounds,
    noise_times,
    twin,
)


@inlined
def exact(rng, memory, a, total, n, eps):
    return total / n


@inlined
def without_eps(memory, a, mean, n, eps, l):
    return mean + math.sqrt(0.5 * l / n)


@inlined
def of_all_rewards(rng, memory, a, total, n, eps):
    """Every reward enters the releases of all later episodes of its arm, too."""
    memory[a, 0] += total
    memory[a, 1] += n
    return (memory[a, 0] + laplace(rng, 1.0 / eps)) / memory[a, 1]


@inlined
def send(rng, x, eps):
    """A response that forgets to truncate the reward."""
    return x + laplace(rng, 2.0 / eps)


@inlined
def sent(rng, memory, trees, a, x, n, eps):
    memory[a, 1] += send(rng, x, eps)
    return memory[a, 1] / n


SENT = local_dp("nowhere", send)
MADE = [
    twin(episodic("weak_noise", noise_times(0.7)), "noise x .7"),
    twin(gaussian_episodic("weak_gaussian", gaussian_noise_times(0.7)), "the same", guarantee=ZCDP),
    twin(episodic("no_eps", exact, without_eps), "no noise, and a bonus without eps"),
    twin(episodic("whole_history", of_all_rewards), "means of all rewards of an arm"),
    twin(in_rounds("no_clip", sent), "rewards are not truncated", rewards=None, guarantee=SENT),
]
OTHERS = ("noise_reused", "shared_draw", "raw_rewards")
CAUGHT = {twin.name: twin for twin in MADE + [twin for twin in BROKEN if twin.name in OTHERS]}
