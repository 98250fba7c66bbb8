"""The function that workers call to play the runs of a task."""

from __future__ import annotations

import time
from contextlib import nullcontext, suppress
from functools import partial

import numpy as np

from ..compiled import compiled_code
from ..contracts.algorithm import in_package
from ..contracts.versions import Followed
from ..files import locked
from ..results.run_store import LIBRARIES, Run
from ..settings.setting import Setting
from .draws import check_draws
from .failures import trace_of
from .play import Record, compile_kernel, play, play_many
from .precompile import report_compilation
from .work import Outcome, Task

LASTING = (
    "a run changes a value that later runs use, such as a global list or an attribute of a class, "
    "so the results depend on the order of the runs; keep such values in the object or function of "
    "each run"
)


def run_task(task: Task, stored: frozenset[int] = frozenset(), here: bool = True) -> Outcome:
    """Play the runs of a task that are not ``stored``, and return the outcome.

    If a run raises an exception, the other runs are still played. This also holds for
    KeyboardInterrupt: only a run itself can have raised it, since workers receive neither Ctrl-C
    nor SIGTERM. A worker on another machine (``here`` is False) compiles missing code.
    """
    start, setting, state = time.perf_counter(), task.setting, ""
    runs = left = [run for run in task.runs if run not in stored]
    records: dict[int, Record] = {}
    trace = ""
    try:
        _prepare(setting, here)
        state = _state(setting) if 0 in runs else ""
        with suppress(BaseException):
            if runs and not _needs_own_games(setting):
                records = dict(zip(runs, play_many(setting, runs), strict=True))
    except BaseException as error:
        left, trace = [], trace_of(error)
    for run in left if not records else []:
        try:
            records[run] = play(setting, run)
        except BaseException as error:
            trace = trace or trace_of(error)
    seconds = (time.perf_counter() - start) / max(1, len(runs))
    if 0 in records and state != _state(setting) and not _is_repeatable(setting, records[0]):
        records, trace = {}, trace or LASTING
    played = {run: Run(*record, seconds, LIBRARIES) for run, record in records.items()}
    return Outcome(played, trace, stored, seconds)


def _needs_own_games(setting: Setting) -> bool:
    """Return whether each run must begin with a new game: the kernel of a user may change the array
    of features, which only shuffling fills anew.
    """
    return not (setting.shuffle_arms or in_package(setting.algorithm.file))


def _state(setting: Setting) -> str:
    """Return a hash of the values that an algorithm in plain Python uses, such as global lists and
    attributes of classes. Compiled code cannot change such values, so its hash is empty.
    """
    return "" if setting.algorithm.compiled else Followed(setting.algorithm.function).version


def _is_repeatable(setting: Setting, record: Record) -> bool:
    """Return whether run 0, which has this record, has it again if it is played once more."""
    with suppress(BaseException):
        again = play(setting, 0)
        return all(map(partial(np.array_equal, equal_nan=True), again, record))
    return False


def _prepare(setting: Setting, here: bool) -> None:
    """Prepare a worker for a setting. Refuse an algorithm of another version or installation."""
    if setting.algorithm.version != setting.version:
        raise RuntimeError(
            f"the worker has another version of {setting.algo} ({setting.algorithm.version}, but "
            f"{setting.version} is needed): its installation or its files differ, or values that "
            "the function uses differ in each process"
        )
    check_draws()
    if not here and setting.algorithm.compiled:
        folder = compiled_code().path
        with locked(folder) if folder else nullcontext():
            # on each machine, only one worker compiles
            report_compilation([setting])
            compile_kernel(setting)
