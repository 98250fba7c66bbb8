"""What all commands share: their parser, and how they end."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from ..errors import (
    LONGEST,
    BadInput,
    FileTrouble,
    WorkersLost,
    in_a_line,
    printable,
    unknown,
)
from ..files import Implausible, opened
from ..results import latex
from ..results.formats import SUMMARY_CSV, bare_name, format_of, tables_in
from ..results.latex import TableOptions
from ..results.naming import FINDINGS
from ..running.failures import Failure, RunsFailed, counted, in_words
from ..settings.groups import default_keys
from ..settings.hydra_names import OPTIONS
from ..validation import folder, one_of, path_of
from .completion import COMMANDS, OWN_KEYS
from .help import Lists, help_text
from .words import value_of

STORED = "finished runs are stored, the same command plays the rest"
PLAYING = tuple(f"bandit-{name}" for name in ("run", "stop", "budget", "claims", "audit"))
MOST = 20  # lines of a list
TRACES = 5  # tracebacks that are printed
AGAIN = 0.01  # seconds after which an interruption that was swallowed is raised again
# SIGHUP: of a lost connection; the last three: of limits and of schedulers of jobs
ENDING = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGXCPU,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Parser(argparse.ArgumentParser):
    """An argument parser that fails in one line."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def takes_folder(parser: argparse.ArgumentParser) -> None:
    """Add the option for a user's folder of configuration files."""
    parser.add_argument("--config-dir", "-cd")


def takes_multirun(parser: argparse.ArgumentParser) -> None:
    """Add the option for every combination of values."""
    parser.add_argument("--multirun", "-m", action="store_true")


def names_and_keys(
    command: str, words: Sequence[str], files: bool = False
) -> tuple[list[str], dict[str, str]]:
    """Divide words into names and KEY=VALUE. With ``files`` the names are paths of tables; a word
    with = is one, too, if there is such a file.

    Raises:
        BadInput: the command has no such key of its own, or there are both tables and an
            experiment, or neither.
    """
    names = [x for x in words if "=" not in x or (files and os.path.exists(x))]
    keys = dict(x.split("=", 1) for x in words if x not in names)
    for key in keys:
        if key not in OWN_KEYS[command]:
            raise unknown("key", key, OWN_KEYS[command])
    if files and ("experiment" in keys) == bool(names):
        both = ", not both" if names else ""
        words = f"either experiment=NAME or the paths of tables are needed{both}"
        raise BadInput(f"{words} (see --help)")
    if files and names and "results" in keys:
        raise BadInput(f"results={keys['results']}: the folder of an experiment's table")
    return names, keys


def results_of(keys: Mapping[str, str]) -> Path:
    """The results folder that a command reads or writes."""
    return folder("results", keys.get("results", "results"))


def tables_of(names: Sequence[str]) -> list[Path]:
    """The tables that names stand for: files, or all tables of a folder. Summaries among them, as
    the shell's ``results/*.csv`` names them, are no tables.
    """
    files = [name for name in names if not name.endswith(SUMMARY_CSV)]
    if names and not files:
        table = names[0].removesuffix(SUMMARY_CSV)
        raise BadInput(f"{names[0]}: the summary of a table; {table}.csv is needed")
    return [table for name in files for table in _tables_in(Path(name))]


def _tables_in(path: Path) -> list[Path]:
    if not os.path.isdir(path):
        return [path]
    tables = tables_in(path)
    found = [file for file in tables if _has_runs(file)]
    if not found:
        raise BadInput(f"{path}: the folder has no tables {'of runs' if tables else '(*.csv)'}")
    for file in tables:
        if file not in found and not file.name.startswith(FINDINGS):
            print(f"left out: {file} is no table of runs", file=sys.stderr)
    return found


def _has_runs(file: Path) -> bool:
    """Whether the first line of a CSV file is that of a table of runs, or cannot be read now; so is
    any other file that is a table by its name.
    """
    if format_of(file) != "csv":
        return True
    try:
        with opened(file) as table:
            names = table.readline(LONGEST).decode("utf-8-sig", "replace").strip().split(",")
    except OSError:
        return True  # the error is reported when the table is read
    except Implausible:
        return False
    return {name.strip('"') for name in names} >= {"algo", "regret"} or "rule" in names


def named_after(files: Sequence[Path], end: str = "") -> Path:
    """The path, without a suffix, of what is made of some tables."""
    more = f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return files[0].with_name(f"{bare_name(files[0])}{more}{end}")


def is_true(keys: Mapping[str, str], name: str) -> bool:
    """Whether a key is true; it is false if it is not given."""
    return one_of(("true", "false"), name, keys.get(name, "false")) == "true"


def stem_of(keys: Mapping[str, str], usual: Path) -> Path:
    """The path of what a command writes, without a suffix: ``out``, or the usual one.

    Raises:
        BadInput: it is that of a folder.
    """
    stem = path_of("out", keys.get("out", usual))
    if not stem.name or stem.is_dir():
        raise BadInput(f"out={stem}: the path of a file is needed, not of a folder")
    return stem


def table_options(keys: Mapping[str, str]) -> TableOptions | None:
    """The style of a table for LaTeX, from the keys of a command."""
    found: dict[str, Any] = {key: keys[key] for key in latex.KEYS if key in keys}
    if "labels" in found:
        found["labels"] = value_of(f"labels={keys['labels']}").value
    if "columns" in found:
        return latex.checked({**found, "columns": found["columns"].strip("[]").split(",")})
    return latex.checked(found)


