"""Alignments: how noise shifts when one reward changes, so that all decisions stay the same.

A coupling proof of differential privacy names, for two sequences of rewards that differ in one
reward, a shift of the noise for which the algorithm decides as before; the densities of the noise
and of the shifted noise then bound the privacy loss (Albarghouthi & Hsu 2018; Zhang & Kifer 2017).
An algorithm names its alignment beside its guarantee, and ``audit/alignment`` replays it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Values = Mapping[str, float]  # of an algorithm's parameters, by name


class Drawn(NamedTuple):
    """A draw of noise."""

    arm: int  # the arm of the last reward before it, -1 if there is none
    item: int  # the number of this arm's rewards so far
    number: int  # its number among the draws since that reward, from 0


class Changed(NamedTuple):
    """The reward that changes."""

    arm: int  # its arm
    item: int  # its number among the rewards of the arm, from 1
    by: float  # by how much it increases, as truncated by the algorithm


class Run(NamedTuple):
    """What an alignment is told of a run on the first of two neighbours."""

    draws: Sequence[Drawn]  # the draws of noise, in their order
    values: Values  # the parameters
    answer: float  # what the algorithm returned, NaN if nothing


Shifts = Callable[[Run, Changed], Mapping[int, float]]
Nodes = Callable[[int, Values], Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class Alignment:
    """How the noise of an algorithm shifts when one reward changes.

    Attributes:
        says: the shift, in words.
        releases: how many releases the changed reward enters at most. Noise that is added to a
            statistic shifts by minus what the reward changes in it.
        bits: how many comparisons of a uniform number with a probability it enters at most. The
            result of the comparison stays the same, at the cost of its likelihood ratio.
        shifts: for other noise, ``shifts(run, changed)``: the shift of each of these draws, by its
            number in ``run.draws``.
        one_change: whether ``shifts`` holds for one changed reward only; else those of several add
            up.
        vectors: whether vectors are released: the noise between two rewards is that of one release.
        literal: functions, by name, that replace ones which the algorithm calls: the same law, but
            with every draw that the proof speaks of.
    """

    says: str
    releases: int = 0
    bits: int = 0
    shifts: Shifts | None = None
    one_change: bool = False
    vectors: bool = False
    literal: Mapping[str, Callable] = field(default_factory=dict)

    def entered(self, places: Sequence[int]) -> int:
        """How many releases a reward enters, from the number of rewards before each draw of noise
        that shifts.
        """
        return len(set(places)) if self.vectors else len(places)


def releases(most: int) -> Alignment:
    """A reward enters at most ``most`` releases, and their noise shifts by minus its effect."""
    return Alignment(f"the noise of the {most} releases that hold the changed reward", most)


one_release = Alignment("the noise of the release that holds the changed reward", 1)
vector_release = Alignment(
    "the noise of the vector that holds the changed reward, in each coordinate", 1, vectors=True
)
matrix_nodes = Alignment(
    "the noise of the nodes that hold the changed round, in each entry", 64, vectors=True
)
user_message = Alignment("the noise of the changed message, in each entry", 1, vectors=True)
one_bit = Alignment("none; the changed reward has one bit, which stays the same", bits=1)


def integer_release(elimination: Callable, law: str) -> Alignment:
    """A reward enters one sum of integers modulo m, whose noise shifts by minus its effect.

    Args:
        elimination: ``elimination(noise, decode)`` makes the loop ``play`` that the algorithm
            calls, of ``noise(rng, scale)`` and ``decode(total, noise, largest, tau)``.
        law: the method of a replay's numbers that draws this noise.
    """

    def noise(rng, scale):
        return getattr(rng, law)(scale)

    def decode(total, drawn, largest, tau):
        m = largest + 2 * tau + 1
        y = float(total + drawn) % m
        return y if y <= largest + tau else y - m

    literal = {"play": elimination(noise, decode)}
    return Alignment("the noise of the sum that holds the changed reward", 1, literal=literal)


def nodes(of: Nodes, says: str) -> Alignment:
    """The noise of the nodes that hold the changed reward shifts by minus its change.

    Args:
        of: ``of(n, values)``, the first and the last item of each node whose noise is drawn when
            item n of an arm has come, in the order of the draws.
        says: which nodes these are.
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
    """Item n closes one node: as many items as the lowest set bit of n."""
    return [(n - (n & -n) + 1, n)]


def honaker_nodes(n: int, values: Values) -> list[tuple[int, int]]:
    """Item n closes nodes of 1, 2, 4, ... items, up to the lowest set bit of n."""
    return [(n - 2**h + 1, n) for h in range((n & -n).bit_length())]


def kary_nodes(n: int, values: Values, k: int = 19) -> list[tuple[int, int]]:
    """Item n begins nodes of k-ary trees: those below each digit that overflows, to the left of the
    next higher digit; and the one of the digit that grows, if it is positive.
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
    """Epochs end after 1, 3, 7, 15, ... items with a draw for the whole epoch; every other item
    closes a node of the epoch's binary tree.
    """
    start = 2 ** ((n + 1).bit_length() - 1) - 1  # the items of the earlier epochs
    if n == start:  # n ends its epoch
        return [((n - 1) // 2 + 1, n)]
    m = n - start
    return [(n - (m & -m) + 1, n)]


def _chosen(n: int, values: Values) -> list[tuple[int, int]]:
    return (binary_nodes, honaker_nodes, kary_nodes)[int(values["tree"])](n, values)


counter_nodes = nodes(_chosen, "the noise of the nodes of its tree that hold the changed reward")
hybrid_counter = nodes(hybrid_nodes, "the noise of its epoch, and of the nodes that hold it there")


def sparse_vector(sign: int, literal: Mapping[str, Callable] | None = None) -> Alignment:
    """The sparse vector technique for sums of rewards in [-R, R], then one release.

    Its draws are the threshold's, one for each test, and the release's if a test has passed.

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
