"""The same bytes from Dask, Ray and submitit as from one machine; a dead worker loses nothing."""

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import submitit
from dpbandits.cli.kinds import BANDITS
from submitit.core.core import Executor
from submitit.core.core import Job as Submitted
from submitit.core.utils import DelayedSubmission

from dpbandits.cli.config.compose import read_request
from dpbandits.cli.launch import Job, multirun
from dpbandits.cli.run import run
from dpbandits.errors import BadInput
from dpbandits.results.naming import table_path
from dpbandits.results.run_store import cell_file, load_runs
from dpbandits.running import backends as engines
from dpbandits.running.backends import Engine
from dpbandits.running.tasks import Task, _finish, _finish_elsewhere

SWEEP = ["sweep={algo:[dp_ucb,dp_se,adap_ucb],eps:[0.5,1,2]}", "horizon=2e6", "runs=8"]
COMMAND = [sys.executable, "-c", "from dpbandits.cli.run import main; main()"]


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """The table of the sweep on this machine."""
    request = read_request([*SWEEP, f"results={tmp_path_factory.mktemp('here')}"], ())
    assert run(request) == 0
    return table_path(request).read_bytes()


def last_table(done, folder):
    assert done.returncode == 0, done.stderr
    return (folder / done.stdout.splitlines()[-1]).read_bytes()


def bandit_run(folder, *words):
    return subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def dask_cluster():
    """The address of a scheduler, and two worker processes."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    for line in scheduler.stderr:
        found = re.search(r"Scheduler at: +(tcp://\S+)", line)
        if found:
            break
    command = [sys.executable, "-m", "distributed.cli.dask_worker", found[1], "--no-dashboard"]
    command += ["--nthreads", "1", "--no-nanny"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    yield found[1], workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def whole_cells(request):
    """When the file of each finished cell was written."""
    found = {}
    for cell in request.cells:
        if len(load_runs(request.results, cell)) == request.runs:
            file = cell_file(request.results, cell)
            found[file] = file.stat().st_mtime_ns
    return found


def table_in_spite_of_a_kill(folder, words, find_worker):
    """The bytes of the sweep's table; one of its workers is killed when a cell is finished."""
    words = [*SWEEP, *words, f"results={folder}"]
    request = read_request(words, ())
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not whole_cells(request):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    worker = find_worker(psutil.Process(process.pid))
    worker.kill()
    before = whole_cells(request)
    assert len(before) < len(request.cells)  # in the middle
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE
    after = whole_cells(request)
    assert {file: after[file] for file in before} == before
    assert max(after.values()) > max(before.values())  # control: what is written shows
    return Path(out.splitlines()[-1]).read_bytes()


@pytest.mark.slow
def test_a_dask_worker_killed_during_the_run_loses_nothing(tmp_path, right, dask_cluster):
    address, workers = dask_cluster
    words = ["runner=dask", f"runner.address={address}"]
    found = table_in_spite_of_a_kill(tmp_path, words, lambda _: psutil.Process(workers[0].pid))
    assert found == right
    assert workers[1].poll() is None and workers[0].wait() == -signal.SIGKILL


@pytest.mark.slow
def test_a_dask_cluster_of_its_own(tmp_path, right):
    done = bandit_run(tmp_path, *SWEEP, "runner=dask", "jobs=2")
    assert last_table(done, tmp_path) == right


@pytest.mark.slow
def test_ray(tmp_path, right):
    done = bandit_run(tmp_path, *SWEEP, "runner=ray", "jobs=2")
    assert last_table(done, tmp_path) == right


@pytest.mark.slow
def test_a_ray_worker_killed_during_the_run_loses_nothing(tmp_path, right):
    def actor(command):
        found = command.children(recursive=True)
        return next(p for p in found if "PoolActor" in " ".join(p.cmdline()))

    assert table_in_spite_of_a_kill(tmp_path, ["runner=ray", "jobs=2"], actor) == right


@pytest.mark.slow
def test_submitits_local_executor(tmp_path):
    words = ["-m", "algo=adap_ucb,dp_se", "eps=0.5,1", "horizon=2000", "runs=3"]
    tables = []
    for launcher in (["results=there", "hydra/launcher=submitit_local"], ["results=here"]):
        done = bandit_run(tmp_path, *words, *launcher)
        assert done.returncode == 0, done.stderr
        paths = [line for line in done.stdout.splitlines() if line.endswith(".csv")]
        tables.append({Path(p).name: (tmp_path / p).read_bytes() for p in paths})
    assert tables[0] == tables[1] and len(tables[0]) == 4
    assert len(list(tmp_path.glob("there/.submitit/*/*_result.pkl"))) == 4  # in their processes


BAD = "def bad(game, rng):\n    raise ValueError('lost')\n"


