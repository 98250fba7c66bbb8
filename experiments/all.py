"""Run what is missing of the experiments, and draw each: make figures.

python experiments/all.py [NAME ...] [KEY=VALUE ...], in one process; all experiments if none is
named.
"""

import sys

from dpbandits.cli.compose import package_folder, read_request
from dpbandits.cli.plot import experiment_figure
from dpbandits.cli.run import guarded, run
from dpbandits.figures import save
from dpbandits.store import check_writable


def main(argv):
    keys = [word for word in argv if "=" in word]
    every = sorted(f.stem for f in (package_folder("conf") / "experiment").glob("*.yaml"))
    for name in [word for word in argv if "=" not in word] or every:
        request = read_request([f"experiment={name}", *keys], ())
        check_writable(request.results)
        code = run(request)
        if code:
            return code
        stem, figure = experiment_figure(name, request.results)
        print(*save(figure, stem), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    guarded("figures", lambda: main(sys.argv[1:]))
