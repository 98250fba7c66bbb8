"""How commands end: their exit codes, and errors that are reported in a single line."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, NoReturn

import pandas as pd

from ..errors import MAX_LINE_CHARACTERS, BadInput, FileTrouble, WorkersLost, in_a_line, printable
from ..running.failures import Failure, RunsFailed, counted, in_words
from .lines import shortened

STORED = "finished runs are stored, and the same command plays the missing runs"
PLAYING = tuple(f"bandit-{name}" for name in ("run", "stop", "budget", "claims", "audit"))
MAX_TRACEBACKS = 5
AGAIN = 0.01  # seconds after which an interruption that was lost is raised again
# A lost connection sends SIGHUP. Limits of the system and schedulers of jobs send the last three
# signals
ENDING = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGXCPU,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Printable:
    """A standard stream that leaves out control characters, which stored names could contain."""

    def __init__(self, stream: Any):
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; line breaks and tabs are not changed."""
        self._stream.write(text if text.isprintable() else printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run_command(name: str, command: Callable[[], int]) -> None:
    """Run a command and exit. Bad input leads to one line of text and the exit code 2."""
    with (
        redirect_stdout(Printable(sys.stdout)),
        redirect_stderr(Printable(sys.stderr)),
        pd.option_context("mode.string_storage", "python"),  # pyarrow would copy each word
    ):
        _exit_with(name, command)


def _exit_with(name: str, command: Callable[[], int]) -> None:
    try:
        with _answered_signals(name):
            _check_working_folder()
            code = command()
        print(end="", flush=True)  # an error of writing is raised here and not at the exit
    except BadInput as error:
        print(f"{name}: {error}", file=sys.stderr)
        code = 2
    except RunsFailed as error:
        code = report_failures(name, error.failures)
    except FileTrouble as error:
        _exit_now(1, f"{name}: {error}; files that were stored before are intact")
    except WorkersLost as error:
        _exit_now(1, f"{name}: {error}; {STORED}")
    except KeyboardInterrupt as stopped:
        number = stopped.args[0] if stopped.args else signal.SIGINT
        ended = f"ended by {signal.Signals(number).name}"
        what = "interrupted" if number == signal.SIGINT else ended
        stored = getattr(stopped, "__notes__", [STORED] if name in PLAYING else [])
        _exit_now(128 + number, "; ".join([f"{name}: {what}", *stored]))
    except BrokenPipeError:
        os._exit(141)
    except OSError as error:
        if error.filename is not None:  # such as a name that is too long
            _exit_now(1, in_a_line(f"{name}: cannot use {error.filename} ({error.strerror})"))
        if error.errno in SCARCE:
            refused = "the system refuses further files, threads or memory"
            _exit_now(1, f"{name}: {refused} ({error.strerror}; see ulimit -a)")
        if error.errno not in DISK_FULL_ERRORS:
            raise
        _exit_now(1, f"{name}: cannot write the output ({error.strerror})")
    except ImportError as error:  # for instance, memory is too small for the library
        _exit_now(1, in_a_line(f"{name}: a library cannot be loaded: {error}"))
    except MemoryError:
        _exit_now(1, f"{name}: there is not enough memory; finished runs are stored")
    sys.exit(code)


def _check_working_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise BadInput(f"the working folder cannot be used ({error.strerror})") from None


@contextmanager
def _answered_signals(name: str) -> Iterator[None]:
    """Raise KeyboardInterrupt for Ctrl-C and other signals that should end a command.

    These other signals come from the system or from a scheduler of jobs. The first signal ends the
    command at once, and later signals have no effect. If a signal was ignored before, it remains
    ignored.

    If the signal arrives during a finalizer or a callback of a library (such as LLVM's while a
    kernel compiles), Python only reports the exception, which is then lost. If the exception was
    lost, KeyboardInterrupt is raised again after a short time.
    """
    usual = (signal.default_int_handler, signal.SIG_DFL)
    own = [s for s in ENDING if signal.getsignal(s) in usual]

    received: list[int] = []
    storing = b": storing the runs that are finished" if name in PLAYING else b""

    def answer(number: int, _: Any) -> NoReturn:
        received.append(number)
        for each in own:
            signal.signal(each, signal.SIG_IGN)
        with suppress(OSError):
            os.write(2, b"\nstopping" + storing + b" ...\n")
        raise KeyboardInterrupt(number)

    def raise_again(*_: Any) -> NoReturn:
        raise KeyboardInterrupt(*received)

    def report(ignored: Any) -> None:
        if received and isinstance(ignored.exc_value, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            unraisable(ignored)

    unraisable, sys.unraisablehook = sys.unraisablehook, report
    before = {each: signal.signal(each, answer) for each in own}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, raise_again)
    try:
        yield
    except FileTrouble:
        raise
    except KeyboardInterrupt:
        if own and not received:
            raise BadInput("the code of a user's file has raised KeyboardInterrupt") from None
        raise
    except Exception:  # for instance, NumPy's error about a file that is still open
        if received:
            raise KeyboardInterrupt(*received) from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for each, handler in before.items():
            signal.signal(each, handler)
        sys.unraisablehook = unraisable


def _exit_now(code: int, message: str) -> NoReturn:
    """Exit without waiting for kernels that are still running, and without flushing the output."""
    with suppress(OSError):  # after SIGHUP the terminal may be gone
        print(message, file=sys.stderr, flush=True)
    os._exit(code)


def report_failures(name: str, failures: list[Failure]) -> int:
    """Print each traceback once, and then each failed setting with its reason. Return the exit
    code.

    If a reason is not a traceback, it is printed only with its setting.
    """
    traces = list(dict.fromkeys(x.trace for x in failures if "\n" in x.trace.strip()))
    for trace in traces[:MAX_TRACEBACKS]:
        print(printable(trace, MAX_LINE_CHARACTERS), file=sys.stderr)
    if len(traces) > MAX_TRACEBACKS:
        print(f"{name}: {len(traces) - MAX_TRACEBACKS} tracebacks are not printed", file=sys.stderr)
    lost: Counter[str] = Counter()
    for failure in failures:
        lost[f"{in_words(failure.setting)}: {failure.reason}"] += len(failure.runs)
    total = counted(lost.total())
    print(f"{name}: {total} failed; finished runs are stored, no table is written", file=sys.stderr)
    lines = [f"{what} ({counted(n)})" for what, n in lost.items()]
    for line in shortened(lines, "more; see bandit-status"):
        print(f"{name}: failed: {line}", file=sys.stderr)
    return 1
