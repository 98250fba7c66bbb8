"""From a table to what the page shows of it: means, quantiles and tails, not a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..comparison.table import compare
from ..contracts.display import display_name, environment_title
from ..contracts.parameters import BUDGETS
from ..contracts.question import QUESTIONS
from ..figures.labels import WITHOUT, unprotected
from ..results.metrics import NASH
from ..results.records import metric_of
from ..results.summary import mean_of
from ..results.tables import at_end
from ..results.varying import (
    SETTING,
    budgets_of,
    numbers_of,
    question_of_table,
    settings_in,
    varying,
)
from .words import name_of, value

MOST_SETTINGS = 1000  # of a table whose settings are shown one by one
MOST = {"panel": 60, "line": 24, "level": 40}  # different ones of such a table
POINTS = 40  # of a curve, at most
FEWEST = 12
NUMBERS = 600  # points of all curves of a table, about
TAIL = 16  # points of a tail
QUANTILES = {"q10": 0.1, "median": 0.5, "q90": 0.9}
MEASURED = ["mean", "low", "high", *QUANTILES]
NO_AXIS = ("env.instance", "seed", "cap", "true_mean")  # numbers that are on no axis
PLACE = ["panel", "level", "line"]


@dataclass(frozen=True)
class Study:
    """What the page shows of one table.

    Attributes:
        statistic: what is measured: regret, or stopping time.
        axis: the column on the axis: a budget, or else the parameter of most values; None if
            nothing varies.
        places: a row for each setting, with the title of its ``panel``, its value on the axis, the
            ``level``, NaN if it has none and belongs to every level, and the label of its ``line``.
        algorithms: the algorithm, or the rule, of each line by its label.
        ends: for each place the mean final regret or stopping time, its 95 % interval ``low`` to
            ``high``, quantiles of the runs, and letters of ``ties``: means of one game that cannot
            be told apart share one.
        means: the mean final regret or stopping time of each setting, in the table's order.
        curves: the same of regrets, for each place and round ``t``; empty if they are not known.
        tails: for each place the share ``p`` of runs above ``x``.
        notes: what the reader has to know: thinned, aggregated, without runs.
        without: what a setting without a value on the axis is called.
    """

    statistic: str
    axis: str | None
    places: pd.DataFrame
    algorithms: dict[str, str]
    ends: pd.DataFrame
    means: np.ndarray
    runs: int
    curves: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=[*PLACE, "t", *MEASURED])
    )
    tails: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=[*PLACE, "x", "p"]))
    aggregated: bool = False
    notes: list[str] = field(default_factory=list)
    without: str = ""

    @property
    def settings(self) -> int:
        """The number of settings."""
        return len(self.means)

    @property
    def panels(self) -> list[str]:
        """The titles of the panels, one for each game and all that varies beside the lines."""
        return list(self.places["panel"].unique())

    @property
    def levels(self) -> list[float]:
        """The values on the axis, in ascending order."""
        return sorted(self.places["level"].dropna().unique())


def study_of_table(table: pd.DataFrame) -> Study:
    """The study of a tidy table."""
    question, settings = question_of_table(table), settings_in(table)
    number = numbers_of(table, settings)
    slim = pd.DataFrame({"setting": number, "value": table[question.statistic].to_numpy()})
    slim["t"] = table["t"].to_numpy() if question.each_checkpoint else 0
    last = slim[table.index.isin(at_end(table).index)]
    runs = int(table["run"].nunique())
    words = "regret" if question.each_checkpoint else "stopping time"
    axis, places, algorithms = arranged(settings)
    if is_large(places):
        return aggregated(settings, slim, last, words, runs)
    shown, fewer = thinned(slim, len(settings)) if question.each_checkpoint else (slim, "")
    curves = pd.DataFrame(columns=[*PLACE, "t", *MEASURED])
    if shown["t"].nunique() > 1:
        curves = _placed(statistics(shown, ["setting", "t"]), places)
    ends = _placed(statistics(last, ["setting"]), places)
    if question.share is not None:
        of = [table[name].groupby(number).sum().to_numpy(dtype=float) for name in question.share]
        ends["correct"] = [share(a / b if b else np.nan) for a, b in zip(*of, strict=True)]
    ends["ties"] = compare(table)["letters"].to_numpy()
    tails, notes = _placed(exceedance(last), places), [fewer] if fewer else []
    if metric_of(table) == NASH:
        tails, spread = tails.head(0), dict.fromkeys(QUANTILES, np.nan)
        curves, ends = curves.assign(**spread), ends.assign(**spread)
    means = ends["mean"].to_numpy()
    return Study(
        words, axis, places, algorithms, ends, means, runs, curves, tails, notes=notes,
        without=named_without(axis, settings),
    )  # fmt: skip


def share(correct: float) -> str:
    """The share of correct answers in words."""
    return "none halted" if np.isnan(correct) else f"{100 * correct:.4g} %"


def is_large(places: pd.DataFrame) -> bool:
    """Whether a table has too many settings to be shown one by one."""
    return len(places) > MOST_SETTINGS or any(places[x].nunique() > n for x, n in MOST.items())


def _placed(measured: pd.DataFrame, places: pd.DataFrame) -> pd.DataFrame:
    """Rows with panel, level and line in the place of the number of the setting."""
    where = places.loc[measured["setting"]].reset_index(drop=True)
    return pd.concat([where, measured.drop(columns="setting").reset_index(drop=True)], axis=1)


def statistics(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Mean, its interval and quantiles of the column ``value`` over runs."""
    found = mean_of(rows, by, "value").rename(columns={"ci_low": "low", "ci_high": "high"})
    groups = rows.groupby(by, sort=False)["value"]
    for name, q in QUANTILES.items():
        found[name] = groups.quantile(q).to_numpy()
    return found[[*by, *MEASURED, "std", "runs"]]


