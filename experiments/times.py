"""Running times of the experiments: python experiments/times.py [RESULTS].

They are read from the manifests, printed, and written to RESULTS/times.md. Runs that several
experiments share are counted in the first of them only.
"""

import json
from pathlib import Path

from pages import page_of_folder, table

import dpbandits as dp
from dpbandits.results.summary import rounds


def page(results):
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
    return table(rows, head)


def sources():
    """What decides the page, for ``signed``, but the machine."""
    return [Path(__file__)]


if __name__ == "__main__":
    page_of_folder("times", page, sources)
