"""Summaries of runs: the mean of each setting with its confidence interval, and texts of summaries
in several styles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from ..contracts.display import display_name, environment_title, symbol
from ..contracts.parameters import BUDGETS
from ..contracts.question import STATISTICS, Question
from ..errors import plain
from .intervals import (
    TAIL,
    at_least_zero,
    clopper_pearson,
    interval_of_mean,
    rounded_mean,
    runs_needed,
)
from .tables import unjudged
from .varying import SETTING, with_budgets

AT_ONCE = 500  # settings whose intervals are computed together
MATH = "\ue002"  # the mark before and after mathematics in a LaTeX cell
# Characters of text with their LaTeX; without it, < would be printed as an exclamation mark
IN_LATEX = str.maketrans(
    {x: f"\\{x}" for x in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)
QUANTILES = {"median": 0.5, "q10": 0.1, "q90": 0.9}


EXAMINED = "_looks"  # a column of runs: how often the runs of their setting are examined


def summary_of(runs: pd.DataFrame, by: list[str], question: Question) -> pd.DataFrame:
    """Summarise the ``value`` of each setting, such as the final regret or the stopping time.

    For stopping rules the summary also has ``halted``, the number of runs with an answer, and
    ``correct``, the share of correct answers among these runs. The 95 % interval of this share is
    ``correct_low`` to ``correct_high`` (Clopper-Pearson). The share is blank if the mean lies
    between the two hypotheses, since either answer is then right. For rules that identify an arm or
    a hypothesis, the summary also has the QUANTILES of the stopping time. A run that was stopped at
    its cap counts with the cap as its stopping time. With such a run, the mean is only a lower
    bound and has no interval, and quantiles that depend on these runs are blank.

    Args:
        runs: a row for each run, see ``Table.runs``.
        by: the columns in which settings differ.
        question: the question that the runs answer.

    Returns:
        One row for each setting: its columns, then ``mean``, ``ci_low`` and ``ci_high`` (95 %
            interval of the mean; undefined for one run and for equal runs), ``std``, ``runs`` and
            ``runs_needed``. ``runs_needed`` exceeds ``runs`` if the runs are too few to show the
            tail of their law.
    """
    summary = mean_of(runs, by)
    if question.plays_on:
        return summary
    groups = runs.groupby(by, sort=False, dropna=False)
    halted = groups["halted"].sum().to_numpy()
    capped = halted < summary["runs"]
    summary.loc[capped, ["ci_low", "ci_high"]] = np.nan
    if question.quantiles:
        for name, q in QUANTILES.items():
            value, upper = (
                pd.Series(groups["value"].quantile(q, interpolation).to_numpy(), summary.index)
                for interpolation in ("linear", "higher")
            )
            summary[name] = value.mask(capped & (upper >= summary[question.limit]))
    right = groups["correct"].sum().to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        share = right / halted
    low, high = clopper_pearson(right, halted)
    columns = {"correct": share, "correct_low": low, "correct_high": high}
    summary = summary.assign(halted=halted, **columns)
    summary.loc[unjudged(summary), list(columns)] = np.nan
    return summary


def mean_of(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the STATISTICS of ``summary_of`` for each setting, such as the mean. The column
    EXAMINED of ``runs`` may say how often the runs of a setting were examined.
    """
    groups = runs.groupby(by, sort=False, dropna=False)
    summary = groups["value"].agg(std="std", runs="count").reset_index()
    of_group = runs["value"].to_numpy(dtype=float)[np.argsort(groups.ngroup(), kind="stable")]
    starts = (summary["runs"].cumsum() - summary["runs"]).to_numpy()
    found, needed = np.full((3, len(summary)), np.nan), np.zeros(len(summary), dtype=np.int64)
    each = np.ones(len(summary))
    if EXAMINED in runs:
        each = groups[EXAMINED].max().to_numpy()
    # settings with the same number of runs and of examinations are computed together
    for alike in summary.groupby(["runs", each]).indices.values():
        n, tail = summary["runs"].iloc[alike[0]], TAIL / each[alike[0]]
        for some in np.split(alike, range(AT_ONCE, len(alike), AT_ONCE)):
            values = of_group[starts[some] + np.arange(n)[:, np.newaxis]]
            low, high = interval_of_mean(values, tail)
            found[:, some] = rounded_mean(values), at_least_zero(values, low), high
            needed[some] = runs_needed(values)
    mean, low, high = found
    summary = summary.assign(mean=mean, ci_low=low, ci_high=high, runs_needed=needed)
    return summary[[*by, *STATISTICS]]


