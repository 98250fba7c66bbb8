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
    ``bandit-run``. Arguments that are left out have the defaults of conf/config.yaml.

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
        runs: independent runs of each setting; 100 by default. No interval of n runs can account
            for bad runs that are rarer than 3/n.
        seed: setting, seed and run number determine a run.
        population: users with individual privacy levels, for local privacy.
        eps_min: local privacy: users with a lower level send nothing.
        checkpoints: approximate number of points of each regret curve.
        shuffle_arms: whether each run shuffles the arms; true by default. Ties go to the arm of the
            lowest number, so without shuffling regret depends on the order of the arms.
        assume: whether to run although assumptions that only regret bounds need do not hold.
        experiment: the name of a paper's experiment, one of ``dp.experiments()``.
        jobs: number of workers, -1 for one per core. The table does not depend on ``jobs``.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and found, shared with the commands; None
            to write nothing.
        max_rows: a request whose table would have more rows is refused.
        config_dir: folder with your own algorithms, environments and experiments.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each run and checkpoint: ``algo, env, eps, horizon, seed``, a column for each
        parameter that varies, ``setting``, the id of the setting, and ``run, t, regret`` (pseudo-
        regret). The budgets of algorithms with rho-zCDP are in a column ``rho``; the column of a
        budget is blank for algorithms that do not take it. ``table.attrs["settings"]`` contains
        the description of each setting, by its id.

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
        beta: the probability with which the error may be larger than ``rel_error``, in (0, 1).
        R: rewards lie in [-R, R].
        delta: for rules that name the best arm, the probability of naming another arm, in (0, 1).
        mu0: for rules that decide between two hypotheses, the mean under the first.
        mu1: the mean under the second.
        alpha: the probability of deciding for mu1 if mu0 holds; ``beta`` is the probability of
            deciding for mu0 if mu1 holds.
        cap: a rule that has not halted after so many samples is stopped.
        runs: independent runs of each setting; 100 by default. No interval of n runs can account
            for bad runs that are rarer than 3/n.
        seed: setting, seed and run number determine a run.
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
        A row for each run: the setting, ``seed, setting, run, stopping_time, estimate, halted,
        correct``, with ``answer``, the number of an arm or a hypothesis, in the place of
        ``estimate``.

    Raises:
        BadInput, RunsFailed: as in ``run``.
    """
    return _table("stopping", locals())


def _table(question: str, arguments: dict[str, Any]) -> pd.DataFrame:
    """The tidy table of a call; its ``attrs`` describe the settings."""
    from .results.records import SETTINGS, Records
    from .running.monte_carlo import run_request

    request = _request(question, arguments)
    table, _ = run_request(request)
    table.attrs[SETTINGS] = Records(request.records)
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
        path: the path of the file, of regret or of stopping times: CSV, or ``.csv.gz`` or
            ``.parquet``.

    Raises:
        BadInput: the file is missing, or is not a tidy table.
    """
    from .results.reading import read_table
    from .validation import path_of

    return read_table(path_of("path", path))


