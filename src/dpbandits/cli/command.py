"""What all commands share: their parser, and how they end."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from importlib.metadata import version
from typing import Any, NoReturn

from ..errors import BadInput, ClusterLost, FileTrouble
from ..running.failures import Failure, RunsFailed, counted, in_words

LONGEST = 2000  # characters of an error message
MOST = 20  # lines of a list
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Parser(argparse.ArgumentParser):
    """An argument parser that fails in one line."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def version_line() -> str:
    """The name and the version of the package, as every command prints them."""
    return f"dpbandits {version('dpbandits')}"


def parser_of_words(command: str, words: str = "arguments") -> Parser:
    """The parser of a command that takes names, files and KEY=VALUE, and --help."""
    parser = Parser(command, add_help=False)
    parser.add_argument(words, nargs="*")
    parser.add_argument("--help", "-h", action="store_true")
    return parser


def parser_of(command: str) -> Parser:
    """The parser of a command that takes overrides as Hydra does."""
    parser = parser_of_words(command, "overrides")
    parser.add_argument("--config-dir", "-cd")
    parser.add_argument("--multirun", "-m", action="store_true")
    return parser


def one_of(keys: Mapping[str, str], key: str, allowed: Sequence[str], default: str) -> str:
    """The value of a key of a command's own, or its default.

    Raises:
        BadInput: it is not one of those allowed.
    """
    value = keys.get(key, default)
    if value not in allowed:
        raise BadInput(f"{key}={value}: {' or '.join(allowed)} is needed")
    return value


def guarded(name: str, command: Callable[[], int]) -> None:
    """Run a command and exit: bad input ends with one line and exit code 2."""
    try:
        with _answered_signals():
            _check_working_folder()
            code = command()
        print(end="", flush=True)  # an error of writing is reported here, not at the exit
    except BadInput as error:
        print(f"{name}: {one_line(error)}", file=sys.stderr)
        code = 2
    except RunsFailed as error:
        code = report_failures(name, error.failures)
    except FileTrouble as error:
        _exit_now(1, f"{name}: {error}; what was stored before is intact")
    except ClusterLost as error:
        _exit_now(1, f"{name}: {error}; finished runs are stored, the same command plays the rest")
    except KeyboardInterrupt as stopped:
        number = stopped.args[0] if stopped.args else signal.SIGINT
        _exit_now(128 + number, f"{name}: interrupted; finished runs are stored")
    except BrokenPipeError:
        os._exit(141)
    except OSError as error:
        if error.filename is not None or error.errno not in FULL:
            raise
        _exit_now(1, f"{name}: cannot write the output ({error.strerror})")
    sys.exit(code)


def entry_point(name: str) -> Callable[[Callable[[list[str]], int]], Callable[[], None]]:
    """Make of a function of the words of a command line, which returns the exit code, the entry
    point of a command.
    """

    def decorate(work: Callable[[list[str]], int]) -> Callable[[], None]:
        @wraps(work)
        def main() -> None:
            guarded(name, lambda: work(sys.argv[1:]))

        return main

    return decorate


def _check_working_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise BadInput(f"the working folder cannot be used ({error.strerror})") from None


@contextmanager
def _answered_signals() -> Iterator[None]:
    """Answer Ctrl-C and SIGTERM at once and raise KeyboardInterrupt; later ones change nothing."""
    usual = (signal.default_int_handler, signal.SIG_DFL)
    own = [s for s in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(s) in usual]

    received: list[int] = []

    def answer(number: int, _: Any) -> NoReturn:
        received.append(number)
        for each in own:
            signal.signal(each, signal.SIG_IGN)
        with suppress(OSError):
            os.write(2, b"\nstopping: storing the runs that are finished ...\n")
        raise KeyboardInterrupt(number)

    before = {each: signal.signal(each, answer) for each in own}
    try:
        yield
    except FileTrouble:
        raise
    except Exception:  # NumPy's, for instance, that a file is still open which it was writing
        if received:
            raise KeyboardInterrupt(*received) from None
        raise
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _exit_now(code: int, message: str) -> NoReturn:
    """Exit without waiting for kernels that are still running, and without flushing the output."""
    print(message, file=sys.stderr, flush=True)
    os._exit(code)


def one_line(error: BadInput) -> str:
    """An error message in one line, cut if it is long, without control characters."""
    words = " ".join(str(error).split())
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 2 :]}"
    return shown


def report_failures(name: str, failures: list[Failure]) -> int:
    """Print each traceback once, then each setting with its reason; returns the exit code."""
    for trace in dict.fromkeys(failure.trace for failure in failures):
        print(trace, file=sys.stderr)
    lost: Counter[str] = Counter()
    for failure in failures:
        lost[f"{in_words(failure.setting)}: {failure.reason}"] += len(failure.runs)
    total = counted(lost.total())
    print(f"{name}: {total} failed; finished runs are stored, no table is written", file=sys.stderr)
    lines = [f"{what} ({counted(n)})" for what, n in lost.items()]
    print_some(name, "failed", lines, "; see bandit-status")
    return 1


def print_some(name: str, what: str, lines: Sequence[str], more: str) -> None:
    """Print lines about ``what``; of many only the first, and how many ``more``."""
    for line in lines[:MOST]:
        print(f"{name}: {what}: {line}", file=sys.stderr)
    if len(lines) > MOST:
        print(f"{name}: {what}: {len(lines) - MOST} more{more}", file=sys.stderr)
