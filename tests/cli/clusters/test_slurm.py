"""Multiruns as jobs of a real Slurm on this machine, with accounting (sacct) and without."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from extras import require
from slurm_cluster import asked, require_slurm, slurm_cluster
from sweeps import (
    COMMAND,
    heeding_ctrl_c,
    own_algorithm,
    pulling,
    requested,
    started,
    stored,
    until,
)

pytestmark = [pytest.mark.slow, pytest.mark.extra("submitit")]
SLURM = ["-m", "hydra/launcher=submitit_slurm", "hydra.launcher.mem_gb=null", "jobs=1"]
HASTY = "from dpbandits.cli.multirun import submitted as s; s.GRACE = s.LOOK = 1; "
PATIENT = 300  # seconds that any command may take


@pytest.fixture(scope="module", params=[False, True], ids=["no accounts", "accounts"])
def accounts(request):
    """Whether the cluster keeps accounts."""
    return request.param


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, accounts):
    """The environment of the commands of a cluster."""
    require("submitit")
    require_slurm(accounts)
    with slurm_cluster(tmp_path_factory.mktemp("slurm"), accounts) as environment:
        yield environment


@pytest.fixture
def slurm(cluster):
    """The same; what a test leaves is cancelled."""
    yield cluster
    asked(cluster, "scancel", "--user=root")


def submitted(folder, environment, *words):
    """A command, in a group of its own, as that of a terminal."""
    own = {"cwd": folder, "env": environment, "start_new_session": True}
    return started(*SLURM, *words, before=HASTY, preexec_fn=heeding_ctrl_c, **own)


def ended(process):
    """The exit code of a command, and the lines of its output and of its messages."""
    try:
        out, err = process.communicate(timeout=PATIENT)
    finally:
        process.kill()
    return process.returncode, out.splitlines(), err.splitlines()


def test_an_array_of_jobs_gives_the_bytes_of_one_machine(tmp_path, slurm, accounts):
    sweep = ["algo=adap_ucb,dp_se", "horizon=2000", "runs=3"]
    code, out, err = ended(submitted(tmp_path, slurm, *sweep, "results=there"))
    assert (code, err) == (0, [])
    here = [*COMMAND, "-m", *sweep, "results=here"]
    subprocess.run(here, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENT)
    found, right = (
        {f.name: f.read_bytes() for f in tmp_path.glob(f"{name}/*.csv")}
        for name in ("there", "here")
    )
    written = [Path(line).name for line in out if line.endswith(".csv")]
    assert found == right and sorted(found) == sorted(written) and len(written) == 3  # one of all
    assert len(list(tmp_path.glob("there/.submitit/*/*_[01]/*_result.pkl"))) == 2
    until_listed = time.monotonic() + PATIENT * accounts
    while (listed := asked(slurm, "sacct", "-nXo", "State%20")) != 2 * [f"{'COMPLETED':>20} "]:
        if time.monotonic() > until_listed:
            assert not accounts and listed == [], listed
            break
        time.sleep(0.2)


FATES = """
if fate == 1:
    raise ValueError("lost")
with open(here / f"begun{fate:g}", "a") as log:
    log.write(f"{rng.bit_generator.seed_seq.spawn_key[0]} ")
if fate > 1 and len((here / f"begun{fate:g}").read_text().split()) > 3:
    (here / f"waits{fate:g}").write_text(str(os.getpid()))
    while not (here / "go").exists():
        time.sleep(0.05)