def text_of_summary(summary: pd.DataFrame, question: Question, style: str) -> str:
    """Return a summary as text.

    ``style`` is ``simple`` or ``pipe`` (styles of tabulate), or ``latex``: LaTeX with booktabs, in
    which algorithms and environments have their display names.
    """
    columns, latex = columns_shown(summary, question), style == "latex"
    algos = summary[question.group].unique()
    header = [HEADINGS.get(name, symbol(name, algos) if latex else name) for name in columns]
    header += ["median", "10 % to 90 %"] if question.quantiles else []
    header += [question.statistic_name, "95 % interval"]
    if not question.plays_on:
        header += ["correct", "95 % of correct", "halted"]
    fixed = with_budgets(question.columns, summary)
    formats = {n: FORMATS[n] if n in FORMATS and n in fixed else value_text for n in columns}
    rows = []
    for row in summary.to_dict("records"):
        if latex:
            row = {name: NAMES[name](x) if name in NAMES else x for name, x in row.items()}
        about = ["" if pd.isna(row[n]) else formats[n](row[n]) for n in columns]
        rows.append([*about, *_measured(row, question), row["runs"]])
    align = ["left" if name in NAMES else "right" for name in columns]
    align += ["right"] * (len(header) + 1 - len(columns))
    return in_style(style, [*header, "runs"], rows, align)


def in_words(found: pd.DataFrame, row: pd.Series, question: Question) -> str:
    """Return the setting of a row as text, such as ``eps=0.5``, as a user types it."""
    formats = FORMATS | dict.fromkeys(BUDGETS, value_text)
    shown = [n for n in columns_shown(found, question) if pd.notna(row[n])]
    return " ".join(f"{name}={formats.get(name, value_text)(row[name])}" for name in shown)


def in_style(style: str, header: list[str], rows: list[list[Any]], align: list[str]) -> str:
    """Return a table as text in one of tabulate's styles, or for LaTeX."""
    if style == "latex":
        return latex_table(header, rows, align)
    rows = in_markdown(rows) if style == "pipe" else rows
    return tabulate(rows, header, tablefmt=style, colalign=align, disable_numparse=True)


def in_markdown(rows: Iterable[Iterable[Any]]) -> list[list[str]]:
    """Return the cells of a table with special characters escaped, so that Markdown shows them
    unchanged.
    """
    return [[escape(str(x), quote=False).replace("|", r"\|") for x in row] for row in rows]


def latex_table(header: list[str], rows: list[list[Any]], align: list[str]) -> str:
    """Return a table for LaTeX with booktabs. Text between dollar signs is mathematics."""
    cells = [[_escaped(str(cell)) for cell in row] for row in (header, *rows)]
    text = tabulate(cells[1:], cells[0], "latex_raw", colalign=align, disable_numparse=True)
    for rule in ("toprule", "midrule", "bottomrule"):
        text = text.replace("\\hline", f"\\{rule}", 1)
    return text


def _escaped(text: str) -> str:
    """Escape text for LaTeX. Mathematics is not escaped: a text that is a symbol between dollar
    signs, and parts between two characters MATH, stay as they are.
    """
    if re.fullmatch(r"\$[^$]*\$", text):
        return text
    parts = text.split(MATH)
    parts[::2] = [x.translate(IN_LATEX) for x in parts[::2]]
    return "$".join(parts)


def describing(summary: pd.DataFrame, measured: str = "mean") -> list[str]:
    """Return the columns of a summary or a comparison that describe its settings: the columns
    before the first measured column.
    """
    names = list(map(str, summary.columns))
    return names[: names.index(measured)]


def columns_shown(summary: pd.DataFrame, question: Question) -> list[str]:
    """Return the columns before ``mean`` that a printed table shows."""
    varied = [n for n in question.shown_if_varied if n in summary and summary[n].nunique() > 1]
    fixed = {*with_budgets(question.columns, summary), SETTING}
    swept = [name for name in describing(summary) if name not in fixed]
    if question.one_arm and "true_mean" in summary:  # a parameter equal to the mean is not shown
        swept = [name for name in swept if not summary[name].equals(summary["true_mean"])]
    varied += swept
    shown: list[str] = []
    for name in with_budgets(question.shown, summary.columns):
        shown += varied if name == "*" else [name]
    return [name for name in shown if name in summary and summary[name].notna().any()]


