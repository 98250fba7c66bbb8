"""What all commands share: their parser, and how they end."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from ..errors import BadInput, FileTrouble
from ..running.failures import Failure, RunsFailed, counted, in_words

LONGEST = 2000  # characters of an error message
MOST = 20  # lines about failures
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Parser(argparse.ArgumentParser):
    """An argument parser that fails in one line."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def parser_of(command: str) -> Parser:
    """The parser of a command that takes overrides as Hydra does."""
    parser = Parser(command, add_help=False)
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("--config-dir", "-cd")
    parser.add_argument("--multirun", "-m", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    return parser


def parser_of_words(command: str) -> Parser:
    """The parser of a command that takes names, files and KEY=VALUE."""
    parser = Parser(command, add_help=False)
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--help", "-h", action="store_true")
    return parser


def guarded(name: str, command: Callable[[], int]) -> None:
    """Run a command and exit: bad input ends with one line and exit code 2."""
    try:
        code = command()
        print(end="", flush=True)  # an error of writing is reported here, not at the exit
    except BadInput as error:
        print(f"{name}: {one_line(error)}", file=sys.stderr)
        code = 2
    except RunsFailed as error:
        code = report_failures(name, error.failures)
    except FileTrouble as error:
        print(f"{name}: {error}; what was stored before is intact", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted; finished runs are stored", file=sys.stderr)
        sys.stderr.flush()
        os._exit(130)  # without waiting for kernels that are still running
    except BrokenPipeError:
        os._exit(141)
    except OSError as error:
        if error.filename is not None or error.errno not in FULL:
            raise
        print(f"{name}: cannot write the output ({error.strerror})", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    sys.exit(code)


def one_line(error: BadInput) -> str:
    """An error message in one line, cut if it is long, without control characters."""
    words = " ".join(str(error).split())
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    return (
        shown if len(shown) <= LONGEST else f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 2 :]}"
    )


def report_failures(name: str, failures: list[Failure]) -> int:
    """Print each traceback once, then each setting with its reason; returns the exit code."""
    for trace in dict.fromkeys(failure.trace for failure in failures):
        print(trace, file=sys.stderr)
    lost: dict[tuple[str, str], int] = {}
    for failure in failures:
        what = in_words(failure.setting), failure.reason
        lost[what] = lost.get(what, 0) + len(failure.runs)
    total = counted(sum(lost.values()))
    print(f"{name}: {total} failed; finished runs are stored, no table is written", file=sys.stderr)
    for (setting, reason), runs in list(lost.items())[:MOST]:
        print(f"{name}: failed: {setting}: {reason} ({counted(runs)})", file=sys.stderr)
    if len(lost) > MOST:
        print(f"{name}: failed: {len(lost) - MOST} more; see bandit-status", file=sys.stderr)
    return 1
