"""The page: from studies to one HTML file, with everything that it needs inside."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader

from ..claims.claim import BASES
from ..contracts.parameters import BUDGETS
from ..results.metrics import METRICS, REGRET
from ..results.tables import settings_in
from ..settings.groups import leaves
from . import charts
from .data import MEASURED, NO_LEVEL, PLACE, Arrangement, Study, study_of_summary, study_of_table
from .privacy import privacy_rows
from .sources import Source, read_pipes
from .stored_figure import inside_page
from .theorems import bound_curves, map_of, ratios_of, records_for_theorems
from .words import name_of, number, unicode_of, value

FOLDER = Path(__file__).parent
FEWEST_TIMES = 4  # of a curve over time
STILL = 0.5  # of the points of a curve are in its static picture
FEWEST_POINTS = 6  # of a curve that is thinned
MOST_DATA = 550_000  # bytes of all data, besides the last values
BUTTONS = 8  # levels that are buttons; more are a slider
CHARTS = {
    "curves": "{what} over time",
    "ends": "{what} against {axis}",
    "tails": "Tails: how often a run is worse",
}
LEDGER = {
    "name": "claim", "says": "what it says", "source": "source", "published": "published",
    "measured": "measured [95 %]", "verdict": "verdict", "why": "why", "kind": "kind",
    "basis": "basis",
}  # fmt: skip
VERDICTS = ("reproduced", "partly", "undecided", "not reproduced")


@dataclass
class Section:
    """What the template shows of one table."""

    source: Source
    study: Study
    axis: str
    levels: list[str]
    level: int
    rows: list[list[str]]
    head: list[str]
    ratios: pd.DataFrame  # of its regrets to lower bounds
    specs: dict[str, dict[str, Any]] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, str] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    bands: list[str] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def stored_figure(self) -> str:
        """The address of the figure that is stored beside a summary; empty for none."""
        return inside_page(self.source.picture) if self.source.picture is not None else ""


def section_of(source: Source) -> Section:
    """The section of a source."""
    if source.table is not None:
        rules = "rule" in source.table
        study = study_of_table(source.table)
        records = records_for_theorems(source.table, settings_in(source.table))
    else:
        assert source.summary is not None
        rules = "rule" in source.summary
        study = study_of_summary(source.summary, "stopping time" if rules else "regret")
        records = records_for_theorems(source.summary, source.summary)
    if source.metric != REGRET:  # theorems are about pseudo-regret
        records = []
    elif source.records and not records and not rules:
        study.notes.append("No theorems: the manifest does not fit, or has a law unknown here.")
    ratios = ratios_of(study.means[: len(records)], records)
    arrangement = study.arrangement
    axis = name_of(arrangement.axis) if arrangement.axis else ""
    levels = [value(arrangement.axis, x) for x in arrangement.levels] if arrangement.axis else []
    section = Section(
        source, study, axis, levels, usual_level(study), *summary_rows(study, source.metric), ratios
    )
    bounds, kinds = pd.DataFrame(), dict[str, str]()
    if records and source.table is not None and not study.aggregated:
        bounds, kinds = bound_curves(study, source.table)
    section.kinds, section.tables = kinds, tables_of(study, bounds)
    there = study.ends[["low", "q10"]].notna().any()
    bands = {"interval": there["low"], "quantiles": there["q10"], "none": there.any()}
    section.bands = [name for name, shown in bands.items() if shown]
    return section


def usual_level(study: Study) -> int:
    """The level that is shown first, of those that the first panel has: the budget nearest to 1, or
    the middle of what varies.
    """
    found = study.arrangement
    own = levels_of_panels(found)[0] or [0]
    if found.axis in BUDGETS and found.levels:
        return min(own, key=lambda level: abs(np.log(found.levels[level])))
    return own[len(own) // 2]


def levels_of_panels(found: Arrangement) -> list[list[int]]:
    """The numbers of the levels that each panel has."""
    there = found.places[found.places["level"] != NO_LEVEL]
    return [
        sorted({int(level) for level in there["level"][there["panel"] == panel]})
        for panel in range(len(found.panels))
    ]


def tables_of(study: Study, bounds: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each chart, without empty ones."""
    levels = study.arrangement.levels
    tables = {"tails": study.tails, "bounds": bounds}
    if study.curves.groupby(PLACE).size().max() >= FEWEST_TIMES:
        above = study.curves["mean"] > 0  # the others are on no logarithmic axis
        tables["curves"] = study.curves.loc[above, [*PLACE, "t", *MEASURED]]
    if len(levels) > 1:
        ends = study.ends.assign(x=np.array([*levels, np.nan])[study.ends["level"]])
        tables["ends"] = across(ends, levels)[[*PLACE, "x", *MEASURED]]
    return {kind: table for kind, table in tables.items() if not table.empty}


