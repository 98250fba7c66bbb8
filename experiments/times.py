"""Running times of the experiments: python experiments/times.py [RESULTS].

They are read from the manifests and the stored runs, printed, and written to RESULTS/times.md.
"""

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

from pages import page_of_folder, table

import dpbandits as dp
from dpbandits.results.run_store import Damaged, file_of, read_runs
from dpbandits.results.summary import rounds
from dpbandits.settings.setting import key_of

HEAD = ["experiment", "settings", "runs", "horizon", "seconds", "most of it", "ns a round of that"]
NOTE = """
Seconds on two cores, compilation included; runs that experiments share are counted in the first
that was made. *Most of it*: the algorithm, or stopping rule, that took the largest share of the
time of all runs. A round costs its random numbers, and what the index needs: the table of ratios in
benchmarks/table.md says how near each algorithm is to the random numbers alone. Episodes cost less
than a nanosecond a round, since a block of rounds is one draw.
"""


def page(results):
    rows = [row(n, results) for n in dp.experiments().index if (results / f"{n}.json").is_file()]
    return table(rows, HEAD) + NOTE


def row(name, results):
    """An experiment: what was run, how long it took, and the algorithm that took longest."""
    manifest = json.loads((results / f"{name}.json").read_text())
    settings = manifest["settings"].values()
    seconds, played = Counter(), Counter()
    for own, setting in manifest["settings"].items():
        file = file_of(results, key_of(setting["algo"], setting["env"], own))
        with suppress(Damaged):
            taken = [run.seconds for run in read_runs(file).values()]
            seconds[setting["algo"]] += sum(taken)
            played[setting["algo"]] += len(taken) * setting["horizon"]
    [(who, most)] = seconds.most_common(1)
    share = most / sum(seconds.values())
    horizons = ", ".join(map(rounds, sorted({setting["horizon"] for setting in settings})))
    wall = f"{manifest['wall_time_seconds']:.1f}"
    config = manifest["config"]
    each = "" if "cap" in config else f"{1e9 * most / played[who]:.2g}"  # a rule may stop early
    return [name, len(settings), config["runs"], horizons, wall, f"{who}, {share:.0%}", each]


def sources():
    """What decides the page, for ``signed``, but the machine."""
    return [Path(__file__)]


if __name__ == "__main__":
    page_of_folder("times", page, sources)
