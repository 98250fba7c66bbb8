"""Ids do not contain the versions of libraries; a version that draws other numbers is refused."""

import sys

import numba
import numpy as np
import pytest
from commands import captured
from helpers import CONF
from refusals import message_of
from sweeps import quick

from dpbandits.cli.words import read_request
from dpbandits.compiled.folder import CacheFolder
from dpbandits.contracts.question import REGRET
from dpbandits.results.run_store import LIBRARIES, RunStore
from dpbandits.running import draws, monte_carlo, worker
from dpbandits.running.monte_carlo import play_request, run_request

NEWER = "numpy 9.9.9, numba 9.9.9"
IDS = """
import sys, numpy, numba
numpy.__version__ = numba.__version__ = "9.9.9"
import importlib.metadata as metadata
metadata.version = lambda name: "9.9.9"
from dpbandits.cli.words import read_request
print(*(s.id for s in read_request(sys.argv[1:], ()).settings))
"""
WORDS = ["algo=adap_ucb", "env=bernoulli_c2", "horizon=100"]


@pytest.mark.slow
def test_the_versions_of_libraries_do_not_change_ids():
    done = captured(sys.executable, "-c", IDS, *WORDS, cwd=CONF.parent)
    (setting,) = read_request(WORDS, ()).settings
    assert done.stdout.split() == [setting.id], done.stderr


def test_stored_runs_and_manifests_say_which_versions_played(tmp_path, monkeypatch):
    """After an upgrade no stored run is played again."""
    request = quick(tmp_path, REGRET)
    assert play_request(request).played == len(request.settings) * request.runs
    store = RunStore(tmp_path)
    monkeypatch.setattr(worker, "LIBRARIES", NEWER)
    assert play_request(request).played == 0
    more = quick(tmp_path, REGRET, runs=request.runs + 1)
    assert play_request(more).played == len(request.settings)
    for setting in request.settings:
        found = [run.libraries for _, run in sorted(store.read(setting).items())]
        assert found == [LIBRARIES] * request.runs + [NEWER]


def test_other_random_numbers_are_refused(monkeypatch):
    """The control: the installed versions are not refused, nor is another seed the same."""
    draws.check_draws.__wrapped__()
    monkeypatch.setattr(draws, "generator", lambda *which: np.random.default_rng(0))
    said = f"NumPy {np.__version__} draws other random numbers than earlier versions, so new runs "
    assert message_of(draws.check_draws.__wrapped__).startswith(said)


@pytest.fixture
def untested(tmp_path, monkeypatch):
    """A version of Numba that was not tested, whose folder of machine code is empty."""
    monkeypatch.setattr(draws, "is_tested", lambda: False)
    monkeypatch.setattr(draws, "compiled_code", lambda: CacheFolder(tmp_path))
    return tmp_path


@pytest.mark.parametrize("distribution", range(draws.DISTRIBUTIONS))
def test_an_untested_numba_that_draws_other_numbers_is_refused(distribution, untested, monkeypatch):
    def compiled(rng, out):
        draws.draw(rng, out)
        out[-1, distribution] = np.nextafter(out[-1, distribution], -1.0)

    monkeypatch.setattr(draws, "draw_compiled", compiled)
    said = message_of(draws.check_draws.__wrapped__)
    assert said.startswith(f"Numba {numba.__version__} draws other random numbers")
    assert not list(untested.iterdir())


@pytest.mark.slow
def test_an_untested_numba_is_compared_once(untested, monkeypatch):
    draws.check_draws.__wrapped__()
    assert (untested / draws.CHECKED).exists()
    monkeypatch.setattr(draws, "draw_compiled", None)
    draws.check_draws.__wrapped__()  # which does not call it


def test_a_request_checks_the_random_numbers_before_it_plays(tmp_path, monkeypatch):
    def refuse():
        raise draws.BadInput("other numbers")

    monkeypatch.setattr(monte_carlo, "check_draws", refuse)
    assert message_of(run_request, quick(tmp_path, REGRET)) == "other numbers"
    assert not list(tmp_path.rglob("*.npz"))
