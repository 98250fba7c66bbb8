"""Guarantees: declared by every algorithm, and the page that is made from them."""

import dataclasses
import importlib.util
import math
import re

import pytest
from helpers import CONF, LOCAL, NAMES, PRIVATE, RULES, algorithm

from dpbandits.audit import __main__ as audit_main
from dpbandits.audit.releases import MECHANISMS
from dpbandits.contracts.algorithm import load
from dpbandits.contracts.guarantees import NOT_PRIVATE, Guarantee, global_dp, local_dp
from dpbandits.errors import BadInput


@pytest.mark.parametrize("name", [*NAMES, *RULES])
def test_every_algorithm_declares_its_guarantee(name):
    found = algorithm(name)
    promised = found.guarantee
    assert isinstance(promised, Guarantee)
    if not found.private:
        assert promised == NOT_PRIVATE
        assert found.promise() == "not private"
        assert promised.epsilon({}) == math.inf
        return
    assert promised.notion == ("local" if name in {*LOCAL, "ldpr_se"} else "global")
    assert promised.epsilon({"eps": 0.3}) == 0.3
    assert (promised.curator is not None) == (promised.notion == "local")
    assert promised.mechanism is None or promised.mechanism in MECHANISMS
    assert promised.mechanism or promised.curator or name in RULES
    words = found.promise(0.3)
    assert words.startswith(f"0.3-{promised.notion} DP of ") and promised.source in words
    assert ("rewards in [" in words) == (
        found.rewards is not None and found.rewards.needed_for_privacy
    )


def test_a_guarantee_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        global_dp("x").source = "y"  # type: ignore[misc]


def test_the_page_is_made_from_the_guarantees():
    text = (CONF.parent / "docs" / "guarantees.md").read_text()
    assert text == audit_main.page()
    [module] = re.findall(r"python -m ([\w.]+) > docs/guarantees.md", text)
    assert importlib.util.find_spec(f"{module}.__main__").loader.path == audit_main.__file__
    for name in [*NAMES, *RULES]:
        assert f"| `{name}` |" in text


def test_what_is_no_guarantee_is_refused_in_one_line(tmp_path):
    file = tmp_path / "algo" / "mine.py"
    file.parent.mkdir()
    file.write_text("GUARANTEE = 'eps-DP'\n\n\ndef mine(game, rng, eps):\n    pass\n")
    with pytest.raises(BadInput, match="GUARANTEE must be a Guarantee"):
        load(file)


def test_without_a_guarantee_none_is_claimed(tmp_path):
    file = tmp_path / "algo" / "silent.py"
    file.parent.mkdir()
    file.write_text("def silent(game, rng, eps):\n    pass\n")
    assert load(file).promise(1.0) == "no guarantee is declared"


def test_private_algorithms_are_found():
    assert len(PRIVATE) == 16


def test_local_guarantees_know_their_curator():
    def send(rng, r, eps):
        return r

    assert local_dp("x", send).curator is send