class Printable:
    """A standard stream that writes no control characters, such as those of stored names."""

    def __init__(self, stream: Any):
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; line breaks and tabs are not changed."""
        self._stream.write(text if text.isprintable() else printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guarded(name: str, command: Callable[[], int]) -> None:
    """Run a command and exit: bad input ends with one line and exit code 2."""
    with (
        redirect_stdout(Printable(sys.stdout)),
        redirect_stderr(Printable(sys.stderr)),
        pd.option_context("mode.string_storage", "python"),  # pyarrow would copy each word
    ):
        _guarded(name, command)


def _guarded(name: str, command: Callable[[], int]) -> None:
    try:
        with _answered_signals(name):
            _check_working_folder()
            code = command()
        print(end="", flush=True)  # an error of writing is reported here, not at the exit
    except BadInput as error:
        print(f"{name}: {error}", file=sys.stderr)
        code = 2
    except RunsFailed as error:
        code = report_failures(name, error.failures)
    except FileTrouble as error:
        _exit_now(1, f"{name}: {error}; what was stored before is intact")
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
        if error.filename is not None:  # a name that is too long, too many open files
            _exit_now(1, in_a_line(f"{name}: cannot use {error.filename} ({error.strerror})"))
        if error.errno in SCARCE:
            _exit_now(1, f"{name}: the system refuses more ({error.strerror}; see ulimit -a)")
        if error.errno not in FULL:
            raise
        _exit_now(1, f"{name}: cannot write the output ({error.strerror})")
    except ImportError as error:  # there is too little memory to map it, for instance
        _exit_now(1, in_a_line(f"{name}: a library cannot be loaded: {error}"))
    except MemoryError:
        _exit_now(1, f"{name}: there is not enough memory; finished runs are stored")
    sys.exit(code)


def entry_point(
    name: str,
    *options: Callable[[Parser], None],
    lists: Callable[[], Lists] = dict,
) -> Callable[[Callable[[argparse.Namespace], int]], Callable[[], None]]:
    """Make of a function of what a command line holds, which returns the exit code, the entry point
    of the command ``bandit-NAME``.

    Args:
        name: the name; ``usage/NAME.txt`` is the help.
        options: what adds options to the parser. The function gets them as attributes, with the
            other ``words``, and all words of the ``line``.
        lists: the lists that ``--help NAME`` prints, by their names.
    """

    def decorate(work: Callable[[argparse.Namespace], int]) -> Callable[[], None]:
        def command(line: list[str]) -> int:
            parser = Parser(f"bandit-{name}", add_help=False)
            parser.add_argument("words", nargs="*")
            parser.add_argument("--help", "-h", nargs="?", const="")
            for add in options:
                add(parser)
            _refuse_dashes(name, line)
            given = parser.parse_intermixed_args(line, argparse.Namespace(line=line))
            if given.help is None:
                return work(given)
            from ..settings.user_files import user_folders

            folders = user_folders(getattr(given, "config_dir", None))
            print(help_text(name, given.help, lists, folders), end="")
            return 0

        @wraps(command)
        def main() -> None:
            guarded(f"bandit-{name}", lambda: command(sys.argv[1:]))

        return main

    return decorate


def _refuse_dashes(command: str, line: Sequence[str]) -> None:
    """Refuse keys of a command that are written as options, ``--eps .1``; say what to write."""
    about = COMMANDS[command]
    options = {option.lstrip("-") for option in about.get("options", ())}
    for word in line:
        option = word.partition("=")[0]
        if option in OPTIONS and "files" in about:
            raise BadInput(f"{option}: {OPTIONS[option]}")
    known = {*OWN_KEYS[command]}.union(*map(default_keys, about.get("files", ())))
    typed, meant = [], []
    words = list(line)
    while words:
        word = words.pop(0)
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or name in options or name.partition(".")[0] not in known:
            continue
        typed.append(word)
        if not equals:
            follows = bool(words) and not words[0].startswith("--") and "=" not in words[0]
            value = words.pop(0) if follows else "true"
            typed += [value] if follows else []
        meant.append(f"{name}={value}")
    if typed:
        raise BadInput(f"{' '.join(typed)}: a key has no dashes; write {' '.join(meant)}")


def _check_working_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise BadInput(f"the working folder cannot be used ({error.strerror})") from None


@contextmanager
def _answered_signals(name: str) -> Iterator[None]:
    """Answer Ctrl-C, and the signals by which a system or a scheduler of jobs ends a command, at
    once and raise KeyboardInterrupt; later ones change nothing, nor do signals that are ignored.

    A callback of a library, such as LLVM's when a kernel compiles, or a finalizer swallows the
    exception if the signal comes meanwhile: Python only reports it. It is raised again soon.
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
            raise BadInput("the code of a file that it uses has raised KeyboardInterrupt") from None
        raise
    except Exception:  # NumPy's, for instance, that a file is still open which it was writing
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
    """Print each traceback once, then each setting with its reason; returns the exit code. A reason
    that is no traceback is not printed twice.
    """
    traces = list(dict.fromkeys(x.trace for x in failures if "\n" in x.trace.strip()))
    for trace in traces[:TRACES]:
        print(printable(trace, LONGEST), file=sys.stderr)
    if len(traces) > TRACES:
        print(f"{name}: {len(traces) - TRACES} more tracebacks", file=sys.stderr)
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


def print_rest(rows: int, page: Path) -> None:
    """Say how many rows of a table are not printed, and which page has all."""
    if rows > MOST:
        print(f"and {rows - MOST} more rows: {page} has all")
