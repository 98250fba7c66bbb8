"""Words that the shell has divided, or that lack quotes: the message says what to type."""

import pytest

from dpbandits.cli import budget, run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["env.means=[.9,", ".8]"], "its brackets do not match; put the word in quotes"),
        (["sweep=algo:[dp_se", "dp_klucb]"], "its brackets do not match; put the word in quotes"),
        (["env.means=(.9,.8)"], "put a list in brackets: env.means=[.9,.8]"),
        (["env.label=A (mine)"], """'env.label="A (mine)"'"""),
        (["algo", "=", "dp_se"], "algo: KEY=VALUE is needed, without spaces around ="),
    ],
)
def test_the_message_says_what_to_type(refused, words, message):
    assert message in refused(run, words)


def test_help_knows_the_files_of_a_user(bandit, tmp_path):
    (tmp_path / "mine" / "env").mkdir(parents=True)
    own = "# Three coins: mine.\nlaw: bernoulli\nmeans: [.5, .4, .3]\n"
    (tmp_path / "mine" / "env" / "three_coins.yaml").write_text(own)
    assert bandit(run, "--config-dir mine --help env=three_coins") == own.splitlines()
    [line] = [x for x in bandit(run, "--help env --config-dir mine") if "three_coins" in x]
    assert line.split(None, 1) == ["three_coins", "Three coins: mine."]
    assert not any("three_coins" in x for x in bandit(run, "--help env"))


def test_a_budget_takes_m(refused):
    assert "env=NAME is needed" in refused(budget, ["-m", "algo=dp_se,dp_klucb"])
