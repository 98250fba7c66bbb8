"""The Python API: run, stop, load, plot, summarise, bound and audit from a notebook or a script.

``dpbandits`` itself exports these functions. Heavy packages are imported where they are used, so
that ``import dpbandits`` is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .audit.findings import Audit
    from .contracts.algorithm import Algorithm
    from .contracts.assumptions import Assumption
    from .contracts.guarantees import Guarantee
    from .settings.choices import Choice
    from .settings.request import Request

    AlgorithmLike = str | Callable[..., Any] | Choice
    EnvironmentLike = str | Mapping[str, Any] | Choice
    Number = float | str


COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")  # of paths that ``save`` refuses
# The arguments of ``budget`` that decide how it is searched for; the others are those of runs
OF_SEARCH = ("regret", "ratio", "baseline", "least", "most", "precision", "runs")


def run(
    algo: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    env: EnvironmentLike | Sequence[EnvironmentLike] | None = None,
    *,
    eps: Number | Sequence[Number] | None = None,
    rho: Number | Sequence[Number] | None = None,
    horizon: float | Sequence[float] | None = None,
    runs: int | None = None,
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

    A list is a sweep: every combination is run. The table is that of the same sweep of
    ``bandit-run``. What is left out has the default of conf/config.yaml.

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

    Args:
        algo: an algorithm's name, ``dp.algorithm(...)``, or a function.
        env: an environment's name, or a value such as ``dp.bernoulli([0.9, 0.8])``.
        eps: privacy budget, in nats.
        rho: privacy budget of algorithms with rho-zCDP.
        horizon: number of rounds, T.
        runs: independent runs of each setting; 100 by default. No interval of n runs knows of bad
            runs that are rarer than 3/n.
        seed: a run depends on it, its number and its setting alone.
        population: users with privacy levels of their own, for local privacy.
        eps_min: local privacy: users with a lower level send nothing.
        checkpoints: approximate number of points of each regret curve.
        shuffle_arms: whether each run shuffles the arms, as by default: ties go to the arm of the
            lowest number, so regret would depend on the order in which arms are listed.
        assume: whether to run where assumptions that only regret bounds need do not hold.
        experiment: the name of a paper's experiment, one of ``dp.experiments()``.
        jobs: number of workers, -1 for one a core. The table does not depend on it.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and found, shared with the commands; None
            to write nothing.
        max_rows: a request whose table would have more rows is refused.
        config_dir: folder with algorithms, environments and experiments of your own.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each run and checkpoint: ``algo, env, eps, horizon, seed``, a column for each
        parameter that varies, ``setting``, the id of the setting, and ``run, t, regret`` (pseudo-
        regret). The budgets of algorithms with rho-zCDP have a column ``rho``; one that an
        algorithm does not take is blank. ``table.attrs["settings"]`` holds by its id what each
        setting was run with.

    Raises:
        BadInput: a value cannot be run; the message names it and what is allowed.
        RunsFailed: an algorithm raised an error.
    """
    return _table("regret", locals())


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
    runs: int | None = None,
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
    """Run stopping rules. Each samples until it has an answer: the mean of an arm to a relative
    error, the best arm of several, or one of two hypotheses about a mean.

    >>> import dpbandits as dp
    >>> table = dp.stop("adap_tt", env=dp.bernoulli([0.9, 0.5]), eps=1, delta=0.1, runs=3)
    >>> table["answer"].tolist()
    [0, 0, 0]
    >>> table = dp.stop("dp_nas_exp", env=dp.sign(-0.5), eps=1, rel_error=0.5, runs=3)
    >>> table["halted"].tolist()
    [1, 1, 1]

    Args:
        rule: a rule's name, ``dp.algorithm(...)``, or a function.
        env: the environment that has the arm.
        arm: the number of the arm, from 0.
        eps: privacy budget, in nats.
        rel_error: the relative error a that the estimate may have, in (0, 1).
        beta: the probability with which it may have a larger one, in (0, 1).
        R: rewards lie in [-R, R].
        delta: for rules that name the best arm, the probability of naming another, in (0, 1).
        mu0: for rules that decide between two hypotheses, the mean under the first.
        mu1: the mean under the second.
        alpha: the probability of deciding for mu1 if mu0 holds; ``beta`` the other way round.
        cap: a rule that has not halted after so many samples is stopped.
        runs: independent runs of each setting; 100 by default. No interval of n runs knows of bad
            runs that are rarer than 3/n.
        seed: a run depends on it, its number and its setting alone.
        shuffle_arms: for rules that name the best arm, whether each run shuffles the arms, as by
            default.
        experiment: the name of an experiment of stopping rules.
        jobs: number of workers, -1 for one a core.
        backend: ``threads``, ``processes`` or ``auto``.
        results: see ``run``.
        max_rows: see ``run``.
        config_dir: see ``run``.
        **parameters: parameters of the rule.

    Returns:
        A row for each run: the setting, ``seed, setting, run, stopping_time, estimate, halted,
        correct``, with ``answer``, the number of an arm or a hypothesis, in the place of
        ``estimate``.

    Raises:
        BadInput, RunsFailed: see ``run``.
    """
    return _table("stopping", locals())


