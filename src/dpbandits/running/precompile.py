"""Compiling in a child process, whose memory, hundreds of MB for the compiler, is released."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from ..compiled.cache import compiled_code, is_cached
from ..settings.setting import Setting
from .play import compile_kernel, has_disk_cache, loop_of

CHILD = "from dpbandits.running.precompile import compile_given; compile_given()"


def compile_elsewhere(settings: Sequence[Setting]) -> None:
    """Compile the loops of settings that are not cached on disk yet.

    A loop that cannot be compiled here is compiled, or fails, where it is needed: so is that of a
    function that was passed as such, since another process would import its module anew.
    """
    missing = [
        setting
        for setting in settings
        if setting.algorithm.file is not None
        and has_disk_cache(setting.algorithm)
        and not is_cached(loop_of(setting.algorithm))
    ]
    if not missing:
        return
    own = {"NUMBA_CACHE_DIR": str(compiled_code().parent)}
    own["PYTHONPATH"] = os.pathsep.join(path for path in map(str, sys.path) if path)
    with suppress(OSError, TypeError):  # no process can be started
        subprocess.run(
            [sys.executable, "-P", "-c", CHILD],  # -P: import nothing from the working folder
            input=pickle.dumps(missing),
            stdout=subprocess.DEVNULL,  # a user's algorithm may print when it is imported
            env=os.environ | own,
            check=False,
        )


def compile_given() -> None:
    """Compile the settings that another process sends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted parent ends its child
    for setting in pickle.load(sys.stdin.buffer):
        with suppress(Exception):
            compile_kernel(setting)
