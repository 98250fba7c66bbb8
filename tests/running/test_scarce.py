"""Commands and calls where the system has little memory, few open files, or forbids processes."""

import multiprocessing
import os
import resource
import subprocess
import sys

import pytest
from sweeps import own_algorithm, pulling, requested

from dpbandits.running.monte_carlo import run_request

PLAIN = ["algo=plain", "--config-dir=mine", "horizon=10", "runs=4", "jobs=2", "backend=processes"]
THREADS = [*PLAIN[:3], "runs=400", "jobs=200", "backend=threads"]
# of joblib, which removes what is left, and the hint that kernels are faster
OTHERS = "resource_tracker", "  warnings.warn(", "the decorator @kernel"


def limited(folder, kind, limit, words=PLAIN):
    """The exit code of a command that may have no more of a resource, and its messages."""
    own_algorithm(folder / "mine", "plain", pulling("plain"))
    process = subprocess.Popen(
        [sys.executable, "-c", "from dpbandits.cli.start import run; run()", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
    )  # fmt: skip
    _, err = process.communicate(timeout=300)
    return process.returncode, [x for x in err.splitlines() if not any(t in x for t in OTHERS)]


@pytest.mark.slow
@pytest.mark.parametrize("files", [8, 16, 256])
def test_too_few_open_files_for_processes_are_one_line(tmp_path, files):
    """Control: 256 are enough."""
    code, lines = limited(tmp_path, resource.RLIMIT_NOFILE, files)
    if files == 256:
        assert (code, lines) == (0, [])
        return
    (line,) = lines
    assert code == 1 and line.startswith("bandit-run: ") and "Too many open files" in line


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [300, 650, 1100, 1150, 1300, 2000])
def test_too_little_memory_is_one_line_and_enough_is_enough(tmp_path, megabytes):
    """2,000 were not while pyarrow reserved 1,000 of them: a library waited for the rest."""
    code, lines = limited(tmp_path, resource.RLIMIT_AS, megabytes * 10**6)
    if megabytes >= 1150:
        assert (code, lines) == (0, [])
        return
    (line,) = lines
    assert (
        code == 1 and f"ulimit -v allows {megabytes} MB of memory, but 1150 MB are needed" in line
    )


@pytest.mark.slow
def test_too_many_threads_are_one_line(tmp_path):
    code, lines = limited(tmp_path, resource.RLIMIT_AS, 1500 * 10**6, THREADS)
    assert code == 1 and lines == [
        "bandit-run: the system refuses further files, threads or memory "
        "(can't start 200 threads; see ulimit -a)"
    ]


# As root no limit of processes holds: another user, who may read and write what root may
AS_ANOTHER = [
    "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all,+dac_override",
    "--ambient-caps=-all,+dac_override", "--bounding-set=-all,+dac_override",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_too_few_processes_are_one_line_and_no_interruption(tmp_path, processes):
    """OpenBLAS sends SIGINT to its own process if it may start no thread."""
    done = subprocess.run(
        [*(AS_ANOTHER if os.geteuid() == 0 else []), "prlimit", f"--nproc={processes}",
         sys.executable, "-c", "from dpbandits.cli.start import run; run()",
         "algo=dp_se", "horizon=100", "runs=2"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    libraries = "compiling", "<jemalloc>"  # the allocator of pyarrow warns
    lines = [x for x in done.stderr.splitlines() if not x.startswith(libraries)]
    assert done.returncode == 1 and len(lines) == 1, done.stderr
    assert lines[0].startswith("bandit-run: the system refuses further files, threads or memory (")


def played(folder):
    """The number of runs that a request of an algorithm in plain Python has played."""
    given = {"algo": "plain", "horizon": 10, "runs": 3, "jobs": 2}
    return run_request(requested(folders=(str(folder),), **given))[1]


@pytest.mark.slow
def test_a_process_of_a_pool_plays_an_algorithm_in_plain_python_itself(tmp_path):
    own_algorithm(tmp_path, "plain", pulling("plain"))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(played, (tmp_path,)) == 3
