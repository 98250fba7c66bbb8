"""The releases on which privacy guarantees are based. An audit can test each release without an
algorithm.

A release is a function ``release(rng, x, eps, out)`` or ``release(rng, x, rho, out)``. A release
computes an output from the data ``x`` and writes the output into ``out``, which an adversary sees.
The code of a release calls the mechanisms, estimators and local randomizers that algorithms call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from ...compiled import inlined, inlined_counted
from ...environments.blocks import count, encoded, truncate
from ...parts.counting.honaker import honaker_noise, new_honaker_trees
from ...parts.counting.hybrid_counters import count_reward, counted_mean, new_hybrid_counters
from ...parts.counting.kary import kary_levels, kary_noise, new_kary_trees
from ...parts.counting.node_scales import NodeScales
from ...parts.counting.trees import (
    lowest_bit,
    new_trees,
    tree_levels,
    tree_node_scale,
    tree_noise,
)
from ...parts.linear.noisy_matrices import add_row, levels_of, new_matrix_tree, receive_message
from ...parts.linear.silos import add_to_batch, new_silos, send_batch
from ...parts.means.estimators import private_mean, private_mode
from ...parts.noise.discrete_noise import (
    discrete_laplace,
    granularity,
    modular_sum,
    most_noise,
    skellam,
)
from ...parts.noise.local_randomizers import send_bit
from ...parts.noise.mechanisms import gaussian, gaussian_mean, laplace, laplace_mean, laplace_scale
from ...parts.noise.shuffled_coins import heads, least_bits
from ...parts.noise.sphere import choose_side, sphere_radius
from ...parts.schedules.buffers import fill_buffer, new_buffers


@dataclass(frozen=True)
class Mechanism:
    """A release, and the data on which it is audited.

    Attributes:
        function: ``release(rng, x, budget, out)``, callable from kernels.
        values: the values that a number of the data may have; an audit tries all values.
        sizes: the sizes of the data: how many numbers they have.
        seen: ``seen(n)`` is the number of outputs for data of n numbers.
        budget: the name of the privacy budget: eps for eps-DP, rho for rho-zCDP by Gaussian noise.
        delta: the delta of (eps, delta)-DP, or 0.
        with_delta: for a release with a delta, a function that returns the release for another
            delta.
    """

    name: str
    function: Callable = field(repr=False)
    says: str
    values: tuple[float, ...] = (0.0, 1.0)
    sizes: tuple[int, ...] = (1,)
    seen: Callable[[int], int] = field(default=lambda n: 1, repr=False)
    budget: str = "eps"
    delta: float = 0.0
    with_delta: Callable[[float], Callable] | None = field(default=None, repr=False)
    guarantee: ClassVar[None] = None  # the promise of a mechanism is its budget

    def __reduce__(self) -> tuple[Callable, tuple]:
        """Send a mechanism of ``MECHANISMS`` to other processes by its name, as compiled code
        cannot be sent.
        """
        if MECHANISMS.get(self.name) is self:
            return registered, (self.name,)
        return Mechanism, tuple(getattr(self, each.name) for each in fields(self))


ANYTHING = (-1e3, -1.0, 0.0, 0.5, 1.0, 1e3)  # rewards without bounds; truncation begins at 1
HUGE = 1e6  # a reward that is so large that it must be truncated where rewards have no bounds
MECHANISMS: dict[str, Mechanism] = {}


def registered(name: str) -> Mechanism:
    """Return the mechanism of this name in ``MECHANISMS``."""
    return MECHANISMS[name]


def mechanism(says: str, **data) -> Callable:
    """Return a decorator that adds a function, under its name, to ``MECHANISMS``."""

    def register(function):
        name = function.__name__
        MECHANISMS[name] = Mechanism(name, inlined_counted(function), says, **data)

    return register


@mechanism("one number in [0, 1] plus Lap(1/eps)")
def laplace_release(rng, x, eps, out):
    out[0] = x[0] + laplace(rng, laplace_scale(1.0, eps))


@mechanism("DP-SE: the mean of n rewards plus Lap(1/(eps n))", sizes=(1, 5))
def epoch_mean(rng, x, eps, out):
    out[0] = laplace_mean(rng, np.sum(x), float(len(x)), eps)


@mechanism("AdaP: means of disjoint episodes of 1, 1, 2, 4, ...", sizes=(4, 8), seen=tree_levels)
def episode_means(rng, x, eps, out):
    start = 0
    for i in range(len(out)):
        n = max(start, 1)
        out[i] = laplace_mean(rng, np.sum(x[start : start + n]), n, eps)
        start += n


@mechanism("one number in [0, 1] plus N(0, 1/(2 rho))", budget="rho")
def gaussian_release(rng, x, rho, out):
    out[0] = x[0] + gaussian(rng, 1.0 / np.sqrt(2.0 * rho))


@mechanism("AdaC, AdaR: means of disjoint episodes with Gaussian noise",
           sizes=(4, 8), seen=tree_levels, budget="rho")  # fmt: skip
def gaussian_episode_means(rng, x, rho, out):
    start = 0
    for i in range(len(out)):
        n = max(start, 1)
        out[i] = gaussian_mean(rng, np.sum(x[start : start + n]), n, rho)
        start += n


@mechanism("DP-KLUCB, DP-IMED: running totals of phases of 1, 1, 2, 4, ..., "
           "each with noise of its own",
           sizes=(4, 8), seen=tree_levels)  # fmt: skip
def phase_sums(rng, x, eps, out):
    total, start = 0.0, 0
    for i in range(len(out)):
        n = max(start, 1)
        total += np.sum(x[start : start + n]) + laplace(rng, 1.0 / eps)
        out[i] = total
        start += n


@mechanism("Lazy-DP-TS, Anytime-Lazy-UCB: means of disjoint buffers of 1, 2, 4, ...",
           sizes=(3, 7), seen=lambda n: tree_levels(n + 1) - 1)  # fmt: skip
def buffer_means(rng, x, eps, out):
    buffers, released = new_buffers(1), 0
    for i in range(len(x)):
        fill_buffer(rng, eps, buffers, 0, x[i], 1)
        if buffers.size[0] == 0.0:
            out[released] = buffers.mean[0]
            released += 1


@mechanism("DP-TS: all prefix means of a hybrid counter", sizes=(1, 3, 6, 7), seen=lambda n: n)
def hybrid_counter(rng, x, eps, out):
    counters = new_hybrid_counters(1, len(x))
    for i in range(len(x)):
        count_reward(rng, eps, counters, 0, x[i])
        out[i] = counted_mean(counters, 0)


@mechanism("DP-UCB: all prefix sums of a tree", sizes=(3, 4, 7, 8), seen=lambda n: n)
def tree(rng, x, eps, out):
    trees, S = new_trees(1, len(x)), 0.0
    scale = tree_node_scale(tree_levels(len(x)), 1.0, eps)
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, laplace(rng, scale))


@mechanism("DP-UCB, tree=honaker: all prefix sums", sizes=(3, 4, 7, 8), seen=lambda n: n)
def honaker_tree(rng, x, eps, out):
    trees, S = new_honaker_trees(1, len(x)), 0.0
    scales = NodeScales(tree_levels(len(x)), 1.0, 0.0, eps)
    for i in range(len(x)):
        S += x[i]
        out[i] = S + honaker_noise(trees, rng, 0, i + 1, scales)


@mechanism("DP-UCB, tree=kary: all prefix sums, with three branches",
           sizes=(4, 13), seen=lambda n: n)  # fmt: skip
def kary_tree(rng, x, eps, out):
    trees, S = new_kary_trees(1, len(x), 3), 0.0
    scales = NodeScales(kary_levels(len(x), 3), 1.0, 0.0, eps)
    for i in range(len(x)):
        S += x[i]
        out[i] = S + kary_noise(trees, rng, 0, i + 1, scales)


@mechanism("DPR-UCB: prefix sums of a tree whose items are truncated at B = n^(1/2)",
           values=(-2.0, -1.0, 0.0, 1.0, 2.0), sizes=(1, 3, 4, 7), seen=lambda n: n)  # fmt: skip
def adaptive_tree(rng, x, eps, out):
    trees, S = new_trees(1, len(x)), 0.0
    levels = tree_levels(len(x))
    for i in range(len(x)):
        B = np.sqrt(i + 1.0)
        S += truncate(x[i], B)
        noise = laplace(rng, tree_node_scale(levels, 2.0 * B, eps))
        out[i] = S + tree_noise(trees, 0, i + 1, noise)


@mechanism("DPR-UCB, tree=kary: the same with three branches",
           values=(-2.0, -1.0, 0.0, 1.0, 2.0), sizes=(1, 4), seen=lambda n: n)  # fmt: skip
def adaptive_kary_tree(rng, x, eps, out):
    trees, S = new_kary_trees(1, len(x), 3), 0.0
    scales = NodeScales(kary_levels(len(x), 3), 2.0, 0.5, eps)
    for i in range(len(x)):
        S += truncate(x[i], np.sqrt(i + 1.0))
        out[i] = S + kary_noise(trees, rng, 0, i + 1, scales)


@mechanism("DPR-SE, PRAE-R: the mean of n rewards truncated at 1", values=ANYTHING, sizes=(1, 5))
def truncated_mean(rng, x, eps, out):
    total = 0.0
    for i in range(len(x)):
        total += truncate(x[i], 1.0)
    out[0] = private_mean(rng, total, float(len(x)), 1.0, eps)


@mechanism("the fullest of four bins", values=(0.5, 1.5, 2.5, 3.5), sizes=(1, 3))
def mode(rng, x, eps, out):
    counts = np.zeros(4)
    for i in range(len(x)):
        count(x[i], 1, 0.0, 1.0, counts)
    out[0] = private_mode(rng, counts, float(len(x)), eps)


@mechanism("PRAE-C: a mode of the first half, a truncated mean of the second",
           values=(-2.0, 0.0, 1.0, 2.0), sizes=(2, 4))  # fmt: skip
def central_mean(rng, x, eps, out):
    n = len(x) // 2
    counts, total = np.zeros(4), 0.0
    for i in range(n):
        count(x[i], 1, -2.0, 1.0, counts)
    J = private_mode(rng, counts, float(n), eps) - 2.0
    for i in range(n):
        total += truncate(x[n + i] - J, 1.0)
    out[0] = J + private_mean(rng, total, float(n), 1.0, eps)


@inlined
def encoded_total(rng, x, g):
    """Return the sum of integers, each of which encodes a reward."""
    total = 0
    for i in range(len(x)):
        total += encoded(rng, x[i], 1, g)
    return total


@mechanism("Dist-DP-SE: the modular sum of n encoded rewards, discrete Laplace noise", sizes=(2, 4))
def modular_sum_of_laplace(rng, x, eps, out):
    n = len(x)
    g = granularity(n, eps, 1.0)
    tau = most_noise(g / eps, np.log(2.0 * n))
    noise = discrete_laplace(rng, g / eps)
    out[0] = modular_sum(encoded_total(rng, x, g), noise, n * g, tau)


@mechanism("Dist-RDP-SE: the modular sum of n encoded rewards, Skellam noise",
           sizes=(2, 4), budget="rho")  # fmt: skip
def modular_sum_of_skellam(rng, x, rho, out):
    n, eps = len(x), np.sqrt(2.0 * rho)
    g = granularity(n, eps, 10.0)
    tau = most_noise(g / eps, np.log(2.0 * n))
    noise = skellam(rng, (g / eps) ** 2)
    out[0] = modular_sum(encoded_total(rng, x, g), noise, n * g, tau)


@inlined_counted
def release_count(rng, x, eps, delta, out):
    """Release the number of 1s in x plus heads of fair coins; release 0 if this would take too many
    coins.
    """
    N = least_bits(eps, delta)
    out[0] = encoded_total(rng, x, 1) + heads(rng, N) if np.isfinite(N) else 0.0


def count_for(delta: float) -> Callable:
    """Return the release of Shuffle-SE for a delta, in plain Python."""
    return lambda rng, x, eps, out: release_count(rng, x, eps, delta, out)


@mechanism("Shuffle-SE: the bits of n rewards among fair coins, as a shuffler passes them on",
           sizes=(2, 4), delta=1e-5, with_delta=count_for)  # fmt: skip
def shuffled_count(rng, x, eps, out):
    release_count(rng, x, eps, 1e-5, out)


@mechanism("CTB: one bit of a reward in [0, 1]")
def randomized_response(rng, x, eps, out):
    out[0] = send_bit(rng, x[0], eps)


# Each row has the context and the reward of a round. A number of the data is the index of a row.
# The messages of the first two rounds are as far apart as possible (contexts at 60 degrees), and
# the rows of the last two rounds are as far apart as possible (the same context)
ROUNDS = np.array([
    [np.cos(np.pi / 12), np.sin(np.pi / 12), 1.0], [np.sin(np.pi / 12), np.cos(np.pi / 12), -1.0],
    [1.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.6, 0.8, 1.0], [0.6, 0.8, -1.0],
])  # fmt: skip
PLACES = tuple(float(i) for i in range(len(ROUNDS)))


@inlined
def write_triangle(M, start, corner, out):
    """Write the lower triangle of M into ``out`` from ``start`` on.

    The last diagonal entry is left out if ``corner`` is false.
    """
    for p in range(len(M)):
        for q in range(p + 1):
            if corner or q < len(M) - 1:
                out[start] = M[p, q]
                start += 1


@mechanism("LDP-LinUCB: a user's message about context and reward",
           values=PLACES, seen=lambda n: 5, budget="rho")  # fmt: skip
def context_message(rng, x, rho, out):
    M = np.zeros((3, 3))
    row = ROUNDS[int(x[0])]
    receive_message(rng, M, np.reshape(row, (1, 3)), 0, row[2], np.sqrt(4.5 / (2.0 * rho)))
    write_triangle(M, 0, False, out)


@mechanism("Private LinUCB: all prefix sums of a tree of matrices",
           values=PLACES[3:], sizes=(2, 3), seen=lambda n: 6 * n, budget="rho")  # fmt: skip
def context_matrices(rng, x, rho, out):
    m = levels_of(len(x))
    tree, s = new_matrix_tree(rng, 3, m, 0.0), np.sqrt(m * 4.0 / (2.0 * rho))
    for i in range(len(x)):
        row = ROUNDS[int(x[i])]
        add_row(rng, tree, np.reshape(row, (1, 3)), 0, row[2], s, 0.0)
        write_triangle(tree.prefix, 6 * i, True, out)


@mechanism("Federated LinUCB: the messages of two silos, with two rounds in a batch",
           values=PLACES[3:], sizes=(4, 8), seen=lambda n: 3 * n, budget="rho")  # fmt: skip
def context_silos(rng, x, rho, out):
    M, B = 2, 2
    m = levels_of(len(x) // (M * B))
    silos, s, sent = new_silos(3, m, M), np.sqrt(m * 4.0 / (2.0 * rho)), 0
    for t in range(len(x)):
        row, i, n = ROUNDS[int(x[t])], t % M, t // M + 1
        add_to_batch(silos, i, np.reshape(row, (1, 3)), 0, row[2])
        if n % B == 0:
            send_batch(rng, silos, i, n // B, s)
            # each sum differs from the one before by a message
            write_triangle(silos.ended[lowest_bit(n // B)], 6 * sent, True, out)
            sent += 1


@mechanism("LDP-SGD: on which side of 0 a user's message about a gradient lies",
           values=PLACES, seen=lambda n: 2)  # fmt: skip
def sphere_message(rng, x, eps, out):
    row = ROUNDS[int(x[0])]
    out[:] = 2.0 * row[2] * row[:2]  # the length of a message is at most R = 2
    choose_side(rng, out, ROUNDS[4, :2], sphere_radius(2, eps, 2.0), eps, 2.0)
