"""Make the part of the page that shows one table (or its summary): numbers, points of charts, and
ratios to lower bounds.

A setting has a *place*, which consists of a panel and a level. The panel is its environment, and
the level is its value on the axis. The axis is a budget, or the parameter with most values. In a
place, each algorithm with its parameters is a line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tabulate import tabulate

from ..audit.verdicts import VIOLATED
from ..comparison.samples import game_columns
from ..comparison.table import compare, games
from ..comparison.text import place_of, text_of_comparison
from ..contracts.display import display_name, environment_title, own_labels, symbol
from ..contracts.parameters import BUDGETS
from ..contracts.question import Question
from ..figures.bounds import curves
from ..figures.labels import environment_titles, inside_sentence, plain_text, unprotected
from ..results.metrics import METRICS, NASH, REGRET, measuring
from ..results.references import lines_of_references
from ..results.summary import (
    FORMATS,
    NAMES,
    columns_shown,
    describing,
    rounds,
    text_of_summary,
    value_text,
)
from ..results.table import Table
from ..results.varying import SETTING, WITHOUT, of_game, varying, with_budgets
from ..theory.bounds import best_lower_bound
from ..theory.problem import budget_of
from .charts import BESIDE, COLUMNS, Chart, chart_of
from .sources import Source

MAX_SHOWN = {SETTING: 1000, "line": 24}  # limits for a table whose settings are shown one by one
POINTS, FEWEST, NUMBERS = 40, 12, 300  # of a curve, at most and at least; of a whole table, about
# Points of a tail: ranks from the worst run on, with equal ratios, and shares of the runs
RANKS, SHARES = 20, np.linspace(0.1, 0.9, 9)
NO_AXIS = ("env.instance", "seed", "cap", "true_mean")  # these columns are on no axis
ROOM, SLACK = 3.0, 30.0  # bounds are cut at these factors above and below the means
STEPS = {"interpolate": "step-before"}
OVER_TIME, AT_END, TAILS = "Over time", "At the end", "Tails: how often a run is worse"
MAP = "Regret over the best lower bound"
ENDS = {"mean": "y", "ci_low": "low", "ci_high": "high"}  # columns of summaries: columns of points
RATIOS = ["game", "algorithm", "algo", "budget", "value", "ratio"]


class Best(NamedTuple):
    """The best algorithms of a game."""

    where: str  # the environment and the other values of the game, for a sentence
    names: frozenset[str]


class Study:
    """The part of the page that shows one table.

    Attributes:
        ratios: regret divided by the best lower bound, see ``ratios_of``.
        note: the reason why the settings are aggregated; empty if they are not aggregated.
        axis: the column on the axis; None if no column varies.
        places: for each setting the ``panel``, the ``place``, the value ``x`` on the axis (NaN if
            it has none), the ``line`` and the ``algo``.
    """

    def __init__(self, source: Source):
        self.ratios, self.note = ratios_of(source), ""
        self.axis, self.places = arranged(source)
        many = [name for name, most in MAX_SHOWN.items() if self.places[name].nunique() > most]
        if many:
            counted = f"{self.places[many[0]].nunique():,} {many[0]}s"
            self.note = f"{counted} are too many to be shown one by one"
            source = collapsed(source)
            self.axis, self.places = arranged(source)
        self.source, self.question = source, source.question

    def numbers(self) -> str:
        """Return the summary as an HTML table."""
        return self._html(text_of_summary, self.source.summary)

    def references(self) -> list[str]:
        """Return lines about the mistakes of uniform play and of the best constant action. The list
        is empty if the data have no users or the metric is not pseudo-regret.
        """
        found, known = self.source.summary, self.source.recorded
        is_regret = self.source.metric == REGRET
        return [*lines_of_references(found, known, self.question)] if is_regret else []

    def below_axis(self) -> list[str]:
        """Return the lines with a mean of at most 0, which a logarithmic axis cannot show."""
        return [*dict.fromkeys(self.places["line"][self.source.summary["mean"].le(0.0)])]

    @cached_property
    def compared(self) -> pd.DataFrame | None:
        """The comparison of the table; None if the table has no runs of settings, or only one
        line.
        """
        if self.source.table is None or self.note or self.places["line"].nunique() == 1:
            return None
        return compare(self.source.table)

    def comparison(self) -> str:
        """Return the comparison as an HTML table; empty if there is no comparison."""
        return "" if self.compared is None else self._html(text_of_comparison, self.compared)

    def _html(self, text_of: Callable[..., str], frame: pd.DataFrame) -> str:
        measured = measuring(self.question, self.source.metric)
        return compact(text_of(named(frame), measured, "html"))

    @cached_property
    def best(self) -> list[Best]:
        """The best algorithms in each game that has several algorithms; empty if settings are
        aggregated.

        The best algorithms have the smallest mean or are tied with the best. A summary has no ties,
        so only the algorithm with the smallest mean is the best.
        """
        rows = self.source.summary if self.compared is None else self.compared
        group, found = self.question.group, []
        game_has = game_columns(rows[describing(rows)], self.question)
        names = [n for n in columns_shown(rows, self.question) if n in game_has]
        shown = [name for name in names if rows[name].nunique() > 1]
        titles = {str(env): environment_title(str(env)) for env in rows["env"].unique()}
        if self.source.table is not None:
            titles |= environment_titles(self.source.table)
        titles = {env: inside_sentence(title) for env, title in titles.items()}
        for game in [] if self.note else games(rows, self.question):
            if game[group].nunique() > 1:
                best = game["tied"] if "tied" in game else game["mean"] == game["mean"].min()
                found.append(Best(place_of(game, shown, titles), frozenset(game[group][best])))
        return found

    def chart(self) -> Chart | None:
        """Return the chart of the table; None if nothing can be drawn."""
        x, metric, regrets = self.places["x"], self.source.metric, self.question.plays_on
        label = METRICS[metric] if regrets else "samples until it stops"
        scale = {"type": "log" if x.max() > 4 * x.min() > 0 else "linear"}
        at = {
            "title": plain_text(symbol(str(self.axis), self.places["algo"].unique())),
            "scale": scale,
        }
        views: dict[str, Chart] = {
            OVER_TIME: {"x": {"title": "round t"}, "y": {"title": label}},
            AT_END: {"x": at, "y": {"title": label}},
            TAILS: {"x": {"title": label}, "y": {"title": "share of runs above"}, "steps": STEPS},
        }
        return chart_of(self.points(), self.places, views)

    def points(self) -> pd.DataFrame:
        """Return the points of the charts: final means, curves over time, tails and bounds."""
        table, places = self.source.table, self.places
        at, parts = places.drop(columns="x"), []
        if places["x"].nunique() > 1:  # a line without a value x is horizontal
            means = self.source.summary.rename(columns=ENDS)[[*ENDS.values()]]
            ends = places.assign(view=AT_END, place=places["panel"]).join(means)
            free = ends["x"].isna()
            sides = [ends[free].assign(x=x) for x in (ends["x"].min(), ends["x"].max())]
            parts += [ends[~free], *sides]
        if table is not None and self.question.plays_on:
            curves = table.curves(most=int(np.clip(NUMBERS / len(places), FEWEST, POINTS)))
            found = curves[[SETTING, "t", *ENDS]].rename(columns=ENDS | {"t": "x"})
            if found["x"].nunique() > 1:
                parts.append(at.merge(found, on=SETTING).assign(view=OVER_TIME))
        if table is not None and self.source.metric != NASH:  # its values are not of runs
            parts.append(tails(table.runs).merge(at, on=SETTING).assign(view=TAILS))
        if table is not None and self.source.problems:
            parts += self.bounds(table)
        found = pd.concat([pd.DataFrame(columns=COLUMNS), *parts], ignore_index=True)[COLUMNS]
        shown = (found["x"] > 0) | (found["view"] == AT_END)  # this axis may be linear
        found = found[shown & (found["y"] > 0)]
        return found.assign(bound=found["bound"].fillna(""))

    def bounds(self, table: Table) -> Iterator[pd.DataFrame]:
        """Yield the curves of regret bounds in each panel, as in figures. Parts far from the
        measured values are left out.
        """
        views, means = {"t": OVER_TIME, self.axis: AT_END}, self.source.summary["mean"]
        for _, own in self.places.groupby("panel", sort=False):
            drawn = curves(table.where(table.settings.index.isin(own[SETTING])))
            near = drawn["value"].between(means.min() / SLACK, means.max() * ROOM)
            drawn = drawn[near & drawn["axis"].isin(views)]
            drawn = drawn[["axis", SETTING, "x", "value", "label"]].iloc[::4]  # 15 points each
            found = drawn.merge(own.drop(columns="x"), on=SETTING)
            place = found["place"].where(found["axis"] == "t", found["panel"])
            found = found.rename(columns={"value": "y", "label": "bound"})
            yield found.assign(place=place, view=found["axis"].map(views))


def named(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary with the display names of algorithms and environments."""
    return summary.assign(**{x: summary[x].map(f) for x, f in NAMES.items() if x in summary})


