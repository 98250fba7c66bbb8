"""Broken twins: each promises privacy, is a few characters away from it, and does not have it."""

import numpy as np

from dpbandits.authoring import (
    exponential,
    gaussian,
    inlined,
    laplace,
    laplace_mean,
    local_dp,
    nodes,
    one_bit,
    random,
    tree_levels,
)
from dpbandits.contracts.alignments import binary_nodes
from dpbandits.parts.counting.trees import tree_noise
from dpbandits.parts.noise.local_randomizers import send_bit

from .twin import (
    ZCDP,
    by_index,
    closed_form,
    episodic,
    gaussian_episodic,
    gaussian_noise_times,
    in_epochs,
    in_rounds,
    noise_times,
    twin,
    width,
)


@inlined
def right(rng, memory, a, total, n, eps):
    """What is right: one draw for the mean of the episode."""
    memory[a, 0] = total / n
    return laplace_mean(rng, total, n, eps)


@inlined
def twice(rng, memory, a, total, n, eps):
    """The rewards of an episode are released again with those of the next one."""
    both, number = total + memory[a, 0], n + memory[a, 1]
    memory[a, 0], memory[a, 1] = total, n
    return laplace_mean(rng, both, number, eps)


@inlined
def raw_index(memory, a, mean, n, eps, l):
    return 0.5 * (mean + memory[a, 0]) + width(n, eps, l)


@inlined
def raw_length(rng, memory, a, n, eps):
    """A good arm is played for longer, and what is good is known without noise."""
    return n if memory[a, 0] >= 0.5 else 0.5 * n


@inlined
def rarely_exact(rng, memory, a, total, n, eps):
    scale = 1.0 / (eps * n)
    if random(rng) < 0.01:
        return total / n
    return total / n + laplace(rng, scale)


@inlined
def one_sided(rng, memory, a, total, n, eps):
    return total / n + exponential(rng) / (eps * n)


@inlined
def known_scale(rng, memory, a, total, n, eps):
    """The scale of the noise follows from the rewards: less noise for fewer successes."""
    return total / n + laplace(rng, max(total / n, 0.5) / (0.5 * eps * n))


@inlined
def favourite(rng, memory, a, total, n, eps):
    """The first arm has no noise."""
    return total / n if a == 0 else laplace_mean(rng, total, n, eps)


@inlined
def reused(rng, memory, a, total, n, eps):
    """The noise of an arm is drawn once."""
    if memory[a, 1] == 0.0:
        memory[a, 0], memory[a, 1] = laplace(rng, 1.0), 1.0
    return total / n + memory[a, 0] / (eps * n)


@inlined
def fading(rng, memory, a, total, n, eps):
    """.306 of a phase's sum re-enters the next release: 1 + .306 + .306^2 + ... = 1.44."""
    memory[a, 0] = 0.306 * memory[a, 0] + total
    return (memory[a, 0] + laplace(rng, 1.0 / eps)) / n


@inlined
def variance(rng, memory, a, total, n, rho):
    """The variance, passed for the standard deviation."""
    return total / n + gaussian(rng, 1.0 / (2.0 * rho * n**2))


@inlined
def shared(rng, sums, means, n, eps):
    noise = laplace(rng, 1.0 / (eps * n))
    for a in range(len(sums)):
        means[a] = sums[a] / n + noise


@inlined
def short_tree(rng, memory, trees, a, x, n, eps):
    """A tree of one level less than its items lie in."""
    memory[a, 1] += x
    levels = max(tree_levels(int(memory[a, 0])) - 1, 1)
    return (memory[a, 1] + tree_noise(trees, a, n, laplace(rng, levels / eps))) / n


@inlined
def raw_bits(rng, memory, trees, a, x, n, eps):
    """Users send a bit, and the index is that of the rewards."""
    memory[a, 1] += send_bit(rng, x, eps)
    memory[a, 2] += x
    return memory[a, 2] / n


@inlined
def loud_bits(rng, memory, trees, a, x, n, eps):
    """Users send two bits, each with the whole budget."""
    memory[a, 1] += send_bit(rng, x, eps) + send_bit(rng, x, eps)
    return 0.5 * memory[a, 1] / n


TREE = nodes(binary_nodes, "the nodes that hold the changed reward")
BITS = local_dp("its author", send_bit, one_bit)
BROKEN = [
    twin(episodic("noise_times_08", noise_times(0.8)), "noise x .8", game=closed_form(0.8)),
    twin(episodic("noise_times_05", noise_times(0.5)), "noise x .5", game=closed_form(0.5)),
    twin(episodic("two_releases", twice), "a reward in two releases"),
    twin(episodic("unnoised_index", right, raw_index), "un-noised sums in the index"),
    twin(episodic("raw_lengths", right, by_index, raw_length),
     "number of pulls decided on raw data"),
    twin(episodic("half_span", right), "noise for 1/n where rewards span 2/n", rewards=(-1.0, 1.0),
     game=closed_form(1.0, span=2.0)),
    twin(episodic("rarely_exact_releases", rarely_exact), "1 % of releases exact"),
    twin(in_rounds("raw_rewards", raw_bits),
     "a local algorithm that names `send_bit` and uses raw rewards", guarantee=BITS),
    twin(in_rounds("two_bits", loud_bits), "two bits of a reward, each for eps", guarantee=BITS),
    twin(in_epochs("shared_draw", shared), "one draw shared by all arms"),
    twin(episodic("noise_reused", reused), "noise reused"),
    twin(in_rounds("shorter_tree", short_tree), "a short tree", TREE),
    twin(gaussian_episodic("variance_for_deviation", variance),
     "a Gaussian variance passed as standard deviation", guarantee=ZCDP),
    twin(gaussian_episodic("gaussian_times_08", gaussian_noise_times(0.8)), "Gaussian noise x .8",
     guarantee=ZCDP),
    twin(episodic("fading_phases", fading), "a phase re-enters later releases (1.44 eps)"),
    twin(episodic("one_sided_noise", one_sided), "one-sided noise"),
    twin(episodic("scale_of_the_data", known_scale), "a scale that depends on the rewards"),
    twin(episodic("exact_favourite", favourite), "one arm without noise"),
]  # fmt: skip
assert np.unique([twin.name for twin in BROKEN]).size == len(BROKEN)
