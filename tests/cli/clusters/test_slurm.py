"""Job arrays, and runner=slurm, on a real Slurm, with accounting (sacct) and without."""

import signal
import subprocess
import sys
import time

import pytest
from slurm_cluster import asked, require_slurm, slurm_cluster
from sweeps import (
    COMMAND,
    MAIN,
    heeding_ctrl_c,
    own_algorithm,
    pulling,
    requested,
    started,
    stored,
    until,
)

from dpbandits.cli.ending import STORED

pytestmark = pytest.mark.slow
PATIENT = 300  # seconds that any command may take


@pytest.fixture(
    scope="module", params=[False, pytest.param(True, marks=pytest.mark.long)],
    ids=["no accounts", "accounts"],
)  # fmt: skip
def accounts(request):
    """Whether the cluster keeps accounts."""
    return request.param


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, accounts):
    """The environment of the commands of a cluster."""
    require_slurm(accounts)
    with slurm_cluster(tmp_path_factory.mktemp("slurm"), accounts) as environment:
        yield environment


@pytest.fixture
def slurm(cluster):
    """The same; what a test leaves is cancelled."""
    yield cluster
    asked(cluster, "scancel", "--user=root")


def same_tables(folder, sweep):
    """The names, one, of the table of a sweep in ``there``, which has the bytes of one machine."""
    here = subprocess.run([*COMMAND, *sweep], cwd=folder, capture_output=True, timeout=PATIENT)
    assert here.returncode == 0
    found, right = (
        {file.name: file.read_bytes() for file in folder.glob(f"{name}/*.csv")}
        for name in ("there", "results")
    )
    assert found == right and len(found) == 1
    return list(found)


def array(folder, environment, *words):
    """Submit a command as a job array of two tasks; returns the process that waits for them."""
    script = folder / "job.sh"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{MAIN}" "$@"\n')
    submit = ["sbatch", "--wait", "--array=0-1", "--output=task%a.log", str(script), *words]
    return subprocess.Popen(submit, cwd=folder, env=environment, stdout=subprocess.PIPE)


def logs(folder):
    """What the tasks have printed, by their numbers."""
    return [(folder / f"task{i}.log").read_text() for i in (0, 1)]


def test_the_tasks_of_an_array_share_a_folder_and_give_the_bytes_of_one_machine(
    tmp_path, slurm, accounts
):
    sweep = ["sweep={algo:[adap_ucb,dp_se]}", "horizon=2000", "runs=3", "jobs=1"]
    tasks = array(tmp_path, slurm, *sweep, "results=there")
    assert tasks.wait(PATIENT) == 0, logs(tmp_path)
    (name,) = same_tables(tmp_path, sweep)
    assert {log.splitlines()[-1] for log in logs(tmp_path)} == {f"there/{name}"}
    until_listed = time.monotonic() + PATIENT * accounts
    while (listed := asked(slurm, "sacct", "-nXo", "State%20")) != 2 * [f"{'COMPLETED':>20} "]:
        if time.monotonic() > until_listed:
            assert not accounts and listed == [], listed
            break
        time.sleep(0.2)


WAITS = """
task = os.environ.get("SLURM_ARRAY_TASK_ID")
with open(here / f"begun{task}", "a") as log:
    log.write(f"{rng.bit_generator.seed_seq.spawn_key[0]} ")
while task == "1" and len((here / "begun1").read_text().split()) > 3:
    time.sleep(0.05)
while task == "0" and not (here / "go").exists():
    time.sleep(0.05)
"""


