"""Blocks of rewards: draw the sum or the histogram of many rewards of an arm from its exact law.

A block takes O(1) time for a two-point law, and O(m) for a discrete law with m points, whatever the
number of rewards. Truncated and contaminated rewards of a discrete law also take O(m), since the
number of outliers and the number of rewards of each value are binomial. The sum of Gaussian rewards
is Gaussian if they are not truncated. Rewards of other laws are drawn one by one and not stored.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled import binomial, inlined, normal, random, shared_borrowing
from .laws import (
    DISCRETE,
    EMPIRICAL,
    GAUSSIAN,
    LARGEST,
    TABLE,
    TWO_POINT,
    Environment,
    draw,
    draw_next,
    draw_outlier,
    largest_kept,
    law_of,
    outliers,
)

# An empirical law is drawn one by one if it has at most this many rewards per point
ONE_BY_ONE = 16


def has_no_blocks(env: Environment) -> bool:
    """Return whether some arm has a law whose rewards are always drawn one by one."""
    return not np.isin(env.law, [TWO_POINT, GAUSSIAN, DISCRETE, EMPIRICAL, LARGEST]).all()


@shared_borrowing
def draw_sum(
    env: Environment,
    rng: np.random.Generator,
    a: int,
    n: int,
    t: int,
    step: int,
    center: float,
    level: float,
) -> float:
    """Return the sum of x - ``center``, truncated at ``level``, over ``n`` rewards x of arm ``a``.

    Args:
        env: the arms' laws.
        rng: the environment's generator.
        a: the arm.
        n: number of rewards.
        t: the arm is pulled after ``t, t + step, t + 2 step, ...`` rounds; needed only if rewards
            are fixed in advance.
        step: see ``t``.
        center: the number that is subtracted from each reward.
        level: a difference x - ``center`` above ``level`` in absolute value counts as 0; inf for no
            truncation.
    """
    if env.law[a] == TABLE:
        total, column, row = 0.0, int(env.parameters[a, 0]), outliers(env, a)
        for i in range(n):
            x = env.table[t + i * step, column] - center
            if env.alpha > 0.0 and random(rng) < env.alpha:  # an outlier replaces the reward
                known = largest_kept(env, row, level)
                x = known if known < np.inf else draw_outlier(env, rng, row) - center
            total += truncate(x, level)
        return total
    if env.alpha == 0.0:
        return sum_of(env, rng, a, n, center, level)
    out = binomial(rng, n, env.alpha)
    inliers = sum_of(env, rng, a, n - out, center, level)
    return inliers + sum_of(env, rng, outliers(env, a), out, center, level)


@shared_borrowing
def draw_some(
    env: Environment,
    rng: np.random.Generator,
    a: int,
    n: int,
    lost: int,
    t: int,
    step: int,
    level: float,
) -> float:
    """Return the sum of ``n - lost`` truncated inliers: ``lost`` of ``n`` inliers, chosen at
    random, are left out. For the other arguments see ``draw_sum``.
    """
    if env.law[a] != TABLE:
        return sum_of(env, rng, a, n - lost, 0.0, level)
    total, left, column = 0.0, lost, int(env.parameters[a, 0])
    for i in range(n):
        if random(rng) * (n - i) < left:
            left -= 1
        else:
            total += truncate(env.table[t + i * step, column], level)
    return total


@shared_borrowing
def draw_counts(
    env: Environment,
    rng: np.random.Generator,
    a: int,
    n: int,
    t: int,
    step: int,
    left: float,
    width: float,
    counts: np.ndarray,
) -> None:
    """Add the histogram of ``n`` rewards of arm ``a`` to ``counts``.

    Bin i is [left + i width, left + (i + 1) width); rewards outside of all bins are not counted.
    For the other arguments see ``draw_sum``.
    """
    if env.law[a] == TABLE:
        for i in range(n):
            count(draw(env, rng, a, t + i * step), 1, left, width, counts)
    elif env.alpha == 0.0:
        count_of(env, rng, a, n, left, width, counts)
    else:
        out = binomial(rng, n, env.alpha)
        count_of(env, rng, a, n - out, left, width, counts)
        count_of(env, rng, outliers(env, a), out, left, width, counts)


@inlined
def truncate(x: float, level: float) -> float:
    """Truncate a number: 0 if its absolute value exceeds ``level``."""
    return x if abs(x) <= level else 0.0


@inlined
def count(x: float, n: float, left: float, width: float, counts: np.ndarray) -> None:
    """Add ``n`` rewards of value ``x`` to a histogram."""
    i = np.floor((x - left) / width)
    if 0 <= i < len(counts):
        counts[int(i)] += n


@inlined
def in_points(env: Environment, row: int, n: int) -> bool:
    """Return whether ``n`` values of a law are drawn as counts of its points, not one by one."""
    law, points = env.law[row], env.parameters[row, 1] - env.parameters[row, 0]
    return law == DISCRETE or (law == EMPIRICAL and n > ONE_BY_ONE * points)


@inlined
def draw_point(
    env: Environment, rng: np.random.Generator, i: int, left: int, mass: float, last: bool
) -> int:
    """Draw how many of ``left`` values equal point ``i``; ``mass`` is the total probability of
    point ``i`` and all later points.

    The last point gets all remaining values. The counts of all points, drawn one after the other,
    are multinomial.
    """
    if last:
        return left
    return binomial(rng, left, min(env.points[i, 1] / mass, 1.0) if mass > 0.0 else 1.0)


@inlined
def sum_of_two(
    env: Environment, rng: np.random.Generator, row: int, n: int, center: float, level: float
) -> float:
    """Compute ``sum_of`` for a two-point law."""
    low, high = env.parameters[row, 0], env.parameters[row, 1]
    highs = binomial(rng, n, env.parameters[row, 2])
    return truncate(low - center, level) * (n - highs) + truncate(high - center, level) * highs


@shared_borrowing
def sum_of(
    env: Environment, rng: np.random.Generator, row: int, n: int, center: float, level: float
) -> float:
    """Compute ``draw_sum`` for the law in row ``row`` of the environment."""
    law, x, y = env.law[row], env.parameters[row, 0], env.parameters[row, 1]
    if law == TWO_POINT:
        return sum_of_two(env, rng, row, n, center, level)
    if law == LARGEST:
        return n * (level if level < math.inf else x - center)
    if law == GAUSSIAN and level == math.inf:
        return (x - center) * n + y * math.sqrt(n) * normal(rng)
    total = 0.0
    if in_points(env, row, n):
        left, mass = n, 1.0
        for i in range(int(x), int(y)):
            here = draw_point(env, rng, i, left, mass, i == int(y) - 1)
            total += truncate(env.points[i, 0] - center, level) * here
            left -= here
            mass -= env.points[i, 1]
        return total
    for _ in range(n):
        total += truncate(draw_next(env, rng, law_of(env, row)) - center, level)
    return total


@shared_borrowing
def count_of(
    env: Environment,
    rng: np.random.Generator,
    row: int,
    n: int,
    left: float,
    width: float,
    counts: np.ndarray,
) -> None:
    """Add the histogram of ``draw_counts`` for the law in row ``row`` of the environment."""
    law, x, y = env.law[row], env.parameters[row, 0], env.parameters[row, 1]
    if law == TWO_POINT:
        highs = binomial(rng, n, env.parameters[row, 2])
        count(x, n - highs, left, width, counts)
        count(y, highs, left, width, counts)
    elif in_points(env, row, n):
        rest, mass = n, 1.0
        for i in range(int(x), int(y)):
            here = draw_point(env, rng, i, rest, mass, i == int(y) - 1)
            count(env.points[i, 0], here, left, width, counts)
            rest -= here
            mass -= env.points[i, 1]
    else:
        for _ in range(n):
            count(draw_next(env, rng, law_of(env, row)), 1, left, width, counts)


@shared_borrowing
def draw_encoded_sum(
    env: Environment, rng: np.random.Generator, a: int, n: int, t: int, step: int, g: int
) -> int:
    """Return the sum of ``n`` rewards of arm ``a``. Each reward x is encoded as the integer to
    which x g is rounded at random.

    The sum is exact for rewards in [0, 1] if ``g`` is at most 2^52 and n g is below 2^63. For the
    other arguments see ``draw_sum``.
    """
    if env.law[a] == TABLE:
        total = 0
        for i in range(n):
            total += encoded(rng, draw(env, rng, a, t + i * step), 1, g)
        return total
    if env.alpha == 0.0:
        return encoded_sum_of(env, rng, a, n, g)
    out = binomial(rng, n, env.alpha)
    inliers = encoded_sum_of(env, rng, a, n - out, g)
    return inliers + encoded_sum_of(env, rng, outliers(env, a), out, g)


@inlined
def encoded(rng: np.random.Generator, x: float, n: int, g: int) -> int:
    """Return the sum of ``n`` encodings of a reward x. An encoding is floor(x g), plus 1 with
    probability x g - floor(x g), and so it is unbiased.
    """
    low = math.floor(x * g)
    rest = x * g - low
    if rest == 0.0:
        return n * int(low)
    return n * int(low) + (int(random(rng) < rest) if n == 1 else binomial(rng, n, rest))


@shared_borrowing
def encoded_sum_of(env: Environment, rng: np.random.Generator, row: int, n: int, g: int) -> int:
    """Compute ``draw_encoded_sum`` for the law in row ``row`` of the environment."""
    x, y = env.parameters[row, 0], env.parameters[row, 1]
    if env.law[row] == TWO_POINT:
        highs = binomial(rng, n, env.parameters[row, 2])
        return encoded(rng, x, n - highs, g) + encoded(rng, y, highs, g)
    total = 0
    if in_points(env, row, n):
        left, mass = n, 1.0
        for i in range(int(x), int(y)):
            here = draw_point(env, rng, i, left, mass, i == int(y) - 1)
            total += encoded(rng, env.points[i, 0], here, g)
            left -= here
            mass -= env.points[i, 1]
        return total
    for _ in range(n):
        total += encoded(rng, draw_next(env, rng, law_of(env, row)), 1, g)
    return total


@inlined
def turns(rounds: int, i: int, k: int) -> int:
    """Return how often arm ``i`` of ``k`` arms is pulled in ``rounds`` round-robin rounds."""
    return (rounds + k - 1 - i) // k