def html_of(frame: pd.DataFrame) -> str:
    """Return a frame as an HTML table; empty without rows."""
    found = tabulate(frame, "keys", "html", floatfmt=".4g", showindex=False)
    return compact(found) if len(frame) else ""


def with_violations(html: str) -> str:
    """Return an HTML table with violations highlighted."""
    return html.replace(f"<td>{VIOLATED}</td>", f'<td class="violated">{VIOLATED}</td>')


def compact(html: str) -> str:
    """Return a shorter form of tabulate's HTML table, without spaces around cells and with short
    attributes.
    """
    html = html.replace(' style="text-align: right;"', ' class="n"')
    return re.sub(r"(?<=>) +| +(?=<)", "", html)


def collapsed(source: Source) -> Source:
    """Return a source with fewer settings: an average over environments and similar budgets.

    The mean of each setting counts as one run of its algorithm; the environment of this run stands
    for all environments, and its budget is rounded to one digit.
    """
    summary, question = source.summary, source.question
    budgets, envs = with_budgets(["eps"], summary), summary["env"].unique()
    keep = [question.group, *budgets, question.limit]
    runs = summary[keep].assign(
        **{name: summary[name].map(one_digit) for name in budgets},
        **{question.statistic: summary["mean"], "t": summary[question.limit]},
        env=f"{len(envs)} environments" if len(envs) > 1 else envs[0], seed=0, halted=1,
    )  # fmt: skip
    number = runs.groupby(keep, sort=False, dropna=False).ngroup().map(str)
    about = [*with_budgets(question.columns, runs), "seed"]
    settings = runs.set_index(number.rename(SETTING)).reindex(columns=about)
    ends = runs.reindex(columns=question.measured).assign(
        run=runs.groupby(keep, dropna=False).cumcount()
    )
    ends.insert(0, SETTING, number)
    first = settings[~settings.index.duplicated()]
    table = Table(question, first, ends, lambda: iter([ends]))
    return replace(source, table=table, summary=table.summary(), recorded={})


