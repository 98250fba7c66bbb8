"""Run what is missing of the experiments, and draw each: make figures.

python experiments/all.py [NAME ...] [KEY=VALUE ...], in one process; all experiments if none is
named. A horizon is not for those of stopping rules, which have none.
"""

import sys

from dpbandits.cli.compose import kind_of, package_folder, read_request
from dpbandits.cli.kinds import BANDITS, STOPPING
from dpbandits.cli.plot import experiment_figure
from dpbandits.cli.run import guarded, run
from dpbandits.figures import save
from dpbandits.files import check_writable


def main(argv):
    keys = [word for word in argv if "=" in word]
    every = sorted(f.stem for f in (package_folder("conf") / "experiment").glob("*.yaml"))
    for name in [word for word in argv if "=" not in word] or every:
        given = [f"experiment={name}", *keys]
        if kind_of(given, (), BANDITS) is STOPPING:
            given = [word for word in given if not word.startswith("horizon=")]
        request = read_request(given, ())
        check_writable(request.results)
        code = run(request)
        if code:
            return code
        stem, figure = experiment_figure(name, request.results)
        print(*save(figure, stem), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    guarded("figures", lambda: main(sys.argv[1:]))
