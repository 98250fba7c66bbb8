"""Monte-Carlo runs: one queue of work over all cells, and what is finished is kept."""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from tqdm import tqdm

from ..compiled.cache import compiled_code
from ..compiled.decorators import is_compiled
from ..environments.blocks import has_no_blocks
from ..errors import FileTrouble
from ..files import locked
from ..results.run_store import Damaged, Kept, Shelf, forget_failure, note_failure, save_runs
from ..settings.setting import Unit
from .backends import HERE, Engine, connected
from .play import compile_kernel, loop_of, play, play_many
from .precompile import compile_elsewhere

SAVE_EVERY = 10.0  # seconds that a finished run of an unfinished cell may wait to be written
DEATHS = 20  # of workers, after which the rest of a task is given up
LONGEST = 1e9  # rounds of a task, at most some ten seconds: what is lost with its worker


@dataclass(frozen=True)
class Task:
    """Some runs of a cell, played one after the other by one worker."""

    cell: Unit
    runs: tuple[int, ...]
    one_by_one: bool  # whether its time grows with the horizon

    @property
    def cost(self) -> float:
        """About how long it takes, in rounds played one by one."""
        rounds = self.cell.horizon if self.one_by_one else 10_000
        return float(len(self.runs) * min(rounds, self.cell.horizon))


@dataclass(frozen=True)
class Failure:
    """Runs of a cell that could not be finished."""

    cell: Unit
    runs: tuple[int, ...]
    trace: str

    @property
    def reason(self) -> str:
        """Why, in one line."""
        last = self.trace.rpartition("Traceback (most recent call last):\n")[2]
        told = [line for line in last.splitlines() if line and not line.startswith(" ")]
        return told[0]


def run_cells(
    cells: Sequence[Unit],
    runs: int,
    jobs: int,
    backend: str,
    results: Path,
    engine: Engine = HERE,
) -> tuple[int, list[Failure]]:
    """Run what is missing of each cell and keep it.

    Args:
        cells: the cells, or trials; each run depends on its cell, seed and number alone.
        runs: independent runs of each cell.
        jobs: workers; -1 for one a core.
        backend: ``threads``, ``processes``, or ``auto``: threads for compiled algorithms,
            processes for plain Python.
        results: folder in which finished runs are kept.
        engine: what hands the work to workers.

    Returns:
        The number of runs played, and what failed.

    Raises:
        BadInput: the engine does not answer.
        CannotWrite: what was finished cannot be kept; what was kept before is.
        CannotRead: what was kept cannot be read.
    """
    shelf = Shelf(results)
    missing = {cell: _missing(shelf, cell, runs) for cell in cells}
    missing = {cell: numbers for cell, numbers in missing.items() if numbers}
    if not missing:
        return 0, []
    with connected(engine, jobs) as workers:
        tasks = _tasks(missing, workers)
        outcomes = _outcomes(tasks, workers, backend, engine, shelf)
        return _keep(outcomes, tasks, results)


def _missing(shelf: Shelf, cell: Unit, runs: int) -> list[int]:
    """The runs of a cell that are not kept."""
    try:
        kept = shelf.runs(cell)
    except Damaged as damage:
        print(f"damaged: {damage}; its runs are played again", file=sys.stderr)
        kept = frozenset()
    return [r for r in range(runs) if r not in kept]


def _tasks(missing: dict[Unit, list[int]], workers: int) -> list[Task]:
    """The work in pieces, longest first: about eight a worker, or more if they would be long.

    Those that are as long are in no order, so that several processes seldom meet: what one has
    kept, another does not begin.
    """
    whole = []
    for cell, numbers in missing.items():
        one_by_one = cell.algorithm.round_by_round or has_no_blocks(cell.instance.environment)
        whole.append(Task(cell, tuple(numbers), one_by_one))
    share = min(sum(task.cost for task in whole) / (8 * workers), LONGEST)
    tasks = []
    for task in whole:
        size = max(1, int(share * len(task.runs) / task.cost))
        for i in range(0, len(task.runs), size):
            tasks.append(Task(task.cell, task.runs[i : i + size], task.one_by_one))
    place = {cell: random.random() for cell in missing}
    return sorted(tasks, key=lambda task: (-task.cost, place[task.cell], random.random()))


