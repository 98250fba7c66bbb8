"""What the scripts share that write a page of tables into a folder of results."""

import sys
from pathlib import Path

from tabulate import tabulate

from dpbandits.cli.command import guarded
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.contracts.question import REGRET
from dpbandits.files import write_atomically
from dpbandits.results.sources import signed
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import question_of, read_group


def table(rows, head):
    """Rows as a table in Markdown."""
    return tabulate(rows, head, tablefmt="pipe", disable_numparse=True) + "\n"


def write(page, text, sources):
    """Print a page and write it with the line about its sources; the exit code."""
    print(text, end="")
    write_atomically(page, signed(text, sources).encode())
    return 0


def changed(words):
    """What was asked for by KEY=VALUE, but for where: part of what decides a page."""
    return sorted(word for word in words if not word.startswith("results="))


def page_of_folder(name, text_of, sources_of):
    """Run a script NAME.py [RESULTS]: it writes RESULTS/NAME.md, the text of that folder."""
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    guarded(name, lambda: write(results / f"{name}.md", text_of(results), sources_of()))


def experiments(*names):
    """What decides the tables of some experiments: their settings and numbers of runs."""
    requests = [request_from(question_of(x) or REGRET, {"experiment": x}, {}) for x in names]
    return [part for r in requests for part in (*r.settings, str(r.runs))]


def played(algorithms, environments, folders=()):
    """What decides runs whose other keys stand in the script: algorithms and environments."""
    found = [load(find_file(name, folders, "algo")) for name in algorithms]
    groups = [("algo", name) for name in algorithms] + [("env", name) for name in environments]
    return found + [repr(read_group(group, name, folders)) for group, name in groups]
