"""Print the running times of the experiments: python experiments/times.py [RESULTS].

The times come from the manifests and the stored runs. The times are also written to
RESULTS/times.md.
"""

import csv
import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

from pages import page_of_folder, table

import dpbandits as dp
from dpbandits.files import RUNS
from dpbandits.results.run_store import Damaged, read_runs
from dpbandits.results.summary import rounds

HEAD = ["experiment", "settings", "runs", "horizon", "seconds", "most of it", "ns a round of that",
        "random numbers"]  # fmt: skip
RATIOS = Path(__file__).parent.parent / "benchmarks" / "ratios.csv"
SMALL = "K = 5", "5 Beta draws", "30 normals", "30 normals and a message", "30 normals, and noise"
NOTE = """
Seconds by the clock on two cores, which other programs used at the same time, compilation included;
runs that experiments share are counted in the first that was made. *Most of it*: the algorithm, or
stopping rule, that took the largest share of the time of all runs. *Random numbers*: about which
share of the time drawing the random numbers of its rounds takes, by the ratios of
benchmarks/table.md with few arms; algorithms that play blocks of rounds, which cost less than a
nanosecond a round, count as 0.
"""


def shares():
    """Return, for each algorithm, which share of a round's time is needed to draw random numbers.
    The shares come from the committed ratios of benchmarks.
    """
    with RATIOS.open(newline="") as lines:
        ratios = {row["measured"]: float(row["ratio"]) for row in csv.DictReader(lines)}
    names = (name.partition(", ") for name in ratios)
    return {algo: min(1.0, 1.0 / ratios[f"{algo}, {of}"]) for algo, _, of in names if of in SMALL}


def page(results):
    rows = [row(n, results) for n in dp.experiments().index if (results / f"{n}.json").is_file()]
    return table(rows, HEAD) + NOTE


def row(name, results):
    """Return the row of an experiment, with the columns of HEAD."""
    manifest = json.loads((results / f"{name}.json").read_text())
    settings = manifest["settings"].values()
    seconds, played = Counter(), Counter()
    for own, setting in manifest["settings"].items():
        for file in (results / RUNS / own[:2]).glob(f"*-{own}.npz"):
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
    drawing = sum(taken * SHARES.get(algo, 0.0) for algo, taken in seconds.items())
    drawn = f"{drawing / sum(seconds.values()):.0%}"
    return [name, len(settings), config["runs"], horizons, wall, f"{who}, {share:.0%}", each, drawn]


SHARES = shares()


if __name__ == "__main__":
    page_of_folder("times", page)
