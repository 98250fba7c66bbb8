"""Child processes: what they import, that Ctrl-C is left to their parent, and when they end."""

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
_before: list[str | None] = []  # for threads that start children at once: what each has found


@contextmanager
def without_cwd_imports() -> Iterator[None]:
    """Let Python processes that are started meanwhile import nothing from the working folder.

    ``python -m`` and ``python -c``, with which libraries start workers, would find a ``random.py``
    there before that of Python. The modules of this process can be imported all the same.
    """
    with _lock:
        _before.append(os.environ.get(SAFE))
        os.environ[SAFE] = "1"
    try:
        yield
    finally:
        with _lock:
            before = _before.pop()  # the last to leave finds what the first has found
            os.environ.pop(SAFE)
            os.environ.update({} if before is None else {SAFE: before})


@contextmanager
def ignore_sigint() -> Iterator[None]:
    """Let processes that this thread starts meanwhile ignore Ctrl-C from their beginning.

    A terminal sends it to all processes of a command, of which only the parent answers it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which a child inherits
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ended_with_this() -> dict[str, Any]:
    """The arguments by which loky starts workers that end soon after this process, whether they
    have a task or wait for one.
    """
    return {"initializer": exit_with_parent, "initargs": (os.getpid(),)}


@cache
def exit_with_parent(parent: int) -> None:
    """In a process: end soon after its parent, and leave to it the signals that all processes of a
    command may receive.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
