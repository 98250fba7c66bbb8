"""From a folder of results, or from tables, to the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

import pandas as pd

from ..errors import BadInput, plain
from ..results.metrics import REGRET
from ..results.reading import checked
from ..settings.user_files import load_laws
from ..validation import path_of
from .sources import Source, by_metric, source_of_table, sources_in

PACKAGES = ("jinja2", "vl_convert")


def check_installed() -> None:
    """Raise BadInput if a package that draws the charts is missing."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise BadInput(f"a report needs {missing[0]}: pip install 'dpbandits[report]'")


def checked_page(out: str | PathLike[str]) -> Path:
    """The path of a page that can be written.

    Raises:
        BadInput: its name does not end in .html, or it is a folder.
    """
    path = path_of("out", out)
    if path.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"out={path}: a file whose name ends in .html is needed")
    if path.is_dir():
        raise BadInput(f"out={path}: a file is needed, and this is a folder")
    return path


def report_of_folder(results: Path, metric: str = REGRET, folders: Sequence[str] = ()) -> str:
    """The page of a folder of results as HTML, of one statistic; reward laws that its tables name
    are loaded from the user's folders.

    Raises:
        BadInput: the folder holds nothing to show, or a package is missing.
    """
    check_installed()
    sources, notes = sources_in(results)
    load_laws([r["env_spec"] for source in sources for r in source.records.values()], folders)
    sources, others = by_metric(sources, metric)
    return _page("Private bandits: results", sources, results, [*notes, *others])


def report_of_tables(
    tables: Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame], metric: str = REGRET
) -> str:
    """The page of tidy tables as HTML, of one statistic.

    Raises:
        BadInput: something is no tidy table, or a package is missing.
    """
    check_installed()
    if not isinstance(tables, Mapping | list | tuple):
        raise BadInput(f"tables={plain(tables)}: tidy tables are needed, in a list or by name")
    if not isinstance(tables, Mapping):
        tables = {f"table {i}" if len(tables) > 1 else "table": t for i, t in enumerate(tables, 1)}
    if not tables:
        raise BadInput("tables: at least one is needed")
    sources = []
    for name, table in tables.items():
        sources.append(source_of_table(plain(name), checked(plain(name), table)))
    sources, notes = by_metric(sources, metric)
    return _page("Private bandits: report", sources, None, notes)


def _page(title: str, sources: list[Source], results: Path | None, notes: list[str]) -> str:
    from . import page  # it needs the packages that draw the charts

    return page.render(title, [page.section_of(source) for source in sources], results, notes)
