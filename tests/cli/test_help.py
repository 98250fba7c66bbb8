"""What ``--help`` and ``--dry-run`` print."""

import re
from pathlib import Path

import pytest

from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.audit.verdicts import MEANING
from dpbandits.claims.claim import load_claims
from dpbandits.cli import audit, bounds, budget, claims, compare, plot, report, run, status, stop
from dpbandits.cli.completion import COMMANDS
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.settings.groups import default_keys, names_in

SCREEN = 30  # lines
MODULES = [audit, bounds, budget, claims, compare, plot, report, run, status, stop]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_the_help_of_a_command_fits_on_a_screen(bandit, module):
    printed = bandit(module, "--help")
    assert 10 < len(printed) <= SCREEN and max(map(len, printed)) <= 100
    assert printed[0].startswith("usage: bandit-") and bandit(module, "-h") == printed
    topics = COMMANDS[module.__name__.rpartition(".")[2]].get("help", ())
    assert all(topic in " ".join(printed) for topic in topics)


@pytest.mark.slow
@pytest.mark.parametrize("question", [REGRET, STOPPING], ids=lambda q: q.name)
def test_help_lists_all_that_can_be_chosen(bandit, question):
    module = run if question is REGRET else stop

    def listed(topic):
        lines = bandit(module, f"--help {topic}")
        return {line.split()[0] for line in lines if re.match(r"  \S", line)}

    topics = COMMANDS[question.command.removeprefix("bandit-")]["help"]
    assert set(topics) == {"keys", "runner", "experiment", *question.groups}
    for group in (*question.groups, "runner"):
        assert listed(group) == set(names_in(group))
    of_stopping = {"sajed2019_stopping", "azize2023_bai", "michel2026"}
    of_regret = set(names_in("experiment")) - of_stopping
    assert listed("experiment") == (of_regret if question is REGRET else of_stopping)
    assert {x.partition("=")[0] for x in listed("keys")} == set(default_keys(question.keys_file))
    assert list(Path.cwd().iterdir()) == []


def test_help_prints_the_file_of_a_name(bandit):
    assert any(line.startswith("gamma: 0.1") for line in bandit(run, "--help algo=dp_ucb"))


@pytest.mark.slow
def test_help_knows_the_files_of_a_user(bandit, tmp_path):
    (tmp_path / "mine" / "env").mkdir(parents=True)
    own = "# Three coins: mine.\nlaw: bernoulli\nmeans: [.5, .4, .3]\n"
    (tmp_path / "mine" / "env" / "three_coins.yaml").write_text(own)
    assert bandit(run, "--config-dir mine --help env=three_coins") == own.splitlines()
    [line] = [x for x in bandit(run, "--help env --config-dir mine") if "three_coins" in x]
    assert line.split(None, 1) == ["three_coins", "Three coins: mine."]
    assert not any("three_coins" in x for x in bandit(run, "--help env"))


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (plot, ["experiment=NAME", "TABLE.csv"]),
        (bounds, ["exact", "asymptotic", "worst case", "order", "refuted", "results=DIR"]),
        (status, status.STATES),
    ],
)
def test_the_help_of_other_commands_explains_their_words(bandit, module, words):
    text = " ".join(bandit(module, "--help"))
    assert all(word in text for word in words)


@pytest.mark.parametrize(
    ("module", "topic", "words"),
    [
        (audit, "mechanisms", [f" {name} " for name in MECHANISMS]),
        (audit, "verdicts", [f" {word} " for word in MEANING]),
        (audit, "keys", ["mechanism=null", "confidence=0.99"]),
        (claims, "claims", [f" {name} " for name in load_claims()]),
    ],
)
def test_the_lists_of_other_commands(bandit, module, topic, words):
    text = " ".join(bandit(module, f"--help {topic}"))
    assert all(word in text for word in words)


def test_a_dry_run_prints_what_would_be_run(bandit, tmp_path):
    lines = bandit(run, "-m eps=.1,1 horizon=1e4 runs=50 checkpoints=1 jobs=2 --dry-run")
    assert lines[-5].split()[:3] == ["all", "2", "0"]
    time, table, stored, nothing = lines[-4:]
    assert time.startswith("time left: about 1 s on 2 workers, 100 runs")
    assert re.match(r"table: results/sweep-\w{8}\.csv, 2e\+02 rows, about \d+ kB as CSV", table)
    assert stored.startswith("runs: at most 0.01") and stored.endswith("MB in results/runs")
    assert nothing == "Nothing was run and nothing was written."
    assert list(tmp_path.iterdir()) == []
    assert Path(bandit(run, "-m eps=.1,1 horizon=1e4 runs=50 checkpoints=1 jobs=2")[-1]).is_file()