def _measured(row: Mapping[Hashable, Any], question: Question) -> list[str]:
    """Return the measured values of a setting as texts, one for each cell."""
    if question.plays_on:
        return [significant(row["mean"]), interval(row)]
    ended = row["halted"] / row["runs"]
    mean = at_least(ended) + significant(row["mean"])
    quantiles = []
    if question.quantiles:
        known = ["not stopped" if pd.isna(row[q]) else significant(row[q]) for q in QUANTILES]
        quantiles = [known[0], f"{known[1]} to {known[2]}"]
    if ended == 0.0:
        shares = ["none halted", ""]
    elif np.isnan(row["correct"]):
        shares = ["not judged", ""]
    else:
        low, high = percent(row["correct_low"]), percent(row["correct_high"])
        shares = [percent(row["correct"]), f"{low.removesuffix(' %')} to {high}"]
    return [*quantiles, mean, interval(row), *shares, percent(ended)]


def at_least(ended: float) -> str:
    """Return the words before a mean stopping time. The words are "at least " if the share
    ``ended`` of runs that stopped before their cap is below 1, else "".
    """
    return "at least " if ended < 1.0 else ""


def with_cut_runs(found: pd.DataFrame, name: str, cells: pd.Series) -> pd.Series:
    """Return the cells of a column of a summary, or of a table of stopping times at several
    budgets. Cells about runs that were stopped at their cap get the words "at least" or "not
    stopped".
    """
    if name == "slow":
        return cells.where((found["slow"] < found["cap"]) | (found["ended"] == 1.0), "not stopped")
    if name == "mean" and "halted" in found:
        return (found["halted"] / found["runs"]).map(at_least) + cells
    ended = found.get(ENDED.get(name, ""), pd.Series(1.0, found.index))
    return ended.map(at_least) + cells


def interval(row: Mapping[Hashable, Any]) -> str:
    """Return the interval of a mean as text."""
    if row.get("halted", row["runs"]) < row["runs"]:
        return ""
    if np.isnan(row["ci_low"]):
        return "one run: none" if row["runs"] < 2 else "equal runs: none"
    return f"{significant(row['ci_low'])} to {significant(row['ci_high'])}"


def budget(value: float) -> str:
    """Return a privacy budget as text."""
    return "not private" if np.isinf(value) else value_text(value)


def percent(share: float, digits: int = 4) -> str:
    """Return a share as text, in percent."""
    return f"{100 * share:.{digits}g} %"


def significant(x: float) -> str:
    """Return a number as text with four significant digits; a mean of some tens of runs is not
    known more precisely.
    """
    return f"{x:,.0f}" if 1000 <= abs(x) < 1e15 else f"{x:.4g}"


def value_text(value: Any) -> str:
    """Return a parameter's value as text, with all its digits: 2.0 is 2, and 1000000.0 is 1e6."""
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}".replace("e+0", "e").replace("e+", "e")
    return short if float(short) == value or np.isnan(value) else plain(value)


def rounds(T: int | str) -> str:
    """Return a number of rounds as text, such as 1e7 and not 10000000. Words are returned
    unchanged.
    """
    if isinstance(T, str):
        return T
    text = f"{T:.0e}".replace("e+0", "e").replace("e+", "e")
    return text if T >= 10_000 and float(text) == T else f"{T:.0f}"


NAMES: dict[Any, Callable[[Any], str]] = {
    "algo": display_name,
    "rule": display_name,
    "env": environment_title,
}
HEADINGS = {
    "algo": "algorithm", "env": "environment", "true_mean": "true mean", "slow": "90 % quantile",
    "without_privacy": "without privacy", "free_ended": "ended without privacy",
}  # fmt: skip
# For each mean in a sheet of budgets, the column with the share of its runs that ended
ENDED = {"samples": "ended", "weeks": "ended", "without_privacy": "free_ended"}
FORMATS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(BUDGETS, budget),
    "horizon": rounds,
    "cap": rounds,
    "true_mean": "{:.6g}".format,
    **dict.fromkeys(("rel_error", "alpha", "beta", "delta", "mu0", "mu1", "R"), value_text),
}
