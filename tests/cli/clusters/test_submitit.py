"""Multiruns whose points are jobs of submitit: on this machine, or in a script for Slurm."""

import contextlib
import os
import pickle
import re
import signal
import time
from pathlib import Path

import psutil
import pytest
from commands import captured
from extras import require
from refusals import message_of
from sweeps import COMMAND, heeding_ctrl_c, own_algorithm, started, until

from dpbandits.cli.multirun import submitted
from dpbandits.cli.multirun.launch import Job, multirun
from dpbandits.contracts.question import REGRET, STOPPING

submitit = require("submitit")
pytestmark = pytest.mark.extra("submitit")


SAFE = [COMMAND[0], "-P", *COMMAND[1:]]  # as installed commands, without the working folder


def bandit_run(folder, *words, **more):
    return captured(*SAFE, *words, cwd=folder, timeout=240, **more)


@pytest.mark.slow
def test_the_local_executor_of_submitit(tmp_path):
    """Its jobs give the bytes of this process, and import nothing from the working folder."""
    (tmp_path / "random.py").write_text("raise SystemExit('imported')")
    words = ["-m", "algo=adap_ucb,dp_se", "eps=0.5,1", "horizon=2000", "runs=3"]
    tables = []
    for launcher in (["results=there", "hydra/launcher=submitit_local"], ["results=here"]):
        done = bandit_run(tmp_path, *words, *launcher)
        assert done.returncode == 0 and "imported" not in done.stderr, done.stderr
        paths = [line for line in done.stdout.splitlines() if line.endswith(".csv")]
        tables.append({Path(p).name: (tmp_path / p).read_bytes() for p in paths})
    assert tables[0] == tables[1] and len(tables[0]) == 5  # one of all
    assert len(list(tmp_path.glob("there/.submitit/*/*/*_result.pkl"))) == 4  # in their processes


BAD = "def bad(game, rng):\n    raise ValueError('lost')\n"


@pytest.mark.slow
def test_jobs_of_submitit_that_fail_or_are_killed_are_reported_and_the_others_are_listed(tmp_path):
    own_algorithm(tmp_path / "mine", "bad", BAD)
    words = ["-m", "algo=bad,dp_ucb,dp_se", "horizon=2e8", "runs=2", "jobs=1"]
    words += ["hydra/launcher=submitit_local", "--config-dir=mine"]
    process = started(*words, cwd=tmp_path)
    until(lambda: list(tmp_path.glob("results/dp_se*.csv")), process)
    (victim,) = (job for job in jobs_of(process) if "algo=dp_ucb" in overrides_of(tmp_path, job))
    victim.kill()
    out, err = process.communicate(timeout=120)
    failed, killed = err.splitlines()
    assert process.returncode == 1
    assert failed.startswith("bandit-run: failed: algo=bad: the job failed; see ")
    (log,) = Path(failed.rpartition("see ")[2]).glob("*_log.err")
    assert "lost (2 runs)" in log.read_text()
    assert killed.startswith(
        "bandit-run: failed: algo=dp_ucb: the job was killed, or never began; see "
    )
    (listed,) = out.splitlines()
    assert listed.startswith("results/dp_se-")
    assert [str(f.relative_to(tmp_path)) for f in tmp_path.glob("results/*.csv")] == [listed]


def overrides_of(folder, process):
    """The overrides of the job that a process of submitit runs."""
    job = process.environ()["SUBMITIT_LOCAL_JOB_ID"]
    (file,) = folder.glob(f"results/.submitit/*/{job}/{job}_submitted.pkl")
    return submitit.core.utils.DelayedSubmission.load(file).args[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "message"),
    [
        ("hydra/launcher=submitit_slurm", 'Could not detect "srun"'),
        (
            "hydra/launcher=submitit_local hydra.launcher.submitit_folder=/dev/null/x",
            "Not a directory: '/dev/null/x/",
        ),
        ("hydra/launcher=submitit_local hydra.launcher.nodes=2", "Use nodes=1"),
    ],
)
def test_a_launcher_that_cannot_launch_is_reported_in_one_line(tmp_path, launcher, message):
    words = ["-m", "algo=ucb,dp_se", "horizon=50", "runs=2", "results=a/b", *launcher.split()]
    nowhere = {**os.environ, "PATH": str(tmp_path / "nowhere")}  # a machine without Slurm
    done = bandit_run(tmp_path, *words, env=nowhere)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and message in line
    assert line.startswith("bandit-run: hydra/launcher: the jobs cannot be launched: ")
    assert not list(tmp_path.iterdir())  # nothing that looks like a run


SBATCH = """#!/bin/sh
cp "$1" script
cp there/.submitit/*/*.pkl .
echo "sbatch: error: invalid partition" >&2
exit 1
"""


