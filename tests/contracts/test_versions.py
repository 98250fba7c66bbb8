"""The version of an algorithm changes with every file that decides what a run gives."""

import math
import random
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from edited_copy import edited_copy

from dpbandits.authoring import pull
from dpbandits.contracts import versions

DECIDING = [
    "algorithms/dp_klucb.py",
    "compiled/random_numbers.py",
    "environments/laws.py",
    "game.py",
    "parts/indices/private_divergence.py",
    "parts/noise/mechanisms.py",
    "parts/schedules/phases.py",
    "running/play.py",
]
OTHERS = [
    "algorithms/ucb.py",
    "api/runs.py",
    "authoring.py",
    "cli/run.py",
    "compiled/kernels.py",  # compiled and plain Python give the same bits
    "contracts/guarantees.py",  # what is promised decides no run
    "parts/counting/trees.py",
]


@pytest.mark.slow
def test_a_version_changes_with_what_decides_a_run_and_with_nothing_else(tmp_path):
    with edited_copy(tmp_path) as copy:

        def version(*edited: str, **code: str) -> str:
            copy.edit(*edited, **code)
            return versions.version_of_file(copy.package / "algorithms" / "dp_klucb.py")

        before = version()
        assert version(*OTHERS) == before
        assert version(*DECIDING, code="# a comment") == before
        for name in DECIDING:
            assert version(name) != before
            before = version()


MINE = ModuleType("mine")
MINE.__file__ = "/home/mine.py"


class Policy:
    """An algorithm that is a method."""

    offset = 0

    def __init__(self, arm):
        self.arm = arm

    def play(self, game, rng):
        pull(game, self.arm + self.offset)


def made(value):
    def algorithm(game, rng):
        pull(game, value)
        pull(game, random.randrange(math.factorial(2)))

    return algorithm


def calling(value):
    MINE.which = lambda: value

    def algorithm(game, rng):
        pull(game, MINE.which())

    return algorithm


def of_class(value):
    Policy.offset = value

    def algorithm(game, rng):
        Policy(0).play(game, rng)

    return algorithm


def of_array(i):
    return {"a": np.arange(5000) == i}


def of_frame(i):
    return pd.DataFrame({"x": np.arange(500) == i})


WHAT_MAY_CHANGE = {
    "a number": made,
    "an array": lambda i: made(of_array(i)),
    "a table": lambda i: made(of_frame(i)),
    "an object": lambda i: made(Policy(i)),
    "an object of a package": lambda i: made(np.random.default_rng(i)),
    "a method's object": lambda i: Policy(i).play,
    "a value of a class": of_class,
    "a function of a module": calling,
    "a function in a list": lambda i: made([lambda: i]),
}


@pytest.mark.parametrize("what", WHAT_MAY_CHANGE)
def test_the_version_of_a_function_changes_with_what_it_uses(what):
    """It is the same for the same values, whatever has been drawn of Python's random numbers."""
    make = WHAT_MAY_CHANGE[what]
    versions_of = [versions.Followed(make(i)).version for i in (200, 300) for _ in range(2)]
    random.random()
    versions_of.append(versions.Followed(make(300)).version)
    assert versions_of[0] == versions_of[1] != versions_of[2] == versions_of[3] == versions_of[4]
