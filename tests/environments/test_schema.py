"""The page on environments: every law and every key of it, as the code has them."""

import inspect
import re

import pytest
import yaml
from refusals import message_of

from dpbandits.environments.catalogue import ARMS, LAWS, build
from dpbandits.files import package_folder

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
    assert set(SECTIONS) - set(EXAMPLES) == {"contextual_table", "empirical"}  # they need files
