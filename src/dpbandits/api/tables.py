"""Read, write, summarise and compare tables of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..calls import checks_arguments
from ..errors import BadInput, plain

if TYPE_CHECKING:
    import pandas as pd

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")  # ``save`` refuses these, except .csv.gz


@checks_arguments
def load(path: str | PathLike[str]) -> pd.DataFrame:
    """Read a tidy table that a command or ``dp.save`` has written.

    Args:
        path: the path of a table of regret or of stopping times. The format is CSV, ``.csv.gz`` or
            ``.parquet``.

    Raises:
        BadInput: the file is missing, or is not a tidy table.
    """
    from ..results.formats import tables_in
    from ..results.table import load as read
    from ..validation import path_of

    file = path_of("path", path)
    if file.is_dir():
        names = [table.name for table in tables_in(file)]
        choice = f"the path of one of its tables is needed: {', '.join(names)}"
        raise BadInput(f"path={plain(path)}: {choice if names else 'the folder has no tables'}")
    return read(file)


@checks_arguments
def save(table: pd.DataFrame, path: str | PathLike[str]) -> Path:
    """Write a tidy table to a file. The file has the bytes of the file that a command writes for
    these settings.

    The function also writes the records of the settings to a second file, whose name ends in
    ``.records.json``. ``dp.load`` reads the second file, since labels, bounds and metrics need the
    records. A table without records, such as a join of several tables, has no second file. Only
    commands write the whole manifest.

    Args:
        table: a tidy table of ``dp.run`` or ``dp.stop``.
        path: the path of the file. The ending ``.csv.gz`` or ``.parquet`` of the path gives the
            format; without such an ending, the format is CSV.

    Raises:
        BadInput: the path has the ending of another compressed format, pyarrow is not installed,
            the argument is not a table of pandas or of a package that converts its tables to
            pandas, or the table has a word that a CSV file cannot hold.
        CannotWrite: the disk is full, or the folder is not writable.
    """
    from ..files import is_replaceable
    from ..results.formats import format_of
    from ..results.frames import frame_of
    from ..results.manifest import write_records
    from ..results.reading import refuse_other_words
    from ..results.records import records_of
    from ..results.table import RECORDS
    from ..results.tables import write_table
    from ..validation import path_of

    file = path_of("path", path)
    if file.suffix.lower() in COMPRESSED and format_of(file) == "csv":
        raise BadInput(f"path={plain(path)}: a table is written as .csv, .csv.gz or .parquet")
    if not file.name or not is_replaceable(file):
        needed = "the path of a file is needed, not of a folder, a pipe or a device"
        raise BadInput(f"path={plain(path)}: {needed}")
    found = frame_of("the table", table)
    if format_of(file) != "parquet":
        refuse_other_words(f"path={plain(path)}", found)
    checksum = write_table(file, found)
    write_records(file, checksum, records_of(found.attrs.get(RECORDS)))
    return file


@checks_arguments
def summary(
    table: pd.DataFrame | Sequence[pd.DataFrame], *, metric: str = "regret"
) -> pd.DataFrame:
    """Summarise the final regret, or the stopping time, of each setting of a tidy table.

    >>> import dpbandits as dp
    >>> table = dp.run(algo="dp_se", eps=[0.5, 1], horizon=1e4, runs=3)
    >>> dp.summary(table)["runs"].tolist()
    [3, 3]

    Args:
        table: a tidy table, or a list of tables, which are joined.
        metric: ``regret``; ``average`` for regret divided by the number of rounds; ``nash`` for
            Nash regret (see ``measured``). The true Nash regret may exceed the estimate by at most
            ``resolution``.

    Returns:
        One row per setting: its columns, ``mean``, ``ci_low`` and ``ci_high`` (95 % interval of the
        mean), ``std``, ``runs`` and ``runs_needed``, which exceeds ``runs`` if the runs are too few
        to show how large regret can be. For stopping rules, the rows also have ``halted``, the
        number of runs with an answer, and ``correct``, the share of correct answers with its
        interval. ``correct`` is blank if the mean lies between the two hypotheses. If a run reached
        its cap, the mean is only a lower bound without an interval, and quantiles at the cap are
        blank. For labelled data, the rows also have ``of_constant``: the mean divided by the
        expected mistakes of the best constant action.

    Raises:
        BadInput: the table is not tidy.
    """
    from ..results.metrics import NASH, REGRET
    from ..results.table import of_frames

    given = of_frames(table)
    found = given.measured(metric).with_labels().summary()
    if metric == NASH and given.metric == REGRET:
        found["resolution"] = given.resolutions()
    return found


@checks_arguments
def latex(
    table: pd.DataFrame | Sequence[pd.DataFrame],
    *,
    columns: str | Sequence[str] | None = None,
    best: str | None = None,
    pivot: str | None = None,
    digits: int | None = None,
    labels: Mapping[str, str] | None = None,
    metric: str = "regret",
) -> str:
    """Return the summary of a tidy table, or of several joined tables, as a table for LaTeX.

    Commands write this LaTeX table, too. The function also takes a result of ``budget``.

    >>> import dpbandits as dp
    >>> table = dp.run(algo=["dp_klucb", "adap_ucb"], eps=[0.5, 1], horizon=1e4, runs=5)
    >>> "begin{tabular}" in dp.latex(table, pivot="eps", best="tied")
    True

    Args:
        table: a tidy table, or a list of tables.
        columns: the columns of ``summary`` and of ``compare`` that are printed, in this order, as a
            list or as text with commas; ``interval`` is the interval of the mean. Columns are added
            if rows, or the games (environment, horizon and budget) of bold means, would look alike
            without them.
        best: ``tied`` (or ``bold``) prints a mean in bold if ``compare`` does not distinguish it
            from the smallest mean of its game. ``plain`` prints no mean in bold.
        pivot: a column, such as ``eps``; each of its values becomes a column of the LaTeX table.
        digits: the number of significant digits of measured values.
        labels: a dictionary with labels for algorithms, environments and other words.
        metric: ``regret``, ``average`` or ``nash``, as in ``measured``.

    Raises:
        BadInput: the table is not tidy, or has no such column.
    """
    from ..comparison.table import compare as compared
    from ..comparison.table import complete
    from ..results.frames import answer_in
    from ..results.latex import latex_of_budgets, latex_of_summary, parse_table_options
    from ..results.table import of_frames
    from ..settings.choices import plain_data

    named = {"columns": columns, "best": best, "pivot": pivot, "digits": digits, "labels": labels}
    options = parse_table_options({key: plain_data(key, value) for key, value in named.items()})
    if (answer := answer_in(table)) is not None:
        return latex_of_budgets(answer, options)
    joined = of_frames(table).measured(metric).with_labels()
    found = complete(joined.summary(), compared(joined))
    return latex_of_summary(found, joined.question, options)


@checks_arguments
def measured(table: pd.DataFrame | Sequence[pd.DataFrame], metric: str) -> pd.DataFrame:
    """Return a tidy table in which another statistic replaces pseudo-regret.

    The statistic is in a column ``average_regret``, ``nash_regret`` or ``error``.

    ``average`` is pseudo-regret divided by the number of rounds. ``nash`` is the Nash regret of
    Barman et al. 2023: the best mean minus the geometric mean, over the rounds so far, of the
    expected mean of the arm played. Nash regret is not a mean over runs. The table therefore has a
    value for each run, such that the mean of the values is the estimate. The standard error of the
    values is, to first order, the standard error of the estimate, so summaries, intervals and
    comparisons of the table are valid. In the rounds between two checkpoints, the estimate uses the
    mean of the expectation over these rounds, which can only make the estimate smaller.
    ``summary(table, metric="nash")`` returns an upper bound on the difference.

    >>> import dpbandits as dp
    >>> table = dp.run(algo="dp_se", env=dp.bernoulli([0.9, 0.6]), horizon=1e4, runs=5)
    >>> nash, average = (dp.measured(table, metric) for metric in ("nash", "average"))
    >>> bool(dp.summary(nash)["mean"][0] > dp.summary(average)["mean"][0] > 0)
    True

    Args:
        table: a tidy table of regret, or a list of tables. ``nash`` needs a table that ``dp.run``
            returned, or a table loaded from a file with a manifest.
        metric: ``regret``, ``average``, ``nash`` or ``error``. ``error`` is the mean loss per
            round: the share of mistakes on labelled data, and 1 - the mean reward on a log.

    Raises:
        BadInput: there is no such metric, or the table lacks what the metric needs.
    """
    from ..results.table import of_frames

    return of_frames(table).measured(metric).frame()


@checks_arguments
def compare(
    table: pd.DataFrame | Sequence[pd.DataFrame],
    baseline: str | None = None,
    *,
    metric: str = "regret",
    sets: bool = False,
) -> pd.DataFrame:
    """Compare each algorithm with the best algorithm, or with a baseline, in each game.

    A game is an environment with a budget and a horizon. The intervals of all comparisons of a
    table hold simultaneously with probability 95 %, if the table contains enough of the rare runs
    with a large regret. If such runs are so rare that a table may contain none, the intervals hold
    less often: if 3 such runs are expected, one table in twenty contains none. No fixed number of
    runs is enough for every law of regret; the simulations in docs/runs.md measure how often the
    intervals hold. The column ``runs_needed`` estimates how many runs are needed.

    >>> import dpbandits as dp
    >>> table = dp.run(algo=["dp_klucb", "adap_ucb"], eps=1, horizon=1e4, runs=50)
    >>> dp.compare(table)["tied"].tolist()
    [True, False]

    Args:
        table: a tidy table, or a list of tables, of regret or of stopping times. If a run reached
            its cap, its stopping time is the cap.
        baseline: the name of an algorithm with which all others are compared; ``inf`` to compare
            each algorithm with itself without privacy; None for the best algorithm. A baseline
            without a budget is the baseline at every budget.
        metric: ``regret``, ``average`` or ``nash``, as in ``measured``. For Nash regret, only means
            and their differences have a meaning, since medians and probabilities describe single
            runs.
        sets: whether to count, for each pair of algorithms, on how many environments one is better
            than the other. At least three environments and three algorithms are needed. The result
            has a row for each budget and ordered pair of algorithms. ``other`` is the second
            algorithm, and ``sets`` is the number of environments. ``below`` is the number of
            environments on which the first algorithm has the smaller mean. ``wins``, ``ties`` and
            ``losses`` count environments, where a tie means that the permutation test finds no
            difference. ``share`` is below / sets, with its 95 % interval over environments (Clopper
            & Pearson). ``rank`` and ``other_rank`` are the mean ranks, ``critical_difference`` is
            the critical difference of two ranks (Nemenyi, 5 %), and ``p`` belongs to Friedman's
            test of equal ranks.

    Returns:
        A row for each setting, with the columns of the setting, and ``mean`` and ``median`` of the
        runs. ``against`` is the algorithm with which the setting is compared. ``difference`` and
        ``ratio`` compare the two means, ``median_difference`` and ``median_ratio`` compare the two
        medians, and ``smaller`` is the probability of a smaller regret; each of these columns has
        limits ``_low`` and ``_high``. ``differs`` says whether a permutation test for all pairs of
        the table finds a difference from the mean of ``against``. ``tied`` says whether the test
        finds no difference from the best mean, and ``median_tied`` says whether the intervals show
        no difference from the best median. Algorithms share a letter in ``letters`` if the test
        finds no difference. ``runs_needed`` exceeds ``runs`` if the runs are too few to show how
        large regret can be.

    Raises:
        BadInput: the table is not tidy, it does not contain the baseline, or it has too few
            environments for ``sets``.
    """
    from ..comparison.table import compare as compared
    from ..comparison.wins import over_sets
    from ..results.table import of_frames
    from ..settings.choices import plain_data
    from ..validation import yes_no

    if yes_no("sets", plain_data("sets", sets)):
        if baseline is not None:
            raise BadInput("sets=True: all pairs are compared; leave baseline out")
        return over_sets(of_frames(table).measured(metric).with_labels())
    name = None if baseline is None else plain(plain_data("baseline", baseline))
    return compared(of_frames(table).measured(metric).with_labels(), name)
