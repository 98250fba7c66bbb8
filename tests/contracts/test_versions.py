"""The version of an algorithm changes with every file that decides what a run gives."""

import math
import pickle
import random
from functools import cached_property
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
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


def by_text(value):
    MINE.which = value
    return lambda game, rng: pull(game, getattr(MINE, "which"))  # noqa: B009


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
    "a function in an object of a package": lambda i: made(SimpleNamespace(which=lambda: i)),
    "a callable object of a package": lambda i: made(np.poly1d([i])),
    "a distribution": lambda i: made(scipy.stats.norm(i)),
    "a cached property": lambda i: made(cached_property(lambda self: i)),
    "a value with its name in a text": by_text,
}


@pytest.mark.parametrize("what", WHAT_MAY_CHANGE)
def test_the_version_of_a_function_changes_with_what_it_uses(what):
    """It is the same for the same values, whatever has been drawn of global random numbers."""
    make = WHAT_MAY_CHANGE[what]
    versions_of = [versions.Followed(make(i)).version for i in (200, 300) for _ in range(2)]
    random.random(), np.random.random()  # noqa: NPY002
    versions_of.append(versions.Followed(make(300)).version)
    assert versions_of[0] == versions_of[1] != versions_of[2] == versions_of[3] == versions_of[4]


class Inner:
    """A class whose objects are sent to workers."""

    def __init__(self):
        self.arm = 0


INNER = Inner()
SENT = """
import functools

def through(function):
    @functools.wraps(function)
    def wrapper(*given):
        return function(*given) + {decorator}
    return wrapper

class Policy:
    {of_class} = 0

    @through
    def play(self, game, rng, start={default}):
        self.t = [self.s for _ in range(3)]
        inner = lambda: self.u
        return inner() + sum({nested} for _ in range(2)) + (lambda: self.v + {deep})()
"""


def of_a_policy(values, **where):
    """The version of a class whose methods use globals at the given places."""
    places = dict.fromkeys(("decorator", "default", "nested", "deep"), "0")
    found = {"__name__": "__main__", **values}
    exec(SENT.format(**(places | {"of_class": "w"} | where)), found)
    return versions.Followed(found["Policy"]).version


def test_globals_with_the_names_of_attributes_do_not_count():
    """The cell ``t = dp.run(policy=Policy)`` stands beside a class that uses ``self.t``."""
    ours = {"t": 1, "s": 2, "u": 3, "v": 4, "w": 5, "wraps": 6}
    assert of_a_policy({}) == of_a_policy(ours)


@pytest.mark.parametrize("place", ["decorator", "default", "nested", "deep"])
def test_globals_that_the_code_loads_count_wherever_it_loads_them(place):
    one, two, again = (of_a_policy({"t": value}, **{place: "t"}) for value in (1, 2, 1))
    assert one != two and one == again


def test_attributes_of_modules_count_behind_other_names():
    """A module inside a module is followed, too."""
    deep, outer = ModuleType("deep"), ModuleType("outer")
    outer.__file__, deep.__file__ = "/home/outer.py", "/home/deep.py"
    outer.deep = deep

    def of(value):
        deep.arm = value
        return of_a_policy({"outer": outer}, nested="outer.deep.arm")

    assert of(1) != of(2)


def test_a_class_whose_objects_were_pickled_keeps_its_version():
    """``pickle`` adds ``__slotnames__`` to the class."""

    def algorithm(game, rng):
        pull(game, INNER.arm)

    before = versions.Followed(algorithm).version
    pickle.dumps(INNER)
    assert "__slotnames__" in vars(Inner)
    assert versions.Followed(algorithm).version == before
