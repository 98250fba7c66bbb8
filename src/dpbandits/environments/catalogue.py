"""The bandit instances that a configuration can name. The functions of the laws raise BadInput for
bad values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import BadInput, inside, plain
from ..validation import (
    as_integer,
    as_number,
    call,
    entries,
    is_list,
    number_where,
    one_of,
    to_float,
    yes_no,
)
from .data import empirical, table
from .instances import Instance, contaminate, of_arms
from .labelled import labels
from .linear import MAX_ARMS, contextual, contextual_table, linear, linear_sphere
from .logged import log
from .reward_laws import densities, points
from .reward_laws.arm import Arm, positive
from .written import REGISTERED


def of_means(law: Callable[..., Arm]) -> Callable[..., Instance]:
    """Return a function that makes instances whose arms have the same law but different means. This
    function has the parameters of the law, with ``means`` in place of ``mean``.
    """

    def instance(means: Any, **parameters: Any) -> Instance:
        try:
            return of_arms([law(mean, **parameters) for mean in one_or_more(means)])
        except BadInput as error:
            of_a_mean = str(error).startswith("mean=")
            raise BadInput(f"means={plain(means)}: {error}" if of_a_mean else str(error)) from None

    _, *others = inspect.signature(law).parameters.values()
    means = inspect.Parameter("means", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    instance.__signature__ = inspect.Signature([means, *others])  # type: ignore[attr-defined]
    instance.__name__ = law.__name__
    return instance


bernoulli = of_means(points.bernoulli)
pareto = of_means(densities.pareto)
student = of_means(densities.student)
lognormal = of_means(densities.lognormal)


def sign(mean: Any, scale: Any) -> Instance:
    """One arm with rewards ``scale`` and ``-scale`` and the given mean."""
    R = positive("scale", scale)
    needed = f"a mean from {-R:g} to {R:g} is needed"
    mu = number_where("mean", mean, lambda mu: abs(mu) <= R, needed)
    return of_arms([replace(points.two_point(-R, R, (1 + mu / R) / 2), mean=mu)])


def gaussian(means: Any, sd: Any, sigmoid: Any) -> Instance:
    """Normal arms with the given means and a common standard deviation.

    With ``sigmoid`` the learner observes 1/(1 + e^-x) instead of a reward x. Regret is still
    computed from the given means.
    """
    law = densities.sigmoid_gaussian if yes_no("sigmoid", sigmoid) else densities.gaussian
    return of_means(law)(means, sd=sd)


def mixed(arms: Any) -> Instance:
    """Arms with different laws: a list of ``{law: NAME, ...its parameters, copies: N}``."""
    built: list[Arm] = []
    needed = "a list of arms is needed, each {law: NAME, ...}"
    for i, given in enumerate(entries("arms", arms, needed)):
        if not isinstance(given, Mapping):
            raise BadInput(f"arms: {plain(given)} is not an arm; {{law: NAME, ...}} is needed")
        spec = dict(given)
        with inside(f"arms.{i}"):
            copies = as_integer("copies", spec.pop("copies", 1), at_least=1, at_most=MAX_ARMS)
            built += [call(laws_of_one_arm(), spec)] * copies
        if len(built) > MAX_ARMS:
            raise BadInput(f"arms: more than {MAX_ARMS} arms")
    return of_arms(built)


# The means of the instances of Sajed & Sheffet 2019. The mean of arm i, from 0 to K - 1, is a
# function of x = i/(K - 1). For K = 5, the instances are C1-C4 of Azize & Basu 2022.
FAMILIES: dict[str, Callable[[float], float]] = {
    "c1": lambda x: 0.75 if x == 0 else 0.70,
    "c2": lambda x: 0.75 - 0.5 * x,
    "c3": lambda x: 0.25 + 0.5 * (1 - x) ** 2,
    "c4": lambda x: 0.75 - 0.5 * x**2,
}


def bernoulli_family(family: Any, arms: Any) -> Instance:
    """Bernoulli arms whose means are given by a named curve (FAMILIES); ``arms`` is K."""
    mean = FAMILIES[one_of(FAMILIES, "family", family)]
    K = as_integer("arms", arms, at_least=2, at_most=MAX_ARMS)
    return bernoulli([mean(i / (K - 1)) for i in range(K)])


def one_better(gap: Any, arms: Any) -> Instance:
    """Bernoulli arms: the mean of the first arm is (1 + gap)/2, and all other means are (1 -
    gap)/2; ``arms`` is K.
    """
    gap = number_where("gap", gap, lambda gap: 0 < gap <= 1, "a gap in (0, 1] is needed")
    K = as_integer("arms", arms, at_least=2, at_most=MAX_ARMS)
    return bernoulli([(1 + gap) / 2] + [(1 - gap) / 2] * (K - 1))


def uniform_means(low: Any, high: Any, arms: Any, instance: Any) -> Instance:
    """Bernoulli arms whose means are drawn uniformly from [low, high]; ``arms`` is K.

    Another number ``instance`` gives other means. All runs of a setting have the same means.
    """
    least, most = as_number("low", low), as_number("high", high)
    if not 0 <= least < most <= 1:
        raise BadInput(f"low={plain(low)}, high={plain(high)}: 0 <= low < high <= 1 is needed")
    K = as_integer("arms", arms, at_least=2, at_most=MAX_ARMS)
    drawn = np.random.default_rng(as_integer("instance", instance, at_least=0))
    return bernoulli(drawn.uniform(least, most, K).tolist())


def twopoint_heavy(means: Any, v: Any, g: Any) -> Instance:
    """The hard instances of the lower bounds of Tao et al. 2022: X = 1/g with probability mean g,
    else 0, so E X^(1+v) = mean g^-v. The default g is (largest mean)^(1/v), for which u = 1.
    """
    mu = [as_number("means", mean) for mean in one_or_more(means)]
    order = number_where("v", v, lambda v: 0 < v <= 1, "a number in (0, 1] is needed")
    if min(mu) < 0 or max(mu) <= 0:
        raise BadInput(f"means={plain(means)}: means of at least 0, not all 0, are needed")
    if g is None and max(mu) > 1:
        raise BadInput(f"means={plain(means)}: means of at most 1 are needed, or g=NUMBER")
    rate = max(mu) ** (1 / order) if g is None else as_number("g", g)
    if not 0 < rate * max(mu) <= 1:
        raise BadInput(
            f"g={rate:g}: a number in (0, 1 / {max(mu):g}] is needed, since g times the largest "
            f"mean, {max(mu):g}, is a probability"
        )
    return of_arms([points.two_point(0.0, 1 / rate, mean * rate) for mean in mu])


def contaminated(
    inlier: Any, alpha: Any, outlier: Any, relative: Any, stage: Any = "rewards"
) -> Instance:
    """Huber contamination: a reward is an outlier with probability ``alpha``, else an inlier.

    Args:
        inlier: configuration of the environment to contaminate.
        alpha: the contamination, in [0, 1/2).
        outlier: the outliers: a value, a list with a value for each arm, a law such as ``{law:
            gaussian, mean: 9, sd: 1}``, or a list with a law for each arm. With ``{law: unseen, k:
            2}`` outliers have an absolute value just below the truncation level alpha^(-1/k), where
            k is the order of the moment. These outliers are negative for the best arms and positive
            for other arms. With ``{law: largest, k: 2}`` outliers equal the level at which the
            algorithm truncates, or alpha^(-1/k) if the algorithm truncates nothing.
        relative: whether the mean of the arm is added to each outlier.
        stage: what an outlier replaces. ``rewards``: the reward (corruption-then-LDP). ``reports``:
            the message that a user of a locally private algorithm sends (LDP-then-corruption).
    """
    needed = "a contamination in [0, 1/2) is needed"
    share = number_where("alpha", alpha, lambda alpha: 0 <= alpha < 0.5, needed)
    if not isinstance(inlier, Mapping):
        needed = "an environment is needed, such as env.inlier=bernoulli_c2"
        raise BadInput(f"inlier={plain(inlier)}: {needed}")
    if inlier.get("law") == "contaminated":
        raise BadInput("inlier: an environment without outliers is needed, such as bernoulli_c2")
    with inside("inlier"):
        clean = call(LAWS, inlier)
    if not clean.arms:
        raise BadInput("inlier: rewards of arms can be contaminated, but not rewards of contexts")
    relative = yes_no("relative", relative)
    centers = clean.reward_means() if relative else np.zeros(len(clean.arms))
    arms = outlying_arms(outlier, share, clean, centers)
    reports = one_of(("rewards", "reports"), "stage", stage) == "reports"
    return contaminate(clean, share, arms, reports) if share > 0 else clean


def outlying_arms(outlier: Any, alpha: float, clean: Instance, centers: np.ndarray) -> list[Arm]:
    """Return the law of each arm's outliers."""
    K, law = len(clean.arms), outlier.get("law") if isinstance(outlier, Mapping) else None
    if law == "unseen":
        with inside("outlier"):
            reach = 0.99 * call({law: truncation_level}, outlier)(alpha)
        signs = np.where(clean.gaps == 0, -1.0, 1.0)
        return [points.point_mass(x) for x in centers + signs * reach]
    many = is_list(outlier)
    each = list(outlier) if many else [outlier] * K
    if len(each) != K:
        raise BadInput(f"outlier={plain(outlier)}: {K} outliers are needed, one per arm")
    if all(isinstance(x, Mapping) for x in each):
        if centers.any():
            how = "give numbers as env.outlier, or write env.relative=false"
            raise BadInput(f"relative=true: a number can be added to a mean, but not a law; {how}")
        with inside("outlier"):
            if law == "largest":
                return [points.largest(call({law: truncation_level}, outlier)(alpha))] * K
            known: dict[str, Callable[..., Any]] = {**laws_of_one_arm()}
            if not many:  # so that an error message for an unknown law names all laws
                known |= {"unseen": truncation_level, "largest": truncation_level}
            return [call(known, x) for x in each]
    values = [as_number("outlier", x) for x in each]
    return [points.point_mass(x) for x in centers + np.array(values)]


