"""Messages that say what was probably meant, and the completion of names of parameters."""

import pytest

from dpbandits.cli.completion import completions
from dpbandits.cli.config.compose import read_overrides, read_request
from dpbandits.cli.request import _promises
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.errors import BadInput, nearest


@pytest.mark.parametrize(
    ("question", "words", "says"),
    [
        (REGRET, ["eps=[0.5,1]"], "-m eps=0.5,1 runs each, 'sweep={eps:[0.5,1]}'"),
        (REGRET, ["horizon=[1e4,1e5]"], "-m horizon=1e4,1e5 runs each"),
        (REGRET, ["env.means=[.9,.8]"], "write env=bernoulli env.means=[.9,.8]"),
        (REGRET, ["env.means=0.9,0.8"], "a list stands in brackets: env.means=[0.9,0.8]"),
        (REGRET, ["env=bernoulli", "env.means=.9,.8"], "stands in brackets: env.means=[.9,.8]"),
        (REGRET, ["env.arms=2,3"], "add -m to run each"),
        (REGRET, ["experiment=azize2022"], "choose from azize2022_fig2, azize2022_fig3"),
        (
            STOPPING,
            ["rule=adap_tt_star", "rule.variant=printed"],
            "adap_tt takes it; adap_tt_star takes no parameters",
        ),
    ],
    ids=lambda x: str(getattr(x, "name", x)),
)
def test_what_was_meant(question, words, says):
    with pytest.raises(BadInput) as error:
        read_request(words, (), question)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("adap_klucb", "did you mean algo=adap_klucb?"),
        ("adap_tt", "did you mean rule=adap_tt?"),
        ("bernoulli_c2", "did you mean env=bernoulli_c2?"),
        ("nothing", "nothing: KEY=VALUE is needed"),
    ],
)
def test_words_without_a_key(word, says):
    with pytest.raises(BadInput) as error:
        read_overrides([word])
    assert says in str(error.value)


def test_algorithm_without_its_file(tmp_path):
    (tmp_path / "algo").mkdir()
    (tmp_path / "algo" / "greedy.py").write_text("")
    with pytest.raises(BadInput, match=r"greedy.py has no greedy.yaml beside it"):
        read_request(["algo=greedy"], (str(tmp_path),))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("bandit-run algo=dp_ucb algo.tree=", ["binary", "honaker", "kary"]),
        ("bandit-run algo=dp_ucb algo.tree_budget=s", ["split"]),
        ("bandit-stop rule=adap_tt rule.variant=", ["printed", "coded"]),
        ("bandit-run algo=dp_ucb algo.gamma=", []),
        ("bandit-run algo.../x=", []),
    ],
)
def test_names_of_parameters_are_completed(line, found):
    start = line.split(" ")[-1].partition("=")[0]
    command = line.split(" ")[0].removeprefix("bandit-")
    assert completions(command, line) == [f"{start}={x}" for x in found]


def test_without_privacy_no_noise_is_added():
    (line,) = _promises(read_request(["eps=inf"], ()).settings)
    assert line == "adap_klucb: not private: eps=inf adds no noise"
    (line,) = _promises(read_request(["eps=1"], ()).settings)
    assert "1-global DP" in line


def test_nearest():
    assert nearest("adap", ["adap_ucb", "adap_klucb", "ucb"]) == "choose from adap_klucb, adap_ucb"
    assert nearest("adap_u", ["adap_ucb", "ucb"]) == "did you mean adap_ucb?"
    assert nearest("", ["a", "b"]) == "choose from a, b"