class Outcome(NamedTuple):
    """What came of a task."""

    task: Task
    played: Mapping[int, np.ndarray]  # what is kept of each run that was finished
    trace: str = ""  # why others were not
    known: frozenset[int] = frozenset()  # runs that another process had kept meanwhile


Timed = tuple[Outcome, float]  # with the seconds that it took


def _keep(outcomes: Iterator[Timed], tasks: list[Task], results: Path) -> tuple[int, list[Failure]]:
    """Keep outcomes as they come; how many runs were played, and what failed."""
    left = Counter(task.cell for task in tasks)
    count = 0
    fresh: dict[Unit, Kept] = {}  # not written yet
    since: dict[Unit, float] = {}  # when the first of them came
    failures: list[Failure] = []
    failed = set()
    bar = tqdm(
        total=sum(task.cost for task in tasks),
        disable=None,  # shown on a terminal only
        bar_format="{percentage:3.0f}%|{bar}| {elapsed} spent, {remaining} left, now {postfix}",
    )
    try:
        for (task, played, trace, known), seconds in outcomes:
            cell, now = task.cell, time.monotonic()
            left[cell] -= 1
            count += len(played)
            if trace:
                lost = tuple(run for run in task.runs if run not in played and run not in known)
                failures.append(Failure(cell, lost, trace))
                failed.add(cell)
                note_failure(results, cell, failures[-1].reason)
            if played:
                each = dict.fromkeys(played, seconds / (len(task.runs) - len(known)))
                fresh[cell] = fresh.get(cell, Kept()) | Kept(dict(played), each)
                since.setdefault(cell, now)
            for ripe in [c for c in fresh if left[c] == 0 or now - since[c] >= SAVE_EVERY]:
                save_runs(results, ripe, fresh[ripe])
                del fresh[ripe], since[ripe]
            if left[cell] == 0 and cell not in failed:
                forget_failure(results, cell)
            bar.set_postfix_str(f"{cell.algo} on {cell.env}", refresh=False)
            bar.update(task.cost)
    finally:
        bar.close()
        for cell, kept in fresh.items():  # interrupted
            with suppress(FileTrouble):
                save_runs(results, cell, kept)
    return count, failures


class Way(NamedTuple):
    """How tasks are handed to workers."""

    jobs: int
    backend: str | None
    shelf: Shelf
    finish: Callable[[Task], Outcome]


def _outcomes(
    tasks: list[Task], jobs: int, backend: str, engine: Engine, shelf: Shelf
) -> Iterator[Timed]:
    """Each task with what its runs gave, or with the trace of its failure, in any order."""
    if not engine.is_here:
        yield from _parallel(tasks, Way(jobs, None, shelf, _finish_elsewhere))
        return
    compiled = [task for task in tasks if is_compiled(task.cell.algorithm.function)]
    plain = [task for task in tasks if not is_compiled(task.cell.algorithm.function)]
    cells = dict.fromkeys(task.cell for task in compiled)
    compile_elsewhere(list({loop_of(cell): cell for cell in cells}.values()))
    for cell in cells:
        try:
            compile_kernel(cell)
        except Exception:
            trace = traceback.format_exc()
            lost = [task for task in compiled if task.cell == cell]
            yield from ((Outcome(task, {}, trace), 0.0) for task in lost)
            compiled = [task for task in compiled if task.cell != cell]
    if compiled:
        how = "loky" if backend == "processes" else "threading"
        yield from _parallel(compiled, Way(jobs, how, shelf, _finish))
    if plain:
        how = "threading" if backend == "threads" else "loky"
        yield from _parallel(plain, Way(jobs, how, shelf, _finish))


