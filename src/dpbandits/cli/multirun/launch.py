"""Run every point of a multirun: one after the other, or as jobs submitted with submitit."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from typing import Any

from ...contracts.question import Question
from ...errors import BadInput, first_line, in_a_line
from ...files import check_writable
from ...results.naming import table_path
from ...results.run_store import RunStore
from ...results.size import check_size
from ...running.failures import RunsFailed
from ...settings.request import Request
from ..command import MOST, print_some, report_failures
from ..config.compose import read_overrides, read_request
from ..config.hydra_settings import launcher_of, refuse_overrides
from ..request import report, run
from .joint import joined, points_of
from .submitted import run_by_submitit


@dataclass(frozen=True)
class Job:
    """Runs one point of a multirun, here or, since it pickles to plain values, in another process;
    ``folders`` are the user's configuration folders. The summary is printed if ``printed``.
    """

    question: Question
    folders: tuple[str, ...]
    printed: bool = False

    def __call__(self, words: list[str]) -> int:
        """Run the point with these overrides; returns the exit code."""
        try:
            request = read_request(words, self.folders, self.question)
            return run(request, alone=False, printed=self.printed)
        except RunsFailed as error:
            return report_failures(self.question.command, error.failures)

    def checkpoint(self, words: list[str]) -> Any:
        """The job that submitit submits again after a timeout; finished runs are not repeated."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, words)


def multirun(question: Question, overrides: list[str], folders: tuple[str, ...]) -> int:
    """Run every point of a multirun, wait for all, and write one table of all settings.

    An algorithm that takes no eps is run once, though others are run for several. Jobs in other
    processes print to their logs, so the paths of their tables and the reasons of failures are
    printed here.

    Returns:
        The exit code, 1 if a job failed.

    Raises:
        BadInput: a point cannot be run, which is checked before any is, or the jobs cannot be
            launched.
    """
    refuse_overrides(read_overrides(overrides))  # before any algorithm is loaded
    points = points_of(question, overrides, folders)
    requests = []
    for point in points:
        request = read_request(point, folders, question)
        check_writable(request.folder)
        check_size(request)
        requests.append(request)
    if not points:
        raise BadInput("-m: no combination to run; some key has no value")
    cluster, settings = launcher_of([request.launcher for request in requests])
    job = Job(question, folders, len(points) == 1)
    if cluster is None:
        code = _run_here(job, points, requests[0])
    else:
        own = [[override for override in point if override not in overrides] for point in points]
        names = [" ".join(each or point) for each, point in zip(own, points, strict=True)]
        reasons = run_by_submitit(question.command, job, points, names, cluster, settings)
        code = _report_each(question.command, names, requests, reasons)
    if code == 0 and len(requests) > 1:
        _report_all(requests)
    return code


def _report_each(
    command: str, names: Sequence[str], requests: Sequence[Request], reasons: Sequence[str]
) -> int:
    """Print the paths of the tables of jobs, and why others failed; returns the exit code."""
    failed = []
    for name, request, reason in zip(names, requests, reasons, strict=True):
        path = table_path(request, alone=False)
        if reason:
            failed.append(f"{name}: {reason}")
        elif path.exists():
            print(path)
    print_some(command, "failed", failed, " jobs")
    return min(len(failed), 1)


def _report_all(requests: Sequence[Request]) -> None:
    """Write the table of several jobs, and print its summary; or say why there is none."""
    try:
        request = joined(requests)
    except BadInput as error:
        print(f"no table of all jobs: {error}", file=sys.stderr)
        return
    report(request, RunStore(request.folder), 0.0, alone=False)


def _run_here(job: Job, points: Sequence[list[str]], first: Request) -> int:
    """Run the points one after the other; errors are reported when all have been tried."""
    codes: list[int] = []
    errors: dict[str, Exception] = {}
    for i, point in enumerate(points):
        try:
            with redirect_stdout(io.StringIO()) if i >= MOST else nullcontext():
                codes.append(job(point))
        except Exception as error:
            errors[" ".join(point)] = error
    if len(points) > MOST:
        print(f"and {len(points) - MOST} more tables in {first.folder}")
    if errors:
        [_, *others] = [f"{point}: {first_line(error)}" for point, error in errors.items()]
        print_some(job.question.command, "failed", [in_a_line(x) for x in others], " jobs")
        raise next(iter(errors.values()))
    return max(codes)
