"""The page: from studies to one HTML file, with everything that it needs inside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader

from ..claims.claim import BASES
from ..contracts.parameters import BUDGETS
from ..figures.style import looks_of
from ..results.metrics import METRICS, REGRET
from ..results.varying import settings_in
from . import charts
from .privacy import privacy_rows
from .sources import Source, ledger_in
from .study import MEASURED, PLACE, Study, study_of_summary, study_of_table
from .theorems import bound_curves, map_of, ratios_of, records_for_theorems
from .words import name_of, number, unicode_of, value

FOLDER = Path(__file__).parent
FEWEST_TIMES = 4  # of a curve over time
VERDICTS = ("reproduced", "partly", "undecided", "not reproduced")


@dataclass(frozen=True)
class Section:
    """What the template shows of one table.

    Attributes:
        chart: the specification of its charts; None if nothing can be drawn.
        bounds: the labels of the bounds in them.
        head, rows: the table of numbers, as text.
        ratios: its regrets over the lower bounds, see ``ratios_of``.
    """

    source: Source
    study: Study
    chart: charts.Chart | None
    bounds: list[str]
    head: list[str]
    rows: list[list[str]]
    ratios: pd.DataFrame


def section_of(source: Source) -> Section:
    """The section of a source."""
    shown = source.summary if source.table is None else source.table
    assert shown is not None
    rules = "rule" in shown
    if source.table is not None:
        study, settings = study_of_table(shown), settings_in(shown)
    else:
        study, settings = study_of_summary(shown, "stopping time" if rules else "regret"), shown
    # theorems are about pseudo-regret
    records = records_for_theorems(shown, settings) if source.metric == REGRET else []
    if source.records and not records and not rules and source.metric == REGRET:
        study.notes.append("No theorems: the manifest does not fit, or has a law unknown here.")
    ratios, bounds = ratios_of(study.means[: len(records)], records), pd.DataFrame()
    if records and source.table is not None and not study.aggregated:
        bounds = bound_curves(study, source.table)
    labels = list(bounds["label"].unique()) if len(bounds) else []
    head, rows = summary_rows(study, source.metric)
    return Section(source, study, chart_of(source, study, bounds), labels, head, rows, ratios)


def chart_of(source: Source, study: Study, bounds: pd.DataFrame) -> charts.Chart | None:
    """The charts of a study: curves over time, last values, tails; those that have data."""
    statistic, axis = study.statistic, name_of(study.axis) if study.axis else ""
    label = METRICS[source.metric] if statistic == "regret" else "samples until it stops"
    at_end = f"{label} at T" if statistic == "regret" else label
    against = f"privacy budget {axis}" if study.axis in BUDGETS else axis
    against_title = f"{statistic.capitalize()} against {axis}"
    look, views = charts.looks(lines_of(study)), dict[str, charts.Chart]()

    def bounds_on(axis: str) -> list[charts.Chart]:
        own = bounds[bounds["axis"] == axis] if len(bounds) else bounds
        return charts.series(own, [*PLACE, "label", "kind"], ["x", "value"]) if len(own) else []

    above = study.curves[study.curves["mean"] > 0]  # the others are on no logarithmic axis
    if len(above) and above.groupby(PLACE, dropna=False).size().max() >= FEWEST_TIMES:
        views[f"{statistic.capitalize()} over time"] = charts.curve_view(
            charts.series(above, PLACE, ["t", *MEASURED]), "t", ("round t", label), look,
            ("log", "log"), charts.HERE, bounds_on("t"),
        )  # fmt: skip
    if len(study.levels) > 1:
        views[against_title] = charts.curve_view(
            charts.series(across(study), ["panel", "line"], ["x", *MEASURED]), "x",
            (against, at_end), look, scales_of(study.levels), charts.ANYWHERE,
            bounds_on("x") if study.axis in BUDGETS else [],
        )  # fmt: skip
    if len(study.tails):
        of = f"{label}, times the smallest mean" if study.aggregated else at_end
        data = charts.series(study.tails, PLACE, ["x", "p"])
        views["Tails: how often a run is worse"] = charts.tail_view(data, of, look)
    if missing := missing_in(study):
        for title in views.keys() - {against_title}:
            views[title]["layer"].append(charts.said_where(missing))
    params = params_of(study, axis, bool(len(bounds)))
    return charts.beside(views, params) if views else None


def missing_in(study: Study) -> list[tuple[str, float]]:
    """The panels and levels of a study that no line has."""
    there = study.places[["panel", "level"]].drop_duplicates()
    free = set(there["panel"][there["level"].isna()])  # a line without a level is on every level
    known = set(there.itertuples(index=False, name=None))
    pairs = product((x for x in study.panels if x not in free), study.levels)
    return [pair for pair in pairs if pair not in known]


def lines_of(study: Study) -> dict[str, tuple[str, list[float]]]:
    """The colour and dashes of each line of a study, as in all figures."""
    own: dict[str, list[str]] = {}
    for label, algo in study.algorithms.items():
        own.setdefault(algo, []).append(label)
    return {
        label: (colour, [] if dash == "-" else [2.0 * x for x in dash[1]])
        for _, label, colour, dash in looks_of(own)
    }


def params_of(study: Study, axis: str, with_bounds: bool) -> list[charts.Chart]:
    """The parameters of the charts of a study; those that have one value only have no control."""
    there = study.ends[["low", "q10"]].notna().any()
    bands = [x for x, pair in charts.BANDS.items() if pair is None or there[pair[0]]]
    level = usual_level(study)
    levels = study.levels if len(study.curves) or len(study.tails) else [level]
    shown = [value(str(study.axis), x) for x in levels]
    return [
        charts.choice("panel", "Setting", study.panels, study.panels[0], study.panels),
        charts.choice("level", axis, levels, level, shown),
        charts.choice("band", "Band", bands, bands[0], bands),
        charts.switch("bounds", "Bounds", with_bounds),
    ]


def usual_level(study: Study) -> float | None:
    """The level that is shown first, of those that the first panel has: the budget nearest to 1, or
    the middle of what varies; None for none.
    """
    first = study.places["panel"] == study.panels[0]
    own = sorted(study.places["level"][first].dropna().unique())
    if not own:
        return None
    if study.axis in BUDGETS:
        return min(own, key=lambda x: abs(np.log(x)))
    return own[len(own) // 2]


def scales_of(levels: Sequence[float]) -> tuple[str, str]:
    """The scales of final regret against a value: logarithmic if it spans much."""
    return ("log" if min(levels) > 0 and max(levels) > 4 * min(levels) else "linear"), "log"


def across(study: Study) -> pd.DataFrame:
    """Final values, in which a line without a value on the axis is horizontal, from end to end."""
    free = study.ends["level"].isna()
    both = [study.ends[free].assign(x=x) for x in (study.levels[0], study.levels[-1])]
    own = study.ends[~free].assign(x=study.ends["level"]).sort_values("x")
    return pd.concat([own, *both], ignore_index=True)


def summary_rows(study: Study, metric: str = REGRET) -> tuple[list[str], list[list[str]]]:
    """The table of numbers as text, its head and its rows."""
    regrets = study.statistic == "regret"
    order = {label: i for i, label in enumerate([*study.panels, *study.algorithms])}
    rows = study.ends.sort_values(
        PLACE, kind="stable", key=lambda c: c if c.name == "level" else c.map(order)
    )
    columns: list[tuple[str, Iterable[str]]] = [("algorithm" if regrets else "rule", rows["line"])]
    if len(study.panels) > 1:
        columns.append(("setting", rows["panel"]))
    if study.axis is not None:
        levels = [study.without if pd.isna(x) else value(study.axis, x) for x in rows["level"]]
        columns.append((name_of(study.axis), levels))
    final = "final regret" if metric == REGRET else f"final {METRICS[metric]}"
    columns.append((f"mean {final if regrets else study.statistic}", rows["mean"].map(number)))
    if study.aggregated:
        columns += [
            ("10 % to 90 % of settings", spans(rows["q10"], rows["q90"])),
            ("times the smallest", rows["to_smallest"].map(number)),
            ("is smallest", [f"{100 * share:.0f} %" for share in rows["smallest"]]),
            ("worst", rows["worst"].map(number)),
        ]
    else:
        columns.append(("95 % interval", spans(rows["low"], rows["high"])))
        if "ties" in rows:
            columns.append(("ties", rows["ties"].map(str)))
        if rows["median"].notna().any():
            columns.append(("median", rows["median"].map(number)))
            columns.append(("10 % to 90 %", spans(rows["q10"], rows["q90"])))
        if "correct" in rows:
            columns.append(("correct", rows["correct"].map(str)))
    columns.append(("settings" if study.aggregated else "runs", rows["runs"].map(number)))
    head, cells = zip(*columns, strict=True)
    return list(head), [list(row) for row in zip(*cells, strict=True)]


def spans(low: pd.Series, high: pd.Series) -> list[str]:
    """The cells of a column of intervals, empty for missing ones."""
    pairs = zip(low, high, strict=True)
    return ["" if pd.isna(a) else f"{number(a)} to {number(b)}" for a, b in pairs]


def claims_in(results: Path | None) -> list[dict[str, str]]:
    """The ledger of claims of a folder, a row each; empty without one."""
    rows = ledger_in(results)
    for row in rows:
        row["kind"] = next((v for v in VERDICTS if row["verdict"].startswith(v)), "undecided")
        row["basis"] = next((b for b in BASES if row["published"].endswith(f"({BASES[b]})")), "")
    return rows


def map_section(ratios: pd.DataFrame) -> dict[str, Any] | None:
    """The map of regret over the best lower bound; None if no lower bound is known."""
    cells = map_of(ratios)
    if cells.empty:
        return None
    order = cells.groupby("algo")["ratio"].median().sort_values().index.tolist()
    game = str(cells.groupby("game").size().sort_values(ascending=False, kind="stable").index[0])
    chosen = cells[cells["game"] == game]
    names = [name for name in order if name in set(chosen["algo"])]
    columns = sorted(chosen["x"].unique())
    table = chosen.pivot_table(index="algo", columns="x", values="ratio").reindex(names)
    rows = [[name, *(number(x) for x in table.loc[name, columns])] for name in names]
    return {
        "chart": charts.map_chart(cells, order, game), "game": game, "rows": rows,
        "head": ["algorithm", *(f"{x:g}" for x in columns)], "most": int(cells["settings"].max()),
    }  # fmt: skip


def facts_of(sources: Sequence[Source]) -> dict[str, Any]:
    """What was run: versions, seeds and commits, each with the tables that have it."""
    versions = sorted({f"{k} {v}" for s in sources for k, v in (s.versions or {}).items() if v})
    commits = sorted({str(s.commit)[:12] for s in sources if s.commit})
    seeds = sorted({str(s.seed) for s in sources if s.seed is not None})
    unknown = [s.name for s in sources if not s.versions]
    return {"versions": versions, "commits": commits, "seeds": seeds, "unknown": unknown}


def render(
    title: str, sections: Sequence[Section], results: Path | None, notes: Sequence[str]
) -> str:
    """The page as HTML, with the claims and audits of a folder of results."""
    mapped = map_section(pd.concat([s.ratios for s in sections], ignore_index=True))
    specs = {s.source.name: s.chart for s in sections if s.chart}
    if mapped:
        specs["map"] = mapped["chart"]
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["unicode"] = unicode_of
    text = json.dumps(specs, ensure_ascii=False, separators=(",", ":"))
    page = environment.get_template("template.html").render(
        title=title, sections=sections, claims=claims_in(results), verdicts=VERDICTS,
        privacy=privacy_rows(results, [x for s in sections for x in s.study.algorithms.values()]),
        notes=notes, map=mapped, facts=facts_of([s.source for s in sections]),
        settings=sum(s.study.settings for s in sections),
        style=(FOLDER / "style.css").read_text(), script=(FOLDER / "page.js").read_text(),
        engine=charts.engine(),
        specs=text.replace("<", "\\u003c"),  # JSON in a script element must not end it
    )  # fmt: skip
    return page + "\n"
