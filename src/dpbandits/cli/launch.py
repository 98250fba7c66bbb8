"""The jobs of a multirun, launched by Hydra here or elsewhere, and what becomes of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..contracts.question import Question
from ..errors import BadInput
from ..files import package_folder
from .command import MOST
from .config.compose import in_hydras_words


class Failed(Exception):
    """A job in another process that says in its log why it failed."""


def call_hydra(question: Question, argv: list[str], overrides: list[str], task: Callable) -> None:
    """Let Hydra do what the words after a command say; it wants overrides after the options."""
    import hydra

    options = [word for word in argv if word not in overrides]
    sys.argv = [question.command, *options, *in_hydras_words(overrides)]
    hydra.main(str(package_folder("conf")), question.keys_file, version_base="1.3")(task)()


def multirun(
    question: Question,
    argv: list[str],
    overrides: list[str],
    job: Callable[[list[str]], int],
    tables: Sequence[tuple[list[str], Path]],
) -> int:
    """Run a job for each point; the exit code.

    Jobs in other processes print elsewhere: the paths of their tables, and who failed, are told
    here. ``tables`` has the overrides of each point, and the path of its table.
    """
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
        except Exception as failure:  # Hydra would print where it was raised
            errors.append(failure)

    folders = dict.fromkeys(path.parent for _, path in tables)
    with _no_trace_of_a_failure(*folders), _all_waited_for() as lost:
        try:
            call_hydra(question, argv, overrides, task)
        except Failed as error:
            print(f"{question.command}: {error}", file=sys.stderr)
            return 1
        except Exception as error:
            raise BadInput(f"hydra/launcher: the jobs cannot be launched: {error}") from None
    if errors:
        raise errors[0]
    if codes:
        return max(codes)
    failed = {}
    reasons = list(lost.values()) or [""] * len(tables)
    for (point, path), reason in zip(tables, reasons, strict=True):
        if reason:
            failed[" ".join(word for word in point if word not in overrides)] = reason
        elif path.exists():
            print(path)
    return report_jobs(question.command, failed)


@contextmanager
def _all_waited_for() -> Iterator[dict[str, str]]:
    """Why each job of submitit's failed, or nothing, in their order.

    Hydra's launcher raises what the first lost job raises, and forgets the others, which go on.
    """
    lost: dict[str, str] = {}
    try:
        from hydra.core.utils import JobReturn, JobStatus
        from submitit.core.core import Job
    except ImportError:
        yield lost
        return
    results = Job.results

    def waited_for(job):
        try:
            ended = all(done.status == JobStatus.COMPLETED for done in results(job))
            why = "" if ended else "the job failed"
        except Exception:
            why = "the job was killed, or never began"
        lost[job.job_id] = why and f"{why}; see {job.paths.folder}"
        return [JobReturn(status=JobStatus.COMPLETED)]

    Job.results = waited_for  # type: ignore[method-assign,assignment]
    try:
        yield lost
    finally:
        Job.results = results  # type: ignore[method-assign]


@contextmanager
def _no_trace_of_a_failure(*folders: Path) -> Iterator[None]:
    """Have Hydra raise what goes wrong, and remove what it wrote before."""
    written = ("multirun.yaml", ".submitit/%j", ".submitit", "")
    traces = [folder / name for folder in folders for name in written]
    traces += [outer for folder in folders for outer in folder.parents]
    traces = [trace for trace in traces if not trace.exists()]
    said = os.environ.get("HYDRA_FULL_ERROR")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    except BadInput:
        for trace in traces:
            with suppress(OSError):  # a folder that is used meanwhile
                trace.rmdir() if trace.is_dir() else trace.unlink()
        raise
    finally:
        del os.environ["HYDRA_FULL_ERROR"]
        if said is not None:
            os.environ["HYDRA_FULL_ERROR"] = said


def report_jobs(name: str, failed: Mapping[str, str]) -> int:
    """Print each failed job with its own overrides and the reason; returns the exit code."""
    for words, reason in list(failed.items())[:MOST]:
        print(f"{name}: failed: {words}: {reason}", file=sys.stderr)
    if len(failed) > MOST:
        print(f"{name}: failed: {len(failed) - MOST} more jobs", file=sys.stderr)
    return min(len(failed), 1)
