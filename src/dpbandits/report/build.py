"""Make one HTML file, which needs no other file, from a results folder or from tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

import pandas as pd

from ..contracts.display import display_name
from ..errors import BadInput, plain, together
from ..figures.labels import plain_text, usual_title
from ..results.metrics import REGRET, refuse_metric
from ..results.table import Table
from ..results.varying import SETTING
from ..validation import new_file, path_of
from .charts import engine
from .privacy import privacy_of
from .sources import Source, claims_in, gathered, source_of, sources_in
from .study import Best, Study, chart_of_map, html_of, map_of, with_violations

MAX_NAMED_GAMES, MAX_NAMED_ALGORITHMS = 8, 4  # in the sentence at the top of the page


def check(metric: str) -> None:
    """Raise BadInput if there is no such metric, or if a package that draws charts is missing."""
    refuse_metric(metric)
    if missing := [x for x in ("jinja2", "vl_convert") if find_spec(x) is None]:
        raise BadInput(f"a report needs {missing[0]}: pip install 'dpbandits[report]'")


def checked_page(out: str | PathLike[str]) -> Path:
    """Check the path of a page, and return it.

    Raises:
        BadInput: the name does not end in .html or .htm, or the path is a folder.
    """
    path = path_of("out", out)
    if path.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"out={path}: a file whose name ends in .html is needed")
    return new_file("out", out)


def report_of_folder(results: Path, metric: str = REGRET, folders: Sequence[str] = ()) -> str:
    """Return the page about a results folder as HTML, for one statistic such as regret.

    If tables name reward laws of the user, the function loads these laws from the user's folders.

    Raises:
        BadInput: the folder has nothing to show, or a package is missing.
    """
    check(metric)
    sources, notes = sources_in(results, metric, folders)
    return page_of("Private bandits: results", sources, results, notes)


def report_of_tables(
    tables: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame], metric: str = REGRET
) -> str:
    """Return the page about tidy tables as HTML, for one statistic such as regret.

    Raises:
        BadInput: no table can be shown, or a package is missing.
    """
    check(metric)
    unnamed = isinstance(tables, list | tuple)
    if isinstance(tables, list | tuple):
        tables = {f"table {i}" if len(tables) > 1 else "table": t for i, t in enumerate(tables, 1)}
    if not isinstance(tables, Mapping) or not tables:
        raise BadInput(
            f"tables={plain(tables)}: a table, a list of tables or a dictionary of tables is needed"
        )
    named = {plain(name): table for name, table in tables.items()}
    if len(named) < len(tables):
        raise BadInput(f"tables: two tables have one name; the names are {', '.join(named)}")

    def made(name: str) -> Source:
        table = Table.of_frame(named[name], name)
        number = f"{name.capitalize()}: " if len(named) > 1 else ""
        heading = f"{number}{plain_text(usual_title(table))}" if unnamed else ""
        return source_of(name, table, metric, heading=heading)

    sources, notes = gathered(named, made)
    return page_of("Private bandits: report", sources, None, notes)


def page_of(title: str, sources: list[Source], results: Path | None, notes: list[str]) -> str:
    """Return the page as HTML, with the claims and audits in the results folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    studies = [Study(source) for source in sources]
    counted = counted_once(studies)
    cells = map_of(pd.concat([study.ratios for study in counted], ignore_index=True))
    specs = {f"table-{s.source.name}": s.chart() for s in studies} | {"map": chart_of_map(cells)}
    untested = sum(len(study.best) for study in counted if study.compared is None)
    names = [name for study in studies for name in study.places["algo"].unique()]
    records = [record for source in sources for record in source.recorded.values()]
    privacy = privacy_of(results, names, records)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True,
        undefined=StrictUndefined,
    )  # fmt: skip
    page = environment.get_template("template.html").render(
        title=title, first=standing(best_of(counted), untested),
        studies=studies,
        claims=claims_in(results), notes=notes, specs=specs,
        map=html_of(cells.drop(columns="algo")), privacy=with_violations(html_of(privacy)),
        engine=engine(),
    )  # fmt: skip
    return page + "\n"


def counted_once(studies: Sequence[Study]) -> list[Study]:
    """Return the studies (the parts of the page about one table each), but leave out a study if
    another study has all its settings, with at least as many runs. Such a study may come from a
    later command with more runs.
    """
    kept: dict[Study, dict[str, int]] = {}
    for study in sorted(studies, key=lambda study: -study.source.summary["runs"].sum()):
        ids = study.source.summary[SETTING].map(str)
        own = dict(zip(ids, study.source.summary["runs"], strict=True))
        known = own.keys() <= study.source.recorded.keys()
        if not known or not any(
            all(other.get(x, 0) >= n for x, n in own.items()) for other in kept.values()
        ):
            kept[study] = own
    return [study for study in studies if study in kept]


def best_of(studies: Sequence[Study]) -> list[Best]:
    """Return the best algorithms of each game of all studies. If there are several studies, the
    name of a game includes the name of its table.
    """
    found = [(study.source.name, x) for study in studies for x in study.best]
    several = len({name for name, _ in found}) > 1
    return [x._replace(where=f"{x.where} ({name})" if several else x.where) for name, x in found]


def standing(every: Sequence[Best], untested: int) -> str:
    """Return a sentence that says which algorithms are best in which games: algorithms that have
    the smallest mean or are tied with it.

    Up to MAX_NAMED_GAMES games are named. If there are more games, the sentence says in how many
    games each algorithm is best, and which algorithms tie most often.

    Args:
        every: the best algorithms of each game.
        untested: the number of games for which only a summary is left, so that the ties are not
            known.
    """
    if not every:
        return ""
    counts = Counter(best.names for best in sorted(every, key=lambda best: sorted(best.names)))
    unknown = " have no runs in this folder, so that ties are unknown"
    if len(every) <= MAX_NAMED_GAMES:
        parts = []
        for names, _ in counts.most_common():
            have = "have the smallest mean, and are tied," if len(names) > 1 else ""
            where = together(dict.fromkeys(f"on {x.where}" for x in every if x.names == names))
            parts.append(f"{_named(names)} {have or 'has the smallest mean'} {where}")
        parts += [f"{untested} of these {len(every)} games{unknown}"] * bool(untested)
        return f"{'; '.join(parts)}."
    single = Counter(name for names in counts.elements() for name in sorted(names))
    named = [f"{display_name(name)} in {n}" for name, n in single.most_common(MAX_NAMED_ALGORITHMS)]
    if len(single) > MAX_NAMED_ALGORITHMS:
        named[-1] += f" (and {len(single) - MAX_NAMED_ALGORITHMS} further algorithms in fewer)"
    ties = Counter({names: n for names, n in counts.items() if len(names) > 1})
    said = (
        f"Of {len(every)} games (an environment, a budget and a horizon with several algorithms) "
    )
    said += f"the smallest mean, alone or tied, belongs to {', '.join(named)}"
    if ties:
        [(most, n)] = ties.most_common(1)
        often = f"most often {_named(most)}, in {n}" if len(ties) > 1 else f"always {_named(most)}"
        said += f"; in {ties.total()} several algorithms tie, {often}"
    said += f"; {untested}{unknown}" * bool(untested)
    return f"{said}."


def _named(names: Iterable[str]) -> str:
    """Return the display names of some algorithms, joined by "and"."""
    return together(map(display_name, sorted(names)))