"""
OWN = ["algo=fates", "horizon=10", "runs=6", "backend=threads", "--config-dir=mine"]


@pytest.fixture
def home(tmp_path):
    """The folder of an algorithm that plays (0), fails (1), or waits in its fourth run."""
    source = pulling("fates", FATES, "eps, fate")
    return own_algorithm(tmp_path / "mine", "fates", source, "fate: 0")


def test_jobs_that_fail_are_reported_and_the_others_are_listed(tmp_path, slurm, home):
    """One raises, one is cancelled, one is killed: no result of the last two ever comes."""
    process = submitted(tmp_path, slurm, *OWN, "algo.fate=0,1,2,3")
    until(lambda: (home / "waits2").exists() and (home / "waits3").exists(), process)
    os.kill(int(until((home / "waits3").read_text, process)), signal.SIGKILL)
    asked(slurm, "scancel", next(job for job in running(slurm) if job.endswith("_2")))
    code, out, err = ended(process)
    assert code == 1 and len(out) == 1 and (tmp_path / out[0]).exists()
    assert [f.name for f in tmp_path.glob("results/*.csv")] == [Path(out[0]).name]
    begun = "the job was killed, or never began"
    why = ["the job failed", f"{begun} (Slurm: CANCELLED)", f"{begun} (Slurm: FAILED)"]
    assert [re.sub("; see /.*", "", line) for line in err] == [
        f"bandit-run: failed: algo.fate={fate}: {reason}" for fate, reason in enumerate(why, 1)
    ]
    folders = [Path(line.rpartition("see ")[2]) for line in err]
    assert all(folder.is_dir() for folder in folders)
    assert "lost (6 runs)" in "".join(f.read_text() for f in folders[0].glob("*_log.err"))


def running(slurm):
    """The numbers of the jobs that run."""
    return asked(slurm, "squeue", "-h", "-r", "-o%i", "--states=running")


@pytest.mark.long
def test_a_time_limit_submits_the_job_again_and_finished_runs_are_kept(tmp_path, slurm, home):
    settings = ["timeout_min=1", "signal_delay_s=55", "max_num_timeout=1"]
    limit = [f"hydra.launcher.{setting}" for setting in settings]
    process = submitted(tmp_path, slurm, *OWN, "algo.fate=2", *limit)
    until(lambda: (home / "waits2").exists(), process)
    until(lambda: asked(slurm, "squeue", "-h", "-o%T") == ["PENDING"], process)
    (log,) = tmp_path.glob("results/.submitit/*/*/*_log.out")
    assert "this job is timed-out" in log.read_text()
    given = {"algo": "fates", "horizon": 10, "runs": 6, "fate": 2}
    request = requested(tmp_path / "results", folders=(str(tmp_path / "mine"),), **given)
    before = stored(request)
    assert len(before) == 3 and not list(tmp_path.glob("results/*.csv"))
    (home / "go").touch()
    (job,) = asked(slurm, "squeue", "-h", "-o%i")
    asked(slurm, "scontrol", "update", f"JobId={job}", "StartTime=now")  # it is two minutes later
    code, out, err = ended(process)
    assert (code, err, len(out)) == (0, [], 1)
    assert before.items() <= stored(request).items() and len(stored(request)) == 6
    begun = (home / "begun2").read_text().split()
    assert len(begun) == 7 and set(begun) == set("012345")  # only one was begun twice


def test_an_interrupted_command_says_which_jobs_go_on(tmp_path, slurm, home):
    process = submitted(tmp_path, slurm, *OWN, "algo.fate=0,2")
    until(lambda: (home / "waits2").exists(), process)
    until(lambda: list(tmp_path.glob("results/.submitit/*/*_0/*_result.pkl")), process)
    (job,) = (job for job in running(slurm) if job.endswith("_1"))
    os.killpg(process.pid, signal.SIGINT)
    code, out, err = ended(process)
    cancel = err[-2].partition("to cancel them: ")[2].split()
    assert (code, out) == (130, [])
    assert err[1:] == [
        "stopping: storing the runs that are finished ...",
        f"bandit-run: not interrupted: algo.fate=2: job {job}",
        f"bandit-run: to cancel them: scancel {job.removesuffix('_1')}",
        "bandit-run: interrupted; finished runs are stored",
    ]
    assert job in running(slurm)
    asked(slurm, *cancel)
    end = time.monotonic() + 20
    while job in running(slurm):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_partition_that_does_not_exist_is_one_line(tmp_path, slurm):
    words = ["algo=ucb,dp_se", "results=a/b", "hydra.launcher.partition=nowhere"]
    code, out, (line,) = ended(submitted(tmp_path, slurm, *words))
    assert (code, out) == (2, [])
    assert line.startswith("bandit-run: hydra/launcher: the jobs cannot be launched: sbatch: ")
    assert "invalid partition specified: nowhere" in line
    assert not list(tmp_path.iterdir())