def save(table: pd.DataFrame, path: str | PathLike[str]) -> Path:
    """Write a tidy table, with the bytes that a command writes for the same settings, but without
    the manifest that labels and bounds in figures are read from; ``results=`` of ``run`` writes it.

    Args:
        table: a tidy table of ``dp.run`` or ``dp.stop``.
        path: the path of the file; ``.csv.gz`` and ``.parquet`` are written in these formats, any
            other name as CSV.

    Raises:
        BadInput: the path names another compressed file, or pyarrow is not installed.
        CannotWrite: the disk is full, or the folder is not writable.
    """
    from .errors import BadInput, plain
    from .results.formats import format_of
    from .results.reading import frame
    from .results.tables import write_table
    from .validation import path_of

    file = path_of("path", path)
    if file.suffix in COMPRESSED and format_of(file) == "csv":
        raise BadInput(f"path={plain(path)}: a table is written as .csv, .csv.gz or .parquet")
    if file.is_dir() or not file.name:
        raise BadInput(f"path={plain(path)}: the path of a file is needed, not of a folder")
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
        metric: ``regret``; ``average`` for regret divided by the number of rounds; ``nash`` for
            Nash regret (see ``measured``). The true Nash regret may exceed the estimate by at most
            ``resolution``.

    Returns:
        One row per setting: its columns, ``mean``, ``ci_low`` and ``ci_high`` (95 % interval of the
        mean), ``std``, ``runs`` and ``runs_needed``, which exceeds ``runs`` if the runs are too few
        for their tail. For stopping rules also ``halted`` and ``correct``
        with its interval, blank where the mean lies between two hypotheses.

    Raises:
        BadInput: the table is not tidy.
    """
    from .results.metrics import NASH, resolutions
    from .results.records import records_for_nash, with_labels, with_metric
    from .results.summary import summarize
    from .results.tables import with_words

    table = _checked(table, metric)
    shown = with_metric(table, metric)
    found = summarize(with_labels(shown))
    if metric == NASH and shown is not table:
        found["resolution"] = resolutions(with_words(table), records_for_nash(table))
    return found


def measured(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A tidy table whose column ``regret`` contains another statistic.

    ``average`` is pseudo-regret divided by the number of rounds. ``nash`` is the Nash regret of
    Barman et al. 2023: the best mean minus the geometric mean, over the rounds so far, of the
    expected mean of the arm played. Nash regret is not a mean over runs. The table therefore
    contains a value for each run such that the mean of the values is the estimate, and their
    standard error is the standard error of the estimate, to first order. Summaries, intervals and
    comparisons of the table are then valid. Between two checkpoints, the estimate replaces the
    expectation by its mean over these rounds, which can only make the estimate smaller;
    ``summary(table, metric="nash")`` returns an upper bound on the difference.

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
    """Compare each algorithm with the best algorithm of its game, or with a baseline.

    A game is an environment with a budget and a horizon. If the runs show the tails of their laws,
    the intervals of all comparisons of a table hold simultaneously with probability 95 %. If bad
    runs are so rare that some samples contain none, the intervals hold less often: if 3 bad runs
    are expected, one sample in twenty contains none. No fixed number of runs is enough for every
    tail: the simulations in docs/runs.md measure how often the intervals hold. The column
    ``runs_needed`` estimates how many runs the observed tail needs.

    >>> import dpbandits as dp
    >>> table = dp.run(algo=["dp_klucb", "adap_ucb"], eps=1, horizon=1e4, runs=50)
    >>> dp.compare(table)["tied"].tolist()
    [True, False]

    Args:
        table: a tidy table, of regret or of stopping times. The stopping time of a run that reached
            its cap is the cap.
        baseline: the name of an algorithm, with which all other algorithms are compared; ``inf`` to
            compare each algorithm with itself without privacy; None for the best algorithm. A
            baseline without a budget is compared with the games of every budget.
        metric: ``regret``, ``average`` or ``nash``, as in ``measured``. For Nash regret, only means
            and their differences are meaningful: medians and probabilities describe single runs.

    Returns:
        A row for each setting, with these columns: the columns of the setting; ``mean`` and
        ``median`` of the runs; ``against``, the algorithm of the comparison; ``difference`` and
        ``ratio`` of means, ``median_difference`` and ``median_ratio``, and ``smaller``, the
        probability of a smaller regret, each with its limits ``_low`` and ``_high``; ``tied``,
        whether the mean cannot be distinguished from the best mean, and ``median_tied``;
        ``letters``: algorithms that cannot be distinguished share a letter; ``runs``, and
        ``runs_needed``, which exceeds ``runs`` if the runs are too few for their tail.

    Raises:
        BadInput: the table is not tidy, or has no such baseline.
    """
    from .comparison.table import compare as compared
    from .errors import plain
    from .results.records import with_labels
    from .settings.choices import plain_data

    name = None if baseline is None else plain(plain_data("baseline", baseline))
    return compared(with_labels(measured(table, metric)), name)


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

    The search adds runs at a budget until the regret there is above or below the goal with
    confidence, and bisects the budgets until the interval is as narrow as ``precision`` requires,
    or ``runs`` do not suffice. The interval holds with probability 95 % (docs/comparing.md).

    >>> import dpbandits as dp
    >>> found = dp.budget("dp_se", "bernoulli_c2", 1e4, ratio=2, precision=2, runs=512)
    >>> bool(found.loc[0, "low"] <= found.loc[0, "budget"] <= found.loc[0, "high"])
    True

    Args:
        algo: an algorithm, or several, as in ``run``.
        env: one environment.
        horizon: number of rounds, T.
        regret: the largest mean regret at the horizon.
        ratio: instead of ``regret``, the largest ratio to the mean regret of the baseline.
        baseline: for ``ratio``, an algorithm without privacy; None for each algorithm itself
            without privacy.
        least: the smallest budget that is tried.
        most: the largest budget that is tried.
        precision: the ratio of the ends of the requested interval.
        runs: independent runs at one budget, at most.
        seed: as in ``run``.
        shuffle_arms: as in ``run``.
        assume: whether to run although assumptions that only regret bounds need do not hold.
        jobs: number of workers.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and found.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each algorithm: ``algo``, and the parameters that distinguish algorithms of one
        name; ``budget`` with its interval from ``low`` to ``high``; ``reached``, whether a budget
        reaches the goal; ``name`` (``eps`` or ``rho``), ``env, horizon, goal, baseline``; the
        ``runs`` and ``seconds`` of the search; the ``answer`` as a sentence. If the smallest budget
        that was tried reaches the goal, ``low`` is 0; if no budget reaches it, ``budget`` is
        blank.

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

    The page needs no network and no server. ``bandit-report`` writes such a page for a results
    folder. The function needs the extra ``report``.

    Args:
        tables: a tidy table, several, or several by their names on the page.
        out: the file to write.
        metric: ``regret``, ``average`` or ``nash``, as in ``measured``. Theorems are about pseudo-
            regret, so pages of other metrics show no theorems.

    Returns:
        The path of the page.

    Raises:
        BadInput: an argument is no tidy table, or a package is missing; nothing is written.
        CannotWrite: the disk is full, or the folder is not writable.
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
        algo: as in ``run``.
        env: the environment.
        eps: privacy budget.
        rho: privacy budget of an algorithm with rho-zCDP.
        horizon: number of rounds.
        population: users with individual privacy levels.
        eps_min: the lowest level of users who send.
        assume: as in ``run``.
        config_dir: as in ``run``.
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
    """Audit the guarantee of an algorithm: replay its proof, and bound its privacy loss from below.

    The audit plays the algorithm on sequences of rewards that differ in one reward, and searches
    for an event that distinguishes them. docs/privacy_limits.md says what an audit proves.

    Args:
        algo: an algorithm, as in ``run``. The verdict on a function that declares no ``rewards``
            (see ``algorithm``) and does not truncate rewards is *undecided*.
        rule: a stopping rule instead.
        mechanism: the name of a release instead.
        policy: an external policy instead, a bandit in plain Python that does not use this package,
            for rewards in [0, 1]: ``policy(arms=K, horizon=T, eps=eps, rng=generator)`` returns an
            object with ``choose() -> int`` and ``receive(arm, reward)``, or with its own loop,
            ``play(pull)``, that calls ``pull(arm) -> reward``. The policy may also draw random
            numbers from the functions of ``numpy.random`` and ``random``; a fixed seed has its
            effect. The audit replays the noise of the policy, and samples its actions only if the
            replays show no privacy. The verdict is *consistent* only if every replay succeeded,
            else *VIOLATED* or *undecided*.
        local: whether a policy promises the privacy of each user's response, which the policy adds
            to a reward at once. Otherwise it promises the privacy of all its actions. If a replay
            fails, the audit samples responses and actions.
        eps: the budget, or a list of budgets.
        rho: the budget, or a list of budgets, of a promise of rho-zCDP.
        horizon: rounds of the games; None for several, as long as they are cheap.
        exact: compute the exact loss of an algorithm's actions instead (docs/exact_loss.md).
        arms: the number of arms of an exact loss; 2 if None.
        runs: the largest number of runs of a test under each of two neighbours; None for a number
            that is enough in most cases.
        confidence: the probability that a measured loss does not exceed the true loss.
        seed: the seed and the arguments above determine a finding.
        jobs: number of workers, -1 for one per core.
        results: folder in which findings of samples are stored; None to write nothing.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm; for a rule also the keys by which its answers are
            judged, such as ``rel_error``.

    Returns:
        A row for each budget, and for local privacy a second row for the response of a user:
        ``measured``, the lower confidence bound on the privacy loss, and ``promised``, both in the
        ``unit`` eps, or mu for zCDP and RDP; ``detectable``, the least multiple of the promised
        loss that the runs would have refuted; the neighbouring sequences and the event; how many
        ``replays`` of the alignment were ``aligned``; and the ``verdict``, one of VIOLATED,
        MISALIGNED, undecided, consistent and proved (docs/privacy.md). With ``exact``, a row for
        each budget and horizon, with ``low`` and ``high``, between which the loss lies.

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
    from .files import check_writable
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
    folder = None if results is None else path_of("results", results, "folder")
    if folder is not None:
        check_writable(folder)
    return _audited(requested(config, keys, made, spec), folder and folder / "audits")


