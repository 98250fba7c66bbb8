"""Measure how killed processes, damaged files, several processes and bad input affect runs, tables
and commands.

``python benchmarks/reliability.py > benchmarks/reliability.md`` prints the table. With ``--small``,
each row has only a few tries. The script needs the packages of the tests. In tests/support,
faults.py makes the faults, and fuzz.py and hostile.py make the bad input.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tabulate import tabulate

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))
import fuzz  # noqa: E402
from commands import command  # noqa: E402

COLUMNS = "tried", "lost", "doubled", "other bytes", "tracebacks", "hangs"
LONGEST = 1800  # the longest time of a group of rows, in seconds
KILLS = {  # for tests/support/faults.py: question, kind, tries, tries with --small
    "`bandit-run`, threads": ("regret", "threads", 90, 3),
    "`bandit-stop`, threads": ("stopping", "threads", 24, 3),
    "`bandit-run`, processes": ("regret", "processes", 15, 3),
    "a command that starts, or has been resumed": ("regret", "anew", 15, 3),
    "a kernel compiles that is not cached": ("regret", "cold", 30, 3),
    "two processes on one folder": ("regret", "two", 30, 3),
}
ENGINES = {  # the needed module, and the words of a command
    "Dask, two workers": ("distributed", ["runner=dask", "jobs=2"]),
}
SEEDS = 5  # number of tables of each engine
SWEEP = ["-m", "algo=dp_se,adap_ucb", "eps=0.5,1", "horizon=2000", "runs=4"]
ACCEPTED = "accepted", "stopped"
STOPPED = 130, -9
ALIGN = ["left", *["right"] * len(COLUMNS)]


def faults(folder, what, question, *given):
    """Run tests/support/faults.py in a process, and return its results. If the process damages or
    compiles machine code, it gets its own cache.
    """
    own = os.environ.copy()
    if "cold" in given or what == "damages":
        own["NUMBA_CACHE_DIR"] = f"{folder}/cache"
    return printed("faults.py", what, question, *given, env=own)[question]


def printed(script, *given, **process):
    """Return the JSON value that a script of tests/support prints."""
    code = [sys.executable, SUPPORT / script, *map(str, given)]
    done = subprocess.run(code, stdout=subprocess.PIPE, timeout=LONGEST, check=True, **process)
    return json.loads(done.stdout)


def row(what, found, tried="tried"):
    keys = tried, *(name.replace(" ", "_") for name in COLUMNS[1:])
    return [what, *(found.get(key, 0) for key in keys)]


def kills(folder, small):
    for i, (where, (question, how, *numbers)) in enumerate(KILLS.items()):
        found = faults(folder, "kills", question, folder / f"kills{i}", i, numbers[small], how)
        for name, counts in found.items():
            yield row(f"{name}: {where}", counts, "kills")


def damage(folder, small):
    found = faults(folder, "damages", "regret", folder / "damages", 1 if small else 8)
    for sort, counts in found.items():
        yield row(f"damaged {sort}", counts)


def concurrency(folder, small):
    found = faults(folder, "together", "regret", folder / "together", 2 if small else 30)
    yield row("four processes at once on one folder, then a fifth", found)
    count = 5 if small else 100
    found = faults(folder, "writers", "regret", folder / "writers", count)
    yield row("runs of one setting, stored by two processes at once", found | {"tried": 2 * count})


def bad_input(folder, small):
    command("bandit-run", "algo=dp_se", "sweep={eps:[1,2]}", "horizon=50", "runs=2", cwd=folder)
    (table,) = folder.glob("results/*.csv")
    lines = fuzz.lines(table.read_bytes(), table.with_suffix(".json").read_bytes())
    noted = defaultdict(Counter)

    def judged(place, words, files):
        found = fuzz.end_of_command(place, words, files)
        noted[words[0]].update([found, *(["tried"] if found not in ACCEPTED else [])])
        return found

    fuzz.outcomes(lines, folder / "input", 20 if small else 2400, judged)
    for name, found in sorted(noted.items()):
        counts = {"tracebacks": found["traceback"] + found["untidy"], "hangs": found["hang"]}
        yield row(f"bad words and files: `{name}`", counts | {"tried": found["tried"]})


def calls(folder, small):
    found = printed("hostile.py", folder, 20 if small else 2000)
    counts = {"tracebacks": found.get("traceback", 0), "hangs": found.get("hang", 0)}
    yield row("calls from Python with one bad value", counts | {"tried": sum(found.values())})


def engines(folder, small):
    def tables(name, words, seed):
        place = folder / f"{name}-{seed}"
        given = [*SWEEP, *words, f"seed={seed}", f"results={place}"]
        done = command("bandit-run", *given, cwd=folder, limit=LONGEST)
        return done, {file.name: file.read_bytes() for file in place.glob("*.csv")}

    for i, (name, (module, words)) in enumerate({} if small else ENGINES.items()):
        if importlib.util.find_spec(module):
            counts = Counter(tried=SEEDS)
            for seed in range(SEEDS):
                (ended, right), (done, found) = tables("here", [], seed), tables(i, words, seed)
                assert ended.returncode == 0 and len(right) == 1, ended.stderr
                counts["other_bytes"] += found != right
                counts["tracebacks"] += "Traceback" in done.stderr
                counts["hangs"] += done.returncode in STOPPED
            yield row(name, counts)


def text_of(rows, load, seconds):
    """Return the table in Markdown."""
    text = tabulate(rows, ["", *COLUMNS], "pipe", disable_numparse=True, colalign=ALIGN)
    text += f"\n\nThe tests took {seconds / 60:.0f} minutes on {os.cpu_count()} cores, with a load"
    return f"{text} average of {min(load):.1f} to {max(load):.1f}.\n"


PARTS = (kills,), (damage, concurrency, bad_input, calls, engines)  # at once, each on a core


def rows_of(parts, folder, small):
    rows = []
    for part in parts:
        place = folder / part.__name__
        place.mkdir()
        for what, *numbers in part(place, small):
            rows.append([what, *map(int, numbers)])
            print(*rows[-1], sep=", ", file=sys.stderr, flush=True)
    return rows


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    small, start, load = "--small" in sys.argv, time.monotonic(), [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as both:
        lanes = [both.submit(rows_of, parts, Path(folder), small) for parts in PARTS]
        while not all(lane.done() for lane in lanes):
            time.sleep(1)
            load.append(os.getloadavg()[0])
        rows = [row for lane in lanes for row in lane.result()]
    print(text_of(rows, load, time.monotonic() - start), end="")


if __name__ == "__main__":
    main()
