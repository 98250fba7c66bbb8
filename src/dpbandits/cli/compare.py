"""bandit-compare: which algorithms of a table differ, and by how much."""

from __future__ import annotations

from pathlib import Path

from ..comparison.table import compare
from ..comparison.text import note, render
from ..errors import BadInput, unknown
from ..figures.experiments import together
from ..files import check_writable, write_atomically
from ..settings.groups import is_name, names_in
from .command import entry_point, parser_of_words

USAGE = """\
usage: bandit-compare TABLE.csv [TABLE.csv ...]|experiment=NAME [KEY=VALUE ...]

Say which algorithms of a table, or of several together, differ. Nothing is run. Each is compared
with the best of its game (environment, budget and horizon), with intervals that hold for all
comparisons at once.

  bandit-compare experiment=azize2022_fig4        results/azize2022_fig4.csv
  bandit-compare results/a.csv                    any tidy tables, as for bandit-plot
  bandit-compare results/a.csv baseline=adap_ucb  with one algorithm instead of the best

  baseline=NAME    an algorithm; one without privacy is compared with every budget
  baseline=inf     each algorithm with itself without privacy (eps=inf)
  results=DIR      the folder of the table of an experiment
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
    if ("experiment" in keys) == bool(files):
        raise BadInput("either experiment=NAME or the paths of tables are needed (see --help)")
    paths = list(map(Path, files)) or [_table_of(keys["experiment"], keys)]
    path = paths[0]
    stem = Path(keys.get("out", path.with_name(f"{path.stem}-compare")))
    if not stem.name or stem.is_dir():
        raise BadInput(f"out={keys['out']}: the path of a file is needed, not of a folder")
    baseline = keys.get("baseline")
    compared = compare(together(paths), baseline)
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