def _parallel(tasks: list[Task], way: Way) -> Iterator[Timed]:
    """Finish tasks on workers; the death of a worker costs what it was doing, done again.

    Those begun when a worker dies are done one at a time: one that kills its worker is found.
    """
    left = dict.fromkeys(tasks)
    while left:
        try:
            for done in _handed_out(list(left), way):
                del left[done[0].task]
                yield done
        except Exception:
            for task in list(left)[: 2 * way.jobs]:  # they are begun in this order
                del left[task]
                yield _halved(task, way)


def _halved(task: Task, way: Way) -> Timed:
    """A task handed out alone, in halves and halves of them where its worker dies of a run."""
    played: dict[int, np.ndarray] = {}
    known: frozenset[int] = frozenset()
    trace, spent, deaths = "", 0.0, 0
    pieces = [task]
    while pieces and deaths < DEATHS:
        piece = pieces.pop()
        try:
            for (_, found, why, others), seconds in _handed_out([piece], way):
                played |= found
                known |= others
                trace, spent = why or trace, spent + seconds
        except Exception as error:
            trace, deaths = _death(error), deaths + 1
            half = len(piece.runs) // 2
            if half:
                pieces += [replace(piece, runs=r) for r in (piece.runs[half:], piece.runs[:half])]
    lost = set(task.runs) - played.keys() - known
    return Outcome(task, played, trace if lost else "", known), spent


def _handed_out(tasks: list[Task], way: Way) -> Iterator[Timed]:
    jobs = way.jobs
    if jobs == 1 and way.backend == "loky":  # not in this process, which a run may kill
        for task in tasks:
            yield from _handed_out([task], way._replace(jobs=2))
        return
    calls = (joblib.delayed(_timed)(way.finish, task, _known(task, way.shelf)) for task in tasks)
    how = {"n_jobs": jobs, "backend": way.backend, "batch_size": 1}
    if get_active_backend()[0].supports_return_generator:
        yield from joblib.Parallel(return_as="generator_unordered", **how)(calls)
        return
    with joblib.Parallel(**how) as parallel:  # Ray's gives nothing until it has all
        while some := list(islice(calls, 4 * jobs)):
            yield from parallel(some)


def _death(error: Exception) -> str:
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        return "the worker died of it: killed, out of memory, or a crash"
    return "".join(traceback.format_exception(error))


def _known(task: Task, shelf: Shelf) -> frozenset[int]:
    """The runs of a task that are kept when it is about to be handed out: by another process."""
    try:
        return shelf.runs(task.cell) & frozenset(task.runs)
    except (Damaged, FileTrouble):
        return frozenset()


def _timed(finish: Callable[[Task], Outcome], task: Task, known: frozenset[int]) -> Timed:
    start = time.perf_counter()
    rest = replace(task, runs=tuple(run for run in task.runs if run not in known))
    _, played, trace, _ = finish(rest) if rest.runs else Outcome(rest, {})
    return Outcome(task, played, trace, known), time.perf_counter() - start


def _finish_elsewhere(task: Task) -> Outcome:
    """Finish a task on a worker that nobody has prepared, perhaps on another machine."""
    return _finish(task, _check_and_compile)


def _check_and_compile(cell: Unit) -> None:
    _check_version(cell)
    if is_compiled(cell.algorithm.function):
        with locked(compiled_code()):  # once a machine
            compile_kernel(cell)


def _check_version(cell: Unit) -> None:
    """Refuse to play an algorithm that was edited since, or that of another installation."""
    if cell.algorithm.version != cell.version:
        raise RuntimeError(
            f"the worker has another version of {cell.algo}, NumPy or Numba: "
            f"{cell.algorithm.version}, and {cell.version} is asked for"
        )


def _finish(task: Task, prepare: Callable[[Unit], None] = _check_version) -> Outcome:
    cell = task.cell
    try:
        prepare(cell)
    except Exception:
        return Outcome(task, {}, traceback.format_exc())
    with suppress(Exception, SystemExit):
        return Outcome(task, dict(zip(task.runs, play_many(cell, task.runs), strict=True)))
    played, trace = {}, ""
    for run in task.runs:  # one by one, for not all of them may fail
        try:
            played[run] = play(cell, run)
        except (Exception, SystemExit):
            trace = trace or traceback.format_exc()
    return Outcome(task, played, trace)