def truncation_level(k: Any) -> Callable[[float], float]:
    """Return the truncation level alpha^(-1/k) as a function of alpha."""
    order = number_where("k", k, lambda k: k >= 1, "a number of at least 1 is needed")
    return lambda alpha: alpha ** (-1 / order) if alpha > 0 else 0.0


ARMS: dict[str, Callable[..., Arm]] = {
    law.__name__: law
    for law in (
        points.bernoulli, points.two_point, points.point_mass, points.discrete,
        densities.gaussian, densities.uniform, densities.beta, densities.pareto,
        densities.student, densities.lognormal,
    )
}  # fmt: skip
LAWS: dict[str, Callable[..., Instance]] = {
    law.__name__: law
    for law in (
        bernoulli, bernoulli_family, one_better, uniform_means, sign, gaussian, pareto, student,
        lognormal, mixed, twopoint_heavy, contaminated, empirical, table, linear, linear_sphere,
        contextual, contextual_table, labels, log,
    )
}  # fmt: skip


def laws_of_one_arm() -> dict[str, Callable[..., Arm]]:
    """Return, by the name of a law, the function that makes an arm; users' laws are included."""
    return {**REGISTERED, **ARMS}


def build(spec: Mapping[str, Any]) -> Instance:
    """Build the instance of a configuration, which has the name ``law`` and the parameters of this
    law.

    Raises:
        BadInput: a law or parameter is unknown, or a value is out of range.
    """
    with inside("env"):
        return call(LAWS, spec)


def first_rounds(spec: Mapping[str, Any], rounds: int) -> dict[str, Any]:
    """Return a configuration in which tables of rewards have only their first ``rounds`` rows.
    Later rows are not played, so they must not influence means and gaps.
    """
    found = {k: first_rounds(x, rounds) if isinstance(x, Mapping) else x for k, x in spec.items()}
    if found.get("law") == table.__name__:
        own = found.get("rounds")
        found["rounds"] = rounds if own is None or to_float(own) > rounds else own
    return found


def one_or_more(means: Any) -> list[Any]:
    """Validate a list of at least one entry, one per arm."""
    return entries("means", means, "a list of numbers is needed, such as [0.9,0.8]")
