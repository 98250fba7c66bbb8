"""bandit-audit exact=true and dp.audit(exact=True): what they print, write and refuse."""

import sys

import pandas as pd
import pytest
from refusals import message_of
from sweeps import own_algorithm

import dpbandits as dp
from dpbandits.cli import audit as command

TWIN = """
from dpbandits.authoring import UNIT_INTERVAL, local_dp, pull, rounds_left
from dpbandits.parts.noise.local_randomizers import send_bit

REWARDS = UNIT_INTERVAL
GUARANTEE = local_dp("nobody", send_bit)


def twice(game, rng, eps_min):
    a = 0
    while rounds_left(game) > 0:
        a = int(send_bit(rng, pull(game, a), FACTOR * eps_min))
"""


@pytest.mark.slow
@pytest.mark.extra("flint")
def test_the_command_prints_and_writes(bandit, tmp_path):
    lines = bandit(command, "exact=true algo=adap_ucb horizon=4,8 eps=0.5,1")
    row = ["adap_ucb", "2", "4", "0.5", "0.4061751636", "0", "to", "1", "proved"]
    assert lines[2].split() == row
    assert sum(line.endswith("proved") for line in lines) == 4
    table = pd.read_csv(tmp_path / lines[-1])
    assert (table["high"] - table["low"] < 1e-9).all() and (table["low"] <= table["eps"]).all()
    page = (tmp_path / lines[-1]).with_suffix(".md").read_text()
    assert page.count("proved") == 4 and "reach" not in page


@pytest.mark.extra("flint")
@pytest.mark.parametrize(("factor", "code", "verdict"), [(1, 0, "proved"), (2, 3, "VIOLATED")])
def test_a_violation_has_exit_code_3(factor, code, verdict, ended, here):
    own_algorithm(here, "twice", TWIN.replace("FACTOR", str(factor)))
    words = ["exact=true", "--config-dir", ".", "algo=twice", "horizon=4", "eps=0.5"]
    found, printed, _ = ended(command, *words)
    assert found == code and verdict in printed and "neighbours" in printed


@pytest.mark.long
@pytest.mark.extra("flint")
def test_everything_lists_what_is_out_of_reach(bandit, monkeypatch):
    lines = bandit(command, "exact=true eps=2 horizon=6")
    assert sum(line.endswith("proved") for line in lines) == 5
    below = lines[lines.index("out of reach:") :]
    assert any(line.startswith("* dp_klucb: ") for line in below)
    assert any("the first epoch has 2 x" in line for line in below)


@pytest.mark.extra("flint")
@pytest.mark.usefixtures("unchanged")
def test_the_api_gives_the_same_rows():
    table = dp.audit("adap_ucb", exact=True, eps=[0.5, 1], horizon=6, alpha=1)
    assert table["verdict"].tolist() == ["proved", "proved"]
    other = dp.audit("adap_ucb", exact=True, eps=1, horizon=6)
    assert table["low"][1] != other["low"][0]
    assert dp.audit("heldp_ucb_b", exact=True, eps=1, horizon=5, arms=3)["arms"].tolist() == [3]
    assert "in reach are horizons up to 31" in message_of(
        dp.audit, "adap_ucb", exact=True, horizon=100
    )


@pytest.mark.slow
@pytest.mark.extra("flint")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("algo=heldp_ucb_b eps=30", "in reach are budgets from 1e-06 to 10"),
        ("algo=dp_klucb", "dp_klucb: each release adds to the sum"),
        ("algo=dp_se horizon=100", "no epoch ends before the horizon"),
    ],
)
def test_a_loss_that_is_not_known_is_refused(words, message, refused):
    assert message in refused(command, ["exact=true", *words.split()])


def test_an_exact_loss_without_python_flint_gets_one_line(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    line = "an exact loss needs python-flint: pip install 'dpbandits[audit]'"
    assert line in refused(command, ["exact=true", "algo=adap_ucb"])
