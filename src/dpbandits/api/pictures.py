"""Figures, reports and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..calls import checks_arguments
from ..errors import BadInput
from .runs import request_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..settings.choices import Choice
    from .arguments import AlgorithmLike, EnvironmentLike, Number


class Page(type(Path())):  # type: ignore[misc]
    """The path of a page; Jupyter shows it as a link."""

    def _repr_html_(self) -> str:
        return f'<a href="{quote(str(self))}" target="_blank">{escape(str(self))}</a>'


@checks_arguments
def plot(
    table: pd.DataFrame | Sequence[pd.DataFrame],
    *,
    x: str | None = None,
    hue: str | None = None,
    col: str | None = None,
    eps: float | Sequence[float] | None = None,
    env: str | Sequence[str] | None = None,
    kind: str | None = None,
    band: str = "ci",
    bounds: bool = False,
    metric: str = "regret",
    marks: bool = False,
    title: str | None = None,
    width: float | str | None = None,
    height: float | None = None,
    figsize: Sequence[float] | None = None,
    dpi: float | None = None,
    ylim: Sequence[float] | None = None,
    font: str | None = None,
    note: bool | None = None,
    legend: str | None = None,
    labels: Mapping[str, str] | None = None,
    only: str | Sequence[str] | None = None,
    order: str | Sequence[str] | None = None,
    highlight: str | Sequence[str] | None = None,
    xscale: str | None = None,
    yscale: str | None = None,
    palette: str | Sequence[str] | None = None,
    colors: Mapping[str, str] | None = None,
    ax: Axes | None = None,
    out: str | PathLike[str] | None = None,
) -> Figure:
    """Draw a tidy table: regret against time or the privacy budget, or stopping times.

    The table may also be a result of ``dp.budget``. The figure of such a result shows the regret at
    each budget, the goal, and the budgets that were found.

    Args:
        table: a tidy table, any table with the columns ``algo``, ``t`` and ``regret``, or a list of
            tables, which are joined.
        x: ``t`` for regret against time. ``eps``, ``rho`` or any other column with several values
            for final regret against this column. None chooses the axis that suits the table.
        hue: a column; each of its values gets a line. None draws a line for each algorithm and each
            value of the other columns that vary.
        col: a column; each of its values gets a panel. None draws a panel for each environment and
            budget.
        eps: the budget, or a list of budgets, to draw; None for all.
        env: the environment to draw, by its name or label, or a list; None for all.
        kind: ``tail`` for the probability of large regrets; ``wins`` for the number of environments
            on which one algorithm is better than another (see ``compare``); else None.
        band: ``ci`` for the 95 % interval of the mean, ``std`` for one standard deviation,
            ``quantiles`` for medians with 10 % to 90 % of the runs.
        bounds: whether to draw regret bounds from theorems, too.
        metric: ``regret``, ``average`` or ``nash``, see ``measured``.
        marks: whether to draw a ring around each mean final regret that ``compare`` does not
            distinguish from the smallest mean in its environment at its budget.
        title: a title. None gives a title that says what varies; an empty text gives no title.
        width: the width in inches, or a word such as ``column``, ``text``, ``icml-column`` or
            ``ieee-text``.
        height: the height in inches.
        figsize: the width and the height in inches.
        dpi: dots per inch of PNG files.
        ylim: the lowest and the highest value on the axis of regret, or of stopping times.
        font: ``sans``, ``serif`` (Times), ``latex`` (Computer Modern) or an installed font.
        note: whether there is an explaining note below the panels.
        legend: ``top``, ``right``, ``inside`` or ``none``.
        labels: a dictionary with the labels of algorithms, or of lines of the legend.
        only: the algorithms to draw.
        order: the algorithms that come first in the legend.
        highlight: the algorithms to draw in colour; all others are grey.
        xscale: ``log`` or ``linear``.
        yscale: ``log`` or ``linear``.
        palette: ``okabe-ito``, ``tol-bright``, ``tol-high-contrast`` or ``grey``, or a list of
            colours.
        colors: a dictionary with the colours of algorithms. A colour is a name in the palette
            ``okabe-ito`` (see ``LINE`` in the files of algorithms), a name of matplotlib, or a code
            such as ``#0072B2``.
        ax: your own axes of matplotlib, for a figure with a single panel.
        out: the file to write, whose suffix is the format: PDF, PNG, SVG or PGF. Without a suffix,
            a PDF and a PNG are written.

    Returns:
        A figure, which Jupyter shows. If pyplot is imported, the figure is pyplot's current one.

    Raises:
        BadInput: the table cannot be drawn with these arguments.
    """
    given = locals()

    from dataclasses import replace

    from ..figures.draw import figure_of
    from ..figures.options import FigureOptions
    from ..figures.origin import files_of
    from ..files import check_writable
    from ..validation import new_file, text, yes_no

    for key in ("bounds", "marks"):
        yes_no(key, given[key])
    words = ("x", "kind", "hue", "col")
    named = {key: None if given[key] is None else text(key, given[key]) for key in words}
    chosen = replace(FigureOptions.parse(given, ax, "dpbandits.plot"), in_pyplot=True)
    files = None if out is None else files_of(new_file("out", out))
    if files is not None:
        check_writable(files[0].parent, out)
    asked = "bounds=True" if bounds else None
    figure = figure_of(table, chosen, bounds=asked, metric=metric, band=band, marks=marks, **named)
    if files is not None:
        from ..figures.style import save

        save(figure, *files)
    return figure


@checks_arguments
def report(
    tables: pd.DataFrame | Sequence[pd.DataFrame] | Mapping[str, pd.DataFrame],
    out: str | PathLike[str] = "report.html",
    *,
    metric: str = "regret",
) -> Path:
    """Write one HTML page about tidy tables: charts, summaries, the privacy of the algorithms, and
    regrets relative to lower bounds.

    The page is a single file and needs no network. A table that cannot be shown is left out, and a
    note on the page says why. ``bandit-report`` writes such a page for a results folder. The
    function needs the extra ``report`` of the package.

    Args:
        tables: a tidy table, a list of tables, or a dictionary of tables by their titles on the
            page.
        out: the file to write.
        metric: ``regret``, ``average`` or ``nash``, as in ``measured``. Theorems bound
            pseudo-regret, so pages about other metrics have no theorems.

    Returns:
        The path of the page, which Jupyter shows as a link.

    Raises:
        BadInput: no table can be shown, or a package is missing; nothing is written.
        CannotWrite: the disk is full, or the folder is not writable.
    """
    import pandas as pd

    from ..files import write_atomically
    from ..report.build import checked_page, report_of_tables
    from ..settings.choices import listed

    path = checked_page(out)
    given = [tables] if isinstance(tables, pd.DataFrame) else listed("tables", tables)
    write_atomically(path, report_of_tables(given, metric).encode())
    return Page(path)


@checks_arguments
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
    """Return the theorems that bound the regret of one algorithm in one environment.

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
        eps_min: for local privacy: users with a lower privacy level send nothing.
        assume: as in ``run``.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each theorem that applies, with the columns ``bound, side, kind, value, formula``.
        The value is NaN if the theorem does not state its constants.
    """
    request = request_of("regret", locals())

    import pandas as pd

    from ..theory.bounds import bound_rows
    from ..theory.problem import problem

    if len(request.settings) != 1:
        raise BadInput("dp.bounds takes one setting, not several")
    rows, _ = bound_rows(problem(request.settings[0].record))
    return pd.DataFrame(rows, columns=["bound", "side", "kind", "value", "formula"])
