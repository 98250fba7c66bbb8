"""Monte-Carlo runs: one queue of work over all cells, and what is finished is kept."""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
from tqdm import tqdm

from .cell import Unit
from .environments.blocks import has_no_blocks
from .kernel import is_compiled
from .play import compile_kernel, play_many
from .store import load_runs, save_runs

SAVE_EVERY = 10.0  # seconds between two writes of a cell that is not finished yet


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
    """A task that could not be finished."""

    task: Task
    trace: str


def run_cells(
    cells: Sequence[Unit], runs: int, jobs: int, backend: str, results: Path
) -> tuple[int, list[Failure]]:
    """Run what is missing of each cell and keep it.

    Args:
        cells: the cells, or trials; each run depends on its cell, seed and number alone.
        runs: independent runs of each cell.
        jobs: workers; -1 for one a core.
        backend: ``threads``, ``processes``, or ``auto``: threads for compiled algorithms,
            processes for plain Python.
        results: folder in which finished runs are kept.

    Returns:
        The number of runs played, and what failed.
    """
    jobs = joblib.cpu_count() if jobs < 0 else jobs
    kept = {cell: load_runs(results, cell) for cell in cells}
    tasks = []
    for cell in cells:
        missing = [r for r in range(runs) if r not in kept[cell]]
        if not missing:
            continue
        size = max(1, len(missing) // (8 * jobs))
        one_by_one = cell.algorithm.round_by_round or has_no_blocks(cell.instance.environment)
        for i in range(0, len(missing), size):
            tasks.append(Task(cell, tuple(missing[i : i + size]), one_by_one))
    tasks.sort(key=lambda task: task.cost, reverse=True)
    left = Counter(task.cell for task in tasks)
    saved = dict.fromkeys(cells, time.monotonic())
    failures: list[Failure] = []
    bar = tqdm(
        total=sum(task.cost for task in tasks),
        disable=None if tasks else True,  # None: shown on a terminal only
        bar_format="{percentage:3.0f}%|{bar}| {elapsed} spent, {remaining} left, now {postfix}",
    )
    unsaved = set()
    try:
        for task, outcome in _outcomes(tasks, jobs, backend):
            cell = task.cell
            left[cell] -= 1
            if isinstance(outcome, str):
                failures.append(Failure(task, outcome))
            else:
                kept[cell].update(zip(task.runs, outcome, strict=True))
                unsaved.add(cell)
            now = time.monotonic()
            if cell in unsaved and (left[cell] == 0 or now - saved[cell] > SAVE_EVERY):
                save_runs(results, cell, kept[cell])
                saved[cell] = now
                unsaved.remove(cell)
            bar.set_postfix_str(f"{cell.algo} on {cell.env}", refresh=False)
            bar.update(task.cost)
    finally:
        bar.close()
        for cell in unsaved:
            save_runs(results, cell, kept[cell])
    return sum(len(task.runs) for task in tasks), failures


Outcome = tuple[Task, list[np.ndarray] | str]


def _outcomes(tasks: list[Task], jobs: int, backend: str) -> Iterator[Outcome]:
    """Each task with what its runs gave, or with the trace of its failure, in any order."""
    compiled = [task for task in tasks if is_compiled(task.cell.algorithm.function)]
    plain = [task for task in tasks if not is_compiled(task.cell.algorithm.function)]
    for cell in dict.fromkeys(task.cell for task in compiled):
        try:
            compile_kernel(cell)
        except Exception:
            trace = traceback.format_exc()
            yield from ((task, trace) for task in compiled if task.cell == cell)
            compiled = [task for task in compiled if task.cell != cell]
    if compiled:
        yield from _parallel(compiled, jobs, "loky" if backend == "processes" else "threading")
    if plain:
        yield from _parallel(plain, jobs, "threading" if backend == "threads" else "loky")


def _parallel(tasks: list[Task], jobs: int, backend: str) -> Iterator[Outcome]:
    parallel = joblib.Parallel(
        n_jobs=jobs, backend=backend, return_as="generator_unordered", batch_size=1
    )
    yield from parallel(joblib.delayed(_finish)(task) for task in tasks)


def _finish(task: Task) -> Outcome:
    try:
        return task, play_many(task.cell, task.runs)
    except (Exception, SystemExit):
        return task, traceback.format_exc()