def _table(question: str, arguments: dict[str, Any]) -> pd.DataFrame:
    """The tidy table of a call; what it was run with is in its ``attrs``."""
    from .results.records import SETTINGS, records_of_settings
    from .running.monte_carlo import fulfil

    request = _request(question, arguments)
    table, _ = fulfil(request)
    table.attrs[SETTINGS] = records_of_settings(request.settings)
    return table


def _request(question: str, arguments: dict[str, Any]) -> Request:
    """The request of a call with these arguments, by the names of its signature."""
    from .contracts.question import question_named
    from .settings.compose import request_from

    parameters, folders = arguments.pop("parameters"), _folders(arguments.pop("config_dir"))
    return request_from(question_named(question), arguments, parameters, folders)


def _folders(config_dir: str | PathLike[str] | None) -> tuple[str, ...]:
    from .settings.user_files import user_folders

    return user_folders(config_dir, "config_dir")


def load(path: str | PathLike[str]) -> pd.DataFrame:
    """Read a tidy table that a command or ``dp.save`` has written.

    Args:
        path: the path of a CSV file, of regret or of stopping times.

    Raises:
        BadInput: the file is missing, or is not a tidy table.
    """
    from .results.reading import read_table
    from .validation import path_of

    return read_table(path_of("path", path))


def save(table: pd.DataFrame, path: str | PathLike[str]) -> Path:
    """Write a tidy table as CSV, with the bytes that a command writes for the same settings.

    Args:
        table: a tidy table of ``dp.run`` or ``dp.stop``.
        path: the path of the file.

    Raises:
        BadInput: the path is that of a compressed file.
        CannotWrite: the disk is full, or the folder may not be written.
    """
    from .errors import BadInput
    from .results.reading import frame
    from .results.tables import write_table
    from .validation import path_of

    file = path_of("path", path)
    if file.suffix in COMPRESSED:
        raise BadInput(f"path={path}: a table is written as plain CSV, such as {file.stem}")
    if file.is_dir() or not file.name:
        raise BadInput(f"path={path}: the path of a file is needed, not of a folder")
    write_table(file, frame("the table", table))
    return file


