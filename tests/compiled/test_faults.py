"""Faults of a user's compiled function are said in a line, with the place in its file."""
# ruff: noqa: F821

import random
import time
from pathlib import Path

import numpy as np
import pytest

from dpbandits.compiled import kernel, loop, shared
from dpbandits.compiled.faults import out_of_bounds
from dpbandits.errors import BadInput

played = None
numpy_random = np.random
LINES = Path(__file__).read_text().splitlines()


def once(rng, x, found):
    """The template of a loop."""
    for i in range(len(found)):
        found[i] = played(rng, x)


@kernel
def beyond(rng, x):
    x[int(10 * rng.random()) + 90] = 1.0
    return 0.0


@kernel
def before(rng, x):
    return x[-1 - len(x)]


@shared
def element(x, i):
    return x[i, 2]


@kernel
def beyond_in_another(rng, x):
    return element(x.reshape(1, -1), 1)


@kernel
def within(rng, x):
    return x[-len(x)] + element(x.reshape(1, -1), 0)


@kernel
def lacks_an_argument(rng, x):
    a = rng.integers(len(x))
    return a + 1


@kernel
def misspelt(rng, x):
    n = 2 * len(x)
    return n + lenght(x)


@kernel
def two_types(rng, x):
    best = [0] * len(x)
    best.append("none")
    return best[0]


@kernel
def no_such_addition(rng, x):
    return x[0] + "one"


FAULTS = {
    beyond: ("x[int(10 * rng.random()) + 90] = 1.0", "IndexError: index 9"),
    before: ("return x[-1 - len(x)]", "IndexError: index -6 is out of bounds"),
    beyond_in_another: ("return x[i, 2]", "IndexError: index 1 is out of bounds"),
    lacks_an_argument: ("a = rng.integers(len(x))", "missing a required argument: 'high'"),
    misspelt: ("return n + lenght(x)", "name 'lenght' is not defined"),
    two_types: ('best.append("none")', "Invalid use of BoundFunction(list.append"),
    no_such_addition: ('return x[0] + "one"', "Numba knows no add(float64, Literal[str](one))"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_said_with_its_line(fault):
    code, reason = FAULTS[fault]
    with pytest.raises(BadInput) as refused:
        loop(once, fault)(np.random.default_rng(0), np.zeros(5), np.zeros(3))
    line = next(n for n, text in enumerate(LINES, 1) if text.strip() == code)
    said = str(refused.value)
    assert said.startswith(f"{__file__}, line {line}: {code}: ") and reason in said
    assert len(said) < 400


@pytest.mark.slow
def test_indices_within_an_array_are_answered():
    found = np.ones(2)
    loop(once, within)(np.random.default_rng(0), np.zeros(5), found)
    assert list(found) == [0.0, 0.0]


def test_an_index_is_not_looked_for_long(monkeypatch):
    monkeypatch.setattr("dpbandits.compiled.faults.PATIENCE", 0.02)

    def goes_on(n):
        while True:
            nothing(n)

    begin = time.monotonic()
    assert out_of_bounds(goes_on, (1,)) == ""
    assert time.monotonic() - begin < 5.0


def test_looking_for_an_index_leaves_the_global_generators():
    def draws(x):
        return x[int(numpy_random.random() + random.random()) + 9]

    before = numpy_random.get_state()[1].tolist(), random.getstate()
    assert "return x[" in out_of_bounds(draws, ([0.0],))
    assert (numpy_random.get_state()[1].tolist(), random.getstate()) == before


def nothing(_):
    pass
