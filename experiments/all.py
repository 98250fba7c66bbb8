"""Run and draw the experiments: python experiments/all.py [NAME ...] [KEY=VALUE ...].

This is ``make figures``: all experiments, in one process, if no NAME is given. A horizon is not
passed to experiments of stopping rules, which have none. An experiment is skipped if its table was
made by the same sources with the same settings, and its figure is newer than the table, the
experiment's file and its script.
"""

import sys
from pathlib import Path

from dpbandits.cli.config.compose import kind_of, read_request
from dpbandits.cli.kinds import BANDITS, STOPPING
from dpbandits.cli.plot import experiment_figure
from dpbandits.cli.run import guarded, run
from dpbandits.figures.style import save
from dpbandits.files import check_writable, package_folder
from dpbandits.results.naming import table_path
from dpbandits.results.tables import is_current


def are_newer(figures, table):
    """Whether figures exist and are newer than the table's manifest, the experiment's file and, if
    it has one, its script.
    """
    described = package_folder("conf") / "experiment" / f"{table.stem}.yaml"
    script = package_folder("experiments") / f"{table.stem}.py"
    before = [table.with_suffix(".json"), described, *filter(Path.is_file, [script])]
    written = max(file.stat().st_mtime for file in before)
    states = [file.stat() for file in figures if file.is_file()]
    return len(states) == len(figures) and all(s.st_size and s.st_mtime >= written for s in states)


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
        if not is_current(table, request.config, request.cells) or not are_newer(figures, table):
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
