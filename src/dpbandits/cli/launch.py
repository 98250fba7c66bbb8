"""Run every point of a multirun: as jobs submitted with submitit, or with any launcher of Hydra."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..files import check_writable, package_folder
from ..results.naming import table_path
from ..running.failures import report_jobs
from .config.compose import in_hydras_words, multirun_points, read_request
from .kinds import KINDS, Kind

SUBMITIT = "hydra_plugins.hydra_submitit_launcher.submitit_launcher"  # of both its launchers
FOLDER = "submitit_folder"


class Failed(Exception):
    """A job in another process failed; the reason is in the log of that job."""


@dataclass(frozen=True)
class Job:
    """Runs one point of a multirun, here or, since it pickles to plain values, in another process.

    Attributes:
        command: the command line program, which determines the kind of work.
        folders: the user's configuration folders.
    """

    command: str
    folders: tuple[str, ...]

    def __call__(self, words: list[str]) -> int:
        """Run the point with these overrides; the exit code."""
        from .run import run

        kind = next(kind for kind in KINDS if kind.command == self.command)
        return run(read_request(words, self.folders, kind), alone=False)

    def checkpoint(self, words: list[str]) -> Any:
        """The job that submitit submits again after a timeout; finished runs are not repeated."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, words)


def call_hydra(kind: Kind, argv: list[str], overrides: list[str], task: Callable) -> None:
    """Run Hydra's own main function on a command line; it requires overrides after the options."""
    import hydra

    options = [word for word in argv if word not in overrides]
    sys.argv = [kind.command, *options, *in_hydras_words(overrides)]
    hydra.main(str(package_folder("conf")), kind.top, version_base="1.3")(task)()


def multirun(kind: Kind, argv: list[str], overrides: list[str], folders: tuple[str, ...]) -> int:
    """Run every point of a multirun and wait for all; the exit code, 1 if any failed.

    Jobs in other processes print to their logs, so the paths of their tables and the reasons of
    failures are printed here.

    Raises:
        BadInput: some point cannot be run, which is checked before any is, or the jobs cannot be
            launched.
    """
    points: list[list[str]] = []
    paths: list[Path] = []
    launcher: dict[str, Any] = {}
    for point in multirun_points(overrides, folders):
        request = read_request(point, folders, kind)
        check_writable(request.results)
        points.append(point)
        paths.append(table_path(request, alone=False))
        own = request.config["launcher"]
        launcher = launcher or own
        if {**own, FOLDER: None} != {**launcher, FOLDER: None}:
            raise BadInput("-m: hydra/launcher and its settings must be the same for all jobs")
    if not points:
        raise BadInput("-m: no combination to run; some key has no value")
    job = Job(kind.command, folders)
    module, _, name = launcher.pop("_target_").rpartition(".")
    if module == SUBMITIT:
        reasons = _run_by_submitit(job, points, name.removesuffix("Launcher").lower(), launcher)
    else:
        codes = _run_by_hydra(job, kind, argv, overrides, paths)
        if codes:
            return max(codes)
        reasons = [""] * len(points)
    failed = {}
    for point, path, reason in zip(points, paths, reasons, strict=True):
        if reason:
            failed[" ".join([o for o in point if o not in overrides] or point)] = reason
        elif path.exists():
            print(path)
    return report_jobs(kind.command, failed)


def _run_by_submitit(
    job: Job, points: Sequence[list[str]], cluster: str, settings: dict[str, Any]
) -> list[str]:
    """Submit one job for each point and wait for all: why each failed, or an empty string.

    Args:
        job: what to call with each point.
        points: the overrides of each point.
        cluster: submitit's name of the executor, slurm or local.
        settings: the parameters of Hydra's launcher of that name.
    """
    import submitit

    folder = settings.pop(FOLDER)
    parameters = {f"{cluster}_{name}": value for name, value in settings.items()}
    timeouts = {x: parameters.pop(x) for x in ["slurm_max_num_timeout"] if x in parameters}
    with _removed_if_not_launched(Path(folder)):
        executor = submitit.AutoExecutor(folder, cluster, **timeouts)
        executor.update_parameters(**parameters)
        jobs = executor.map_array(job, points)
    return [_reason(submitted) for submitted in jobs]


def _reason(submitted: Any) -> str:
    """Why a job of submitit failed, or an empty string, when it has ended."""
    from submitit.core.utils import FailedJobError

    try:
        why = "the job failed" if any(submitted.results()) else ""
    except FailedJobError:
        why = "the job failed"
    except Exception:
        why = "the job was killed, or never began"
    return why and f"{why}; see {submitted.paths.folder}"


def _run_by_hydra(
    job: Job, kind: Kind, argv: list[str], overrides: list[str], paths: Sequence[Path]
) -> list[int]:
    """Run the points with a launcher of Hydra; the exit codes of those run in this process."""
    from hydra.core.hydra_config import HydraConfig

    codes: list[int] = []
    errors: list[Exception] = []
    here = os.getpid()

    def task(_config):
        words = list(HydraConfig.get().overrides.task)
        if os.getpid() != here:
            if job(words):
                raise Failed("a job failed; see its log")
            return
        try:
            codes.append(job(words))
        except Exception as failure:  # Hydra would print its traceback
            errors.append(failure)

    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra raises errors instead of exiting
    try:
        with _removed_if_not_launched(*(path.with_name("multirun.yaml") for path in paths)):
            call_hydra(kind, argv, overrides, task)
    except Failed as error:
        print(f"{kind.command}: {error}", file=sys.stderr)
        return [1]
    if errors:
        raise errors[0]
    return codes


@contextmanager
def _removed_if_not_launched(*paths: Path) -> Iterator[None]:
    """Report in one line that jobs cannot be launched, and remove the paths created until then."""
    every = dict.fromkeys(outer for path in paths for outer in (path, *path.parents))
    created = sorted((path for path in every if not path.exists()), reverse=True)
    try:
        yield
    except Failed:
        raise
    except Exception as error:
        for path in created:
            with suppress(OSError):  # a folder that another process uses
                path.rmdir() if path.is_dir() else path.unlink()
        raise BadInput(f"hydra/launcher: the jobs cannot be launched: {error}") from None
