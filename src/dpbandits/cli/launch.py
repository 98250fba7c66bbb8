"""Run every point of a multirun: one after the other, or as jobs submitted with submitit."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from ..contracts.question import Question
from ..errors import BadInput
from ..files import check_writable, package_folder
from ..results.naming import table_path
from ..results.run_store import RunStore
from ..results.size import check_size
from ..running.failures import RunsFailed
from ..settings.request import Request
from .command import print_some, report_failures
from .config.compose import as_hydra_overrides, multirun_points, read_overrides, read_request
from .config.hydra_settings import refuse_overrides
from .joint import joined, without_foreign_budgets
from .submitted import FOLDER, run_by_submitit

BASIC = "hydra._internal.core_plugins.basic_launcher.BasicLauncher"  # Hydra's default
SUBMITIT = "hydra_plugins.hydra_submitit_launcher.submitit_launcher"  # of both its launchers


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
        from .run import run

        try:
            request = read_request(words, self.folders, self.question)
            return run(request, alone=False, printed=self.printed)
        except RunsFailed as error:
            return report_failures(self.question.command, error.failures)

    def checkpoint(self, words: list[str]) -> Any:
        """The job that submitit submits again after a timeout; finished runs are not repeated."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, words)


def call_hydra(question: Question, argv: list[str], overrides: list[str]) -> None:
    """Let Hydra answer an option of its own, such as --cfg; it wants overrides after options.

    Its output is printed when it has ended, since it answers an error of writing with a traceback.

    Raises:
        BadInput: Hydra refuses the option.
    """
    import hydra

    options = [word for word in argv if word not in overrides]
    sys.argv = [question.command, *options, *as_hydra_overrides(overrides)]
    main = hydra.main(str(package_folder("conf")), question.keys_file, version_base="1.3")
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(lambda _: None)()
    except SystemExit as ended:
        if ended.code:
            reason = err.getvalue().strip().rpartition("\n")[2]
            raise BadInput(f"{' '.join(options)}: {reason}") from None
    print(out.getvalue(), end="")
    print(err.getvalue(), end="", file=sys.stderr)


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
    points = without_foreign_budgets(question, list(multirun_points(overrides, folders)), folders)
    requests: list[Request] = []
    launcher: dict[str, Any] = {}
    for point in points:
        request = read_request(point, folders, question)
        check_writable(request.folder)
        check_size(request)
        requests.append(request)
        launcher = launcher or dict(request.launcher)
        if {**request.launcher, FOLDER: None} != {**launcher, FOLDER: None}:
            raise BadInput("-m: hydra/launcher and its settings must be the same for all jobs")
    if not points:
        raise BadInput("-m: no combination to run; some key has no value")
    job, target = Job(question, folders, len(points) == 1), launcher.pop("_target_")
    if target == BASIC:
        code = _run_here(job, points)
        if code == 0:
            _report_all(requests)
        return code
    module, _, name = target.rpartition(".")
    if module != SUBMITIT:
        raise BadInput(
            f"hydra/launcher: {name} is not supported; submitit_local or submitit_slurm is"
        )
    own = [[override for override in point if override not in overrides] for point in points]
    names = [" ".join(each or point) for each, point in zip(own, points, strict=True)]
    cluster = name.removesuffix("Launcher").lower()
    reasons = run_by_submitit(question.command, job, points, names, cluster, launcher)
    failed = []
    for name, request, reason in zip(names, requests, reasons, strict=True):
        path = table_path(request, alone=False)
        if reason:
            failed.append(f"{name}: {reason}")
        elif path.exists():
            print(path)
    print_some(question.command, "failed", failed, " jobs")
    if not failed:
        _report_all(requests)
    return min(len(failed), 1)


def _report_all(requests: Sequence[Request]) -> None:
    """Write the table of several jobs, and print its summary; or say why there is none."""
    from .run import report

    if len(requests) == 1:
        return
    try:
        request = joined(requests)
    except BadInput as error:
        print(f"no table of all jobs: {error}", file=sys.stderr)
        return
    report(request, RunStore(request.folder), 0.0, alone=False)


def _run_here(job: Job, points: Sequence[list[str]]) -> int:
    """Run the points one after the other; an error is raised when all have been tried."""
    codes: list[int] = []
    errors: list[Exception] = []
    for point in points:
        try:
            codes.append(job(point))
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return max(codes)
