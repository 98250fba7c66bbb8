"""How many small faults in the source the tests detect.

``python benchmarks/mutants.py > benchmarks/mutants.md`` lists the survivors, room by room. Cosmic
Ray makes the mutants: it replaces a number, an operator or a comparison, or removes a decorator. A
sample, the same in each run, is tested in a copy of the checkout, each mutant by the fast tests of
its room.
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
# The rooms that are mutated, and the files and folders of tests that must notice
ROOMS = {
    "comparison": "comparison decisions",
    "results": "results running/test_monte_carlo.py",
    "parts": "parts",
}
SAMPLE = 40  # mutants of a room
# What else is to know of a room
NOTES = {
    "parts": "Tests of whole algorithms (`tests/algorithms`, `tests/linear`, `tests/stopping`) did "
    "not run here, since they would compile all kernels anew for each mutant. ",
}
SECONDS = 900.0  # after which tests are said to have noticed
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
# | stands in annotations, which nothing evaluates, and no test is about the words of errors
LEFT_OUT = re.compile(r"BitOr|ExceptionReplacer")
# Any edit of what decides a page fails this test, whether or not it changes a number
BY_HASH = (
    "tests/results/test_sources.py::test_a_committed_page_is_up_to_date_or_says_that_it_is_not"
)
IGNORED = shutil.ignore_patterns(".git", ".venv", "build", "_build", "__pycache__", "*.pdf")


def command_of(room):
    """The fast tests of a room."""
    files = " ".join(f"tests/{name}" for name in ROOMS[room].split())
    marks = shlex.quote("not slow and not long and not extra")
    plain = f"{sys.executable} -m pytest -q -x -p no:cacheprovider --deselect {BY_HASH}"
    return f"{plain} -m {marks} {files}"


def mutants_of(room):
    """A sample of the mutants of a room, and how many there are."""
    files = sorted(Path("src", "dpbandits", room).rglob("*.py"))
    with use_db(":memory:", WorkDB.Mode.create) as found:
        init(files, found, {})
        items = [x for x in found.work_items if not LEFT_OUT.search(x.mutations[0].operator_name)]
    items.sort(key=lambda x: (str(x.mutations[0].module_path), x.mutations[0].start_pos,
                              x.mutations[0].operator_name, x.mutations[0].occurrence))  # fmt: skip
    return random.Random(0).sample(items, min(SAMPLE, len(items))), len(items)


def changed_lines(diff):
    """The line that a mutant changes and what it became."""
    lines = [x for x in diff.splitlines() if re.match(r"[-+](?![-+])", x)]
    return " → ".join(f"`{x[1:].strip().replace('|', '¦')}`" for x in lines[:2])


def page(room):
    """What the tests of a room detect, and the survivors."""
    os.environ.pop(NO_BYTECODE, None)
    outcome, output = run_tests(command_of(room), SECONDS)
    if outcome != TestOutcome.SURVIVED:
        sys.exit(f"{room}: its tests fail without a mutant\n{output}")
    os.environ[NO_BYTECODE] = "1"  # compiled modules are dated by the second, as mutants are
    (sample, total), survivors = mutants_of(room), []
    for item in sample:
        found = mutate_and_test(item.mutations, command_of(room), SECONDS)
        print(".x"[found.is_killed], end="", file=sys.stderr, flush=True)
        if not found.is_killed:
            place = Path(item.mutations[0].module_path).relative_to("src/dpbandits")
            line = f"`{place}`:{item.mutations[0].start_pos[0]}"
            survivors.append([line, changed_lines(found.diff or "")])
    tests = " and ".join(f"`tests/{name}`" for name in ROOMS[room].split())
    share = f"{1 - len(survivors) / len(sample):.0%} of {len(sample)} of {total:,} mutants"
    text = f"## `{room}`\n\nThe fast tests of {tests} detect {share}. {NOTES.get(room, '')}"
    if not survivors:
        return text + "None survives.\n"
    return f"{text}Survivors:\n\n{tabulate(survivors, ['place', 'line and mutant'], 'pipe')}\n"


def main(rooms):
    print("# Small faults in the source\n\n`make mutants` makes this page.\n", flush=True)
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
