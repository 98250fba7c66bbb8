"""bandit-report: one HTML page of everything in a results folder."""

from __future__ import annotations

from argparse import Namespace

from ..errors import BadInput
from ..files import check_writable, write_atomically
from ..report.build import checked_page, report_of_folder
from ..results.metrics import REGRET
from .command import entry_point, results_of


@entry_point("report")
def main(given: Namespace) -> int:
    keys = given.keys
    if given.words:
        raise BadInput(f"{given.words[0]}: KEY=VALUE is needed, as in results=DIR (see --help)")
    page = checked_page(keys.get("out", "report.html"))
    check_writable(page.parent, page)
    text = report_of_folder(results_of(keys), keys.get("metric", REGRET), given.folders)
    write_atomically(page, text.encode())
    print(page)
    return 0
