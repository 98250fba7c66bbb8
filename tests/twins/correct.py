"""Correct variants: unusual ways to be private, none of which a test may refuse."""

import math

import numpy as np

from dpbandits.authoring import (
    Budget,
    arms,
    beta,
    gaussian,
    inlined,
    kernel,
    laplace,
    laplace_mean,
    local_dp,
    nodes,
    normal,
    one_bit,
    one_release,
    pull_sum,
    random,
    releases,
    rounds_left,
    tree_levels,
)
from dpbandits.contracts.alignments import binary_nodes
from dpbandits.parts.counting.trees import tree_noise
from dpbandits.parts.noise.local_randomizers import convert_to_laplace, send_bit, unbiased
from dpbandits.parts.noise.mechanisms import laplace_sum

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
)


@inlined
def usual(rng, memory, a, total, n, eps):
    memory[a, 0] = laplace_mean(rng, total, n, eps)
    return memory[a, 0]


@inlined
def noisy_sum(rng, memory, a, total, n, eps):
    return (total + laplace(rng, 1.0 / eps)) / n


@inlined
def noise_first(rng, memory, a, total, n, eps):
    return laplace(rng, 1.0 / (eps * n)) + total / n


@inlined
def noise_subtracted(rng, memory, a, total, n, eps):
    return total / n - laplace(rng, 1.0 / (eps * n))


@inlined
def half_each(rng, memory, a, total, n, eps):
    """Two releases of the same mean, with half of the budget each."""
    scale = 2.0 / (eps * n)
    return 0.5 * ((total / n + laplace(rng, scale)) + (total / n + laplace(rng, scale)))


@inlined
def clipped(rng, memory, a, total, n, eps):
    return min(max(laplace_mean(rng, total, n, eps), 0.0), 1.0)


@inlined
def tossed_length(rng, memory, a, n, eps):
    """A coin decides how long the next episode is."""
    return n if random(rng) < 0.5 else 0.5 * n


@inlined
def private_length(rng, memory, a, n, eps):
    """The private mean decides how long the next episode is."""
    return n if memory[a, 0] >= 0.5 else 0.5 * n


@inlined
def accounted_fading(rng, memory, a, total, n, eps):
    """.306 of a phase's sum re-enters the next release, and the noise pays for it."""
    memory[a, 0] = 0.306 * memory[a, 0] + total
    return (memory[a, 0] + laplace(rng, 1.0 / (1.0 - 0.306) / eps)) / n


@inlined
def posterior_index(memory, a, mean, n, eps, l):
    return min(mean, 1.0) + 1.0 / math.sqrt(n)


@inlined
def perturbed(rng, memory, a, total, n, eps):
    """A private mean, and noise that hides nothing on top of it."""
    return laplace_mean(rng, total, n, eps) + normal(rng) / n


@inlined
def resampled(rng, memory, a, total, n, eps):
    """A draw from the posterior of the private mean."""
    mean = min(max(laplace_mean(rng, total, n, eps), 0.0), 1.0)
    return beta(rng, 1.0 + n * mean, 1.0 + n * (1.0 - mean))


@inlined
def gamma_noise(rng, memory, a, total, n, eps):
    """The sum of three Laplace variables: more noise than one."""
    return (total + laplace_sum(rng, 3.0, 1.0 / eps)) / n


@inlined
def running_total(rng, memory, a, total, n, eps):
    """Noisy sums of all episodes are added up; each reward enters one of them."""
    memory[a, 0] += total + laplace(rng, 1.0 / eps)
    memory[a, 1] += n
    return memory[a, 0] / memory[a, 1]


@inlined
def gaussian_halves(rng, memory, a, total, n, rho):
    """Two releases of the same mean, each rho/2-zCDP."""
    scale = 1.0 / (n * math.sqrt(rho))
    return 0.5 * ((total / n + gaussian(rng, scale)) + (total / n + gaussian(rng, scale)))


@inlined
def each_its_own(rng, sums, means, n, eps):
    for a in range(len(sums)):
        means[a] = sums[a] / n + laplace(rng, 1.0 / (eps * n))


@inlined
def whole_tree(rng, memory, trees, a, x, n, eps):
    memory[a, 1] += x
    levels = tree_levels(int(memory[a, 0]))
    return (memory[a, 1] + tree_noise(trees, a, n, laplace(rng, levels / eps))) / n


@inlined
def bits(rng, memory, trees, a, x, n, eps):
    memory[a, 1] += unbiased(send_bit(rng, x, eps), 1.0 / math.tanh(0.5 * eps))
    return memory[a, 1] / n


