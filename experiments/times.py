"""Running times of the experiments: python experiments/times.py [RESULTS].

They are read from the manifests, printed, and written to RESULTS/times.md. Runs that several
experiments share are counted in the first of them only.
"""

import json
import sys
from pathlib import Path

from tabulate import tabulate

import dpbandits as dp
from dpbandits.cli.command import guarded
from dpbandits.files import write_atomically
from dpbandits.results.summary import rounds


def main(results):
    rows = []
    for name in dp.experiments().index:
        path = results / f"{name}.json"
        if path.is_file():
            manifest = json.loads(path.read_text())
            settings, runs = manifest["settings"], manifest["config"]["runs"]
            seconds = f"{manifest['wall_time_seconds']:.1f}"
            horizon = ", ".join(map(rounds, sorted({setting["horizon"] for setting in settings})))
            rows.append([name, len(settings), runs, horizon, seconds])
    head = ["experiment", "settings", "runs", "horizon", "seconds"]
    text = tabulate(rows, head, tablefmt="pipe", disable_numparse=True) + "\n"
    print(text, end="")
    write_atomically(results / "times.md", text.encode())
    return 0


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    guarded("times", lambda: main(folder))
