"""Run what is missing of the experiments, and draw each: make figures.

python experiments/all.py [NAME ...] [KEY=VALUE ...], in one process; all experiments if none is
named. A horizon is not for those of stopping rules, which have none. An experiment is left alone
if its table is that of the same settings, and its figure is newer than the table and all sources.
"""

import sys
from pathlib import Path

from dpbandits.cli.compose import kind_of, package_folder, read_request
from dpbandits.cli.kinds import BANDITS, STOPPING
from dpbandits.cli.plot import experiment_figure
from dpbandits.cli.run import guarded, run
from dpbandits.cli.tables import table_path
from dpbandits.figures import save
from dpbandits.files import check_writable
from dpbandits.kernel import PACKAGE
from dpbandits.store import is_current

SOURCES = [*PACKAGE.rglob("*.py"), *Path(__file__).parent.glob("*.py")]


def is_newer(figures, table):
    """Whether figures are there and newer than their table and all that draws them."""
    changed = max(file.stat().st_mtime for file in (table, *SOURCES))
    return all(file.is_file() and file.stat().st_mtime >= changed for file in figures)


def main(argv):
    keys = [word for word in argv if "=" in word]
    every = sorted(f.stem for f in (package_folder("conf") / "experiment").glob("*.yaml"))
    for name in [word for word in argv if "=" not in word] or every:
        given = [f"experiment={name}", *keys]
        if kind_of(given, (), BANDITS) is STOPPING:
            given = [word for word in given if not word.startswith("horizon=")]
        request = read_request(given, ())
        table = table_path(request)
        figures = [request.results / "figures" / f"{name}{suffix}" for suffix in (".pdf", ".png")]
        if not is_current(table, request.config, request.cells) or not is_newer(figures, table):
            check_writable(request.results)
            code = run(request)
            if code:
                return code
            stem, figure = experiment_figure(name, request.results)
            figures = save(figure, stem)
        print(*figures, sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    guarded("figures", lambda: main(sys.argv[1:]))
