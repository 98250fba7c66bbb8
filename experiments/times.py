"""Running times of the experiments: python experiments/times.py [RESULTS].

They are read from the manifests, printed, and written to RESULTS/times.md. Runs that several
experiments share are counted in the first of them only.
"""

import json
import sys
from pathlib import Path

from tabulate import tabulate

from dpbandits.files import package_folder, write_atomically
from dpbandits.results.summary import rounds


def main(results):
    rows = []
    for file in sorted((package_folder("conf") / "experiment").glob("*.yaml")):
        path = results / f"{file.stem}.json"
        if path.is_file():
            manifest = json.loads(path.read_text())
            cells, runs = manifest["cells"], manifest["config"]["runs"]
            seconds = f"{manifest['wall_time_seconds']:.1f}"
            horizons = sorted({cell.get("horizon", cell.get("cap")) for cell in cells})
            horizon = ", ".join(rounds(T) for T in horizons)
            rows.append([file.stem, len(cells), runs, horizon, seconds])
    head = ["experiment", "settings", "runs", "horizon", "seconds"]
    text = tabulate(rows, head, tablefmt="pipe", disable_numparse=True) + "\n"
    print(text, end="")
    write_atomically(results / "times.md", text.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))
