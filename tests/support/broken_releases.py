"""Releases that lose more privacy than they promise, each with the factor."""

import math

import numpy as np

from dpbandits.audit.targets.releases import Mechanism
from dpbandits.compiled import inlined_counted
from dpbandits.parts.counting.honaker import honaker_noise, new_honaker_trees
from dpbandits.parts.counting.kary import kary_levels, kary_noise, new_kary_trees
from dpbandits.parts.counting.node_scales import NodeScales
from dpbandits.parts.counting.trees import new_trees, tree_levels, tree_noise
from dpbandits.parts.noise.mechanisms import gaussian, laplace
from dpbandits.parts.oracles.learner import Learner, Oracle
from dpbandits.parts.oracles.moments import fit_quadratic, noisy_gram


@inlined_counted
def literal_tree(rng, x, eps, out):
    """A tree that spends eps/ln T in each node, as printed by Tao et al. 2022."""
    trees, S = new_trees(1, len(x)), 0.0
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, laplace(rng, np.log(len(x)) / eps))


@inlined_counted
def short_tree(rng, x, eps, out):
    """A tree with ceil(log2 T) levels, which is one level too few if T is a power of two."""
    trees, S = new_trees(1, len(x)), 0.0
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, laplace(rng, np.ceil(np.log2(len(x))) / eps))


@inlined_counted
def reusing_tree(rng, x, eps, out):
    """A tree in which all nodes have the same draw of noise."""
    trees, S = new_trees(1, len(x)), 0.0
    noise = laplace(rng, tree_levels(len(x)) / eps)
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, noise)


@inlined_counted
def short_kary_tree(rng, x, eps, out):
    """A k-ary tree that counts one level too few for each item."""
    trees, S = new_kary_trees(1, len(x), 3), 0.0
    scales = NodeScales(kary_levels(len(x), 3) - 1, 1.0, 0.0, eps)
    for i in range(len(x)):
        S += x[i]
        out[i] = S + kary_noise(trees, rng, 0, i + 1, scales)


@inlined_counted
def one_level_honaker_tree(rng, x, eps, out):
    """Honaker's tree with noise for one level only: an item in three levels spends 3 eps."""
    trees, S = new_honaker_trees(1, len(x)), 0.0
    for i in range(len(x)):
        S += x[i]
        out[i] = S + honaker_noise(trees, rng, 0, i + 1, NodeScales(1, 1.0, 0.0, eps))


@inlined_counted
def weak_laplace(rng, x, eps, out):
    """Laplace noise scaled by 0.7."""
    out[0] = x[0] + laplace(rng, 0.7 / eps)


@inlined_counted
def weak_gaussian(rng, x, rho, out):
    """Gaussian noise scaled by 0.7."""
    out[0] = x[0] + gaussian(rng, 0.7 / np.sqrt(2.0 * rho))


@inlined_counted
def half_variance(rng, x, rho, out):
    """Gaussian noise of variance 1/(4 rho)."""
    out[0] = x[0] + gaussian(rng, np.sqrt(0.25 / rho))


@inlined_counted
def weak_coin(rng, x, eps, out):
    """Randomised response that answers truthfully too often."""
    out[0] = 1.0 if rng.random() < 0.5 + (x[0] - 0.5) * np.tanh(0.5 * eps / 0.7) else 0.0


@inlined_counted
def seldom_exact(rng, x, eps, out):
    """Laplace noise that is left out with probability 1/100."""
    noise = laplace(rng, 1.0 / eps)
    out[0] = x[0] + (noise if rng.random() >= 0.01 else 0.0)


@inlined_counted
def batch_of(x):
    """Return the learner after a batch of users without features, who played the actions ``x`` (of
    two) and lost.
    """
    n, none = len(x), np.zeros((0, 0))
    return Learner(
        Oracle(1.0, 1e-5, 1.0, 50.0, 0.0), np.array([n, 0, 0]), np.ones((n, 1)), np.arange(n),
        x.astype(np.int64), np.ones(n), np.zeros((1, 2, 1)), np.zeros(1), np.zeros(1), np.zeros(2),
        np.zeros(2), np.zeros(2), np.zeros((2, 2)), none, none, np.zeros(2),
    )  # fmt: skip


@inlined_counted
def add_gram(rng, now, sd, out):
    """Add the released Gram matrix of a batch to ``out``, and return it."""
    G = noisy_gram(rng, now, sd)
    for i in range(3):
        out[i] += G[(i + 1) // 2, i // 2]  # the lower triangle
    return G


@inlined_counted
def release_fit(rng, x, sd, out):
    """Release the Gram matrix of a batch and its quadratic fit."""
    now = batch_of(x)
    out[:] = 0.0
    fit_quadratic(rng, now, add_gram(rng, now, sd, out), sd)
    out[3], out[4] = now.theta[0, 0, 0], now.theta[0, 1, 0]


@inlined_counted
def split_moments(rng, x, rho, out):
    """A correct release, as a control: half of rho for each moment."""
    release_fit(rng, x, np.sqrt(2.0 / rho), out)


@inlined_counted
def unsplit_moments(rng, x, rho, out):
    """The whole rho for each of the two moments."""
    release_fit(rng, x, np.sqrt(1.0 / rho), out)


@inlined_counted
def half_moments(rng, x, rho, out):
    """Half of the noise of both moments."""
    release_fit(rng, x, 0.5 * np.sqrt(2.0 / rho), out)


@inlined_counted
def cumulative_moments(rng, x, rho, out):
    """The sum of the Gram matrices of two batches, where the second contains all users so far."""
    out[:] = 0.0
    for n in (1, 3):
        add_gram(rng, batch_of(x[:n]), np.sqrt(1.0 / rho), out)


def everything(n):
    return n


def broken(function, sizes=(1,), seen=lambda n: 1, budget="eps"):
    return Mechanism(function.__name__, function, "", (0.0, 1.0), sizes, seen, budget)


# broken releases, each with the factor by which its loss, eps or mu, exceeds the promised loss
BROKEN = {
    "literal_tree": (broken(literal_tree, (7,), everything), 3 / math.log(7)),
    "short_tree": (broken(short_tree, (4, 8), everything), 1.5),
    "reusing_tree": (broken(reusing_tree, (4,), everything), math.inf),
    "short_kary_tree": (broken(short_kary_tree, (4,), everything), 2.0),
    "weak_laplace": (broken(weak_laplace), 1 / 0.7),
    "weak_gaussian": (broken(weak_gaussian, budget="rho"), 1 / 0.7),
    "half_variance": (broken(half_variance, budget="rho"), math.sqrt(2)),
    "weak_coin": (broken(weak_coin), 1 / 0.7),
}
# without a known exact loss
SPLIT_MOMENTS = broken(split_moments, seen=lambda n: 5, budget="rho")  # which is right
BROKEN_UNKNOWN = {
    "unsplit_moments": broken(unsplit_moments, seen=lambda n: 5, budget="rho"),
    "half_moments": broken(half_moments, seen=lambda n: 5, budget="rho"),
    "cumulative_moments": broken(cumulative_moments, (3,), lambda n: 3, "rho"),
    "one_level_honaker_tree": broken(one_level_honaker_tree, (4,), everything),
    "seldom_exact": broken(seldom_exact),
}