@pytest.mark.slow
def test_slurm_gets_the_settings_of_the_launcher(tmp_path):
    """A substitute for sbatch copies the script that submitit made, and refuses it."""
    for name, text in (("srun", "#!/bin/sh\n"), ("sbatch", SBATCH)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    settings = "partition=long cpus_per_task=3 mem_gb=4 timeout_min=240 array_parallelism=2"
    words = [f"hydra.launcher.{setting}" for setting in settings.split()]
    words += ["hydra.launcher.setup=[module load x]", "hydra.launcher.max_num_timeout=2"]
    words += ["+hydra.launcher.additional_parameters.nice=5", "hydra/launcher=submitit_slurm"]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    own = ["-m", "algo=ucb,dp_se", "seed=0,1", "results=there"]
    done = bandit_run(tmp_path, *own, *words, env=environment)
    said = "bandit-run: hydra/launcher: the jobs cannot be launched: sbatch: error: invalid"
    line = done.stderr.splitlines()[-1]  # the tables would be large, which is said before
    assert done.returncode == 2 and not done.stdout and line.startswith(said)
    assert not (tmp_path / "there").exists()
    script = (tmp_path / "script").read_text().splitlines()
    options = "array=0-3%2 partition=long cpus-per-task=3 mem=4GB time=240 nice=5 nodes=1"
    options += " job-name=bandit-run signal=USR2@120"
    assert {f"#SBATCH --{option}" for option in options.split()} <= set(script)
    assert "module load x" in script
    assert re.search(f" {tmp_path}/there/.submitit/[-0-9]+/%j$", script[-1])
    load = submitit.core.utils.DelayedSubmission.load
    jobs = [load(file) for file in tmp_path.glob("*.pkl")]
    assert {job._timeout_countdown for job in jobs} == {2}
    own = {word for job in jobs for word in job.args[0] if word not in words}
    assert len(jobs) == 4 and own == {"algo=ucb", "algo=dp_se", "seed=0", "seed=1", "results=there"}


def test_submitit_is_not_patched_and_every_job_is_waited_for(tmp_path, monkeypatch):
    classes = [submitit.Job, submitit.Executor, *submitit.Job.__subclasses__()]
    before = [dict(vars(c)) for c in classes]
    waited = []

    class Stub:
        num_tasks = 1

        def __init__(self, words):
            self.words, self.paths = words, submitit.core.utils.JobPaths(tmp_path / words[1])

        def task(self, number):
            return self

        def done(self):  # without a result: that job was killed
            waited.append(self.words[1])
            assert [dict(vars(c)) for c in classes] == before
            return True

    class StubExecutor:
        def __init__(self, folder, cluster):
            assert (folder.parent.parent, folder.name) == (tmp_path / ".submitit", "%j")
            assert cluster == "local"

        def update_parameters(self, **parameters):
            assert parameters["local_timeout_min"] == 7 and parameters["local_nodes"] == 1

        def map_array(self, job, points):
            return list(map(Stub, points))

    monkeypatch.setattr(submitit, "AutoExecutor", StubExecutor)
    words = ["algo=dp_se", "seed=0,1,2", "horizon=10", "runs=1", f"results={tmp_path}"]
    words += ["hydra/launcher=submitit_local", "hydra.launcher.timeout_min=7"]
    assert multirun(REGRET, words, ()) == 1
    assert waited == ["seed=0", "seed=1", "seed=2"]


@pytest.mark.slow
def test_a_job_that_slurm_submits_again_is_waited_for(tmp_path, monkeypatch, capsys):
    """A job is lost if it has ended, or is not known any more, some time after it was last seen."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(submitted, "LOOK", 0.0)
    monkeypatch.setattr(submitted, "GRACE", 0.05)
    job = submitit.SlurmJob(tmp_path, "7_1")
    slurm = submitted._Slurm("bandit-run", [job])

    def lost(line, code=0):
        (tmp_path / "squeue").write_text(f"#!/bin/sh\necho {line!r}\necho gone >&2\nexit {code}\n")
        (tmp_path / "squeue").chmod(0o755)
        first = slurm.lost(job)
        time.sleep(0.1)
        return first, slurm.lost(job)

    assert lost("7_1|PENDING") == lost("7_1|RUNNING") == (False, False)
    assert lost("7_1|COMPLETING") == lost("", 1) == lost("", 1) == (False, False)
    assert capsys.readouterr().err == "bandit-run: Slurm does not answer: gone\n"  # once
    assert lost("7_1|TIMEOUT") == (False, True)
    assert lost("7_1|PENDING") == (False, False) and lost("7_2|RUNNING") == (False, True)


@pytest.mark.slow
def test_jobs_on_this_machine_end_with_an_interrupted_command(tmp_path):
    words = ["-m", "algo=dp_ucb,ucb", "horizon=1e10", "runs=2", "jobs=1"]
    own = {"cwd": tmp_path, "preexec_fn": heeding_ctrl_c}
    process = started(*words, "hydra/launcher=submitit_local", **own)
    until(lambda: len(jobs_of(process)) == 2, process)
    found = jobs_of(process)
    process.send_signal(signal.SIGINT)
    assert "interrupted; finished runs are stored" in process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert not psutil.wait_procs(found, timeout=30)[1]


def jobs_of(process):
    """The processes of submitit's jobs."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended by now
            found += [child] if "submitit.core._submit" in child.cmdline() else []
    return found


def test_a_job_pickles_and_is_submitted_again_after_a_timeout(here):
    words = ["rule=dp_nas", "cap=100", "runs=1", "jobs=1", "hydra/launcher=submitit_local"]
    job = pickle.loads(pickle.dumps(Job(STOPPING, ())))
    again = job.checkpoint(words)
    assert again.result() == 0 and again.function == job
    assert len(list(here.glob("results/dp_nas-*.csv"))) == 1
    assert not (here / "results" / ".submitit").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("hydra/launcher=submitit_local hydra.launcher.timeout_min=1,2", "the same for all jobs"),
        ("hydra/launcher=submitit_local,basic", "the same for all jobs"),
        ("hydra/launcher=submitit_local seed=range(0,0)", "no combination to run"),
    ],
)
def test_a_multirun_that_is_refused(unchanged, words, message):
    assert message in message_of(multirun, REGRET, words.split(), ())
