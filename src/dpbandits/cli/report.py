"""bandit-report: one HTML page of everything in a results folder."""

from __future__ import annotations

from pathlib import Path

from ..errors import BadInput, unknown
from ..files import check_writable, write_atomically
from ..report.build import checked_page, report_of_folder
from ..results.metrics import METRICS, REGRET
from .command import entry_point, one_of, parser_of_words

USAGE = """\
usage: bandit-report [results=DIR] [metric=NAME] [out=FILE.html]

Write one HTML page of a results folder: what was run, the claims with their verdicts, regret over
the best lower bound, the charts and the numbers of each table, and what is known about privacy.
The page needs no network and no server, and has the same bytes for the same results. Nothing is
run.

  bandit-report                        results/ as report.html
  bandit-report results=mine out=mine.html

  results=DIR      the folder: tables (*.csv) with their manifests (*.json), or, of experiments of
                   the package, the summaries (*.md); claims.md, audit.csv or .md, exact.csv or .md
  metric=nash|average  Nash regret or average regret in the place of pseudo-regret, of tables with
                   their manifests
  out=FILE.html    the page that is written
"""
KEYS = ("results", "metric", "out")


@entry_point("bandit-report")
def main(argv: list[str]) -> int:
    given = parser_of_words("bandit-report").parse_args(argv)
    if given.help:
        print(USAGE, end="")
        return 0
    keys = {}
    for word in given.arguments:
        key, equals, value = word.partition("=")
        if not equals:
            raise BadInput(f"{word}: KEY=VALUE is needed, as in results=DIR (see --help)")
        if key not in KEYS:
            raise unknown("key", key, KEYS)
        keys[key] = value
    page = checked_page(keys.get("out", "report.html"))
    check_writable(page.parent)
    metric = one_of(keys, "metric", tuple(METRICS), REGRET)
    text = report_of_folder(Path(keys.get("results", "results")), metric)
    write_atomically(page, text.encode())
    print(page)
    return 0
