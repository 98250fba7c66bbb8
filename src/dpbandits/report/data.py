"""From tables to the plain data of the page: aggregated over runs, not a row for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..comparison.table import compare
from ..contracts.display import display_name, environment_title
from ..contracts.parameters import BUDGETS
from ..contracts.question import QUESTIONS
from ..figures.labels import WITHOUT, unprotected
from ..figures.style import looks_of
from ..results.metrics import NASH
from ..results.records import metric_of
from ..results.summary import mean_of
from ..results.tables import (
    SETTING,
    at_end,
    budgets_of,
    numbers_of,
    question_of_table,
    settings_in,
)
from ..results.varying import varying
from .words import name_of, value

MOST_SETTINGS = 1000  # of a table whose settings are shown one by one
MOST_PANELS = 60
MOST_LINES = 24
MOST_LEVELS = 40  # values on the axis
POINTS = 40  # of a curve, at most
FEWEST = 12
NUMBERS = 2400  # points of all curves of a table, about
TAIL = 24  # points of a tail
QUANTILES = {"q10": 0.1, "median": 0.5, "q90": 0.9}
MEASURED = ["mean", "low", "high", *QUANTILES]
NO_AXIS = ("env.instance", "seed", "cap", "true_mean")  # numbers that are on no axis
PLACE = ["panel", "level", "line"]
CURVE = [*PLACE, "t", *MEASURED]
NO_LEVEL = -1  # of a line without a value on the axis: it belongs to every level


@dataclass(frozen=True)
class Line:
    """A line of all charts of a table: an algorithm, with the parameters that vary."""

    label: str
    algo: str
    colour: str
    dash: tuple[float, ...]


@dataclass(frozen=True)
class Arrangement:
    """Which line, panel and place on the axis each setting of a table has.

    Attributes:
        axis: the column on the axis: a budget, or else the parameter of most values; None if
            nothing varies.
        levels: its finite values, in ascending order.
        panels: the titles of the panels, one for each game and all that varies beside the lines.
        lines: the lines.
        places: a row for each setting with the numbers of its ``panel``, ``level`` and ``line``.
        without: what a setting without a value on the axis is called.
    """

    axis: str | None
    levels: list[float]
    panels: list[str]
    lines: list[Line]
    places: pd.DataFrame
    without: str


@dataclass(frozen=True)
class Study:
    """What the page shows of one table.

    Attributes:
        statistic: what is measured: regret, or stopping time.
        curves: for each place and round ``t`` the mean regret with its 95 % interval ``low`` to
            ``high`` and the quantiles of the runs; empty if they are not known.
        ends: the same of final regrets or stopping times, with the value ``x`` on the axis, and
            letters of ``ties``: means of one game that cannot be told apart share one.
        tails: for each place the share ``p`` of runs above ``x``.
        means: the mean final regret or stopping time of each setting, in the table's order.
        notes: what the reader has to know: thinned, aggregated, without runs.
    """

    statistic: str
    arrangement: Arrangement
    ends: pd.DataFrame
    means: np.ndarray
    runs: int
    curves: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=CURVE))
    tails: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=[*PLACE, "x", "p"]))
    aggregated: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def settings(self) -> int:
        """The number of settings."""
        return len(self.means)


def study_of_table(table: pd.DataFrame) -> Study:
    """The study of a tidy table; Nash regret, one number of all runs, has no spread."""
    table = table.reset_index(drop=True)
    question = question_of_table(table)
    statistic = question.statistic
    settings = settings_in(table)
    number = numbers_of(table, settings)
    slim = pd.DataFrame({"setting": number, "value": table[statistic].to_numpy(dtype=float)})
    slim["t"] = table["t"].to_numpy() if question.each_checkpoint else 0
    last = slim[table.index.isin(at_end(table).index)]
    runs = int(table["run"].nunique())
    words = "regret" if question.each_checkpoint else "stopping time"
    found = arranged(settings)
    if is_large(found, len(settings)):
        return aggregated(settings, slim, last, words, runs)
    shown, fewer = thinned(slim, len(settings)) if question.each_checkpoint else (slim, "")
    curves = pd.DataFrame(columns=CURVE)
    if shown["t"].nunique() > 1:
        curves = _placed(statistics(shown, ["setting", "t"]), found)
    ends = _placed(statistics(last, ["setting"]), found)
    if question.share is not None:
        of = [table[name].groupby(number).sum().to_numpy(dtype=float) for name in question.share]
        ends["correct"] = [
            f"{100 * a / b:.4g} %" if b else "none halted" for a, b in zip(*of, strict=True)
        ]
    ends["ties"] = compare(table)["letters"].to_numpy()
    tails, notes = _placed(exceedance(last), found), [fewer] if fewer else []
    if metric_of(table) == NASH:
        tails, spread = tails.head(0), dict.fromkeys(QUANTILES, np.nan)
        curves, ends = curves.assign(**spread), ends.assign(**spread)
    means = ends["mean"].to_numpy()
    return Study(words, found, ends, means, runs, curves, tails, notes=notes)


def is_large(found: Arrangement, settings: int) -> bool:
    """Whether a table has too many settings to be shown one by one."""
    return (
        settings > MOST_SETTINGS
        or len(found.panels) > MOST_PANELS
        or len(found.lines) > MOST_LINES
        or len(found.levels) > MOST_LEVELS
    )


def _placed(measured: pd.DataFrame, found: Arrangement) -> pd.DataFrame:
    """Rows with the numbers of panel, level and line in the place of that of the setting."""
    places = found.places.loc[measured["setting"]].reset_index(drop=True)
    return pd.concat([places, measured.drop(columns="setting").reset_index(drop=True)], axis=1)


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


def arranged(settings: pd.DataFrame) -> Arrangement:
    """Divide what varies among the axis, panels and lines; see ``Arrangement``."""
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
    levels = np.unique(x[np.isfinite(x)])
    level = np.where(np.isfinite(x), np.searchsorted(levels, x), NO_LEVEL)
    panels = list(dict.fromkeys(titles))
    return _arrangement(axis, levels, level, panels, titles, labels, settings)


def marked(labels: Sequence[str], settings: pd.DataFrame, group: str) -> list[str]:
    """The labels of settings, which say what is without privacy although the algorithm has it."""
    free = unprotected(settings, group)
    return [f"{x}, {WITHOUT}" if y else x for x, y in zip(labels, free, strict=True)]


def _arrangement(
    axis: str | None, levels: Iterable[float], level: np.ndarray, panels: list[str],
    titles: Sequence[str], labels: Sequence[str], settings: pd.DataFrame,
) -> Arrangement:  # fmt: skip
    """The arrangement of settings that have these levels, titles of panels, and labels of lines."""
    algorithms = settings["rule" if "rule" in settings.columns else "algo"].astype(str)
    lines = looks(dict(zip(labels, algorithms, strict=True)))
    names = [line.label for line in lines]
    places = pd.DataFrame({
        "panel": [panels.index(title) for title in titles],
        "level": level,
        "line": [names.index(label) for label in labels],
    })  # fmt: skip
    several = len(budgets_of(settings)) > 1
    without = "" if axis not in BUDGETS else "none" if several else "not private"
    return Arrangement(axis, [float(v) for v in levels], panels, lines, places, without)


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


def looks(of_line: Mapping[str, str]) -> list[Line]:
    """The lines in the colours and dashes that their algorithms declare, as in all figures."""
    own: dict[str, list[str]] = {}
    for label, algo in of_line.items():
        own.setdefault(algo, []).append(label)
    return [
        Line(label, algo, colour, () if dash == "-" else tuple(2.0 * x for x in dash[1]))
        for algo, label, colour, dash in looks_of(own)
    ]


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
    levels, level = binned(x)
    titles = [panels[T] for T in settings[limit]]
    labels = marked([display_name(str(name)) for name in settings[group]], settings, group)
    found = _arrangement(axis, levels, level, list(panels.values()), titles, labels, settings)
    places = found.places
    means = last.groupby("setting")["value"].mean()
    of_game = [c for c in settings.columns if is_of_game(c, group)]
    game = settings.groupby(of_game, sort=False, dropna=False).ngroup()
    best = means.groupby(game).transform("min").where(lambda v: v > 0)
    ratio = means / best
    over = pd.concat([places, pd.DataFrame({"value": means, "ratio": ratio})], axis=1)
    ends = _over_settings(over, PLACE)
    groups = over.groupby(PLACE, sort=False)["ratio"]
    with np.errstate(divide="ignore"):
        logs = np.log(over["ratio"]).groupby([over[c] for c in PLACE], sort=False).mean()
    ends["to_smallest"] = np.exp(logs).to_numpy()
    ends["smallest"] = groups.apply(lambda r: float((r <= 1 + 1e-12).mean())).to_numpy()
    ends["worst"] = groups.max().to_numpy()
    curves = pd.DataFrame(columns=CURVE)
    if slim["t"].nunique() > 1:
        shown, _ = thinned(slim, len(ends))
        at = shown.groupby(["setting", "t"], sort=False)["value"].mean().reset_index()
        at = at.assign(**{c: places[c].to_numpy()[at["setting"]] for c in PLACE})
        curves = _over_settings(at, [*PLACE, "t"])
    wide = last.assign(value=last["value"].to_numpy() / best.to_numpy()[last["setting"]])
    code = places.groupby(PLACE, sort=False).ngroup().to_numpy()
    tail = exceedance(wide.assign(setting=code[wide["setting"]]).dropna())
    of_tail = places.drop_duplicates(PLACE, ignore_index=True).loc[tail["setting"].astype(int)]
    tails = pd.concat([of_tail.reset_index(drop=True), tail[["x", "p"]]], axis=1)
    notes = [
        f"{len(settings):,} settings are too many to be shown one by one: they are aggregated. "
        "A line is the mean, over the settings of an algorithm, of their mean "
        f"{statistic}; quantiles are those over settings, and the mean has no interval."
    ]
    if len(levels) < len(np.unique(x[np.isfinite(x)])):
        notes.append(f"Values of {name_of(str(axis))} are grouped into {len(levels)} classes.")
    return Study(statistic, found, ends, means.to_numpy(), runs, curves, tails, True, notes)


def _over_settings(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The mean and quantiles of a column ``value`` over settings."""
    groups = rows.groupby(by, sort=False)["value"]
    found = groups.agg(mean="mean", runs="count").reset_index()
    for name, q in QUANTILES.items():
        found[name] = groups.quantile(q).to_numpy()
    return found.assign(low=np.nan, high=np.nan)