@inlined
def warner(rng, memory, trees, a, x, n, eps):
    """The nearest of 0 and 1, or else the other one."""
    lies = 1.0 / (1.0 + math.exp(eps))
    memory[a, 1] += 1.0 if random(rng) < (1.0 - lies if x >= 0.5 else lies) else 0.0
    return memory[a, 1] / n


@inlined
def numbers(rng, memory, trees, a, x, n, eps):
    memory[a, 1] += convert_to_laplace(rng, x, eps)
    return memory[a, 1] / n


@kernel
def two_streams(game, rng, eps: Budget):
    """A first half of the rounds is released arm by arm; the second follows the largest."""
    K = arms(game)
    n = rounds_left(game) // (2 * K)
    best, a = -math.inf, 0
    for b in range(K if n > 0 else 0):
        mean = laplace_mean(rng, pull_sum(game, b, n), n, eps)
        a, best = (b, mean) if mean > best else (a, best)
    pull_sum(game, a, rounds_left(game))


def in_numpy(game, rng, eps: Budget):
    """The same in plain Python, with NumPy's own Laplace noise."""
    K = arms(game)
    n = rounds_left(game) // (2 * K)
    sums = np.array([pull_sum(game, b, n) for b in range(K)]) if n > 0 else np.zeros(K)
    means = sums / max(n, 1) + rng.laplace(0.0, 1.0 / (eps * max(n, 1)), size=K)
    pull_sum(game, int(np.argmax(means)), rounds_left(game))


TREE = nodes(binary_nodes, "the nodes that hold the changed reward")
ALL = releases(64)
CORRECT = [
    twin(episodic("usual_noise", usual), "AdaP-UCB's release", game=closed_form(1.0)),
    twin(episodic("more_noise_than_needed", noise_times(2.0)), "twice the noise",
     game=closed_form(2.0)),
    twin(episodic("noise_on_the_sum", noisy_sum), "noise on the sum", game=closed_form(1.0)),
    twin(episodic("noise_plus_mean", noise_first), "the noise stands first", game=closed_form(1.0)),
    twin(episodic("noise_taken_away", noise_subtracted), "noise is subtracted",
     game=closed_form(1.0)),
    twin(episodic("half_the_budget_twice", half_each), "two releases of eps/2", releases(2)),
    twin(episodic("rewards_of_both_signs", noise_times(2.0)), "noise for 2/n", rewards=(-1.0, 1.0),
     game=closed_form(2.0, span=2.0)),
    twin(episodic("clipped_means", clipped), "means clipped to [0, 1]"),
    twin(episodic("tossed_lengths", usual, by_index, tossed_length), "lengths decided by coins"),
    twin(episodic("private_lengths", usual, by_index, private_length),
     "lengths decided on private means"),
    twin(episodic("accounted_phases", accounted_fading),
     "a phase re-enters later releases, with noise x 1.44", ALL),
    twin(episodic("other_index", usual, posterior_index), "an index without eps"),
    twin(episodic("noise_upon_noise", perturbed), "a private mean plus more noise"),
    twin(episodic("posterior_draws", resampled), "draws from posteriors of private means"),
    twin(episodic("sums_of_noise", gamma_noise), "the sum of three draws"),
    twin(episodic("totals_of_releases", running_total), "noisy sums are added up"),
    twin(gaussian_episodic("gaussian_noise", gaussian_noise_times(1.0)), "Gaussian noise",
     guarantee=ZCDP),
    twin(gaussian_episodic("gaussian_noise_twice", gaussian_halves),
     "two Gaussian releases of rho/2", releases(2), guarantee=ZCDP),
    twin(in_epochs("own_draws", each_its_own), "a draw for each arm"),
    twin(in_rounds("tree_of_all_levels", whole_tree), "a tree of all its levels", TREE),
    twin(in_rounds("randomised_bits", bits), "one bit of a reward",
     guarantee=local_dp("its author", send_bit, one_bit)),
    twin(in_rounds("warner_bits", warner), "a rounded reward, or its opposite",
     guarantee=local_dp("its author", send_bit, one_bit)),
    twin(in_rounds("noisy_numbers", numbers), "a reward plus the user's noise",
     guarantee=local_dp("its author", convert_to_laplace, one_release)),
    twin(two_streams, "explore, then commit"),
    twin(in_numpy, "the same with NumPy's Laplace noise"),
]  # fmt: skip
assert np.unique([twin.name for twin in CORRECT]).size == len(CORRECT) > 20