def one_digit(x: float) -> float:
    """Round a number to one digit."""
    return float(f"{x:.1g}")


def arranged(source: Source) -> tuple[str | None, pd.DataFrame]:
    """Decide which varied columns are on the axis, in titles of panels and in labels of lines.
    Return the axis and the ``places`` of a study.
    """
    summary, question = source.summary, source.question
    columns = describing(summary)
    settings = summary[columns]
    budgets = with_budgets(["eps"], settings)
    group, axis = question.group, axis_of(settings, question)
    own = [b for b in budgets if axis in budgets and b != axis]  # other budgets belong to lines
    panel = {*question.columns, "seed", "population", *budgets} - {group, axis, *own}
    if {"env.mean", "env.means"} & {*settings.columns}:
        panel.discard("true_mean")  # these parameters determine true_mean
    game = [c for c in columns if c in panel or (of_game(c) and c != axis)]
    shown = [c for c in varying(settings, game, blank=True) if c != "env"]
    others = [c for c in columns if c not in (*game, axis, group, SETTING, "true_mean")]
    vary = varying(settings, others, within=[group, "env", *shown], blank=True)
    free = unprotected(settings, group, source.recorded) & (axis in budgets)
    panels, lines = [], []
    for row, bare in zip(settings.to_dict("records"), free, strict=True):
        title = environment_title(str(row["env"])), *words({name: row[name] for name in shown})
        panels.append(", ".join(filter(None, title)) or "all")
        values = {name: row[name] for name in vary if not (own and row[name] == math.inf)}
        algo = str(row[group])
        lines.append(", ".join([display_name(algo), *words(values, [algo]), *[WITHOUT] * bare]))
    x = settings[axis].astype(float) if axis else pd.Series(np.nan, settings.index)
    x = x.where(np.isfinite(x))
    levels = ["" if pd.isna(y) else BESIDE + words({axis: y})[0] for y in x]
    places = pd.DataFrame({SETTING: settings[SETTING], "panel": panels, "line": lines, "x": x})
    place = places["panel"] + (levels if x.nunique() > 1 else "")
    return axis, places.assign(place=place, algo=settings[group])


