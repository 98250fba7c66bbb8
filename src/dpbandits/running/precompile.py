"""Compiling in a process of its own: the compiler's memory, hundreds of MB, goes with it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from ..compiled.cache import compiled_code, is_cached
from ..settings.setting import Unit
from .play import compile_kernel, loop_of

CHILD = "from dpbandits.running.precompile import compile_given; compile_given()"


def compile_elsewhere(units: Sequence[Unit]) -> None:
    """Have machine code made and kept on disk for the loops of units that lack it.

    What cannot be compiled there is compiled, or fails, where it is needed.
    """
    missing = [unit for unit in units if not is_cached(loop_of(unit))]
    if not missing:
        return
    own = {"NUMBA_CACHE_DIR": str(compiled_code().parent)}
    own["PYTHONPATH"] = os.pathsep.join(path for path in map(str, sys.path) if path)
    with suppress(OSError, TypeError):  # no process can be started
        subprocess.run(
            [sys.executable, "-P", "-c", CHILD],  # what lies in the working folder is not imported
            input=pickle.dumps(missing),
            stdout=subprocess.DEVNULL,  # of a user's algorithm that prints when it is imported
            env=os.environ | own,
            check=False,
        )


def compile_given() -> None:
    """Compile what is handed over by another process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted parent ends its child
    for unit in pickle.load(sys.stdin.buffer):
        with suppress(Exception):
            compile_kernel(unit)
