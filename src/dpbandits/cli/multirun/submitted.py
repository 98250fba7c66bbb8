"""Jobs of submitit, on Slurm or in processes of this machine: submit them and wait for all."""

from __future__ import annotations

import io
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import Any

from ...errors import BadInput
from ...running.children import safe_children
from ..command import print_some
from ..config.hydra_settings import FOLDER

TICK = 0.5  # seconds between two looks for the result of a job
LOOK = 5.0  # seconds between two requests to Slurm
GRACE = 10.0  # seconds until the result of a job that has ended is visible in a shared folder
ANSWER = 30.0  # seconds that Slurm has to answer
ENDED = (
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"),
    *("PREEMPTED", "REVOKED", "TIMEOUT"),
)
SQUEUE = ["squeue", "--me", "--all", "--array", "--noheader", "--states=all", "--format=%i|%T"]


def run_by_submitit(
    command: str,
    job: Callable[[list[str]], int],
    points: Sequence[list[str]],
    names: Sequence[str],
    cluster: str,
    settings: dict[str, Any],
) -> list[str]:
    """Submit one job for each point, a list of overrides, and wait for all.

    Messages are those of ``command`` and call the jobs by ``names``. ``cluster`` is submitit's name
    of the executor, slurm or local, and ``settings`` are the parameters of Hydra's launcher.

    Returns:
        Why each job failed, or an empty string.

    Raises:
        BadInput: the jobs cannot be launched; nothing is left behind.
    """
    jobs = _submitted(job, points, cluster, settings)
    queue = _Slurm(command, jobs) if cluster == "slurm" else _Here(jobs)
    try:
        return [_reason(each, queue) for each in jobs]
    except KeyboardInterrupt:
        queue.interrupted(command, names)
        raise


def _submitted(
    job: Callable[[list[str]], int],
    points: Sequence[list[str]],
    cluster: str,
    settings: dict[str, Any],
) -> list[Any]:
    """Submit the jobs, with a folder of this command: the numbers of jobs may be used again."""
    import submitit

    given = Path(settings.pop(FOLDER)).expanduser().absolute()
    home = submitit.core.utils.JobPaths.get_first_id_independent_folder(given)
    own = home / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    created = [path for path in (home, *home.parents) if not path.exists()]
    parameters = {f"{cluster}_{name}": value for name, value in settings.items()}
    timeouts = {x: parameters.pop(x) for x in ["slurm_max_num_timeout"] if x in parameters}
    try:
        own.mkdir(parents=True)
        with redirect_stderr(io.StringIO()):  # what sbatch prints is in the exception
            executor = submitit.AutoExecutor(own / given.relative_to(home), cluster, **timeouts)
            executor.update_parameters(**parameters)
            with safe_children():
                return executor.map_array(job, points)
    except Exception as error:
        shutil.rmtree(own, ignore_errors=True)
        for path in created:
            with suppress(OSError):  # a folder that another process uses
                path.rmdir()
        raise BadInput(f"hydra/launcher: the jobs cannot be launched: {error}") from None


class _Here:
    """Jobs that are processes of this machine."""

    def __init__(self, jobs: Sequence[Any]):
        self._jobs = jobs

    def lost(self, job: Any) -> bool:
        """Whether a job has ended; if it has left no result, none will come."""
        return bool(job.done())

    def state(self, job: Any) -> str:
        """What is known of a job that has left no result."""
        return ""

    def interrupted(self, command: str, names: Sequence[str]) -> None:
        """End the jobs with the command."""
        for job in self._jobs:
            job.cancel()


class _Slurm:
    """Jobs of Slurm, whose states squeue reports, whether or not Slurm keeps accounts."""

    def __init__(self, command: str, jobs: Sequence[Any]):
        self._command = command
        self._jobs = jobs
        self._states: dict[str, str] = {}
        self._ended: dict[str, float] = {}  # when each job was first seen to have ended
        self._looked = -math.inf
        self._warned = False

    def _look(self) -> None:
        """Ask for the states of all jobs; those that ended minutes ago are not listed any more."""
        try:
            done = subprocess.run(
                SQUEUE, capture_output=True, text=True, timeout=ANSWER, check=True
            )
        except (OSError, subprocess.SubprocessError) as error:
            reason = getattr(error, "stderr", None) or str(error)
            if not self._warned:
                print(f"{self._command}: Slurm does not answer: {reason.strip()}", file=sys.stderr)
            self._warned = True
            return
        self._warned = False
        states = dict(line.split("|", 1) for line in done.stdout.splitlines())
        now = time.monotonic()
        for name in (job.job_id for job in self._jobs):
            if states.get(name, "COMPLETED") not in ENDED:
                self._ended.pop(name, None)  # it was submitted again
            else:
                self._ended.setdefault(name, now)
        self._states |= states

    def lost(self, job: Any) -> bool:
        """Whether a job has ended, and no result has to be expected any more."""
        if time.monotonic() - self._looked > LOOK:
            self._look()
            self._looked = time.monotonic()
        return time.monotonic() - self._ended.get(job.job_id, math.inf) > GRACE

    def state(self, job: Any) -> str:
        """The last state that is known of a job that has left no result."""
        return f" (Slurm: {self._states.get(job.job_id, 'unknown')})"

    def interrupted(self, command: str, names: Sequence[str]) -> None:
        """Say which jobs go on, and how to cancel them."""
        self._look()
        left = [
            (job.job_id, f"{name}: job {job.job_id}")
            for job, name in zip(self._jobs, names, strict=True)
            if job.job_id not in self._ended and not _arrived(job)
        ]
        if left:
            print_some(command, "not interrupted", [line for _, line in left], " jobs")
            arrays = " ".join(dict.fromkeys(name.partition("_")[0] for name, _ in left))
            print(f"{command}: to cancel them: scancel {arrays}", file=sys.stderr)


def _arrived(job: Any) -> bool:
    """Whether all tasks of a job have written their results.

    The folder is listed because NFS remembers for a while that a file is missing.
    """
    paths = [job.task(i).paths.result_pickle for i in range(job.num_tasks)]
    try:
        return all(path in list(path.parent.iterdir()) for path in paths)
    except OSError:
        return False


def _reason(job: Any, queue: _Here | _Slurm) -> str:
    """Wait for a job; returns why it failed, or an empty string."""
    from submitit.core.utils import FailedJobError

    while not _arrived(job) and not queue.lost(job):
        time.sleep(TICK)
    if not _arrived(job):
        why = f"the job was killed, or never began{queue.state(job)}"
    else:
        try:
            why = "the job failed" if any(job.results()) else ""
        except FailedJobError:
            why = "the job failed"
    return why and f"{why}; see {job.paths.folder}"
