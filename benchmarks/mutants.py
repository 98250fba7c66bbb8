"""Measure how many small faults in the source the tests detect (mutation testing).

``python benchmarks/mutants.py > benchmarks/mutants.md`` lists the undetected faults. Cosmic Ray
makes faulty copies of the source, called mutants: it replaces a number, an operator or a
comparison, or removes a decorator. The mutants of a folder of the package, called a room, are
tested by the fast tests of this room in a copy of the checkout. A sample of mutants is tested, the
same in each run. Rooms can be named on the command line, so that several cores can share the work.
"""

import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome
from tabulate import tabulate

PROJECT = Path(__file__).parent.parent
ABOUT = (
    "A mutant is a copy of the source with one small fault. This page shows how many mutants the "
    "tests detect."
)
# The rooms that are mutated, and the files and folders of tests that must notice
ROOMS = {
    "comparison": "comparison decisions",
    "results": "results running/test_monte_carlo.py",
    "settings": "settings cli/config test_refusals.py",
    "running": "running",
    "figures": "figures",
    "parts": "parts",
}
SAMPLE = 40  # number of sampled mutants of a room
FAST = "not slow and not long and not extra"
SECONDS = 1800.0  # seconds after which tests count as failed
OF_A_TEST = 120.0  # the same for a single test
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
# These mutants are left out: | occurs in annotations, which nothing evaluates, and no test checks
# exceptions' words
LEFT_OUT = re.compile(r"BitOr|ExceptionReplacer")
# These tests look for a line of the source, which a mutant may have changed
BY_TEXT = "not mistakes_in_trees_are_seen and not a_wrong_formula_is_seen"
IGNORED = shutil.ignore_patterns(".git", ".venv", "build", "_build", "__pycache__", "*.pdf")


def command_of(tests):
    """Return the command that runs fast tests until a test fails."""
    plain = f"{sys.executable} -m pytest -o addopts= -q -x -p no:cacheprovider"
    limit = f"-o faulthandler_timeout={OF_A_TEST}"  # the limit ends Python
    left_out = f"-k {shlex.quote(BY_TEXT)}"
    return f"{plain} {limit} {left_out} -m {shlex.quote(FAST)} {tests}"


def tests_of(room):
    """Return the paths of the tests that must notice mutants of a room."""
    return [f"tests/{name}" for name in ROOMS[room].split()]


def mutants_of(room):
    """Return a sample of the mutants of a room, and the number of all its mutants."""
    files = sorted(Path("src", "dpbandits", room).rglob("*.py"))
    with use_db(":memory:", WorkDB.Mode.create) as found:
        init(files, found, {})
        items = [x for x in found.work_items if not LEFT_OUT.search(x.mutations[0].operator_name)]
    items.sort(key=lambda x: (str(x.mutations[0].module_path), x.mutations[0].start_pos,
                              x.mutations[0].operator_name, x.mutations[0].occurrence))  # fmt: skip
    return random.Random(0).sample(items, min(SAMPLE, len(items))), len(items)


def changed_lines(diff):
    """Return the line that a mutant changes, before and after, or the decorator that it removes."""
    lines = [x for x in diff.splitlines() if re.match(r"[-+](?![-+])\s*\S", x)]
    shown = [f"`{x[1:].strip().replace('|', '¦')}`" for x in lines[:2]]
    return " → ".join(shown) if len(shown) > 1 else f"{shown[0]} removed"


def page(room):
    """Return the page's section about a room: the share of mutants that its tests detect, and the
    undetected mutants.
    """
    command = command_of(" ".join(tests_of(room)))
    os.environ.pop(NO_BYTECODE, None)
    outcome, output = run_tests(command, SECONDS)
    if outcome != TestOutcome.SURVIVED:
        sys.exit(f"{room}: its tests fail without a mutant\n{output}")
    os.environ[NO_BYTECODE] = "1"  # compiled modules are dated by the second, as mutants are
    (sample, total), survivors = mutants_of(room), []
    for item in sample:
        found = mutate_and_test(item.mutations, command, SECONDS)
        print(".x"[found.is_killed], end="", file=sys.stderr, flush=True)
        if not found.is_killed:
            place = Path(item.mutations[0].module_path).relative_to("src/dpbandits")
            line = f"`{place}`:{item.mutations[0].start_pos[0]}"
            survivors.append([line, changed_lines(found.diff or "")])
    tests = " and ".join(f"`{name}`" for name in tests_of(room))
    share = f"{1 - len(survivors) / len(sample):.0%} of {len(sample)} mutants"
    text = f"## `{room}`\n\nThe fast tests of {tests} detect {share}, a sample of {total:,}."
    if not survivors:
        return f"{text} They detect all mutants.\n"
    table = tabulate(survivors, ["place", "line and mutant"], "pipe")
    return f"{text} They do not detect these mutants:\n\n{table}\n"


def main(rooms):
    made_by = f"python benchmarks/mutants.py {' '.join(rooms)}" if rooms else "make mutants"
    print(f"# Small faults in the source\n\n{ABOUT} `{made_by}` makes this page.\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "dpbandits")
        shutil.copytree(PROJECT, copy, ignore=IGNORED)
        os.chdir(copy)
        os.environ |= {"PYTHONPATH": str(copy / "src"), "NUMBA_CACHE_DIR": str(Path(folder, "nb"))}
        for words in (["init", "-q"], ["add", "-A"]):  # some tests ask which files are committed
            subprocess.run(["git", *words], check=True)
        for room in rooms or ROOMS:
            print(page(room), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
