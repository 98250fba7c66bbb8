"""bandit-compare: which algorithms of a table differ, and by how much."""

from __future__ import annotations

from pathlib import Path

from ..comparison.table import compare
from ..comparison.text import note, render
from ..errors import BadInput, unknown
from ..files import check_writable, write_atomically
from ..results.tables import read_table
from ..settings.groups import is_name, names_in
from .command import entry_point, parser_of_words

USAGE = """\
usage: bandit-compare TABLE.csv|experiment=NAME [baseline=ALGORITHM|inf] [results=DIR] [out=STEM]

Say which algorithms of a table differ. Nothing is run. Each is compared with the best of its game
(environment, budget and horizon), with intervals that hold for all comparisons at once.

  bandit-compare experiment=azize2022_fig4        results/azize2022_fig4.csv
  bandit-compare results/a.csv                    any tidy table, as for bandit-plot
  bandit-compare results/a.csv baseline=adap_ucb  with one algorithm instead of the best

  baseline=NAME    an algorithm; one without privacy is compared with every budget
  baseline=inf     each algorithm with itself without privacy (eps=inf)
  out=STEM         where STEM.md and STEM.tex are written; the table's name with -compare
"""
KEYS = ("experiment", "results", "baseline", "out")


@entry_point("bandit-compare")
def main(argv: list[str]) -> int:
    given = parser_of_words("bandit-compare").parse_args(argv)
    if given.help:
        print(USAGE, end="")
        return 0
    files = [x for x in given.arguments if "=" not in x or Path(x).exists()]
    keys = dict(x.split("=", 1) for x in given.arguments if x not in files)
    for key in keys:
        if key not in KEYS:
            raise unknown("key", key, KEYS)
    if len(files) + ("experiment" in keys) != 1:
        raise BadInput("either experiment=NAME or the path of one table is needed (see --help)")
    path = Path(files[0]) if files else _table_of(keys["experiment"], keys)
    stem = Path(keys.get("out", path.with_name(f"{path.stem}-compare")))
    if not stem.name or stem.is_dir():
        raise BadInput(f"out={keys['out']}: the path of a file is needed, not of a folder")
    baseline = keys.get("baseline")
    compared = compare(read_table(path), baseline)
    check_writable(stem.parent)
    for suffix, style in ((".md", "pipe"), (".tex", "latex")):
        text = render(compared, style, baseline) + "\n"
        write_atomically(stem.with_name(stem.name + suffix), text.encode())
    print(render(compared, "simple", baseline), note(compared), f"{stem}.md", sep="\n")
    return 0


def _table_of(experiment: str, keys: dict[str, str]) -> Path:
    """The table of an experiment."""
    if not is_name(experiment) or experiment not in names_in("experiment"):
        raise unknown("experiment", experiment, names_in("experiment"))
    path = Path(keys.get("results", "results")) / f"{experiment}.csv"
    if not path.exists():
        raise BadInput(f"{path} is missing: bandit-run experiment={experiment} makes it")
    return path