@pytest.mark.slow
def test_a_job_of_submitits_that_fails_is_told(tmp_path):
    (tmp_path / "mine" / "algo").mkdir(parents=True)
    (tmp_path / "mine" / "algo" / "bad.py").write_text(BAD)
    (tmp_path / "mine" / "algo" / "bad.yaml").write_text("{}")
    words = ["-m", "algo=bad,ucb", "horizon=50", "runs=2", "hydra/launcher=submitit_local"]
    done = bandit_run(tmp_path, *words, "--config-dir=mine")
    (told,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert told.startswith("bandit-run: failed: algo=bad: the job failed; see ")
    (log,) = Path(told.rpartition("see ")[2]).glob("*_log.err")
    assert "lost (2 runs)" in log.read_text()
    (listed,) = done.stdout.splitlines()
    assert listed.startswith("results/ucb-")
    assert [f.name.split("-")[0] for f in tmp_path.glob("results/*.csv")] == ["ucb"]


@pytest.mark.slow
def test_a_job_of_submitits_that_is_killed_is_told_and_the_others_are_listed(tmp_path):
    words = ["-m", "algo=dp_ucb,dp_se", "horizon=2e8", "runs=2", "jobs=1"]
    process = subprocess.Popen(
        [*COMMAND, *words, "hydra/launcher=submitit_local"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(tmp_path.glob("results/dp_se*.csv")):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    (victim,) = (
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if "submitit.core._submit" in child.cmdline() and "algo=dp_ucb" in asked(tmp_path, child)
    )
    victim.kill()
    out, err = process.communicate(timeout=120)
    (told,) = err.splitlines()
    assert process.returncode == 1
    assert told.startswith(
        "bandit-run: failed: algo=dp_ucb: the job was killed, or never began; see "
    )
    (listed,) = out.splitlines()
    assert listed.startswith("results/dp_se-") and (tmp_path / listed).exists()
    assert not list(tmp_path.glob("results/dp_ucb*.csv"))


def asked(folder, process):
    """The overrides of the job that a process of submitit's does."""
    job = process.environ()["SUBMITIT_LOCAL_JOB_ID"]
    file = folder / "results" / ".submitit" / job / f"{job}_submitted.pkl"
    return DelayedSubmission.load(file).args[0]


@pytest.mark.parametrize(
    ("launcher", "told"),
    [
        ("hydra/launcher=submitit_slurm", 'Could not detect "srun"'),
        (
            "hydra/launcher=submitit_local hydra.launcher.submitit_folder=/dev/null/x",
            "Not a directory: '/dev/null/x'",
        ),
        ("hydra/launcher=submitit_local hydra.launcher.nodes=2", "Use nodes=1"),
    ],
)
def test_a_launcher_that_cannot_launch_is_told_in_one_line(tmp_path, launcher, told):
    words = ["-m", "algo=ucb,dp_se", "horizon=50", "runs=2", "results=a/b", *launcher.split()]
    done = bandit_run(tmp_path, *words)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and told in line
    assert line.startswith("bandit-run: hydra/launcher: the jobs cannot be launched: ")
    assert not list(tmp_path.iterdir())  # nothing that looks like a run


SBATCH = """#!/bin/sh
cp "$1" script
echo "sbatch: error: invalid partition" >&2
exit 1
"""


def test_slurm_gets_the_settings_of_the_launcher(tmp_path):
    """A stand-in for sbatch copies the script that submitit made, and refuses it."""
    for name, text in (("srun", "#!/bin/sh\n"), ("sbatch", SBATCH)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    settings = "partition=long cpus_per_task=3 mem_gb=4 timeout_min=240 array_parallelism=2"
    words = [f"hydra.launcher.{setting}" for setting in settings.split()]
    words += ["hydra.launcher.setup=[module load x]", "hydra.launcher.max_num_timeout=2"]
    words += ["+hydra.launcher.additional_parameters.nice=5", "hydra/launcher=submitit_slurm"]
    done = subprocess.run(
        [*COMMAND, "-m", "algo=ucb,dp_se", "seed=0,1", "results=there", *words],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and not done.stdout
    said = "bandit-run: hydra/launcher: the jobs cannot be launched: sbatch: error: invalid"
    assert done.stderr.splitlines()[-1].startswith(said)
    script = (tmp_path / "script").read_text().splitlines()
    options = "array=0-3%2 partition=long cpus-per-task=3 mem=4GB time=240 nice=5 nodes=1"
    options += " job-name=bandit-run signal=USR2@120"
    assert {f"#SBATCH --{option}" for option in options.split()} <= set(script)
    assert "module load x" in script
    assert f"{tmp_path}/there/.submitit/%j" in script[-1]
    jobs = [DelayedSubmission.load(file) for file in tmp_path.glob("there/.submitit/*.pkl")]
    assert {job._timeout_countdown for job in jobs} == {2}
    own = {word for job in jobs for word in job.args[0] if word not in words}
    assert len(jobs) == 4 and own == {"algo=ucb", "algo=dp_se", "seed=0", "seed=1", "results=there"}


def test_submitit_is_not_patched_and_every_job_is_waited_for(tmp_path, monkeypatch, capsys):
    classes = [Submitted, Executor, *Submitted.__subclasses__(), submitit.AutoExecutor]
    before = [dict(vars(c)) for c in classes]
    waited = []

    class Stub:
        paths = submitit.core.utils.JobPaths(tmp_path / "log")

        def __init__(self, job, words):
            self.job, self.words = pickle.loads(pickle.dumps((job, words)))

        def results(self):
            assert [dict(vars(c)) for c in classes] == before
            waited.append(self.words)
            if "seed=0" in self.words:
                raise submitit.core.utils.UncompletedJobError
            if "seed=1" in self.words:
                raise submitit.core.utils.FailedJobError
            return [self.job(self.words)]

    class StubExecutor:
        def __init__(self, folder, cluster):
            assert (folder, cluster) == (f"{tmp_path}/.submitit/%j", "local")

        def update_parameters(self, **parameters):
            assert parameters["local_timeout_min"] == 7 and parameters["local_nodes"] == 1

        def map_array(self, job, points):
            return [Stub(job, words) for words in points]

    monkeypatch.setattr(submitit, "AutoExecutor", StubExecutor)
    words = ["algo=dp_se", "seed=0,1,2", "horizon=10", "runs=1", f"results={tmp_path}"]
    words += ["hydra/launcher=submitit_local", "hydra.launcher.timeout_min=7"]
    assert multirun(BANDITS, ["-m", *words], words, ()) == 1
    assert [point[1] for point in waited] == ["seed=0", "seed=1", "seed=2"]
    out, err = capsys.readouterr()
    assert err.splitlines()[-2:] == [
        f"bandit-run: failed: seed=0: the job was killed, or never began; see {tmp_path}/log",
        f"bandit-run: failed: seed=1: the job failed; see {tmp_path}/log",
    ]
    (table,) = tmp_path.glob("*.csv")
    assert out.splitlines()[-1] == str(table)
    assert not (tmp_path / "multirun.yaml").exists()


def test_a_job_pickles_and_is_submitted_again_after_a_timeout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["rule=dp_nas", "cap=100", "runs=1", "jobs=1", "hydra/launcher=submitit_local"]
    job = pickle.loads(pickle.dumps(Job("bandit-stop", ())))
    again = job.checkpoint(words)
    assert again.result() == 0 and again.function == job
    assert len(list(tmp_path.glob("results/dp_nas-*.csv"))) == 1
    assert not (tmp_path / "results" / ".submitit").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("hydra/launcher=submitit_local hydra.launcher.timeout_min=1,2", "the same for all jobs"),
        ("hydra/launcher=submitit_local,basic", "the same for all jobs"),
        ("hydra/launcher=submitit_local seed=range(0,0)", "no combination to run"),
        ("seed=range(0,0)", "no combination to run"),
    ],
)
def test_a_multirun_that_is_refused(tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=told):
        multirun(BANDITS, ["-m", *words.split()], words.split(), ())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_package_that_is_not_installed_is_told_in_one_line(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    line = f"runner={name}: {package} is not installed: pip install 'dpbandits[{name}]'"
    with (
        pytest.raises(BadInput, match=f"^{re.escape(line)}$"),
        engines.connected(Engine(name), 1),
    ):
        pass


def test_an_engine_is_imported_only_when_it_is_asked_for(tmp_path):
    code = """if 1:
        import sys
        from dpbandits.cli import run
        sys.argv = ["bandit-run", "algo=ucb", "horizon=10", "runs=1"]
        try: run.main()
        except SystemExit: pass
        print({"distributed", "dask", "ray", "submitit"} & set(sys.modules))"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("runner=dusk", "unknown runner 'dusk': did you mean dask?"),
        ("runner=[a]", "unknown runner"),
        ("runner.address=tcp://a:1", "unknown key 'runner.address'"),
        ("runner=dask runner.address=[1]", "runner.address=[1]: an address such as"),
        ("runner=dask runner.adress=x", "did you mean runner.address?"),
        ("runner=dask backend=threads", "backend=threads: with runner=dask"),
    ],
)
def test_bad_input(words, told):
    with pytest.raises(BadInput, match=re.escape(told)):
        read_request(words.split(), ())


@pytest.mark.parametrize("finish", [_finish, _finish_elsewhere])
def test_a_worker_with_other_sources_is_refused(finish):
    (cell,) = read_request(["algo=dp_se", "horizon=10"], ()).cells
    assert finish(Task(cell, (0,), False)).played
    object.__setattr__(cell, "version", "another")
    outcome = finish(Task(cell, (0,), False))
    assert not outcome.played and "the worker has another version of dp_se" in outcome.trace