def binned(x: np.ndarray) -> tuple[list[float], np.ndarray]:
    """The levels of an axis and that of each value; many values are grouped by ratios, and a group
    has the geometric mean of its ends.
    """
    finite = np.isfinite(x) & (x > 0)
    values = np.unique(x[finite])
    level = np.full(len(x), NO_LEVEL)
    if len(values) <= MOST_LEVELS:
        level[finite] = np.searchsorted(values, x[finite])
        return [float(v) for v in values], level
    edges = np.geomspace(values[0], values[-1], MOST_LEVELS + 1)
    place = np.clip(np.searchsorted(edges, x[finite], side="right") - 1, 0, MOST_LEVELS - 1)
    used, level[finite] = np.unique(place, return_inverse=True)
    return [float(f"{np.sqrt(edges[i] * edges[i + 1]):.3g}") for i in used], level


def study_of_summary(summary: pd.DataFrame, statistic: str) -> Study:
    """The study of a summary, of which no curve and no tail is known."""
    about = summary.drop(columns=[*MEASURED, "runs", "correct"], errors="ignore")
    found = arranged(about)
    measured = [name for name in (*MEASURED, "correct", "runs") if name in summary.columns]
    ends = pd.concat([found.places, summary[measured]], axis=1)
    note = (
        "The folder holds the summary alone, without the table of runs: curves over time and "
        "tails need it. The command below makes it."
    )
    study = Study(
        statistic, found, ends, summary["mean"].to_numpy(), int(summary["runs"].max()), notes=[note]
    )
    if not is_large(found, len(summary)):
        return study
    rows = pd.DataFrame({"setting": np.arange(len(about)), "value": summary["mean"], "t": 0})
    large = aggregated(about, rows, rows, statistic, study.runs)
    return replace(large, notes=[*large.notes, note], tails=study.tails)
