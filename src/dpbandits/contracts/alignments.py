"""Alignments: how noise shifts when one reward changes, so that all decisions stay the same.

A coupling proof of differential privacy considers two sequences of rewards that differ in one
reward. The proof shifts the noise so that the algorithm makes equal decisions in two runs: on the
first sequence with the noise, and on the second sequence with the shifted noise. The ratio of the
densities of the noise and of the shifted noise then bounds the privacy loss (Albarghouthi & Hsu
2018; Zhang & Kifer 2017). An algorithm declares its alignment together with its guarantee, and
``audit/alignment`` replays the alignment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Values = Mapping[str, float]  # the values of an algorithm's parameters, by name


class Drawn(NamedTuple):
    """A draw of noise."""

    arm: int  # the arm of the last reward before the draw, -1 if there is none
    item: int  # the number of rewards of this arm before the draw
    number: int  # the number of the draw among the draws since that reward, from 0


class Changed(NamedTuple):
    """The changed reward, in which the two neighbouring sequences differ."""

    arm: int  # the arm of the reward
    item: int  # the number of the reward among the rewards of its arm, from 1
    by: float  # the increase of the reward, as truncated by the algorithm


class Run(NamedTuple):
    """The data that an alignment gets about a run on the first of two neighbouring sequences."""

    draws: Sequence[Drawn]  # the draws of noise, in their order
    values: Values  # the values of the parameters
    answer: float  # what the algorithm returned, NaN if it returned nothing


Shifts = Callable[[Run, Changed], Mapping[int, float]]
Nodes = Callable[[int, Values], Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class Alignment:
    """How the noise of an algorithm shifts when one reward changes.

    Attributes:
        says: the shift, in words.
        releases: the largest number of releases that use the changed reward. If the reward changes
            a statistic by x, the noise that is added to this statistic shifts by -x.
        bits: the largest number of comparisons of a uniform number with a probability that depends
            on the changed reward. The results of the comparisons stay the same, and their
            likelihood ratio counts as privacy loss.
        shifts: for all other noise, a function ``shifts(run, changed)``. The function returns a
            dictionary from the index of a draw in ``run.draws`` to the shift of this draw.
        one_change: whether ``shifts`` is valid only if a single reward changes. If False, shifts
            for several changed rewards are added.
        vectors: whether each release is a vector, so that all draws of noise between two rewards
            belong to one release.
        literal: functions that replace functions of the algorithm in a replay, by the names of the
            replaced functions. A replacement has results with the same law, but makes every draw of
            noise that the proof mentions.
    """

    says: str
    releases: int = 0
    bits: int = 0
    shifts: Shifts | None = None
    one_change: bool = False
    vectors: bool = False
    literal: Mapping[str, Callable] = field(default_factory=dict)

    def entered(self, places: Sequence[int]) -> int:
        """Return the number of releases that use the changed reward.

        Args:
            places: for each draw of noise that shifts, the number of rewards before the draw.
        """
        return len(set(places)) if self.vectors else len(places)


def releases(most: int) -> Alignment:
    """Return the alignment of an algorithm that uses each reward in at most ``most`` releases.

    If a statistic changes by x, the noise that is added to this statistic shifts by -x.
    """
    return Alignment(f"the noise of the {most} releases that contain the changed reward", most)


one_release = Alignment("the noise of the release that contains the changed reward", 1)
vector_release = Alignment(
    "the noise of the vector that contains the changed reward, in each coordinate", 1, vectors=True
)
matrix_nodes = Alignment(
    "the noise of the nodes that contain the changed round, in each entry", 64, vectors=True
)
user_message = Alignment("the noise of the changed message, in each entry", 1, vectors=True)
one_bit = Alignment("none; the changed reward has one bit, which stays the same", bits=1)


def integer_release(elimination: Callable, law: str) -> Alignment:
    """Return the alignment for noise that is added to one sum of integers modulo m.

    If a reward changes the sum by x, the noise shifts by -x.

    Args:
        elimination: ``elimination(noise, decode)`` returns the loop ``play`` that the algorithm
            calls. This loop calls ``noise(rng, scale)`` and
            ``decode(total, noise, largest, tau)``.
        law: the name of the method that draws this noise in a replay.
    """

    def noise(rng, scale):
        return getattr(rng, law)(scale)

    def decode(total, drawn, largest, tau):
        m = largest + 2 * tau + 1
        y = float(total + drawn) % m
        return y if y <= largest + tau else y - m

    literal = {"play": elimination(noise, decode)}
    return Alignment("the noise of the sum that contains the changed reward", 1, literal=literal)


def nodes(of: Nodes, says: str) -> Alignment:
    """Return the alignment of a tree of partial sums. If a reward changes by x, the noise of each
    node whose sum contains this reward shifts by -x.

    Args:
        of: ``of(n, values)`` returns the first and the last item of each node whose noise is drawn
            after item n of an arm has arrived, in the order of the draws.
        says: the shift, in words.
    """

    def shifts(run: Run, changed: Changed) -> dict[int, float]:
        found = {}
        for i, drawn in enumerate(run.draws):
            drawn_here = of(drawn.item, run.values)
            first, last = drawn_here[drawn.number] if drawn.number < len(drawn_here) else (0, -1)
            held = drawn.arm == changed.arm and first <= changed.item <= last
            found[i] = -changed.by if held else 0.0
        return found

    return Alignment(says, shifts=shifts)


def binary_nodes(n: int, values: Values) -> list[tuple[int, int]]:
    """Return the node of a binary tree that is complete when item n arrives.

    The number of its items is the value of the lowest set bit of n.
    """
    return [(n - (n & -n) + 1, n)]


def honaker_nodes(n: int, values: Values) -> list[tuple[int, int]]:
    """Return the nodes of Honaker's tree that are complete when item n arrives. Every node has
    noise.

    The nodes have 1, 2, 4, ... items, up to the value of the lowest set bit of n.
    """
    return [(n - 2**h + 1, n) for h in range((n & -n).bit_length())]


def kary_nodes(n: int, values: Values, k: int = 19) -> list[tuple[int, int]]:
    """Return the nodes of k-ary trees whose noise is drawn when item n arrives.

    The number of items is written in base k with balanced digits (``parts/counting/kary.py``). When
    item n arrives, the lowest digits may overflow, and one digit grows by 1. If a digit overflows,
    (k - 1)/2 adjacent nodes of its level begin. The last of these nodes ends at item n + (k s -
    1)/2, where s is the number of items of a node of this level. If the digit that grows becomes
    positive, one node of its level begins.
    """
    half, found, size, rest = k // 2, [], 1, n - 1
    while (rest + half) % k == k - 1:
        place = n + (size * k - 1) // 2
        found += [(place - (j + 1) * size + 1, place - j * size) for j in range(half)]
        rest, size = (rest - half) // k, size * k
    if (rest + half) % k - half + 1 > 0:
        end = n + (size - 1) // 2
        found.append((end - size + 1, end))
    return found


def hybrid_nodes(n: int, values: Values) -> list[tuple[int, int]]:
    """Return the node of a hybrid counter that is complete when item n arrives.

    Epochs end after 1, 3, 7, 15, ... items. The last item of an epoch completes a node with all
    items of the epoch. Every other item completes a node of the binary tree of its epoch.
    """
    start = 2 ** ((n + 1).bit_length() - 1) - 1  # the number of items in the earlier epochs
    if n == start:  # item n is the last item of its epoch
        return [((n - 1) // 2 + 1, n)]
    m = n - start
    return [(n - (m & -m) + 1, n)]


def _chosen(n: int, values: Values) -> list[tuple[int, int]]:
    return (binary_nodes, honaker_nodes, kary_nodes)[int(values["tree"])](n, values)


counter_nodes = nodes(_chosen, "the noise of the nodes of its tree that contain the changed reward")
hybrid_counter = nodes(
    hybrid_nodes, "the noise of the epoch and of the nodes that contain the changed reward"
)


def sparse_vector(sign: int, literal: Mapping[str, Callable] | None = None) -> Alignment:
    """Return the alignment of the sparse vector technique for sums of rewards in [-R, R].

    The algorithm draws noise for the threshold, and then for each test. When a test passes, the
    algorithm also draws noise for one release.

    Args:
        sign: 1 if the noise of a test is added to the sum, -1 if it is added to the threshold.
        literal: see ``Alignment``.
    """

    def shifts(run: Run, changed: Changed) -> dict[int, float]:
        most = 2.0 * run.values["R"]
        tests = len(run.draws) - 1 - (not math.isnan(run.answer))
        found = {0: most} | dict.fromkeys(range(1, tests + 1), 0.0)
        if not math.isnan(run.answer):
            found[tests] = sign * 2.0 * most
        return found

    says = "the threshold by 2R, the test that passes by 4R, and the release that follows"
    return Alignment(says, 1, shifts=shifts, one_change=True, literal=literal or {})