def fit(sections: Sequence[Section]) -> bool:
    """Thin the curves, tails and bounds of all sections so that their data are not above MOST_DATA
    bytes; returns whether that was needed.
    """
    sizes = {
        (i, kind): len(charts.csv_text(table))
        for i, section in enumerate(sections)
        for kind, table in section.tables.items()
    }
    fixed = sum(size for (_, kind), size in sizes.items() if kind == "ends")
    rest = sum(sizes.values()) - fixed
    if fixed + rest <= MOST_DATA:
        return False
    share = max(MOST_DATA - fixed, 0) / rest
    for i, kind in sizes:
        if kind != "ends":
            sections[i].tables[kind] = fewer(sections[i].tables[kind], share)
    return True


def fewer(table: pd.DataFrame, share: float) -> pd.DataFrame:
    """A share of the points of each curve of a table, at least FEWEST_POINTS, with both ends."""
    by = [c for c in (*PLACE, "axis", "label") if c in table.columns]
    place = table.groupby(by, sort=False).cumcount().to_numpy()
    size = table.groupby(by, sort=False)[by[0]].transform("size").to_numpy()
    n = np.minimum(np.maximum(FEWEST_POINTS, (size * share).astype(int)), size)
    step = np.maximum(size - 1, 1)
    # a point stays where the even division of the curve into n - 1 parts has a new integer
    kept = (place * (n - 1)) // step != ((place - 1) * (n - 1)) // step
    return table[kept | (place == 0) | (place == size - 1)]


def draw(section: Section) -> None:
    """Make the charts of a section: specifications, data and static pictures."""
    study, name, kinds = section.study, section.source.name, section.kinds
    found = study.arrangement
    what = study.statistic
    for kind, table in section.tables.items():
        section.data[f"{name}-{kind}"] = charts.csv_text(table)
    still = {
        f"{name}-{kind}": charts.csv_text(table if kind == "ends" else fewer(table, STILL))
        for kind, table in section.tables.items()
    }
    beside = f"{name}-bounds" if "bounds" in section.tables else None
    label = METRICS[section.source.metric] if what == "regret" else "samples until it stops"
    at_end = f"{label} at T" if what == "regret" else label
    against = section.axis if found.axis not in BUDGETS else f"privacy budget {section.axis}"
    of_tails = f"{label}, times the smallest mean" if study.aggregated else at_end
    made = {
        "curves": lambda: charts.curve_chart(
            f"{name}-curves", "t", ("round t", label), found.lines, "level", ("log", "log"),
            beside, kinds, False,
        ),
        "ends": lambda: charts.curve_chart(
            f"{name}-ends", "x", (against, at_end), found.lines, "", scales_of(found.levels),
            beside if found.axis in BUDGETS else None, kinds, True,
        ),
        "tails": lambda: charts.tail_chart(f"{name}-tails", of_tails, found.lines, ("log", "log")),
    }  # fmt: skip
    for kind, chart in made.items():
        if f"{name}-{kind}" not in section.data:
            continue
        caption = CHARTS[kind].format(what=what.capitalize(), axis=section.axis)
        spec = charts.spec_of(chart(), f"{caption}. {section.source.title}")
        section.captions[kind], section.specs[kind] = caption, spec
        choice = {"level": section.level, "panel": 0, "band": (section.bands or ["none"])[0]}
        section.pictures[kind] = charts.picture(spec, still, choice, f"{name}-{kind}-")


def scales_of(levels: Sequence[float]) -> tuple[str, str]:
    """The scales of final regret against a value: logarithmic if it spans much."""
    return ("log" if min(levels) > 0 and max(levels) > 4 * min(levels) else "linear"), "log"


def across(ends: pd.DataFrame, levels: Sequence[float]) -> pd.DataFrame:
    """Rows in which a line without a value on the axis is horizontal, from end to end."""
    free = ends["level"] == NO_LEVEL
    both = [ends[free].assign(x=x) for x in (levels[0], levels[-1])]
    return pd.concat([ends[~free], *both], ignore_index=True)


def summary_rows(study: Study, metric: str = REGRET) -> tuple[list[list[str]], list[str]]:
    """The summary table as text, its rows and its head."""
    found, regrets = study.arrangement, study.statistic == "regret"
    rows = study.ends.sort_values(["panel", "level", "line"], kind="stable")
    panel, level, line = (rows[name].astype(int) for name in ("panel", "level", "line"))
    columns: list[tuple[str, Iterable[str]]] = [
        ("algorithm" if regrets else "rule", [found.lines[i].label for i in line])
    ]
    if len(found.panels) > 1:
        columns.append(("setting", [found.panels[i] for i in panel]))
    if found.axis is not None:
        levels = [value(found.axis, x) for x in found.levels]
        levels.append(found.without)  # in the place of NO_LEVEL
        columns.append((name_of(found.axis), [levels[i] for i in level]))
    final = "final regret" if metric == REGRET else f"final {METRICS[metric]}"
    mean = f"mean {final if regrets else study.statistic}"
    columns.append((mean, rows["mean"].map(number)))
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
    return [list(row) for row in zip(*cells, strict=True)], list(head)