def _audited(audits: Sequence[Audit], folder: Path | None) -> pd.DataFrame:
    """The findings of audits, a row each."""
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
        rewards: for a function, the interval of rewards that it assumes, or another assumption.
        guarantee: for a function, its promise, such as ``authoring.global_dp(SOURCE)``.
        **parameters: values of the algorithm's parameters.
    """
    from .settings.choices import algorithm_choice

    return algorithm_choice(algo, None, parameters, rewards, guarantee)


def algorithms() -> pd.DataFrame:
    """The algorithms of the package, one row each: the promise, the parameters, and the kind of
    actions that the algorithm plays.

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
    """The experiments of the package: one row each, with a description."""
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
    """Play the missing runs of an experiment, and write its table, summaries and figure.

    Nothing is written if the table has the same settings and sources, and the figure is newer than
    the table and than the code that draws it.

    Args:
        experiment: one of ``dp.experiments()``.
        results: the folder to write to.
        **changes: keys to change: ``horizon``, ``runs``, ``seed``, ``jobs``. If an experiment
            varies the horizon of all settings, the settings of at most ``horizon`` rounds are
            played, or the settings of the smallest horizon.

    Returns:
        The paths of the figure: PDF and PNG.

    Raises:
        BadInput: as in ``run``; or ``changes`` would replace the table of the experiment as its
            file defines it.
        RunsFailed: as in ``run``.
    """
    from .figures.experiments import reproduce as make
    from .settings.choices import plain_data
    from .validation import path_of

    changes = {key: plain_data(key, value) for key, value in changes.items()}
    return make(
        plain_data("experiment", experiment), path_of("results", results, "folder"), changes
    )
