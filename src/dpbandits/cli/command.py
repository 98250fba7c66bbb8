"""The parser of all commands, and the keys that commands share."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

from ..errors import MAX_LINE_CHARACTERS, BadInput, unknown
from ..files import RUNS, Implausible, opened
from ..results import latex
from ..results.formats import FINDINGS, SUMMARY_CSV, bare_name, format_of, tables_in
from ..results.latex import TableOptions
from ..results.metrics import COLUMNS
from ..settings.groups import default_keys
from ..settings.hydra_names import OPTIONS as OF_HYDRA
from ..settings.user_files import user_folders
from ..validation import folder, one_of
from .completion import COMMANDS, OPTIONS, OWN_KEYS
from .ending import run_command
from .help import Lists, help_text
from .words import value_of


class Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in a single line."""

    def error(self, message: str) -> NoReturn:
        foreign = message.removeprefix("unrecognized arguments: ")
        options = [word for word in foreign.split() if word.startswith("--")]
        if foreign != message and options:
            raise unknown("option", options[0].partition("=")[0], self._option_string_actions)
        raise BadInput(f"{message} (see {self.prog} --help)")


def _divided(command: str, words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Divide words into the keys of the command itself, with their values, and all other words.

    If the command takes tables, a word with an equals sign may also be the path of an existing
    table.

    Raises:
        BadInput: the command has no such key.
    """
    about, own, keys, others = COMMANDS[command], OWN_KEYS[command], {}, []
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or (about.get("tables") and os.path.exists(word)):
            others.append(word)
        elif key in own:
            keys[key] = value
        elif about.get("files") or about.get("groups"):
            others.append(word)
        else:
            raise unknown("key", key, own)
    return keys, others


def results_of(keys: Mapping[str, str]) -> Path:
    """Return the results folder that a command reads or writes."""
    return folder("results", keys.get("results", "results"))


def given_tables(given: argparse.Namespace) -> list[Path]:
    """Return the tables of a command line, see ``tables_of``. If the line names an experiment,
    there are no tables.

    Raises:
        BadInput: the line has both tables and an experiment, or neither, or it has a results folder
            in addition to tables.
    """
    if ("experiment" in given.keys) == bool(given.words):
        both = ", not both" if given.words else ""
        words = f"either experiment=NAME or the paths of tables are needed{both}"
        raise BadInput(f"{words} (see --help)")
    if given.words and "results" in given.keys:
        results = given.keys["results"]
        raise BadInput(f"results={results}: tables are given by their paths; leave results out")
    return tables_of(given.words)


def tables_of(names: Sequence[str]) -> list[Path]:
    """Return the paths of the named tables. A folder stands for all tables of runs in it.

    Summaries are left out, since the pattern ``results/*.csv`` of a shell includes them.
    """
    files = [name for name in names if not name.endswith(SUMMARY_CSV)]
    if names and not files:
        table = names[0].removesuffix(SUMMARY_CSV)
        raise BadInput(f"{names[0]}: this file is a summary; the table {table}.csv is needed")
    return [table for name in files for table in _tables_in(Path(name))]


def _tables_in(path: Path) -> list[Path]:
    if not os.path.isdir(path):
        return [path]
    tables = tables_in(path)
    found = [file for file in tables if _has_runs(file)]
    if not found:
        has_stored = (path / RUNS).is_dir()  # written by ``dp.run(results=...)``
        stored = "; dp.save(TABLE, PATH) writes a table of its stored runs" if has_stored else ""
        what = "of runs" if tables else "(*.csv)"
        raise BadInput(f"{path}: the folder has no tables {what}{stored}")
    for file in tables:
        if file not in found and not file.name.startswith(FINDINGS):
            print(f"left out: {file} is no table of runs", file=sys.stderr)
    return found


def _has_runs(file: Path) -> bool:
    """Return whether a file may be a table of runs.

    The first line of a CSV file decides. CSV files that cannot be read now and files of other
    formats count as tables of runs.
    """
    if format_of(file) != "csv":
        return True
    try:
        with opened(file) as table:
            line = table.readline(MAX_LINE_CHARACTERS).decode("utf-8-sig", "replace")
            names = line.strip().split(",")
    except OSError:
        return True  # the error is reported when the table is read
    except Implausible:
        return False
    columns = {name.strip('"') for name in names}
    return "rule" in columns or ("algo" in columns and bool(columns & {*COLUMNS.values()}))


def named_after(files: Sequence[Path], end: str = "") -> Path:
    """Return the path, without a suffix, of files that are made from some tables. The path is the
    path of the first table, followed by ``end``.
    """
    more = f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return files[0].with_name(f"{bare_name(files[0])}{more}{end}")


def is_true(keys: Mapping[str, str], name: str) -> bool:
    """Return whether a key is true; a missing key is false."""
    return one_of(("true", "false"), name, keys.get(name, "false")) == "true"


def table_options(keys: Mapping[str, str]) -> TableOptions | None:
    """Return the style of a LaTeX table from the keys of a command; None if no key sets it."""
    found: dict[str, Any] = {key: keys[key] for key in latex.KEYS if key in keys}
    if "labels" in found:
        found["labels"] = value_of(f"labels={keys['labels']}").value
    if "columns" in found:
        found["columns"] = found["columns"].strip("[]")
    return latex.parse_table_options(found)


def entry_point(
    name: str, lists: Callable[[], Lists] = dict
) -> Callable[[Callable[[argparse.Namespace], int]], Callable[[], None]]:
    """Decorate a function as the entry point of the command ``bandit-NAME``.

    The function gets the parsed command line and returns the exit code.

    Args:
        name: the name of the command; its help is ``usage/NAME.txt``. The parsed command line has
            the options of the command as attributes. Further attributes are ``keys`` (the command's
            own keys with their values), ``words`` (the other words), ``line`` (all words) and
            ``folders`` (the user's configuration folders).
        lists: a function that returns the lists for ``--help LIST`` that only this command has.
    """

    def decorate(work: Callable[[argparse.Namespace], int]) -> Callable[[], None]:
        def command(line: list[str]) -> int:
            parser = Parser(f"bandit-{name}", add_help=False)
            parser.add_argument("words", nargs="*")
            parser.add_argument("--help", "-h", nargs="?", const="")
            about = COMMANDS[name]
            for option, (others, how) in OPTIONS.items():
                if option in (*about.get("options", ()), *about.get("hidden", ())):
                    parser.add_argument(option, *others, **how)
            _refuse_dashes(name, line)
            given = parser.parse_intermixed_args(line, argparse.Namespace(line=line))
            given.folders = user_folders(getattr(given, "config_dir", None))
            if given.help is not None:
                print(help_text(name, given.help, lists, given.folders), end="")
                return 0
            given.keys, given.words = _divided(name, given.words)
            return work(given)

        @wraps(command)
        def main() -> None:
            run_command(f"bandit-{name}", lambda: command(sys.argv[1:]))

        return main

    return decorate


def _refuse_dashes(command: str, line: Sequence[str]) -> None:
    """Refuse keys of a command that are typed as options, such as ``--eps .1``. The message says
    what to type.
    """
    about = COMMANDS[command]
    options = {option.lstrip("-") for option in about.get("options", ())}
    for word in line:
        option = word.partition("=")[0]
        if option in OF_HYDRA and "files" in about:
            raise BadInput(f"{option}: {OF_HYDRA[option]}")
    known = {*OWN_KEYS[command]}.union(*map(default_keys, about.get("files", ())))
    typed, meant = [], []
    for word, following in zip(line, [*line, "--"][1:], strict=True):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name not in options and name.partition(".")[0] in known:
            follows = not (equals or following.startswith("--") or "=" in following)
            typed += [word, *[following] * follows]
            meant.append(f"{name}={value if equals else following if follows else 'true'}")
    if typed:
        raise BadInput(f"{' '.join(typed)}: a key has no dashes; write {' '.join(meant)}")
