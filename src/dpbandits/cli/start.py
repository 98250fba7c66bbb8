"""The functions with which commands start. These functions check the system's limits before large
packages are imported.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import threading
from functools import partial
from importlib import import_module

from ..errors import BadInput, in_a_line
from . import leave, leave_when_interrupted

CHOICES = {
    "NUMBA_OPT": ("3", "0", "1", "2", "max"),
    "LOKY_PICKLER": ("", "cloudpickle", "pickle"),
}
LEAST_MEMORY = 1150 * 10**6  # bytes; with less, libraries crash or wait for memory forever
FURTHER_THREADS = 4  # threads besides two for each processor
SMALL_RESERVES = {  # variables with which libraries reserve little memory and start no threads
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # pyarrow's default pool reserves a gigabyte at once
}
STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}


def dpbandits() -> None:
    """Run ``dpbandits NAME WORDS`` as ``bandit-NAME WORDS``. Without the name of a command, list
    the commands.
    """
    from .completion import COMMANDS

    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in COMMANDS:
        sys.argv = [f"bandit-{name}", *sys.argv[2:]]
        start(name)
    else:
        start("help", "dpbandits")


def start(name: str, command: str = "") -> None:
    """Run the command ``bandit-NAME``, or print the completions of its words for a shell."""
    command = command or f"bandit-{name}"
    open_streams()
    if sys.argv[1:2] in (["--complete"], ["--completion"]):
        sys.exit(_complete(name, command, *sys.argv[1:]))
    os.environ["MPLBACKEND"] = "agg"  # no command opens a window
    leave_when_interrupted(command)
    try:
        check_variables()
        check_words()
        adapt_to_thread_limit()
        adapt_to_memory_limit()
        main = import_module(f".{name}", __package__).main
    except BadInput as error:
        print(f"{command}: {error}", file=sys.stderr)
        sys.exit(2)
    except (MemoryError, OSError, ImportError) as error:  # a limit of memory, of open files
        print(in_a_line(f"{command}: a library cannot be loaded: {error}", 300), file=sys.stderr)
        sys.exit(1)
    gc.freeze()  # the garbage collector need not visit imported objects
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:  # before or after the command answers signals
        leave(command, signal.SIGINT)
    finally:  # an interruption would only disturb the end of the interpreter
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _complete(name: str, command: str, option: str, *words: str) -> int:
    """Print the completion script of a shell, or the completions of the last word of a typed
    line.
    """
    from .completion import completions, script

    try:
        if len(words) != 1:
            raise BadInput(f"{option}: the name of one shell is needed, as in {option} bash")
        lines = [script(*words)] if option == "--completion" else completions(name, *words)
        end = "\n" if lines else ""  # an empty line would be an empty word
        print(*lines, sep="\n", end=end, flush=True)
    except BadInput as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os._exit(141)
    return 0


def open_streams() -> None:
    """Open standard streams that are closed, on the null device. If a standard stream stays closed,
    another file gets its file descriptor, and output for the stream is written into this file.
    """
    for number, (name, mode) in enumerate(STREAMS.items()):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


def check_variables() -> None:
    """Refuse values of environment variables with which Numba or loky cannot be imported."""
    name = "NUMBA_NUM_THREADS"
    value = os.environ.get(name, "1")
    if not (value.isdecimal() and int(value) >= 1):
        raise BadInput(f"{name}={value}: a whole number of at least 1 is needed")
    for name, allowed in CHOICES.items():
        if (value := os.environ.get(name, allowed[0])) not in allowed:
            raise BadInput(f"{name}={value}: one of {', '.join(filter(None, allowed))} is needed")


def check_words() -> None:
    """Refuse words with characters that the locale cannot represent, such as accents in ASCII."""
    for word in sys.argv[1:]:
        if sys.getfilesystemencoding() != "utf-8" and not word.isascii():
            text = os.fsencode(word).decode(errors="replace")
            raise BadInput(
                f"{ascii(text)[1:-1]}: the locale lacks these characters; set LC_ALL=C.UTF-8"
            )


def adapt_to_thread_limit() -> None:
    """Make libraries start no threads if the system allows too few threads (``ulimit -u``).

    Without this change, OpenBLAS would send SIGINT to the process, as if a user had interrupted it.
    """
    end = threading.Event()
    started = []
    try:
        for _ in range(2 * (os.cpu_count() or 1) + FURTHER_THREADS):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        os.environ |= SMALL_RESERVES | os.environ
    finally:
        end.set()
        for thread in started:
            thread.join()


def adapt_to_memory_limit() -> None:
    """Make libraries reserve little memory if ``ulimit -v`` limits the memory of the process.

    Raises:
        MemoryError: the limit is below LEAST_MEMORY.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    if limit < LEAST_MEMORY:
        allowed, needed = limit // 10**6, LEAST_MEMORY // 10**6
        raise MemoryError(f"ulimit -v allows {allowed} MB of memory, but {needed} MB are needed")
    os.environ |= SMALL_RESERVES | os.environ
    import_module("scipy.linalg")  # loaded later, its BLAS may wait for memory forever


run, stop, plot, status = (partial(start, name) for name in ("run", "stop", "plot", "status"))
bounds, claims, audit = (partial(start, name) for name in ("bounds", "claims", "audit"))
report, compare, budget = (partial(start, name) for name in ("report", "compare", "budget"))
results = partial(start, "results")
