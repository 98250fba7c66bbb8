"""Runs that could not be finished, and the reasons."""

from __future__ import annotations

import math
import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..compiled import is_installed
from ..errors import BadInput, InOneLine, in_a_line, plain, printable
from ..results.run_store import REASON
from ..results.summary import rounds
from ..settings.setting import Setting

TRACE = 20_000  # the largest number of characters of a traceback that are stored
GROUP = re.compile(r" *\| (\S.*)")  # the line of a traceback that names a group of exceptions
FRAME = re.compile(r'^  File "(.*)", line (\d+), in (.*)$', re.MULTILINE)


def trace_of(error: BaseException) -> str:
    """Return the traceback of any exception as printable text, shortened if it is very long.

    If the exception passed through the user's code, the traceback begins there. For BadInput, the
    text is only the message.
    """
    if isinstance(error, BadInput):
        return str(error)
    try:
        found = traceback.TracebackException.from_exception(error)
        own = [i for i, frame in enumerate(found.stack) if not is_installed(frame.filename)]
        del found.stack[: own[0] if own else 0]
        trace = "".join(found.format())
    except BaseException:  # for instance, attributes of the exception have wrong types
        trace = f"{type(error).__name__}: its traceback cannot be printed\n"
    return printable(trace, TRACE)


@dataclass(frozen=True)
class Failure:
    """The runs of a setting that could not be finished."""

    setting: Setting
    runs: tuple[int, ...]  # the numbers of the runs
    trace: str  # the traceback of the first of these runs

    @property
    def reason(self) -> str:
        """The reason in one line, with the last line of the user's code in the traceback."""
        last = self.trace.rpartition("Traceback (most recent call last):\n")[2]
        lines = last.splitlines()
        named = [x for x in lines if x.strip() and not x.startswith(" ")]
        named += [found[1] for x in lines if (found := GROUP.match(x))]
        places = [place for place in FRAME.findall(last) if not is_installed(place[0])]
        where = "".join(f" (line {n} of {Path(file).name})" for file, n, _ in places[-1:])
        return in_a_line(next(iter(named or lines), "no reason is known"), REASON) + where


class RunsFailed(InOneLine):
    """The error if some runs could not be finished. The runs that finished are stored, but no table
    is made.

    Attributes:
        failures: the runs and the reasons.
    """

    def __init__(self, failures: Sequence[Failure]):
        first = failures[0]
        count = sum(len(failure.runs) for failure in failures)
        super().__init__(f"{counted(count)} failed; {in_words(first.setting)}: {first.reason}")
        self.failures = list(failures)


def counted(runs: int) -> str:
    """Return a number of runs as text."""
    return f"{runs} run{'s' * (runs != 1)}"


def in_words(setting: Setting) -> str:
    """Return a description of a setting in a few words."""
    budget = [] if math.isinf(setting.budget) else [f"{setting.budget_name} {setting.budget:g}"]
    varied = [f"{name} {plain(value)}" for name, value in setting.columns.items()]
    game = f"{setting.algo} on {setting.env}"
    return ", ".join([game, *budget, f"T {rounds(setting.horizon)}", *varied])
