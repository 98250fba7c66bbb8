"""Child processes: restrict their imports, leave Ctrl-C to the parent, and end a child when its
parent ends.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

SAFE = "PYTHONSAFEPATH"
_lock = threading.Lock()
# For each thread that is starting children, the earlier value of the variable SAFE
_before: list[str | None] = []


@contextmanager
def without_cwd_imports() -> Iterator[None]:
    """Let Python processes that are started in this context import nothing from the working folder.

    Libraries start workers with ``python -m`` or ``python -c``. A worker would import a user's
    ``random.py`` in the working folder in place of Python's module. Modules that this process can
    import remain available.
    """
    with _lock:
        _before.append(os.environ.get(SAFE))
        os.environ[SAFE] = "1"
    try:
        yield
    finally:
        with _lock:
            # the last thread that leaves restores the value that the first thread found
            before = _before.pop()
            os.environ.pop(SAFE)
            os.environ.update({} if before is None else {SAFE: before})


@contextmanager
def ignore_sigint() -> Iterator[None]:
    """Let processes that this thread starts in this context ignore Ctrl-C from their beginning.

    A terminal sends Ctrl-C to all processes of a command, but only the parent should react to the
    signal.
    """
    # children inherit the blocked signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ended_with_this() -> dict[str, Any]:
    """Return arguments with which loky starts workers that end soon after this process.

    A worker ends even in the middle of a task.
    """
    return {"initializer": exit_with_parent, "initargs": (os.getpid(),)}


@cache
def exit_with_parent(parent: int) -> None:
    """Make this process end soon after its parent, and ignore the signals of its parent."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