def summary(table: pd.DataFrame, *, metric: str = "regret") -> pd.DataFrame:
    """Final regret, or stopping time, of each setting of a tidy table.

    >>> import dpbandits as dp
    >>> table = dp.run(algo="dp_se", eps=[0.5, 1], horizon=1e4, runs=3)
    >>> dp.summary(table)["runs"].tolist()
    [3, 3]

    Args:
        table: a tidy table.
        metric: ``regret``; ``average`` for regret by the number of rounds; ``nash`` for Nash regret
            (see ``measured``), whose estimate the true value may exceed by ``resolution``.

    Returns:
        One row a setting: its columns, ``mean``, ``ci_low`` and ``ci_high`` (95 % interval of the
        mean), ``std``, ``runs`` and ``runs_needed``, which is more than ``runs`` where these are
        too few for the tail that they show. For stopping rules also ``halted`` and ``correct``
        with its interval, blank where the mean lies between two hypotheses.

    Raises:
        BadInput: it is not a tidy table.
    """
    from .results.metrics import NASH, resolutions
    from .results.records import records_for_nash, with_metric
    from .results.summary import summarize
    from .results.tables import with_words

    table = _checked(table, metric)
    shown = with_metric(table, metric)
    found = summarize(shown)
    if metric == NASH and shown is not table:
        found["resolution"] = resolutions(with_words(table), records_for_nash(table))
    return found