def test_a_cancelled_task_keeps_its_runs_and_the_other_task_plays_the_rest(tmp_path, slurm):
    home = own_algorithm(tmp_path / "mine", "waits", pulling("waits", WAITS, "eps"))
    words = ["algo=waits", "horizon=10", "runs=6", "backend=threads", "jobs=1"]
    tasks = array(tmp_path, slurm, *words, "--config-dir=mine")
    end = time.monotonic() + PATIENT

    def begun(task):
        file = home / f"begun{task}"
        return file.read_text().split() if file.exists() else []

    while len(begun(1)) < 4 or not begun(0):
        assert time.monotonic() < end and tasks.poll() is None
        time.sleep(0.05)
    (first,) = (job for job in asked(slurm, "squeue", "-h", "-r", "-o%i") if job.endswith("_1"))
    asked(slurm, "scancel", first)
    while first in asked(slurm, "squeue", "-h", "-r", "-o%i"):
        assert time.monotonic() < end
        time.sleep(0.1)
    own = {"algo": "waits", "horizon": 10, "runs": 6}
    request = requested(tmp_path / "results", folders=(str(tmp_path / "mine"),), **own)
    before = stored(request)
    assert len(before) == 3 and "ended by SIGTERM; finished runs are stored" in logs(tmp_path)[1]
    (home / "go").touch()
    tasks.wait(PATIENT)
    assert before.items() <= stored(request).items() and len(stored(request)) == 6
    assert len(list(tmp_path.glob("results/*.csv"))) == 1
    played = {run for _, run in before}
    assert not played & set(map(int, begun(0)[2:]))  # two were handed out before these were stored


WORKERS = ["runner=slurm", "jobs=2"]
LOST = "from dpbandits.running import runners as r; r.ABSENT = 3; "


@pytest.mark.extra("dask_jobqueue")
def test_workers_that_are_jobs_give_the_bytes_of_one_machine_though_one_is_cancelled(
    tmp_path, slurm
):
    sweep = ["sweep={algo:[ucb,dp_ucb]}", "horizon=2e6", "runs=8"]
    process = started(*sweep, *WORKERS, "results=there", cwd=tmp_path, env=slurm)
    until(lambda: list(tmp_path.glob("there/runs/*/*.npz")), process)
    jobs = asked(slurm, "squeue", "-h", "-o%i")
    assert len(jobs) == 2
    asked(slurm, "scancel", jobs[0])
    _, err = process.communicate(timeout=PATIENT)
    assert process.returncode == 0 and "Traceback" not in err, err
    same_tables(tmp_path, sweep)
    wait_until_none(slurm)


def wait_until_none(slurm):
    """Wait until no job is left: a command cancels those that it has submitted."""
    end = time.monotonic() + 30
    while asked(slurm, "squeue", "-h"):
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.extra("dask_jobqueue")
@pytest.mark.parametrize("end", ["interrupted", "cancelled"])
def test_jobs_end_with_their_command_and_a_command_without_jobs_ends(tmp_path, slurm, end):
    own = {"cwd": tmp_path, "env": slurm, "preexec_fn": heeding_ctrl_c, "before": LOST}
    process = started("algo=dp_ucb", "horizon=2e7", "runs=500", *WORKERS, **own)
    until(lambda: list(tmp_path.glob("results/runs/*/*.npz")), process)
    if end == "interrupted":
        process.send_signal(signal.SIGINT)
    else:
        asked(slurm, "scancel", "--user=root")
    _, err = process.communicate(timeout=PATIENT)
    line = {
        "interrupted": f"bandit-run: interrupted; {STORED}",
        "cancelled": "bandit-run: runner=slurm: the cluster has no workers any more; finished runs "
        "are stored, and the same command plays the missing runs",
    }
    assert err.splitlines()[-1] == line[end] and "Traceback" not in err, err
    wait_until_none(slurm)


@pytest.mark.extra("dask_jobqueue")
def test_jobs_that_slurm_refuses_are_one_line(tmp_path, slurm):
    words = ["algo=ucb", "horizon=10", *WORKERS, "runner.partition=nowhere"]
    process = started(*words, cwd=tmp_path, env=slurm)
    out, err = process.communicate(timeout=PATIENT)
    assert (process.returncode, out) == (2, ""), err
    (line,) = err.splitlines()
    assert line.startswith(
        "bandit-run: runner=slurm: the jobs cannot be submitted (sbatch: error: "
    )
    assert "invalid partition specified: nowhere" in line
