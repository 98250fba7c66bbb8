"""Multiruns: what is refused."""

from refusals import message_of

from dpbandits.cli.multirun.launch import multirun
from dpbandits.contracts.question import REGRET


def test_a_multirun_of_nothing_is_refused(unchanged):
    assert "no combination to run" in message_of(multirun, REGRET, ["seed=range(0,0)"], ())
