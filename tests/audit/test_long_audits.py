"""Long audits say how far they are and how long they take, and leave no worker behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from policies_elsewhere import HiddenNoise, SoundDPSE

from dpbandits.audit.alignment.align import Aligned
from dpbandits.audit.external.policy import claimed
from dpbandits.audit.findings import SampledAudit
from dpbandits.audit.requests import requested
from dpbandits.audit.sampling.auditor import audit
from dpbandits.audit.targets.publishing import ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.settings.groups import default_keys

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.mark.slow
def test_the_shares_of_the_work_add_up():
    shares: list[float] = []
    audit(ReleaseTarget(MECHANISMS["laplace_release"], 1.0), 200, progress=shares.append)
    assert sum(shares) == pytest.approx(1.0) and len(shares) > 10 and max(shares) < 0.3


def policy_audit(policy, **given):
    config = {**default_keys("audit"), "results": None, "jobs": 1, **given}
    [found] = requested(config, given, claimed(policy), {})
    assert isinstance(found, SampledAudit)
    return found


@pytest.mark.slow
def test_the_steps_of_an_audit_are_announced(capsys):
    """The control has nothing to sample."""
    shares: list[float] = []
    policy_audit(HiddenNoise, horizon=8, runs=100).row(None, shares.append)
    first, *later = capsys.readouterr().err.splitlines()
    assert first == "HiddenNoise at eps 1: replays of 8 rounds"
    assert {*later} == {"HiddenNoise at eps 1: samples, 100 runs or fewer of each test of 8 rounds"}
    assert len(shares) > 100 and sum(shares) <= 1.0 + 1e-9
    policy_audit(SoundDPSE, horizon=8).row(None, shares.append)
    assert capsys.readouterr().err == "SoundDPSE at eps 1: replays of 8 rounds\n"


def test_requested_runs_are_for_short_games_unless_a_horizon_is_given():
    def runs(**given):
        stages = policy_audit(HiddenNoise, **given).target.stages(Aligned(), 0)
        return {s.target.horizons[0]: s.most for s in stages}

    assert runs(runs=2000) == {8: 200_000, 64: 20_000, 512: 2_000, 4096: 800}
    assert runs(runs=2000, horizon=4096) == {4096: None}


KILLED = """\
import sys
sys.path.insert(0, {support!r})
from policies_elsewhere import HiddenNoise
import dpbandits as dp
print("begun", flush=True)
dp.audit(policy=HiddenNoise, horizon=4096, runs=100000, jobs=2)
"""


@pytest.mark.long
def test_no_worker_outlives_an_audit_that_is_killed():
    words = [sys.executable, "-c", KILLED.format(support=str(SUPPORT))]
    parent = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
    try:
        parent.stdout.readline()
        deadline = time.monotonic() + 120.0
        while len(workers(parent.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(5.0)
        children = workers(parent.pid)
        assert len(children) >= 2
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 120.0  # they may still import
        while any(map(alive, children)) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert not any(map(alive, children))
    finally:
        parent.kill()
        for child in workers(parent.pid):
            os.kill(child, signal.SIGKILL)


def workers(parent: int) -> list[int]:
    """The children of a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
