"""How many small faults in the source the tests detect.

``python benchmarks/mutants.py > benchmarks/mutants.md`` lists the survivors, room by room. Cosmic
Ray makes the mutants: it replaces a number, an operator or a comparison, or removes a decorator. A
room is a folder of the package. A sample of mutants, the same in each run, is tested in a copy of
the checkout, each mutant by the fast tests of its room. If a mutant in a part of algorithms
survives, the tests of the algorithms that use this part test it once more.
"""

import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome
from tabulate import tabulate

from dpbandits.contracts.algorithm import HOMES
from dpbandits.files import PACKAGE
from dpbandits.fingerprint import closure

PROJECT = Path(__file__).parent.parent
# The rooms that are mutated, and the files and folders of tests that must notice
ROOMS = {
    "comparison": "comparison decisions",
    "results": "results running/test_monte_carlo.py",
    "parts": "parts",
}
SAMPLE = 40  # number of sampled mutants of a room
# Rooms whose survivors are tested once more, with the tests of whole algorithms, the quickest first
TOGETHER = {"parts": "linear stopping algorithms/test_injected_noise.py algorithms"}
FAST = "not slow and not long and not extra"
FAST_AND_SLOW = "not long and not extra"
SECONDS = 1800.0  # seconds after which tests count as failed
OF_A_TEST = 120.0  # the same for a single test
TOGETHER_TOO = (
    " The fast and the slow tests of the algorithms and rules that import the changed file "
    "(`tests/algorithms`, `tests/linear`, `tests/stopping`) then tested the survivors: all these "
    "tests together detect {both}."
)
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
# These mutants are left out: | occurs in annotations, which nothing evaluates, and no test checks
# exceptions' words
LEFT_OUT = re.compile(r"BitOr|ExceptionReplacer")
# These tests look for a line of the source, which a mutant may have changed
BY_TEXT = "not mistakes_in_trees_are_seen and not a_wrong_formula_is_seen"
IGNORED = shutil.ignore_patterns(".git", ".venv", "build", "_build", "__pycache__", "*.pdf")


def command_of(marks, *tests):
    """Return the command that runs tests with some marks until a test fails, and names this
    test.
    """
    plain = f"{sys.executable} -m pytest -o addopts= -q -x -p no:cacheprovider"
    limit = f"-o faulthandler_timeout={OF_A_TEST}"  # the limit ends Python
    left_out = f"-k {shlex.quote(BY_TEXT)}"
    return f"{plain} {limit} {left_out} -m {shlex.quote(marks)} {' '.join(tests)}"


def tests_of(names):
    """The paths of some files and folders of tests."""
    return [f"tests/{name}" for name in names.split()]


@cache
def whole_algorithms():
    """Return the files that each algorithm and rule imports, by its name."""
    files = [file for group in ("algo", "rule") for file in HOMES[group].glob("*.py")]
    return {file.stem: closure([file]) for file in files if file.stem != "__init__"}


@cache
def tests_together(room):
    """Return the fast and slow tests of whole algorithms. For each test, the result has the
    algorithms in its name, and the files of the package that the file of the test imports.
    """
    words = shlex.split(
        f"{command_of(FAST_AND_SLOW, *tests_of(TOGETHER[room]))} --collect-only --keep-duplicates"
    )
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = {}
    for test in dict.fromkeys(x for x in listed.splitlines() if "::" in x):
        names = set(re.split(r"[-\[\] ]", test)) & whole_algorithms().keys()
        found[test] = names, closure([Path(test.partition("::")[0]).absolute()])
    return found


def tests_with(room, module):
    """Yield the tests of the algorithms that import a module, and the tests without an algorithm in
    their name whose file imports it.
    """
    changed = PACKAGE.joinpath(*module.parts[2:])
    having = {name for name, files in whole_algorithms().items() if changed in files}
    for test, (names, files) in tests_together(room).items():
        if names & having or (not names and changed in files):
            yield test


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
    """Return the line that a mutant changes and the changed line, or the decorator that the mutant
    removes.
    """
    lines = [x for x in diff.splitlines() if re.match(r"[-+](?![-+])\s*\S", x)]
    shown = [f"`{x[1:].strip().replace('|', '¦')}`" for x in lines[:2]]
    return " → ".join(shown) if len(shown) > 1 else f"{shown[0]} removed"


def detected_together(room, item):
    """Return whether the tests of algorithms that import the module of a mutant detect the mutant.
    A test that fails with the mutant must pass without it.
    """
    listed = Path(os.environ["NUMBA_CACHE_DIR"]).with_name("tests")  # too many for a command
    if not (tests := [*tests_with(room, item.mutations[0].module_path)]):
        return False
    listed.write_text("\n".join(tests))
    found = mutate_and_test(item.mutations, command_of(FAST_AND_SLOW, f"@{listed}"), SECONDS)
    if failed := re.search(r"^(?:FAILED|ERROR) (.+?::.+?)(?: - .*)?$", found.output, re.M):
        listed.write_text(failed[1])  # otherwise Python has ended, and all tests are run
    if found.is_killed:
        require(f"@{listed}", FAST_AND_SLOW)
    return found.is_killed


def require(tests, marks):
    """Exit with a message if tests fail without a mutant."""
    outcome, output = run_tests(command_of(marks, tests), SECONDS)
    if outcome != TestOutcome.SURVIVED:
        sys.exit(f"{tests}: they fail without a mutant\n{output}")


def page(room):
    """Return the section of a room: the share of mutants that its tests detect, and the
    survivors.
    """
    tests = " ".join(tests_of(ROOMS[room]))
    os.environ.pop(NO_BYTECODE, None)
    require(tests, FAST)
    os.environ[NO_BYTECODE] = "1"  # compiled modules are dated by the second, as mutants are
    (sample, total), survivors, again = mutants_of(room), [], 0
    for item in sample:
        found = mutate_and_test(item.mutations, command_of(FAST, tests), SECONDS)
        is_new = not found.is_killed and room in TOGETHER and detected_together(room, item)
        again += is_new
        print("o" if is_new else ".x"[found.is_killed], end="", file=sys.stderr, flush=True)
        if not found.is_killed and not is_new:
            place = Path(item.mutations[0].module_path).relative_to("src/dpbandits")
            line = f"`{place}`:{item.mutations[0].start_pos[0]}"
            survivors.append([line, changed_lines(found.diff or "")])
    return written(room, len(sample), total, again, survivors)


def written(room, tried, total, again, survivors):
    """Return the section of a room as text; ``again`` is the number of mutants that only tests of
    whole algorithms detected.
    """
    tests = " and ".join(f"`{name}`" for name in tests_of(ROOMS[room]))
    share, both = (f"{(tried - len(survivors) - x) / tried:.0%}" for x in (again, 0))
    text = (
        f"## `{room}`\n\nThe fast tests of {tests} detect {share} of {tried} of {total:,} mutants."
    )
    if room in TOGETHER:
        text += TOGETHER_TOO.format(both=both)
    if not survivors:
        return f"{text} None survives.\n"
    return f"{text} Survivors:\n\n{tabulate(survivors, ['place', 'line and mutant'], 'pipe')}\n"


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