def axis_of(settings: pd.DataFrame, question: Question) -> str | None:
    """Return the column for the axis, or None if no column varies.

    A budget becomes the axis if it has at least three values, or at least as many values as each
    parameter. If no budget has so many values, the parameter with most values becomes the axis.
    """
    others = settings.drop(columns=[question.group, SETTING, *NO_AXIS], errors="ignore")
    numbers = others.apply(pd.to_numeric, errors="coerce")
    numbers = numbers.loc[:, ~(numbers.isna() & others.notna()).any()].where(np.isfinite)
    counts = dict(numbers.nunique())
    if any(counts.get(name, 0) > 1 for name in BUDGETS):
        counts.pop(question.limit, None)
    ranks = {c: (c in BUDGETS and n >= 3, n, c in BUDGETS) for c, n in counts.items()}
    best = max(counts, key=ranks.__getitem__, default=None)
    return best if best in BUDGETS or (best and counts[best] > 1) else None


def words(values: Mapping[Any, Any], algos: Iterable[str] = ()) -> list[str]:
    """Return texts such as "alpha = 2" for the columns that are not blank. If users' algorithms
    among ``algos`` declare labels, the labels replace names and words.
    """
    labels = own_labels(algos)
    texts = {n: FORMATS.get(n, value_text)(x) for n, x in values.items() if not pd.isna(x)}
    texts |= {n: plain_text(labels[text]) for n, text in texts.items() if text in labels}
    return [f"{plain_text(symbol(name, algos))} = {text}" for name, text in texts.items()]


def tails(runs: pd.DataFrame) -> pd.DataFrame:
    """Return points of the tail of each setting: ``y`` is the share of the setting's runs whose
    value is ``x`` or above. The ``x`` are the values of some runs, among them the worst.

    Steps that end at these points show the law of the runs exactly if all values are among the
    ``x``. If equal runs are the worst, a second point for the first of them ends the line.
    """
    parts = []
    for own, found in runs.groupby(SETTING, sort=False)["value"]:
        values, n = np.sort(found.to_numpy()), len(found)
        rank = np.append(np.geomspace(1, n, RANKS), SHARES * n).astype(int).clip(1)
        x = np.unique(values[n - rank])
        share = (n - np.searchsorted(values, x)) / n
        ends = {"x": np.append(x, x[-1]), "y": np.append(share, 1 / n)}
        parts.append(pd.DataFrame({SETTING: own, **ends}))
    return pd.concat(parts, ignore_index=True).drop_duplicates()


def ratios_of(source: Source) -> pd.DataFrame:
    """Return the mean final regret of private settings, divided by the best lower bound on this
    regret.

    Returns:
        The ``game`` (environment and horizon), the ``algorithm`` and the name of its file, the
        ``budget`` and its ``value``, and the ``ratio``.
    """
    rows = []
    settings = source.summary[[SETTING, "mean"]].to_numpy()
    for (own, mean), found in zip(settings, source.problems, strict=False):  # the list may be empty
        name, budget = budget_of(record := source.recorded[own])
        bound = best_lower_bound(found) if math.isfinite(budget) else None
        ratio = mean / bound.value(found) if bound is not None else math.nan
        if 0 < ratio < math.inf:
            game = f"{environment_title(record['env'])}, T = {rounds(record['horizon'])}"
            rows.append((game, display_name(record["algo"]), record["algo"], name, budget, ratio))
    return pd.DataFrame(rows, columns=RATIOS).astype({"value": float, "ratio": float})


def map_of(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric mean of ratios for each game, algorithm and budget.

    Budgets that are equal after rounding to one digit share a mean.
    """
    rows = ratios.assign(digit=ratios["value"].map(one_digit), ratio=np.log(ratios["ratio"]))
    cells = rows.groupby([*RATIOS[:-2], "digit"], as_index=False)
    found = cells.agg(value=("value", "min"), most=("value", "max"), ratio=("ratio", "mean"))
    value = found["value"].where(found["value"] == found["most"], found["digit"])
    return found.assign(value=value, ratio=np.exp(found["ratio"]))[RATIOS]


def chart_of_map(cells: pd.DataFrame) -> Chart | None:
    """Return the chart of the means that ``map_of`` returns. The chart shows one game and one kind
    of budget at a time, with a line for each algorithm.
    """
    points = cells.rename(columns={"algorithm": "line", "value": "x", "ratio": "y"})
    points = points.assign(view=MAP, place=cells["game"] + ", by " + cells["budget"], bound="")
    views = {MAP: {"x": {"title": "privacy budget"}, "y": {"title": "regret / lower bound"}}}
    return chart_of(points.assign(low=np.nan, high=np.nan), points, views)
