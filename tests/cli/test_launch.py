"""Multiruns without submitit; launchers are checked."""

import pytest
from hydra.core.config_store import ConfigStore
from refusals import message_of

from dpbandits.cli.config.compose import read_request
from dpbandits.cli.multirun.launch import multirun
from dpbandits.contracts.question import REGRET


def test_a_multirun_of_nothing_is_refused(unchanged):
    assert "no combination to run" in message_of(multirun, REGRET, ["seed=range(0,0)"], ())


@pytest.mark.parametrize("name", ["submitit_local", "submitit_slurm"])
def test_a_launcher_that_is_not_installed_is_reported_in_one_line(monkeypatch, name):
    read_request([], ())  # has Hydra find its plugins
    monkeypatch.delitem(ConfigStore.instance().repo["hydra"]["launcher"], f"{name}.yaml", False)
    line = f"hydra/launcher={name}: hydra-submitit-launcher is not installed: "
    line += "pip install 'dpbandits[slurm]'"
    assert message_of(read_request, [f"hydra/launcher={name}"], ()) == line
