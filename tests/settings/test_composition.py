"""Words of a command line and arguments of a call are composed to the same settings."""

import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli.words import read_request
from dpbandits.contracts.question import REGRET
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import names_in, question_of

LARGE = ("which_global", "azize2025", "azize2023_zcdp", "tao2022_calibration", "tao2022_orders")


def content(request):
    """What decides the runs and the table of a request."""
    settings = [(s.described, s.key, dict(s.columns)) for s in request.settings]
    return request.question.name, request.runs, request.config | {"results": None}, settings


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=pytest.mark.long if x in LARGE else pytest.mark.slow)
     for x in names_in("experiment")],
)  # fmt: skip
def test_an_experiment_is_the_same_from_words_and_from_python(name):
    typed = read_request([f"experiment={name}", "seed=3"], ())
    given = request_from(question_of(name) or REGRET, {"experiment": name, "seed": 3}, {})
    assert content(typed) == content(given)
    assert {setting.seed for setting in typed.settings} == {3}


CALLS = [
    ("-m algo=ucb,dp_se eps=1,2", {"algo": ["ucb", "dp_se"], "eps": [1, 2]}),
    ("-m algo=adap_ucb algo.alpha=1,3.1 seed=1,2",
     {"algo": dp.algorithm("adap_ucb", alpha=[1, 3.1]), "seed": [1, 2]}),
    ("-m experiment=azize2022_fig8 seed=1,2", {"experiment": "azize2022_fig8", "seed": [1, 2]}),
    ("algo=dp_se env=bernoulli env.means=[.9,.8] horizon=1e3",
     {"algo": "dp_se", "env": dp.bernoulli([0.9, 0.8]), "horizon": 1e3}),
    ("-m algo=heldp_ucb_b population=uniform_levels,clipped_normal eps_min=1 horizon=10,20",
     {"algo": "heldp_ucb_b", "population": ["uniform_levels", "clipped_normal"], "eps_min": 1,
      "horizon": [10, 20]}),
    ("sweep={algo:[ucb,dp_se],eps:[1,2]}", {"algo": ["ucb", "dp_se"], "eps": [1, 2]}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "given"), CALLS, ids=[line for line, _ in CALLS])
def test_a_call_is_the_same_as_a_line(line, given):
    *option, words = line.rpartition("-m ")
    typed = read_request(words.split(), (), multirun=any(option))
    assert content(typed) == content(request_from(REGRET, given, {}))


@pytest.mark.parametrize("key", ["eps=1/horizon", "rho=1/horizon", "eps_min=1/horizon"])
def test_the_inverse_of_the_horizon_is_one_number_everywhere(key):
    """Mutation that it catches: the second of two validations takes the text for another number."""
    algo = {"eps": "adap_ucb", "rho": "adac_ucb", "eps_min": "heldp_ucb_l"}[key.split("=")[0]]
    (setting,) = read_request([f"algo={algo}", key, "horizon=250"], ()).settings
    name = key.split("=")[0]
    assert setting.parameters[name] == 0.004
    assert name == "eps_min" or setting.budget == setting.record[name] == 0.004


def test_a_word_with_several_values_needs_the_option():
    """Control."""
    assert "add -m to run each" in message_of(read_request, ["eps=1,2"], ())
    assert len(read_request(["algo=dp_se", "eps=1,2"], (), multirun=True).settings) == 2


@pytest.mark.parametrize("path", ["means.1", "arms.1.mean"])
def test_a_swept_number_of_a_list_is_that_of_a_single_one(path):
    """Mutation that it catches: the path of a sweep enters no list."""
    words = ["algo=ucb", "env=mixed" if "arms" in path else "env=bernoulli", "horizon=100"]
    several = read_request([*words, f"env.{path}=.1,.2"], (), multirun=True).settings
    single = [read_request([*words, f"env.{path}={x}"], ()).settings[0] for x in (0.1, 0.2)]
    assert [s.described for s in several] == [s.described for s in single]
