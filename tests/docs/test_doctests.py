"""The examples in the docstrings of the public API run."""

import doctest
import importlib

import pytest

API = ("lists", "pictures", "privacy", "runs", "tables")
PUBLIC = [*(f"dpbandits.api.{name}" for name in API), "dpbandits.environment_values"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dpbandits", *PUBLIC])
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


def test_a_wrong_example_is_noticed():
    parser = doctest.DocTestParser()
    wrong = parser.get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1
