"""Compile several algorithms in child processes, on all cores at once.

Child processes save time only if there are several algorithms, since each child process imports
everything again. Before the algorithms of a command are compiled, their names and the expected time
are printed.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from joblib import cpu_count

from ..compiled import COMPILER, compiled_code, compiler, report_choice
from ..contracts.algorithm import Algorithm
from ..errors import together
from ..settings.setting import Setting
from .children import ignore_sigint
from .play import compile_kernel, loop_of

CHILD = "from dpbandits.running.precompile import compile_given; compile_given()"

# Measured seconds on one core: SECONDS_EACH for each algorithm, by back-end; SECONDS_ONCE for
# shared code and the start of Python
SECONDS_EACH, SECONDS_ONCE = {"quick": 2, "plain": 10}, 4
NAMES = 3  # the largest number of algorithms that a report names
# The number of algorithms that are compiled in this process; if there are more, children compile
HERE = 2


def report_compilation(settings: Sequence[Setting]) -> None:
    """Print which algorithms will be compiled, and the expected time.

    If compiled code cannot be cached, the reason is printed, too.
    """
    names = dict.fromkeys(s.algo for s in settings if must_be_compiled(s.algorithm))
    if names:
        report_choice()
        seconds = SECONDS_EACH[compiler()] * len(names) + SECONDS_ONCE
        path, reason = compiled_code()
        shown = list(names)
        if len(shown) > NAMES:
            shown[NAMES - 1 :] = [f"{len(shown) - NAMES + 1} more"]
        often = "the first time only" if path else f"in memory, since {reason}"
        print(
            f"compiling {together(shown)}, {often}: about {seconds} s ...",
            file=sys.stderr,
            flush=True,
        )


def must_be_compiled(algorithm: Algorithm) -> bool:
    """Return whether an algorithm must be compiled, since its machine code is neither loaded nor
    cached on disk.
    """
    if not algorithm.compiled:
        return False
    loop: Any = loop_of(algorithm)
    return not (loop.is_compiled or loop.is_cached)


def compile_elsewhere(settings: Sequence[Setting]) -> None:
    """Compile several loops of settings that are not yet cached on disk, in child processes.

    A loop that cannot be compiled in a child process is compiled later, in the process that needs
    the loop. The loop of a function that was passed from Python is also compiled in that process,
    since a child would have to import the module of the function again.
    """
    missing = [
        setting
        for setting in settings
        if setting.algorithm.file is not None
        and all(law.file is not None for law in setting.laws)
        and must_be_compiled(setting.algorithm)
        and loop_of(setting.algorithm).stored
    ]
    folder = compiled_code().path
    if len(missing) <= HERE or folder is None:
        return
    own = {"NUMBA_CACHE_DIR": str(folder.parent), COMPILER: compiler()}
    own["PYTHONPATH"] = os.pathsep.join(path for path in map(str, sys.path) if path)
    cores = min(cpu_count(), len(missing))
    parts = [pickle.dumps(missing[i::cores]) for i in range(cores)]
    child: Any
    children: list[Any] = []
    with suppress(OSError, TypeError):  # if no process can be started, nothing is compiled here
        try:
            for part in parts:
                with ignore_sigint():
                    child = subprocess.Popen(
                        # -P: import nothing from the working folder
                        [sys.executable, "-P", "-c", CHILD],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.DEVNULL,  # a user's algorithm may print when imported
                        env=os.environ | own,
                    )
                children.append(child)
                with child.stdin as pipe:
                    pipe.write(part)
            for child in children:
                child.wait()
        finally:  # if the parent is interrupted, it ends its children
            for child in children:
                child.kill()


def compile_given() -> None:
    """Compile the settings that another process sends."""
    for setting in pickle.load(sys.stdin.buffer):
        with suppress(Exception):
            compile_kernel(setting)
