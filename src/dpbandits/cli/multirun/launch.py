"""Run every point of a multirun, one after the other."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout

from ...contracts.question import Question
from ...errors import BadInput, first_line, in_a_line
from ...files import check_writable
from ...results.run_store import RunStore
from ...results.size import check_size
from ...running.failures import RunsFailed
from ...settings.request import Request
from ..command import MOST, print_some, report_failures
from ..config.compose import read_overrides, read_request
from ..config.hydra_settings import refuse_overrides
from ..request import report, run
from .joint import joined, points_of


def multirun(question: Question, overrides: list[str], folders: tuple[str, ...]) -> int:
    """Run every point of a multirun, and write one table of all settings.

    An algorithm that takes no eps is run once, though others are run for several.

    Returns:
        The exit code, 1 if a point failed.

    Raises:
        BadInput: a point cannot be run, which is checked before any is.
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
    code = _run_here(question.command, points, requests)
    if code == 0 and len(requests) > 1:
        _report_all(requests)
    return code


def _report_all(requests: Sequence[Request]) -> None:
    """Write the table of several jobs, and print its summary; or say why there is none."""
    try:
        request = joined(requests)
    except BadInput as error:
        print(f"no table of all jobs: {error}", file=sys.stderr)
        return
    report(request, RunStore(request.folder), 0.0, alone=False)


def _run_here(command: str, points: Sequence[list[str]], requests: Sequence[Request]) -> int:
    """Run the points one after the other; errors are reported when all have been tried."""
    codes: list[int] = []
    errors: dict[str, Exception] = {}
    for i, (point, request) in enumerate(zip(points, requests, strict=True)):
        try:
            with redirect_stdout(io.StringIO()) if i >= MOST else nullcontext():
                codes.append(run(request, alone=False, printed=len(points) == 1))
        except RunsFailed as error:
            codes.append(report_failures(command, error.failures))
        except Exception as error:
            errors[" ".join(point)] = error
    if len(points) > MOST:
        print(f"and {len(points) - MOST} more tables in {requests[0].folder}")
    if errors:
        [_, *others] = [f"{point}: {first_line(error)}" for point, error in errors.items()]
        print_some(command, "failed", [in_a_line(x) for x in others], " jobs")
        raise next(iter(errors.values()))
    return max(codes)