def measured(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A tidy table whose column ``regret`` holds another statistic, for all that takes tables.

    ``average`` is pseudo-regret by the number of rounds. ``nash`` is the Nash regret of Barman et
    al. 2023, the best mean minus the geometric mean, over the rounds so far, of the expected mean
    of the arm played. It is no mean over runs: the values of the runs are such that their mean is
    the estimate and their standard error that of the estimate, to first order, so that summaries,
    intervals and comparisons of the table hold. Between two checkpoints the expectation is
    replaced by its mean over these rounds, which can only make the estimate smaller;
    ``summary(table, metric="nash")`` says by how much at most.

    >>> import dpbandits as dp
    >>> table = dp.run(algo="dp_se", env=dp.bernoulli([0.9, 0.6]), horizon=1e4, runs=5)
    >>> nash, average = (dp.measured(table, metric) for metric in ("nash", "average"))
    >>> bool(dp.summary(nash)["mean"][0] > dp.summary(average)["mean"][0] > 0)
    True

    Args:
        table: a tidy table of regret; for ``nash`` one of ``dp.run``, or with a manifest.
        metric: ``regret``, ``average`` or ``nash``.

    Raises:
        BadInput: there is no such metric, or the table does not allow it.
    """
    from .results.records import with_metric

    return with_metric(_checked(table, metric), metric)


def _checked(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A tidy table, completed, of which a metric is wanted that exists."""
    from .results.metrics import check_metric
    from .results.reading import checked

    check_metric(metric)
    return checked("the table", table)


def compare(
    table: pd.DataFrame, baseline: str | None = None, *, metric: str = "regret"
) -> pd.DataFrame:
    """Which algorithms differ: each against the best of its game, or against a baseline.

    A game is an environment with a budget and a horizon. The intervals of all comparisons of a
    table hold at once with probability 95 % if the runs show the tails of their laws. They hold
    less often where bad runs are so rare that some samples have none: for 3 such runs expected
    that is one sample in twenty. See ``runs_needed`` and docs/deciding.md.

    >>> import dpbandits as dp
    >>> table = dp.run(algo=["dp_klucb", "adap_ucb"], eps=1, horizon=1e4, runs=50)
    >>> dp.compare(table)["tied"].tolist()
    [True, False]

    Args:
        table: a tidy table, of regret or of stopping times, where runs that met their cap count as
            stopped there.
        baseline: the name of an algorithm, with which all others are compared; ``inf`` to compare
            each algorithm with itself without privacy; None for the best. A baseline that has no
            budget is that of the games of every budget.
        metric: ``regret``, ``average`` or ``nash``, see ``measured``. Of Nash regret the means and
            their differences count: medians and probabilities are of single runs.

    Returns:
        A row for each setting: its columns; ``mean`` and ``median`` of the runs; the algorithm that
        it was compared ``against``; ``difference`` and ``ratio`` of means, ``median_difference``
        and ``median_ratio``, each with ``_low`` and ``_high``; ``smaller``, the probability of a
        smaller regret, with the same; whether it is ``tied``, cannot be told from the best by mean,
        and ``median_tied``; ``letters``, of which algorithms that cannot be told apart share one;
        ``runs``, and ``runs_needed``, more where these are too few for the tail that they show.

    Raises:
        BadInput: it is not a tidy table, or has no such baseline.
    """
    from .comparison.table import compare as compared
    from .errors import plain
    from .settings.choices import plain_data

    name = None if baseline is None else plain(plain_data("baseline", baseline))
    return compared(measured(table, metric), name)


def budget(
    algo: AlgorithmLike | Sequence[AlgorithmLike],
    env: EnvironmentLike | None = None,
    horizon: float | None = None,
    *,
    regret: float | None = None,
    ratio: float | None = None,
    baseline: AlgorithmLike | None = None,
    least: float = 1e-3,
    most: float = 1e3,
    precision: float = 1.25,
    runs: int = 2048,
    seed: int | None = None,
    shuffle_arms: bool | None = None,
    assume: bool | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    results: str | PathLike[str] | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """The smallest privacy budget at which mean regret is at most a number, or a ratio.

    Runs are added where it cannot be told yet on which side of the goal a budget is, and budgets
    are bisected until the interval is as narrow as asked for, or ``runs`` are not enough. The
    interval holds with probability 95 %; see docs/deciding.md.

    >>> import dpbandits as dp
    >>> found = dp.budget("dp_se", "bernoulli_c2", 1e4, ratio=2, precision=2, runs=512)
    >>> bool(found.loc[0, "low"] <= found.loc[0, "budget"] <= found.loc[0, "high"])
    True

    Args:
        algo: an algorithm, or several; see ``run``.
        env: one environment.
        horizon: number of rounds, T.
        regret: the largest mean regret at the horizon.
        ratio: instead of it, the largest ratio of mean regret to that of the baseline.
        baseline: for ``ratio`` an algorithm without privacy; None for each algorithm itself
            without privacy.
        least: the smallest budget that is tried.
        most: the largest budget that is tried.
        precision: the ratio of the ends of the interval that is asked for.
        runs: independent runs at one budget, at most.
        seed: see ``run``, as for all others.
        shuffle_arms: see ``run``.
        assume: whether to run where assumptions that only regret bounds need do not hold.
        jobs: number of workers.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and found.
        config_dir: folder of your own files.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each algorithm: ``algo``, and the parameters that tell it from others of its name;
        ``budget`` with its interval from ``low`` to ``high``; whether it is ``reached``; the
        budget's ``name`` (``eps`` or ``rho``), ``env, horizon, goal, baseline``; the ``runs`` and
        ``seconds`` that it took; the ``answer`` as a sentence. If the goal is reached at the
        smallest budget tried, ``low`` is 0; if at none, the budget is blank.

    Raises:
        BadInput: a value cannot be run; the message names it and what is allowed.
        RunsFailed: an algorithm raised an error.
    """
    given = locals()
    search = {key: given.pop(key) for key in OF_SEARCH}
    for key in ("algo", "config_dir", "parameters"):
        del given[key]

    from .decisions.budget import budgets_needed
    from .settings.choices import listed, plain_data

    given |= {k: plain_data(k, x) for k, x in given.items() if k != "env"}
    search |= {k: plain_data(k, x) for k, x in search.items() if k != "baseline"}
    algorithms = algo if isinstance(algo := listed("algo", algo), list) else [algo]
    return budgets_needed(algorithms, given, parameters, _folders(config_dir), **search)


def plot(
    table: pd.DataFrame,
    *,
    x: str | None = None,
    kind: str | None = None,
    band: str = "ci",
    bounds: bool = False,
    metric: str = "regret",
    marks: bool = False,
    title: str | None = None,
    width: float | str | None = None,
    height: float | None = None,
    font: str | None = None,
    note: bool | None = None,
    legend: str | None = None,
    labels: Mapping[str, str] | None = None,
    only: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    highlight: Sequence[str] | None = None,
    xscale: str | None = None,
    yscale: str | None = None,
    palette: str | Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw a tidy table: regret against time or budget, or stopping times.

    A result of ``dp.budget`` is drawn, too: regret against the budget, the goal and the answers.

    Args:
        table: a tidy table, or any with the columns ``algo``, ``t`` and ``regret``.
        x: ``t`` for regret against time, a budget (``eps`` or ``rho``) or a parameter that the
            table varies for final regret against it; None for what suits the table.
        kind: ``tail`` for the probability of large regrets; else None.
        band: ``ci`` for the 95 % interval of the mean, ``std`` for one standard deviation,
            ``quantiles`` for medians with 10 % to 90 % of the runs.
        bounds: whether to draw what theorems say beside the regret.
        metric: ``regret``, ``average`` or ``nash``, see ``measured``.
        marks: whether to draw rings around the mean final regrets that ``compare`` cannot tell
            from the smallest of their game.
        title: a title; None for one that says what varies, an empty one for none.
        width: inches, or ``column``, ``text``, ``icml-column``, ``ieee-text`` and others.
        height: inches.
        font: ``sans``, ``serif`` (Times), ``latex`` (Computer Modern) or an installed font.
        note: False for no note below the panels.
        legend: ``top``, ``right``, ``inside`` or ``none``.
        labels: the labels of algorithms, or of lines of the legend, by their names.
        only: the algorithms that are drawn.
        order: the algorithms that come first in the legend.
        highlight: the algorithms that are drawn in colour; the others are grey.
        xscale: ``log`` or ``linear``.
        yscale: ``log`` or ``linear``.
        palette: ``okabe-ito``, ``tol-bright``, ``tol-high-contrast`` or ``grey``, or a list of
            colours.
        ax: axes of yours, in which a figure of one panel is drawn.

    Returns:
        A figure, which Jupyter shows; ``figure.savefig(path)`` writes it.

    Raises:
        BadInput: the table cannot be drawn so.
    """
    from .errors import BadInput
    from .figures.bands import BANDS
    from .figures.bounds import curves
    from .figures.draw import figure_of_table, name_axes, refuse_bounds, refuse_spread
    from .figures.experiments import as_it_stands
    from .figures.labels import chosen_rows, usual_title
    from .figures.options import checked
    from .figures.regret_vs_budget import budget_needed
    from .results.reading import frame
    from .results.records import metric_of
    from .validation import one_of, text, yes_no

    x, kind = (None if v is None else text(k, v) for k, v in (("x", x), ("kind", kind)))
    bounds, marks = yes_no("bounds", bounds), yes_no("marks", marks)
    given = {
        "title": title, "width": width, "height": height, "font": font, "note": note,
        "legend": legend, "labels": labels, "only": only, "order": order, "highlight": highlight,
        "xscale": xscale, "yscale": yscale, "palette": palette,
    }  # fmt: skip
    chosen = checked(given, ax, "dpbandits.plot")
    one_of(BANDS, "band", band)
    if "reached" in frame("the table", table):
        with chosen.applied():
            return budget_needed(chosen_rows(table, chosen))
    table = measured(table, metric)
    metric = metric_of(table)
    if bounds:
        refuse_bounds(metric)
    refuse_spread(metric, kind, band)
    if bounds and "rule" in table.columns:
        raise BadInput("bounds=True: bounds are drawn beside regret, not beside stopping times")
    table = chosen_rows(table, chosen)
    drawn = curves(table, "bounds=True") if bounds else None
    table = as_it_stands(table)
    with chosen.applied():
        usual = usual_title(table)
        figure = figure_of_table(table, usual, x=x, kind=kind, band=band, bounds=drawn, marks=marks)
        name_axes(figure, metric)
    return figure


def report(
    tables: pd.DataFrame | Sequence[pd.DataFrame] | Mapping[str, pd.DataFrame],
    out: str | PathLike[str] = "report.html",
    *,
    metric: str = "regret",
) -> Path:
    """Write one HTML page of tidy tables: charts, summary tables, privacy, the map of regrets.

    The page needs no network and no server. It is that of ``bandit-report``, which shows what a
    results folder holds; the extra ``report`` is needed.

    Args:
        tables: a tidy table, several, or several by their names on the page.
        out: the file to write.
        metric: ``regret``, ``average`` or ``nash``, see ``measured``. Theorems are about pseudo-
            regret, so pages of the others show none.

    Returns:
        The path of the page.

    Raises:
        BadInput: something is no tidy table, or a package is missing; nothing is written.
        CannotWrite: the disk is full, or the folder may not be written.
    """
    import pandas as pd

    from .files import write_atomically
    from .report.build import checked_page, report_of_tables
    from .results.metrics import check_metric
    from .settings.choices import listed

    path = checked_page(out)
    check_metric(metric)
    given = [tables] if isinstance(tables, pd.DataFrame) else listed("tables", tables)
    write_atomically(path, report_of_tables(given, metric).encode())
    return path


def bounds(
    algo: AlgorithmLike | None = None,
    env: EnvironmentLike | None = None,
    *,
    eps: Number | None = None,
    rho: Number | None = None,
    horizon: float | None = None,
    population: str | Choice | None = None,
    eps_min: Number | None = None,
    assume: bool | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """The theorems that bound the regret of one setting.

    >>> import dpbandits as dp
    >>> found = dp.bounds(algo="adap_ucb", env="bernoulli_c2", eps=0.5, horizon=1e6)
    >>> found.loc[0, "bound"], found.loc[0, "side"], found.loc[0, "kind"]
    ('Azize & Basu 2022, Theorem 7', 'upper', 'exact')

    Args:
        algo: see ``run``, as for all others.
        env: the environment.
        eps: privacy budget.
        rho: privacy budget of an algorithm with rho-zCDP.
        horizon: number of rounds.
        population: users with privacy levels of their own.
        eps_min: the lowest level of users who send.
        assume: see ``run``.
        config_dir: see ``run``.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each theorem that applies: ``bound, side, kind, value, formula``; the value is
        NaN if the theorem has no known constants.
    """
    request = _request("regret", locals())

    import pandas as pd

    from .errors import BadInput
    from .theory.bounds import bound_rows
    from .theory.problem import problem

    if len(request.settings) != 1:
        raise BadInput("dp.bounds takes one setting, and these are several")
    rows, _ = bound_rows(problem(request.settings[0].record))
    return pd.DataFrame(rows, columns=["bound", "side", "kind", "value", "formula"])


def audit(
    algo: AlgorithmLike | None = None,
    *,
    rule: AlgorithmLike | None = None,
    mechanism: str | None = None,
    policy: Callable[..., Any] | None = None,
    local: bool = False,
    eps: float | Sequence[float] | None = None,
    rho: float | Sequence[float] | None = None,
    horizon: int | Sequence[int] | None = None,
    exact: bool = False,
    arms: int | None = None,
    runs: int | None = None,
    confidence: float | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    results: str | PathLike[str] | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """Measure from outside how much privacy an algorithm spends at least.

    The algorithm is played on sequences of rewards that differ in one reward, and an event is
    searched for that tells them apart. What this proves and what it does not is in docs/privacy.md.

    Args:
        algo: an algorithm, see ``run``. A function that declares no ``rewards`` (see ``algorithm``)
            and truncates none is undecided.
        rule: a stopping rule instead.
        mechanism: the name of a release instead.
        policy: an external policy instead, a bandit in plain Python that knows nothing of this
            package, for rewards in [0, 1]: ``policy(arms=K, horizon=T, eps=eps, rng=generator)``
            returns an object with ``choose() -> int`` and ``receive(arm, reward)``, or with a loop
            of its own, ``play(pull)``, that calls ``pull(arm) -> reward``. It may also take its
            random numbers from the functions of ``numpy.random`` and ``random``; a fixed seed has
            its effect. Its noise is replayed, and only if that shows no privacy its actions are
            sampled. It is consistent only if every replay held, else VIOLATED or undecided.
        local: whether a policy promises the privacy of each user's response: what it adds to a
            reward at once; else that of all its actions. If a replay fails both are sampled.
        eps: the budget, or a list of budgets.
        rho: the same for what promises rho-zCDP.
        horizon: rounds of the games; None for several, as long as they are cheap.
        exact: compute the exact loss of an algorithm's actions instead (docs/exact_loss.md).
        arms: the number of arms of an exact loss; 2 if None.
        runs: the most runs of a test under each of two neighbours; None for enough in most cases.
        confidence: with which a measured loss is not too large.
        seed: a finding depends on it and on the arguments above alone.
        jobs: number of workers, -1 for one a core.
        results: folder in which findings of samples are stored; None to write nothing.
        config_dir: see ``run``.
        **parameters: parameters of the algorithm; of a rule also what its answers are judged by,
            such as ``rel_error``.

    Returns:
        A row for each budget, and for local privacy a second one for the response of a user:
        ``measured``, the lower confidence bound on the privacy loss, beside ``promised``, both in
        the ``unit`` eps, or mu for what promises zCDP or RDP; ``detectable``, the least multiple of
        the promised loss that the runs would have refuted; the neighbouring sequences and the
        event; how many ``replays`` of its alignment were ``aligned``; and the ``verdict`` on all of
        it, one of VIOLATED, MISALIGNED, undecided, consistent and proved (docs/privacy.md). Of
        exact losses ``low`` and ``high``, between which the loss lies, for each budget and horizon.

    Raises:
        BadInput: something cannot be audited, an exact loss is out of reach, or scikit-learn (for
            exact losses python-flint) is not installed.
    """
    given = locals()
    for key in ("algo", "rule", "policy", "local", "config_dir", "parameters"):
        del given[key]

    from .audit.requests import refuse_unused, requested
    from .contracts.question import QUESTIONS
    from .errors import BadInput
    from .settings.choices import algorithm_of, plain_data
    from .settings.groups import default_keys
    from .validation import path_of, yes_no

    names = {name for question in QUESTIONS for name in question.goal_names}
    goal = {k: v for k, v in parameters.items() if rule is not None and k in names}
    own = {k: v for k, v in parameters.items() if k not in goal}
    values = {k: plain_data(k, v) for k, v in {**given, **goal}.items() if v is not None}
    if yes_no("local", local) and policy is None:
        raise BadInput("local=True: an algorithm declares it itself, only a policy does not")
    config = {**default_keys("audit"), "results": None, **values, "algo": algo, "rule": rule}
    if policy is not None:
        others = {"algo": algo, "rule": rule, "config_dir": config_dir, **own}
        keys = {*values, *(k for k, v in others.items() if v is not None)}
        return _audited(requested(config, keys, None, {}, policy, local), None)
    group, chosen = ("rule", rule) if rule is not None else ("algo", algo)
    made: Algorithm | None = None
    spec: dict[str, Any] = {}
    if chosen is not None:
        made, spec = algorithm_of(chosen, group, own, _folders(config_dir))
        config[group] = made.name
    elif own:
        raise BadInput(f"mechanism={mechanism}: it has no parameter {next(iter(own))}")
    keys = {f"{group}.{name}" for name in own}
    refuse_unused(config, keys, made)
    folder = None if results is None else path_of("results", results, "folder") / "audits"
    return _audited(requested(config, keys, made, spec), folder)


def _audited(audits: Sequence[Audit], folder: Path | None) -> pd.DataFrame:
    """The rows of what audits find."""
    import pandas as pd

    from .audit.work import findings_of
    from .running.progress import progress_bar

    rows = []
    with progress_bar(len(audits)) as bar:
        bar.set_postfix_str(audits[0].name)
        for _, found in findings_of(audits, folder, bar.update):
            if isinstance(found, Exception):
                raise found
            rows.append(found)
    return pd.DataFrame(rows).drop(columns="witness", errors="ignore")


def algorithm(
    algo: AlgorithmLike,
    *,
    rewards: Assumption | tuple[float, float] | None = None,
    guarantee: Guarantee | None = None,
    **parameters: Any,
) -> Choice:
    """An algorithm with values for its parameters; a list of values is a sweep.

    >>> import dpbandits as dp
    >>> dp.algorithm("adap_ucb", alpha=[1, 3.1])
    adap_ucb(alpha=[1,3.1])

    Args:
        algo: the name of an algorithm or stopping rule, or a function.
        rewards: of a function: the interval of rewards that it assumes, or another assumption.
        guarantee: of a function: what it promises, such as ``authoring.global_dp(SOURCE)``.
        **parameters: values of its parameters.
    """
    from .settings.choices import algorithm_choice

    return algorithm_choice(algo, None, parameters, rewards, guarantee)


def algorithms() -> pd.DataFrame:
    """The algorithms of the package: a row each, with what it promises, its parameters, and the
    actions of the environments that it plays.

    >>> import dpbandits as dp
    >>> dp.algorithms().loc["adap_klucb", "parameters"]
    'alpha=3.1'
    """
    return _listing("algo")


def rules() -> pd.DataFrame:
    """The stopping rules of the package: a row each, with what it promises and its parameters."""
    return _listing("rule")


def environments() -> pd.DataFrame:
    """The environments of the package: a row each, with its law and parameters.

    >>> import dpbandits as dp
    >>> dp.environments().loc["bernoulli_c2", "parameters"]
    'family=c2, arms=5'
    """
    return _listing("env")


def experiments() -> pd.DataFrame:
    """The experiments of the package: a row each, with what it shows."""
    return _listing("experiment")


def _listing(group: str) -> pd.DataFrame:
    import pandas as pd

    from .contracts.algorithm import find_file, load
    from .errors import plain
    from .settings.groups import about, names_in, read_group

    rows = []
    for name in names_in(group):
        row = {"name": name, "about": about(group, name)}
        if group != "experiment":
            contents = read_group(group, name)
            contents.pop("law", None)
            row["parameters"] = ", ".join(f"{k}={plain(v)}" for k, v in contents.items())
        if group in ("algo", "rule"):
            found = load(find_file(name, (), group))
            row["privacy"] = found.promise()
            row["actions"] = found.actions
        rows.append(row)
    return pd.DataFrame(rows).set_index("name")


def reproduce(
    experiment: str, results: str | PathLike[str] = "results", **changes: Any
) -> list[Path]:
    """Run what is missing of an experiment, and write its table, summaries and figure.

    An experiment is left alone if its table is that of the same settings and sources and its figure
    is newer than its table and than what draws it.

    Args:
        experiment: one of ``dp.experiments()``.
        results: the folder to write to.
        **changes: keys to change: ``horizon``, ``runs``, ``seed``, ``jobs``. Of an experiment that
            varies the horizon of all settings those of at most ``horizon`` rounds are played, or
            those of the fewest.

    Returns:
        The paths of the figure: PDF and PNG.

    Raises:
        BadInput: see ``run``; or ``changes`` would replace the table of the experiment as its file
            defines it.
        RunsFailed: see ``run``.
    """
    from .figures.experiments import reproduce as make
    from .settings.choices import plain_data
    from .validation import path_of

    changes = {key: plain_data(key, value) for key, value in changes.items()}
    return make(
        plain_data("experiment", experiment), path_of("results", results, "folder"), changes
    )
