"""The words of a command line, as Hydra's grammar reads them; what is refused: ``refusals.txt``."""

import math

import pytest
from refusals import message_of

from dpbandits.cli.words import read_request, value_of
from dpbandits.contracts.question import REGRET
from dpbandits.errors import nearest
from dpbandits.settings.user_files import user_folders

pytestmark = pytest.mark.usefixtures("unchanged")


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("algo=ucb,dp_se", ["ucb", "dp_se"]),
        ("algo=glob(adap_*)", ["adap_klucb", "adap_ucb"]),
        ("eps=range(1,4)", [1, 2, 3]),
        ("eps=range(0.1,0.5,0.1)", [0.1, 0.2, 0.3, 0.4]),  # no 0.30000000000000004
        ("eps=range(0.5,0.8,0.1)", [0.5, 0.6, 0.7]),
        ("eps=range(0.1,0.8,0.1)", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),  # the end is left out
        ("eps=range(0.4,0.1,-0.1)", [0.4, 0.3, 0.2]),
        ("eps=sort(range(0.1,0.4,0.1),reverse=true)", [0.3, 0.2, 0.1]),
        ("eps=choice(1,0.5)", [1, 0.5]),
        ("env.means=[.9,.8],[.5,.4,.3]", [[0.9, 0.8], [0.5, 0.4, 0.3]]),
        ("env.means=[.9,.8]", [0.9, 0.8]),
        ("env.inlier='a b','c'", ["a b", "c"]),
        ("eps=3", 3),
    ],
)
def test_a_sweep_of_hydra_is_the_values_of_a_key(word, values):
    found = value_of(word)
    assert (found.key, found.value) == (word.partition("=")[0], values)
    assert found.many == (word not in ("env.means=[.9,.8]", "eps=3"))


def test_a_range_has_a_step_and_may_be_shuffled():
    found = value_of("eps=shuffle(range(0.1,0.8,0.1))").value
    assert sorted(found) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert value_of("horizon=range(1000000000000001,1000000000000003)").value[0] == 10**15 + 1
    assert "the step of a range must not be 0" in message_of(value_of, "eps=range(0,1,0)")


def test_the_settings_of_a_multirun_are_those_of_a_sweep():
    """Control: every combination."""
    words = ["algo=ucb,dp_se", "seed=3,4", "eps=range(1,3)", "runs=7"]
    found = read_request(words, (), REGRET, True)
    combinations = [
        ("ucb", 3, math.inf), ("ucb", 4, math.inf),
        *(("dp_se", seed, eps) for eps in (1, 2) for seed in (3, 4)),
    ]  # fmt: skip
    assert [(s.algo, s.seed, s.budget) for s in found.settings] == combinations
    assert found.config["sweep"] == {"algo": ["ucb", "dp_se"], "eps": [1, 2], "seed": [3, 4]}
    words = ["sweep={algo:[ucb,dp_se],eps:[1,2],seed:[3,4]}", "runs=7"]
    assert read_request(words, ()).settings == found.settings and found.runs == 7


@pytest.mark.parametrize(
    ("given", "reason"),
    [("missing", "no such folder"), ("", "path of a folder"), ("x" * 5000, "too long")],
    ids=["missing", "empty", "long"],
)
def test_folders_of_a_user(given, reason):
    for key in ("--config-dir", "config_dir"):
        message = message_of(user_folders, given, key)
        assert message.startswith(f"{key}={given[:100]}") and reason in message


def test_a_hint_leads_to_a_line_that_runs():
    words = ["algo=dp_se", "eps=.5,1"]
    assert message_of(read_request, words, ()).endswith("add -m to run each")
    assert [s.budget for s in read_request(words, (), multirun=True).settings] == [0.5, 1]


def test_nearest():
    assert nearest("adap", ["adap_ucb", "adap_klucb", "ucb"]) == "choose from adap_klucb, adap_ucb"
    assert nearest("adap_u", ["adap_ucb", "ucb"]) == "did you mean adap_ucb?"
    assert nearest("", ["a", "b"]) == "choose from a, b"