def spans(low: pd.Series, high: pd.Series) -> list[str]:
    """The cells of a column of intervals, empty for missing ones."""
    pairs = zip(low, high, strict=True)
    return ["" if pd.isna(a) else f"{number(a)} to {number(b)}" for a, b in pairs]


def claims_in(results: Path | None) -> list[dict[str, str]]:
    """The ledger of claims of a folder, a row each; empty without one."""
    file = results / "claims.md" if results is not None else None
    if file is None or not file.is_file():
        return []
    tables = [t for t in read_pipes(file) if {"claim", "verdict"} <= set(t.columns)]
    rows = tables[0].to_dict("records") if tables else []
    for row in rows:
        row["kind"] = next((v for v in VERDICTS if row["verdict"].startswith(v)), "undecided")
        row["basis"] = next((b for b in BASES if row["published"].endswith(f"({BASES[b]})")), "")
    return [{key: row.get(column, "") for key, column in LEDGER.items()} for row in rows]


def map_section(ratios: pd.DataFrame) -> dict[str, Any] | None:
    """The map of regret over the best lower bound; None if no lower bound is known."""
    cells = map_of(ratios)
    if cells.empty:
        return None
    order = cells.groupby("algo")["ratio"].median().sort_values().index.tolist()
    games = cells.groupby("game").size().sort_values(ascending=False, kind="stable")
    data = {"map": charts.csv_text(cells[["game", "algo", "x", "ratio", "settings"]])}
    game = str(games.index[0])
    chosen = cells[cells["game"] == game]
    names = [name for name in order if name in set(chosen["algo"])]
    chart = charts.map_chart("map", "privacy budget", order, len(names))
    spec = charts.spec_of(chart, "Mean regret over the best lower bound")
    picture = charts.picture(spec, data, {"game": game}, "map-")
    columns = sorted(chosen["x"].unique())
    table = chosen.pivot_table(index="algo", columns="x", values="ratio").reindex(names)
    rows = [[name, *(number(x) for x in table.loc[name, columns])] for name in names]
    return {
        "spec": spec, "data": data["map"], "picture": picture, "games": sorted(games.index),
        "game": game, "head": ["algorithm", *(f"{x:g}" for x in columns)], "rows": rows,
        "most": int(cells["settings"].max()),
    }  # fmt: skip


def compressed(specs: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Specifications as JSON in which long texts that occur often stand once, under a token."""
    text = json.dumps(specs, ensure_ascii=False, separators=(",", ":"))
    counts = Counter(x for _, x in leaves("", specs) if isinstance(x, str) and len(x) > 40)
    often = sorted((s for s, n in counts.items() if n > 2), key=lambda s: (-len(s), s))
    tokens = {f"@{i}@": string for i, string in enumerate(often)}
    for token, string in tokens.items():
        text = text.replace(json.dumps(string, ensure_ascii=False), json.dumps(token))
    return text, tokens


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
    specs = {s.source.name: s.specs for s in sections}
    mapped, data = map_section(pd.concat([s.ratios for s in sections], ignore_index=True)), {}
    if mapped:
        specs["map"] = {"map": mapped["spec"]}
        data = {"map": mapped["data"]}
    text, tokens = compressed(specs)
    data |= {name: rows for s in sections for name, rows in s.data.items()}
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    # JSON that stands in a script element must not end it
    environment.filters["script"] = lambda text: text.replace("<", "\\u003c")
    environment.filters["unicode"] = unicode_of
    about = {
        s.source.name: {
            "panels": s.study.arrangement.panels, "levels": s.levels, "axis": s.axis,
            "lines": [line.label for line in s.study.arrangement.lines], "bounds": list(s.kinds),
            "own": levels_of_panels(s.study.arrangement),
        }
        for s in sections
    }  # fmt: skip
    names = [line.algo for s in sections for line in s.study.arrangement.lines]
    page = environment.get_template("template.html").render(
        title=title, sections=sections, claims=claims_in(results), verdicts=VERDICTS,
        privacy=privacy_rows(results, names), notes=notes, map=mapped, buttons=BUTTONS,
        facts=facts_of([s.source for s in sections]),
        settings=sum(s.study.settings for s in sections),
        style=(FOLDER / "style.css").read_text(), script=(FOLDER / "page.js").read_text(),
        engine=charts.engine(), specs=text, tokens=json.dumps(tokens, ensure_ascii=False),
        about=json.dumps(about, ensure_ascii=False), data=json.dumps(data, ensure_ascii=False),
    )  # fmt: skip
    return page + "\n"