def thinned(rows: pd.DataFrame, curves: float) -> tuple[pd.DataFrame, str]:
    """The rows of some checkpoints, and a sentence if these are not all.

    Half of them are spread evenly, half by ratios, so that both axes of time are covered.
    """
    most = int(np.clip(NUMBERS / max(curves, 1), FEWEST, POINTS))
    last = rows.groupby("setting")["t"].transform("max")
    kept, before, after = np.zeros(len(rows), dtype=bool), 0, 0
    for horizon in last.unique():
        times = np.sort(rows.loc[last == horizon, "t"].unique())
        wanted = np.concatenate([
            np.linspace(times[0], times[-1], most // 3 + 1),
            np.geomspace(times[0], times[-1], most - most // 3),
        ])  # fmt: skip
        chosen = times[np.unique(np.abs(times[:, None] - wanted).argmin(axis=0))]
        chosen = times if len(times) <= most else chosen
        kept |= ((last == horizon) & rows["t"].isin(chosen)).to_numpy()
        before, after = max(before, len(times)), max(after, len(chosen))
    said = f"Curves show {after} of {before} checkpoints." if after < before else ""
    return rows[kept], said


def exceedance(last: pd.DataFrame) -> pd.DataFrame:
    """The share of runs above x, at no more than TAIL places, the rarest ones among them."""
    parts = []
    for setting, values in last.groupby("setting", sort=False)["value"]:
        x = np.sort(values.to_numpy())
        if len(x) < 2:
            continue
        above = 1.0 - np.arange(len(x)) / len(x)
        if len(x) > TAIL:
            shares = np.geomspace(1.0, 1.0 / len(x), TAIL)
            places = np.unique(np.abs(above[:, None] - shares).argmin(axis=0))
            x, above = x[places], above[places]
        parts.append(pd.DataFrame({"setting": setting, "x": x, "p": above}))
    empty = pd.DataFrame({"setting": [], "x": [], "p": []})
    return pd.concat(parts, ignore_index=True) if parts else empty


def arranged(settings: pd.DataFrame) -> tuple[str | None, pd.DataFrame, dict[str, str]]:
    """Divide what varies among the axis, panels and lines: the ``axis``, ``places`` and
    ``algorithms`` of a study.
    """
    settings = settings.drop(columns=SETTING, errors="ignore")
    group = "rule" if "rule" in settings.columns else "algo"
    axis = axis_of(settings, group)
    others = [c for c in BUDGETS if axis in BUDGETS and c != axis]  # these are of lines
    panel = [c for c in settings.columns if c not in (axis, *others) and is_of_game(c, group)]
    own = [c for c in settings.columns if c not in (*panel, axis, group)]
    if "true_mean" in panel and {"env.mean", "env.means"} & set(panel):
        panel.remove("true_mean")
    differ = varying(settings, panel, blank=True)
    shown = [c for c in panel if c in differ or c == "env"]
    vary = varying(settings, own, within=[group, *shown], blank=True)
    titles = [title_of(shown, row) for row in settings[shown].itertuples(index=False)]
    own_values = settings[vary].replace(np.inf, np.nan) if others else settings[vary]
    rows = zip(settings[group], own_values.itertuples(index=False), strict=True)
    labels = [", ".join([display_name(str(name)), *words_of(vary, row)]) for name, row in rows]
    if axis in BUDGETS:
        labels = marked(labels, settings, group)
    x = settings[axis].to_numpy(dtype=float) if axis else np.full(len(settings), np.nan)
    level = np.where(np.isfinite(x), x, np.nan)
    places = pd.DataFrame({"panel": titles, "level": level, "line": labels})
    return axis, places, dict(zip(labels, settings[group].astype(str), strict=True))


def named_without(axis: str | None, settings: pd.DataFrame) -> str:
    """What a setting without a value on the axis is called in a table."""
    if axis not in BUDGETS:
        return ""
    return "none" if len(budgets_of(settings)) > 1 else "not private"


def marked(labels: Sequence[str], settings: pd.DataFrame, group: str) -> list[str]:
    """The labels of settings, which say what is without privacy although the algorithm has it."""
    free = unprotected(settings, group)
    return [f"{x}, {WITHOUT}" if y else x for x, y in zip(labels, free, strict=True)]


def axis_of(settings: pd.DataFrame, group: str) -> str | None:
    """The budget if it has three values, or as many as any parameter; else that parameter."""
    others = settings.drop(columns=[group, *NO_AXIS], errors="ignore")
    numbers = others.apply(pd.to_numeric, errors="coerce")
    numeric = (numbers.notna() | others.isna()).all() & numbers.notna().any()
    counts = numbers.loc[:, numeric].where(np.isfinite).nunique().to_dict()
    budgets = {name: n for name, n in counts.items() if name in BUDGETS}
    best = max(budgets, key=budgets.__getitem__, default=None)
    if best is not None and budgets[best] > 1:
        counts.pop("horizon", None)
    most = max(counts, key=counts.__getitem__, default=None)
    if best is not None and most is not None and budgets[best] >= min(3, counts[most]):
        return best
    return most if most is not None and counts[most] > 1 else best


def is_of_game(column: str, group: str) -> bool:
    """Whether a column describes the game or the budget, and not the algorithm."""
    columns = {c for q in QUESTIONS if q.group == group for c in q.columns}
    columns |= {"seed", "population", *BUDGETS} - {group}
    return column != group and (column in columns or column.startswith("env."))


def words_of(columns: Sequence[str], row: Sequence[Any]) -> list[str]:
    """The values of columns in words, without blanks."""
    return [
        f"{name_of(c)} = {'not private' if c in BUDGETS and x == np.inf else value(c, x)}"
        for c, x in zip(columns, row, strict=True)
        if not pd.isna(x)
    ]


def title_of(columns: Sequence[str], row: Sequence[Any]) -> str:
    """The title of a panel: the environment, and what else varies."""
    pairs = dict(zip(columns, row, strict=True))
    env = environment_title(str(pairs.pop("env"))) if "env" in pairs else ""
    return ", ".join(filter(None, [env, *words_of(list(pairs), list(pairs.values()))])) or "all"


def aggregated(
    settings: pd.DataFrame, slim: pd.DataFrame, last: pd.DataFrame, statistic: str, runs: int
) -> Study:
    """The study of many settings: a line for each algorithm, over all games and parameters.

    A game is all that is not the algorithm: its environment, horizon and budget. Each algorithm's
    mean in a game, divided by the smallest mean in it, says how far it is from the best.
    """
    group = "rule" if "rule" in settings.columns else "algo"
    limit = "cap" if group == "rule" else "horizon"
    budgets = [name for name in budgets_of(settings) if name in settings.columns]
    axis = max(budgets, key=lambda name: settings[name].nunique(), default=None)
    sizes = settings[limit].value_counts().sort_index()
    panels = {T: f"T = {value('horizon', T)}, {n:,} settings" for T, n in sizes.items()}
    x = settings[axis].to_numpy(dtype=float) if axis else np.full(len(settings), np.inf)
    labels = marked([display_name(str(name)) for name in settings[group]], settings, group)
    titles = [panels[T] for T in settings[limit]]
    places = pd.DataFrame({"panel": titles, "level": binned(x), "line": labels})
    means = last.groupby("setting")["value"].mean()
    of_game = [c for c in settings.columns if is_of_game(c, group)]
    game = settings.groupby(of_game, sort=False, dropna=False).ngroup()
    best = means.groupby(game).transform("min").where(lambda v: v > 0)
    over = places.assign(value=means, ratio=means / best)
    ends = _over_settings(over, PLACE)
    groups = over.groupby(PLACE, sort=False, dropna=False)["ratio"]
    with np.errstate(divide="ignore"):
        ends["to_smallest"] = groups.apply(lambda r: np.exp(np.log(r).mean())).to_numpy()
    ends["smallest"] = groups.apply(lambda r: float((r <= 1 + 1e-12).mean())).to_numpy()
    ends["worst"] = groups.max().to_numpy()
    curves = pd.DataFrame(columns=[*PLACE, "t", *MEASURED])
    if slim["t"].nunique() > 1:
        shown, _ = thinned(slim, len(ends))
        at = shown.groupby(["setting", "t"], sort=False)["value"].mean().reset_index()
        curves = _over_settings(_placed(at, places), [*PLACE, "t"])
    wide = last.assign(value=last["value"].to_numpy() / best.to_numpy()[last["setting"]])
    code = places.groupby(PLACE, sort=False, dropna=False).ngroup().to_numpy()
    tail = exceedance(wide.assign(setting=code[wide["setting"]]).dropna())
    tails = _placed(tail, places.drop_duplicates(PLACE, ignore_index=True))
    notes = [
        f"{len(settings):,} settings are too many to be shown one by one: they are aggregated. "
        "A line is the mean, over the settings of an algorithm, of their mean "
        f"{statistic}; quantiles are those over settings, and the mean has no interval."
    ]
    classes = places["level"].nunique()
    if classes < len(np.unique(x[np.isfinite(x)])):
        notes.append(f"Values of {name_of(str(axis))} are grouped into {classes} classes.")
    algorithms = dict(zip(labels, settings[group].astype(str), strict=True))
    return Study(
        statistic, axis, places, algorithms, ends, means.to_numpy(), runs, curves, tails, True,
        notes, named_without(axis, settings),
    )  # fmt: skip


def _over_settings(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The mean and quantiles of a column ``value`` over settings."""
    groups = rows.groupby(by, sort=False, dropna=False)["value"]
    found = groups.agg(mean="mean", runs="count").reset_index()
    for name, q in QUANTILES.items():
        found[name] = groups.quantile(q).to_numpy()
    return found.assign(low=np.nan, high=np.nan)


def binned(x: np.ndarray) -> np.ndarray:
    """The level of each value, NaN for none: the value itself, or if these are many, the geometric
    mean of the ends of the class to which it belongs.
    """
    level = np.where(np.isfinite(x) & (x > 0), x, np.nan)
    values = np.unique(level[np.isfinite(level)])
    if len(values) <= MOST["level"]:
        return level
    edges = np.geomspace(values[0], values[-1], MOST["level"] + 1)
    place = np.clip(np.searchsorted(edges, level, side="right") - 1, 0, MOST["level"] - 1)
    middle = np.array([float(f"{x:.3g}") for x in np.sqrt(edges[:-1] * edges[1:])])
    return np.where(np.isfinite(level), middle[place], np.nan)


def study_of_summary(summary: pd.DataFrame, statistic: str) -> Study:
    """The study of a summary, of which no curve and no tail is known."""
    known = [name for name in (*MEASURED, "correct", "runs") if name in summary.columns]
    about = summary.drop(columns=known)
    axis, places, algorithms = arranged(about)
    note = (
        "The folder holds the summary alone, without the table of runs: curves over time and "
        "tails need it. The command below makes it."
    )
    means, runs = summary["mean"].to_numpy(), int(summary["runs"].max())
    if is_large(places):
        rows = pd.DataFrame({"setting": np.arange(len(about)), "value": means, "t": 0})
        large = aggregated(about, rows, rows, statistic, runs)
        return replace(large, notes=[*large.notes, note], tails=large.tails.head(0))
    ends = pd.concat([places, summary[known]], axis=1)
    return Study(
        statistic, axis, places, algorithms, ends, means, runs, notes=[note],
        without=named_without(axis, about),
    )  # fmt: skip
