"""Instances whose rewards are linear in features or contexts. The functions raise BadInput."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import BadInput, plain
from ..validation import as_integer, is_list, number_where, numbers, one_of, yes_no
from .contexts import ContextualInstance, contextual_environment
from .data import matrix_of
from .features import unit_rows
from .instances import Instance, environment_of
from .laws import EMPIRICAL, GAUSSIAN, TWO_POINT
from .reward_laws.arm import positive
from .reward_laws.densities import gaussian
from .reward_laws.points import two_point

NOISES, CONTEXTS, LINKS = ("sign", "gaussian"), ("gaussian", "sphere"), ("linear", "logistic")
MAX_ARMS, MAX_DIMENSIONS = 10_000, 1_000
ROUNDING = 1.0 + 1e-9  # tolerance for lengths and means
DRAWN_AGAIN = "rows are drawn with replacement: a promise is one of a round, not of a row"


def linear(features: Any, theta: Any, noise: Any, sigma: Any) -> Instance:
    """Arms with features: the mean of arm a is <theta, features of a>."""
    if not is_list(features) or not features or [] in features:
        no_numbers = "a row has no numbers; " * (is_list(features) and [] in features)
        needed = f"{no_numbers}one row an arm is needed, such as [[1,0],[0,1]]"
        raise BadInput(f"features={plain(features)}: {needed}")
    rows = [numbers("features: entry", row) for row in features]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1 or lengths[0] > MAX_DIMENSIONS:
        found = " and ".join(map(str, lengths))
        raise BadInput(
            f"features: rows of one length, at most {MAX_DIMENSIONS}, are needed; there "
            f"are rows of length {found}"
        )
    return with_features(np.array(rows), parameter(theta, lengths[0]), noise, sigma)


def linear_sphere(K: Any, d: Any, instance: Any, noise: Any, sigma: Any) -> Instance:
    """K arms whose features, like theta, are drawn uniformly from the unit sphere in d dimensions.
    Another number ``instance`` gives other features and another theta.
    """
    count, size = as_integer("K", K, 2, MAX_ARMS), as_integer("d", d, 1, MAX_DIMENSIONS)
    drawn = np.random.default_rng(as_integer("instance", instance, at_least=0))
    features = on_sphere(drawn, count, size)
    return with_features(features, on_sphere(drawn, 1, size)[0], noise, sigma)


def contextual(
    K: Any, theta: Any, center: Any, variance: Any, ball: Any, noise: Any, sigma: Any,
    instance: Any, contexts: Any = "gaussian", link: Any = "linear",
) -> Instance:  # fmt: skip
    """K contexts per round, drawn from N(center, variance I). With ``contexts=sphere`` each context
    is divided by its length. The mean of a reward is mu(<theta, x>) for the link mu. If ``theta``
    is None, theta is drawn uniformly from the unit sphere, and ``instance`` selects the draw.
    """
    count, middle = as_integer("K", K, 1, MAX_ARMS), numbers("center", center)
    number = as_integer("instance", instance, at_least=0)
    if theta is None:
        found = on_sphere(np.random.default_rng(number), 1, len(middle))[0]
    else:
        found = parameter(theta, len(middle))
        if number:
            raise BadInput(f"instance={number}: theta is given, not drawn; leave one of them out")
    sphere = one_of(CONTEXTS, "contexts", contexts) == "sphere"
    logistic = one_of(LINKS, "link", link) == "logistic"
    needed = "a number of at least 0 is needed"
    spread = number_where("variance", variance, lambda x: x >= 0, needed)
    if sphere and spread == 0:
        raise BadInput(f"variance={plain(variance)}: contexts=sphere needs a number above 0")
    clipped = yes_no("ball", ball) or sphere
    signs, deviation = noise_of(noise, sigma)
    if signs and not logistic and not (clipped and np.linalg.norm(found) <= ROUNDING):
        raise BadInput(
            "noise=sign: means in [-1, 1] are needed; write env.ball=true and an env.theta of "
            "length at most 1, or choose the noise gaussian"
        )
    env = contextual_environment(
        TWO_POINT if signs else GAUSSIAN, count, found, middle, math.sqrt(spread),
        0.0 if sphere else 1.0 if clipped else math.inf, deviation, logistic,
    )  # fmt: skip
    reach = 1.0 if clipped else math.inf if spread > 0 else float(np.linalg.norm(middle))
    high = 1.0 if signs else math.inf
    low = 0.0 if signs and logistic else -high
    return ContextualInstance(env, (), (), found, low, high, reach)


def contextual_table(
    file: Any, K: Any, columns: Any = None, header: Any = None, ranges: Any = None,
    bound: Any = None, scale: Any = "public",
) -> Instance:  # fmt: skip
    """Users from a CSV file. A row has the features of a user and then the user's rewards for K
    arms, in [-1, 1].

    Each round draws a row with replacement. The context of arm a consists of K blocks: block a has
    the features of the row, scaled by ``features.unit_rows``, and the other blocks are zero. The
    regret compares the chosen arm with the best arm for this row.
    """
    if file is None:
        needed = "columns of features, followed by one column of rewards for each of the K arms"
        raise BadInput(f"file=PATH.csv is needed, a CSV file with {needed}")
    where, names, values = matrix_of(file, columns, header)
    count = as_integer("K", K, 1, MAX_ARMS)
    if len(values) < 1 or values.shape[1] <= count:
        raise BadInput(
            f"{where}: at least one row is needed, and a column of features before the {count} "
            "columns of rewards"
        )
    features, rewards = values[:, :-count], values[:, -count:]
    if np.abs(rewards).max() > 1:
        worst = float(rewards.flat[np.abs(rewards).argmax()])
        raise BadInput(f"{where}: rewards in [-1, 1] are needed, not {worst:g}")
    if not features.any():
        raise BadInput(f"{where}: features that are not all 0 are needed")
    found = unit_rows(features, names[:-count], ranges, bound, scale)
    env = found.environment(EMPIRICAL, count, rewards)
    return ContextualInstance(
        env, (), (), env.theta, float(rewards.min()), float(rewards.max()), 1.0,
        found.withdrawn, (*found.notes, DRAWN_AGAIN),
    )  # fmt: skip


def with_features(features: np.ndarray, theta: np.ndarray, noise: Any, sigma: Any) -> Instance:
    """Return the instance of arms with the given features and parameter vector theta."""
    signs, deviation = noise_of(noise, sigma)
    with np.errstate(over="ignore", invalid="ignore"):
        means = features @ theta
    if not np.isfinite(means).all():
        raise BadInput("features, theta: the means are larger than any float")
    if signs and np.abs(means).max() > ROUNDING:
        worst = means[np.abs(means).argmax()]
        raise BadInput(
            f"noise=sign: means in [-1, 1] are needed, but an arm has the mean {worst:g}; scale "
            "the features or theta, or choose the noise gaussian"
        )
    if signs:
        ones = (1.0 + np.clip(means, -1.0, 1.0)) / 2.0  # probabilities of a reward of 1
        arms = [two_point(-1.0, 1.0, float(p)) for p in ones]
    else:
        arms = [gaussian(float(m), deviation) for m in means]
    env = environment_of(arms)._replace(features=np.ascontiguousarray(features, float))
    return Instance(env, tuple(arms), (), theta)


def on_sphere(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Draw n points uniformly from the unit sphere in d dimensions, float64 array (n, d)."""
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def parameter(theta: Any, d: int) -> np.ndarray:
    """Validate theta: d numbers."""
    found = numbers("theta", theta)
    if len(found) != d:
        raise BadInput(f"theta={plain(theta)}: {d} numbers are needed, one per feature")
    return np.array(found)


def noise_of(noise: Any, sigma: Any) -> tuple[bool, float]:
    """Return whether rewards are only 1 and -1, and the standard deviation of normal noise (see
    ``linear``).
    """
    signs, deviation = one_of(NOISES, "noise", noise) == "sign", positive("sigma", sigma)
    if signs and deviation != 1.0:  # the default
        raise BadInput(f"sigma={plain(sigma)}: noise=sign has no sigma; write noise=gaussian")
    return signs, deviation
