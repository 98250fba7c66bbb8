"""The page on environments: every law and every key of it, as the code has them."""

import inspect
import re

import pytest
import yaml
from refusals import message_of

from dpbandits.environments.catalogue import ARMS, LAWS, build
from dpbandits.errors import BadInput
from dpbandits.files import package_folder
from dpbandits.validation import call

PAGE = (package_folder("conf").parent / "docs" / "environments.md").read_text()
OF_ENVIRONMENTS = PAGE.split("## Laws of an environment")[1].split("## Laws of one arm")[0]
OF_ARMS = PAGE.split("## Laws of one arm")[1].split("## A law")[0]
SECTIONS = dict(re.findall(r"### `(\w+)`\n(.*?)(?=\n### |\Z)", OF_ENVIRONMENTS, flags=re.S))
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", OF_ARMS, flags=re.M))
EXAMPLES = {
    name: yaml.safe_load(found[1])
    for name, text in SECTIONS.items()
    if (found := re.search(r"```yaml\n(.*?)```", text, flags=re.S))
}


def keys_of(function):
    return list(inspect.signature(function).parameters)


def test_every_law_and_every_key_is_documented():
    """Mutation that it catches: a key or a law that is added to the code alone, or renamed."""
    assert list(SECTIONS) == list(dict.fromkeys(SECTIONS)) and set(SECTIONS) == set(LAWS)
    for name, text in SECTIONS.items():
        assert re.findall(r"^\* `(\w+)`:", text, flags=re.M) == keys_of(LAWS[name]), name
    assert set(ROWS) == set(ARMS)
    for name, text in ROWS.items():
        assert re.findall(r"`(\w+)`", text) == keys_of(ARMS[name]), name


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_law_can_be_built_and_needs_all_of_its_keys(name):
    example = EXAMPLES[name]
    assert example["law"] == name and len(build(example).means) >= 1
    needed = inspect.signature(LAWS[name]).parameters.values()
    for key in (p.name for p in needed if p.default is p.empty):
        assert key in message_of(build, {k: v for k, v in example.items() if k != key})
    assert "no such parameter" in message_of(build, example | {"other": 1})
    assert set(SECTIONS) - set(EXAMPLES) == {
        "contextual_table",
        "empirical",
        "log",
    }  # they need files


OUT_OF_RANGE = {
    "bernoulli": {"mean": 1.5}, "two_point": {"low": 0, "high": 1, "p": -0.1},
    "gaussian": {"mean": 0, "sd": 0}, "uniform": {"low": 1, "high": 0}, "beta": {"a": 0, "b": 1},
    "discrete": {"values": [0, 1], "probabilities": [0.5, 0.6]}, "pareto": {"mean": 0, "shape": 2},
    "student": {"mean": 0, "scale": 1, "df": 1}, "lognormal": {"mean": 0, "sigma": 1},
    "point_mass": {"value": "x"},
}  # fmt: skip


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_out_of_the_documented_range_is_refused(name):
    with pytest.raises(BadInput):
        call(ARMS, {"law": name, **OUT_OF_RANGE[name]})
