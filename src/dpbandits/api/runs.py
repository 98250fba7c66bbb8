"""Run algorithms, stopping rules and experiments from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..calls import checks_arguments
from ..errors import BadInput, plain

if TYPE_CHECKING:
    import pandas as pd

    from ..contracts.assumptions import Assumption
    from ..contracts.guarantees import Guarantee
    from ..settings.choices import Choice
    from ..settings.request import Request
    from .arguments import AlgorithmLike, EnvironmentLike, Number


@checks_arguments
def run(
    algo: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    env: EnvironmentLike | Sequence[EnvironmentLike] | None = None,
    *,
    policy: Callable[..., Any] | Sequence[Callable[..., Any]] | None = None,
    eps: Number | Sequence[Number] | None = None,
    rho: Number | Sequence[Number] | None = None,
    horizon: float | Sequence[float] | None = None,
    runs: int | str | None = None,
    precision: float | None = None,
    max_runs: int | None = None,
    max_time: float | None = None,
    seed: int | None = None,
    population: str | Choice | Sequence[str | Choice] | None = None,
    eps_min: Number | Sequence[Number] | None = None,
    checkpoints: int | None = None,
    shuffle_arms: bool | None = None,
    assume: bool | None = None,
    experiment: str | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    results: str | PathLike[str] | None = None,
    max_rows: float | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """Run bandit algorithms and return their regret as a tidy table.

    An argument may be a list of values. Every combination of the values is then run, which is
    called a sweep. The result equals the table that ``bandit-run`` writes for this sweep. Arguments
    that are left out have the defaults in conf/config.yaml.

    >>> import dpbandits as dp
    >>> table = dp.run(algo="adap_ucb", env=dp.bernoulli([0.9, 0.8]), eps=1, horizon=1e4, runs=2)
    >>> list(table.columns)
    ['algo', 'env', 'eps', 'horizon', 'seed', 'setting', 'run', 't', 'regret']

    An algorithm can be a function, plain or decorated with ``dp.kernel``:

    >>> from dpbandits.authoring import arms, pull, rounds_left
    >>> def in_turn(game, rng, start):
    ...     a = int(start)
    ...     while rounds_left(game) > 0:
    ...         pull(game, a % arms(game))
    ...         a += 1
    >>> table = dp.run(algo=in_turn, env="bernoulli_c2", horizon=100, runs=2, start=1, jobs=1)
    >>> float(table["regret"].max())
    25.0

    An algorithm can also be a class whose objects choose arms (docs/own_class.md):

    >>> class Fixed:
    ...     def __init__(self, arms, first=0):
    ...         self.first = first
    ...     def act(self):
    ...         return self.first
    ...     def update(self, arm, reward): ...
    >>> table = dp.run(policy=Fixed, algo="ucb", env="bernoulli_c2", horizon=100, runs=2, jobs=1)
    >>> list(table["algo"].unique())
    ['ucb', 'Fixed']

    Args:
        algo: an algorithm's name, ``dp.algorithm(...)``, a function or a class.
        env: an environment's name, or a value such as ``dp.bernoulli([0.9, 0.8])``.
        policy: a class, a function that returns an object, or a list of these. The object chooses
            arms and receives rewards, as in ``audit``. Policies are run in addition to ``algo``.
        eps: the privacy budget, in nats; a larger budget means less privacy.
        rho: the privacy budget of algorithms with rho-zCDP.
        horizon: number of rounds, T.
        runs: the number of independent runs of each setting; 100 by default. Bad runs of
            probability below 3/n may not occur in n runs, and then the intervals do not account for
            them. ``auto`` adds runs until the mean is precise enough (docs/runs.md).
        precision: with ``runs="auto"``, the precision: half the width of the interval of a mean,
            divided by the mean, is at most this number.
        max_runs: with ``runs="auto"``, the largest number of runs of each setting.
        max_time: with ``runs="auto"``, the number of seconds after which no more runs are begun.
        seed: an integer. The setting, the seed and the number of a run determine its result.
        population: users with individual privacy levels, for local privacy.
        eps_min: for local privacy: users with a lower privacy level send nothing.
        checkpoints: approximate number of points of each regret curve.
        shuffle_arms: whether each run shuffles the arms; true by default. Ties go to the arm with
            the lowest number, so without shuffling the regret depends on the order of the arms.
        assume: whether to run even if assumptions are violated that are needed only for regret
            bounds.
        experiment: the name of a paper's experiment, one of ``dp.experiments()``.
        jobs: number of workers, -1 for one per core. The table does not depend on ``jobs``.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and looked up; the commands use such
            folders, too. None to write nothing.
        max_rows: the largest allowed number of rows of the table; larger requests are refused.
        config_dir: folder with your own algorithms, environments and experiments.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each run and checkpoint: ``algo, env, eps, horizon, seed``, a column for each
        parameter that varies, ``setting``, the id of the setting, and ``run, t, regret``
        (pseudo-regret). Budgets of algorithms with rho-zCDP are in a column ``rho``. If an
        algorithm does not take a budget, the column of this budget is blank.
        ``table.attrs["settings"]`` is a JSON text. The text maps the id of each setting to all
        values with which the setting was run.

    Raises:
        BadInput: a value cannot be run; the message names the value and the allowed values.
        RunsFailed: an algorithm raised an error.
    """
    given = locals()
    own, given["policy"] = given["policy"], None  # policies join the algorithms
    if own is not None:
        from ..settings.choices import algorithm_choice, all_of

        policies = all_of("policy", own)
        if not all(map(callable, policies)):
            raise BadInput(f"policy={plain(own)}: a class, or a list of classes, is needed")
        others = [] if algo is None else all_of("algo", algo)
        found = [*others, *(algorithm_choice(x, "algo", {}, makes_policies=True) for x in policies)]
        given["algo"] = found[0] if len(found) == 1 else found
    return _table("regret", given)


@checks_arguments
def stop(
    rule: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    env: EnvironmentLike | Sequence[EnvironmentLike] | None = None,
    *,
    arm: int | Sequence[int] | None = None,
    eps: Number | Sequence[Number] | None = None,
    rel_error: float | Sequence[float] | None = None,
    beta: float | Sequence[float] | None = None,
    R: float | Sequence[float] | None = None,
    delta: float | Sequence[float] | None = None,
    mu0: float | Sequence[float] | None = None,
    mu1: float | Sequence[float] | None = None,
    alpha: float | Sequence[float] | None = None,
    cap: float | Sequence[float] | None = None,
    runs: int | str | None = None,
    precision: float | None = None,
    max_runs: int | None = None,
    max_time: float | None = None,
    seed: int | None = None,
    shuffle_arms: bool | None = None,
    experiment: str | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    results: str | PathLike[str] | None = None,
    max_rows: float | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """Run stopping rules. A rule samples until it has an answer: the mean of an arm up to a
    relative error, the best of several arms, or one of two hypotheses about a mean.

    >>> import dpbandits as dp
    >>> table = dp.stop("adap_tt", env=dp.bernoulli([0.9, 0.5]), eps=1, delta=0.1, runs=3)
    >>> table["answer"].tolist()
    [0, 0, 0]
    >>> table = dp.stop("dp_nas_exp", env=dp.sign(-0.5), eps=1, rel_error=0.5, runs=3)
    >>> table["halted"].tolist()
    [1, 1, 1]

    Args:
        rule: a rule's name, ``dp.algorithm(...)``, or a function.
        env: the environment, as in ``run``.
        arm: for rules that estimate or test a mean, the number of the arm, from 0.
        eps: the privacy budget, in nats; a larger budget means less privacy.
        rel_error: the allowed relative error a of the estimate, in (0, 1).
        beta: the allowed probability of an error above ``rel_error``, in (0, 1).
        R: rewards lie in [-R, R].
        delta: for rules that name the best arm, the allowed probability of naming another arm, in
            (0, 1).
        mu0: for rules that decide between two hypotheses, the mean under the first hypothesis.
        mu1: the mean under the second hypothesis.
        alpha: the allowed probability of deciding for mu1 if the mean is mu0; ``beta`` is the
            allowed probability of deciding for mu0 if the mean is mu1.
        cap: the largest number of samples, at which a rule without an answer is stopped.
        runs: the number of independent runs of each setting; 100 by default. Bad runs of
            probability below 3/n may not occur in n runs, and then the intervals do not account for
            them. ``auto`` adds runs until the mean is precise enough (docs/runs.md).
        precision: with ``runs="auto"``, the precision: half the width of the interval of a mean,
            divided by the mean, is at most this number.
        max_runs: with ``runs="auto"``, the largest number of runs of each setting.
        max_time: with ``runs="auto"``, the number of seconds after which no more runs are begun.
        seed: an integer. The setting, the seed and the number of a run determine its result.
        shuffle_arms: for rules that name the best arm, whether each run shuffles the arms; true by
            default.
        experiment: the name of an experiment of stopping rules.
        jobs: number of workers, -1 for one per core.
        backend: ``threads``, ``processes`` or ``auto``.
        results: as in ``run``.
        max_rows: as in ``run``.
        config_dir: as in ``run``.
        **parameters: parameters of the rule.

    Returns:
        A row for each run: the setting, and ``seed, setting, run, stopping_time, estimate, halted,
        correct``. Rules that name an arm or a hypothesis have a column ``answer`` in place of
        ``estimate``, with the number of the arm or the hypothesis.

    Raises:
        BadInput, RunsFailed: as in ``run``.
    """
    return _table("stopping", locals())


@checks_arguments
def reproduce(
    experiment: str, results: str | PathLike[str] = "results", **changes: Any
) -> list[Path]:
    """Play the missing runs of an experiment, and write its table, its summaries and its figure.

    If the existing table has these settings and was made by the present code, and if the figure is
    newer than the table and the code that draws it, nothing is written.

    Args:
        experiment: one of ``dp.experiments()``.
        results: the folder to write to.
        **changes: keys to change: ``horizon``, ``runs``, ``seed``, ``jobs``. If an experiment runs
            every setting at several horizons, the settings of at most ``horizon`` rounds are
            played. If no setting has so few rounds, the settings with the smallest horizon are
            played.

    Returns:
        The paths of the figure: PDF and PNG.

    Raises:
        BadInput: as in ``run``, or the table of the unchanged experiment would be replaced.
        RunsFailed: as in ``run``.
    """
    from ..figures.experiments import tabulated
    from ..settings.choices import plain_data
    from ..validation import path_of

    changes = {key: plain_data(key, value) for key, value in changes.items()}
    name, folder = plain_data("experiment", experiment), path_of("results", results, "folder")
    return tabulated(name, folder, changes)()


@checks_arguments
def algorithm(
    algo: AlgorithmLike,
    *,
    rewards: Assumption | tuple[float, float] | None = None,
    guarantee: Guarantee | None = None,
    **parameters: Any,
) -> Choice:
    """Return an algorithm with values for its parameters, to use in ``run``, ``stop`` and other
    functions. If a parameter has a list of values, all values are run.

    >>> import dpbandits as dp
    >>> dp.algorithm("adap_ucb", alpha=[1, 3.1])
    adap_ucb(alpha=[1,3.1])

    Args:
        algo: the name of an algorithm or stopping rule, or a function, or a class.
        rewards: for a function or a class: the interval in which it assumes rewards, or another
            assumption.
        guarantee: for a function or a class: its privacy promise, such as
            ``authoring.global_dp(SOURCE)``.
        **parameters: values of the algorithm's parameters.
    """
    from ..settings.choices import algorithm_choice

    return algorithm_choice(algo, None, parameters, rewards, guarantee)


def _table(question: str, arguments: dict[str, Any]) -> pd.DataFrame:
    """Play the runs of a call of ``run`` or ``stop``, and return their tidy table."""
    from ..running.progress import announce_imports

    announce_imports()

    from ..running.monte_carlo import run_request

    return run_request(request_of(question, arguments))[0]


def request_of(question: str, arguments: dict[str, Any]) -> Request:
    """Return the request for a call of a public function. ``arguments`` is a dictionary of the
    arguments of the call, by their names.
    """
    from ..contracts.question import question_named
    from ..settings.compose import request_from
    from ..settings.user_files import user_folders

    folders = user_folders(arguments.pop("config_dir"), "config_dir")
    parameters = arguments.pop("parameters")
    return request_from(question_named(question), arguments, parameters, folders)
