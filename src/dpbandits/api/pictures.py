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
    """The path of a page, which Jupyter shows as a link."""

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
    """Draw a tidy table: regret against time or budget, or stopping times.

    The table may also be a result of ``dp.budget``. Its figure shows regret against the budget, the
    goal and the answers.

    Args:
        table: a tidy table, or any with the columns ``algo``, ``t`` and ``regret``, or a list of
            tables, which are joined.
        x: ``t`` for regret against time, a budget (``eps`` or ``rho``) or any other column of
            several values for final regret against its values; None for the axis that suits the
            table.
        hue: a column; each of its values has a line. None for a line for each algorithm and each
            value of other varied columns.
        col: a column; each of its values has a panel. None for a panel for each environment and
            budget.
        eps: the budget, or the budgets, that are drawn; None for all.
        env: the environments that are drawn, as one name or label or a list; None for all.
        kind: ``tail`` for the probability of large regrets; ``wins`` for how often one algorithm
            is better than another over environments (see ``compare``); else None.
        band: ``ci`` for the 95 % interval of the mean, ``std`` for one standard deviation,
            ``quantiles`` for medians with 10 % to 90 % of the runs.
        bounds: whether to draw the bounds of theorems beside the regret.
        metric: ``regret``, ``average`` or ``nash``, see ``measured``.
        marks: whether to draw rings around the mean final regrets that ``compare`` cannot tell
            from the smallest of their game.
        title: a title; None for a title that says what varies, an empty text for no title.
        width: inches, or ``column``, ``text``, ``icml-column``, ``ieee-text`` and others.
        height: inches.
        figsize: the width and the height in inches.
        dpi: dots per inch of files that are no vector graphics.
        ylim: the lowest and the highest value of the axis of regret, or of stopping times.
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
        colors: the colours of algorithms, by the algorithms' names. A colour is a name in the
            palette ``okabe-ito``, as in ``LINE`` in the files of algorithms, a name of matplotlib,
            or a code such as ``#0072B2``.
        ax: your own axes, in which a figure of one panel is drawn.
        out: the file to write: PDF, PNG, SVG or PGF, or PDF and PNG if its name has no suffix.

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
        check_writable(files[0].parent)
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
    """Write one HTML page about tidy tables, with charts, summary tables, the privacy of the
    algorithms and the map of regrets.

    The page needs no network and no server. ``bandit-report`` writes such a page for a results
    folder. The function needs the extra ``report``.

    Args:
        tables: a tidy table, a list of tables, or tables by their names on the page.
        out: the file to write.
        metric: ``regret``, ``average`` or ``nash``, as in ``measured``. Theorems are about
            pseudo-regret, so pages of other metrics show no theorems.

    Returns:
        The path of the page, which Jupyter shows as a link.

    Raises:
        BadInput: an argument is not a tidy table, or a package is missing; nothing is written.
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
    """Return the theorems that bound the regret of one setting.

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
        eps_min: the lowest privacy level at which users send reports; users below it send nothing.
        assume: as in ``run``.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm.

    Returns:
        A row for each theorem that applies: ``bound, side, kind, value, formula``; the value is
        NaN if the theorem has no known constants.
    """
    request = request_of("regret", locals())

    import pandas as pd

    from ..theory.bounds import bound_rows
    from ..theory.problem import problem

    if len(request.settings) != 1:
        raise BadInput("dp.bounds takes one setting, not several")
    rows, _ = bound_rows(problem(request.settings[0].record))
    return pd.DataFrame(rows, columns=["bound", "side", "kind", "value", "formula"])
