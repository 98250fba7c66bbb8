"""bandit-results: list, show and remove tables and stored runs of a results folder."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import filter as filter_names
from functools import cache
from pathlib import Path
from typing import Any

from tabulate import tabulate

from ..contracts.parameters import BUDGETS
from ..errors import BadInput, in_a_line, nearest, plain, unknown
from ..files import FIGURES, RUNS, locked, remove_file, sha256_of
from ..results.formats import SUMMARY_CSV, bare_name, beside, tables_in
from ..results.manifest import UNREADABLE, read_manifest
from ..results.records import NO_RECORD
from ..results.varying import details
from ..settings.composed import read_group
from ..settings.groups import names_in
from .command import entry_point, results_of
from .lines import MAX_LINES, shortened

MAX_CHARACTERS = 100  # of the printed description of a setting
WIDEST = 200  # characters of a line of the list, if the output is no terminal
MIN_CHARACTERS = 20  # fewest characters of the description of a table
UNITS = {"h": 3600.0, "d": 86_400.0, "w": 604_800.0}  # seconds of hours, days and weeks
AGE = re.compile(rf"(\d+(?:\.\d+)?)([{''.join(UNITS)}])")
STORED = re.compile(r".+-.+-([0-9a-f]{16})\.(npz|failed|damaged\d*)")
MANIFEST = {"config", "settings", "sha256", "sources"}  # keys of every manifest of this package
BESIDE = ".json", ".md", ".tex", SUMMARY_CSV  # endings of the files beside a table
DRAWN = ".pdf", ".png", ".svg", ".pgf"  # endings of the figures of a table
# Names that bandit-budget, bandit-audit and bandit-compare give to the files that they write
COMPARED = "-compare"  # the end of the name of the comparison of a table
OF_TABLES = rf"(-and-\d+-more)?{COMPARED}"  # the same, or of several tables
ANSWER = re.compile(
    rf"budget-[0-9a-f]{{8}}({COMPARED})?|(audit|exact)-.+-[0-9a-f]{{8}}"
    rf"|sweep-[0-9a-f]{{8}}{OF_TABLES}"
)
OF_RECORDS = "seed", "checkpoints", "shuffle_arms", "population"  # shown where they vary
SHORTEST = 4  # fewest characters that may stand for an id


@dataclass(frozen=True)
class StoredTable:
    """A table with a manifest of this package."""

    file: Path
    settings: dict[str, Any]  # the records of its settings, by their ids
    runs: int | None  # number of runs of each setting; None with runs=auto

    @property
    def files(self) -> list[Path]:
        """The files of the table, and the figures with its name."""
        stem = self.file.with_name(self.name)
        return _files_of(stem, (self.file.name.removeprefix(self.name), *BESIDE))

    @property
    def name(self) -> str:
        """The name of its files without their endings."""
        return bare_name(self.file)


@dataclass(frozen=True)
class Contents:
    """The content of a results folder: tables with and without a manifest, and stored runs."""

    tables: list[StoredTable]
    others: list[Path]  # tables without a manifest of their own; no action removes them
    stored: dict[Path, str]  # files of stored runs, with the ids of their settings
    answers: dict[str, list[Path]]  # files of audits, comparisons and budgets, by their names

    @property
    def ids(self) -> list[str]:
        """The ids of the settings of tables and of stored runs, without repetitions."""
        of_tables = [own for table in self.tables for own in table.settings]
        return list(dict.fromkeys([*of_tables, *self.stored.values()]))


@entry_point("results")
def main(given: Namespace) -> int:
    if not given.words:
        raise BadInput("an action is needed: list, show, prune or rm (see bandit-results --help)")
    action, *names = given.words
    if action not in ACTIONS:
        raise unknown("action", action, ACTIONS)
    folder = _folder_of(names, given.keys)
    if not folder.is_dir():
        raise BadInput(f"results={folder}: no such folder")
    if (folder / RUNS).is_symlink():
        raise BadInput(
            f"results={folder}: {folder / RUNS} is a link; only results=DIR itself may be a link"
        )
    act, options, takes_names = ACTIONS[action]
    for option in ("older", "keep_tables", "yes"):
        if getattr(given, option) and option not in options:
            raise BadInput(f"--{option.replace('_', '-')}: {action} takes no such option")
    if names and not takes_names:
        raise BadInput(f"{action} {names[0]}: {action} takes no names")
    found = _contents_of(folder)
    if names and not any(vars(found).values()):
        raise BadInput(f"{names[0]}: results={folder} holds no tables and no runs")
    act(found, names, given)
    return 0


def _folder_of(names: Sequence[str], keys: Mapping[str, str]) -> Path:
    """Return the results folder that the user gave, or the folder of the paths in ``names``."""
    named = {Path(name).parent: name for name in names if Path(name).parent != Path()}
    if len(named) == 1 and "results" not in keys:
        return results_of({"results": str(*named)})
    found = results_of(keys)
    for folder, name in named.items():
        if folder.resolve() != found.resolve():
            raise BadInput(f"{name}: not in the folder results={found}")
    return found


def _list(found: Contents, names: Sequence[str], given: Namespace) -> None:
    """Print what each table of a folder contains, and the number and size of the stored runs."""
    rows = [[t.name, f"{len(t.settings):,}", *_size_and_age(t.files)] for t in found.tables]
    rows.append(["stored runs", f"{len(found.stored):,}", *_size_and_age([*found.stored])])
    align = ["left", "right", "right", "right"]
    head = ["table", "settings", "MB", "days old"]
    first, under, *lines = tabulate(rows, head, disable_numparse=True, colalign=align).splitlines()
    width = max(shutil.get_terminal_size((WIDEST, 0)).columns - 2, MIN_CHARACTERS)  # indented
    held = [textwrap.shorten(words, width, placeholder=" ...") for words in _held(found)]
    listed = [f"{line}\n  {words}" for line, words in zip(lines, held, strict=False)]
    print(first, under, *listed, lines[-1], sep="\n")
    if found.others:
        count = f"{len(found.others)} table{'s' * (len(found.others) != 1)}"
        print(f"{count} without their own manifest, which bandit-results never removes:")
        print(*shortened([file.name for file in found.others]), sep="\n")


def _held(found: Contents) -> list[str]:
    """Describe what each table contains, and which table has more runs of the same settings."""
    largest: dict[frozenset[str], StoredTable] = {}
    for table in sorted(found.tables, key=lambda table: table.runs or 0):
        largest[frozenset(table.settings)] = table
    more = [largest[frozenset(table.settings)] for table in found.tables]
    return ["; ".join(_words(*both)) for both in zip(found.tables, more, strict=True)]


def _words(table: StoredTable, largest: StoredTable) -> Iterator[str]:
    """Yield texts about the algorithms, environments, budgets and runs of a table. If another table
    has more runs of the same settings, the last text names the other table.
    """
    if table.runs and largest.runs and largest.runs > table.runs:
        yield f"superseded by {largest.name}"
    records = table.settings.values()
    algorithms = dict.fromkeys(str(x.get("rule", x.get("algo"))) for x in records)
    environments = dict.fromkeys(" ".join([str(x.get("env")), *_set_in_env(x)]) for x in records)
    yield f"{', '.join(algorithms)} on {', '.join(environments)}"
    for name in BUDGETS:
        if values := {
            plain(x[name]).removesuffix(".0"): None for x in records if x.get(name) is not None
        }:
            yield f"{name} {', '.join(values)}"
    yield f"{table.runs:,} run{'s' * (table.runs != 1)}" if table.runs else "runs=auto"


def _show(found: Contents, names: Sequence[str], given: Namespace) -> None:
    """Print the files and settings of a table. For the id of a setting, print its record, its
    tables and its stored runs.
    """
    if len(names) != 1:
        raise BadInput("show: the name of a table or the id of a setting is needed")
    named, stem = {table.name: table for table in found.tables}, bare_name(Path(names[0]))
    for name in [stem] if stem in named else _begun(named, stem, "names"):
        table = named[name]
        print(*table.files, sep="\n")
        records = table.settings.values()
        varied = [n for n in OF_RECORDS if len({plain(x.get(n)) for x in records}) > 1]
        words = (in_a_line(_in_words(x, varied), MAX_CHARACTERS) for x in records)
        rows = [*zip(table.settings, words, strict=True)]
        print(tabulate(rows[:MAX_LINES], ["setting", "run with"], disable_numparse=True))
        if len(rows) > MAX_LINES:
            print(f"and {len(rows) - MAX_LINES:,} more: {beside(table.file, '.json')} has all")
        return
    ids = _begun(found.ids, names[0], "ids", SHORTEST)
    if not ids:
        raise _nothing(names[0], [*named, *found.ids])
    [own] = ids
    tables = [table for table in found.tables if own in table.settings]
    for record in [table.settings[own] for table in tables][:1]:
        print(json.dumps(record, indent=2))
    print(f"setting {own}", *(f"in {table.file}" for table in tables), sep="\n  ")
    print(*(f"  {file}" for file, known in found.stored.items() if known == own), sep="\n")


def _in_words(record: Mapping[str, Any], varied: Sequence[str]) -> str:
    """Return a description of a record's setting in a few words; ``varied`` has the names among
    OF_RECORDS that are shown.
    """
    shown = {name: record.get(name) for name in (*BUDGETS, "horizon", *varied)}
    shown |= record.get("parameters", {})
    known = [f"{name} {plain(x)}" for name, x in shown.items() if x is not None]
    known += _set_in_env(record)
    return ", ".join([f"{record.get('rule', record.get('algo'))} on {record.get('env')}", *known])


def _set_in_env(record: Mapping[str, Any]) -> list[str]:
    """Return the values of an environment that differ from the values of its file.

    Values have the form ``env.means=[0.9,0.2]``. The means of an environment such as ``bernoulli``,
    which names a law of rewards and no means, are always among them.
    """
    env, spec = record.get("env"), record.get("env_spec")
    if not isinstance(spec, dict):
        return []
    known = _usual(str(env))
    if env == spec.get("law"):
        known = {key: x for key, x in known.items() if key != "env.means"}
    values = details({**NO_RECORD, "env_spec": spec})
    return [f"{k}={plain(x)}" for k, x in values if x is not None and known.get(k) != x]


@cache
def _usual(env: str) -> dict[str, Any]:
    """Return the values in an environment's file, under their names in records."""
    usual = read_group("env", env) if env in names_in("env") else {}
    return dict(details({**NO_RECORD, "env_spec": usual}))


def _prune(found: Contents, names: Sequence[str], given: Namespace) -> None:
    """Remove stored runs and tables that are older than a given age."""
    if given.older is None:
        raise BadInput("prune: --older AGE is needed, such as 30d (h: hours, d: days, w: weeks)")
    age = AGE.fullmatch(given.older)
    if age is None:
        raise BadInput(f"--older {given.older}: a number with h, d or w is needed, such as 30d")
    before = time.time() - float(age[1]) * UNITS[age[2]]
    tables = [] if given.keep_tables else found.tables
    old = [file for file in found.stored if file.stat().st_mtime < before]
    old += [file for t in tables if t.file.stat().st_mtime < before for file in t.files]
    _remove(old, given.yes)


def _rm(found: Contents, names: Sequence[str], given: Namespace) -> None:
    """Remove tables, audits, comparisons and budgets by their names, and runs by the ids of
    settings.

    The beginning of a name is enough if no other name begins in this way. A pattern is also
    allowed.
    """
    if not names:
        raise BadInput("rm: names of tables or ids of settings are needed (bandit-results list)")
    files = {table.name: table.files for table in found.tables} | found.answers
    chosen: dict[Path, None] = {}
    for name in names:
        stem = bare_name(Path(name))
        named = [stem] if stem in files else filter_names(files, stem)
        if named := named or _begun(files, stem, "names"):
            every = [x for one in named for x in (one, f"{one}{COMPARED}") if x in files]
            chosen |= dict.fromkeys(file for one in every for file in files[one])
            continue
        ids = _begun(found.ids, name, "ids", SHORTEST)
        if not ids and re.search(r"[*?[]", name):
            raise BadInput(f"{name}: no name matches; bandit-results list prints the names")
        if not ids:
            raise _nothing(name, files)
        chosen |= {file: None for file, own in found.stored.items() if own in ids}
    _remove(list(chosen), given.yes)
    removed = {own for table in found.tables if table.file in chosen for own in table.settings}
    if given.yes and any(
        own in removed for file, own in found.stored.items() if file not in chosen
    ):
        print("The stored runs remain: prune removes runs by age, rm ID the runs of a setting.")


Act = Callable[[Contents, Sequence[str], Namespace], None]
# Each action with the options that it takes, and whether it takes names
ACTIONS: dict[str, tuple[Act, Sequence[str], bool]] = {
    "list": (_list, (), False),
    "show": (_show, (), True),
    "prune": (_prune, ("older", "keep_tables", "yes"), False),
    "rm": (_rm, ("yes",), True),
}


def _nothing(name: str, known: Iterable[str]) -> BadInput:
    """Return the error for a word with which neither a name nor an id begins."""
    shown = in_a_line(repr(name), MAX_CHARACTERS)
    short = f"; of an id at least {SHORTEST} characters are needed" if len(name) < SHORTEST else ""
    return BadInput(f"nothing matches {shown}: {nearest(name, known)}{short}")


def _begun(known: Iterable[str], start: str, kind: str, shortest: int = 1) -> list[str]:
    """Return a list with the only name or id that begins with ``start``. The list is empty if no
    name or id begins so, or if ``start`` has fewer than ``shortest`` characters. The comparison of
    a table is not counted if the table itself also begins with ``start``.

    Raises:
        BadInput: several names or ids have this beginning.
    """
    found = [x for x in known if x.startswith(start)] if len(start) >= shortest else []
    found = [x for x in found if _compared(x) not in {*found} - {x}]
    if len(found) > 1:
        raise BadInput(
            f"{start}: several {kind} have this beginning: {', '.join(found[:MAX_LINES])}"
        )
    return found


def _compared(name: str) -> str:
    """Return the name of the first table in a comparison's name. Return other names unchanged."""
    return re.sub(f"{OF_TABLES}$", "", name)


def _files_of(stem: Path, endings: Iterable[str]) -> list[Path]:
    """Return the files with a name and some endings, and the figures with this name."""
    figures = stem.parent / FIGURES
    drawn = [stem, *([] if figures.is_symlink() else [figures / stem.name])]
    named = [*(f"{stem}{end}" for end in endings), *(f"{x}{end}" for x in drawn for end in DRAWN)]
    return _regular(map(Path, named))


def _regular(files: Iterable[Path]) -> list[Path]:
    """Return the files that exist and are not links."""
    return [file for file in files if file.is_file() and not file.is_symlink()]


def _contents_of(folder: Path) -> Contents:
    """Return the contents of a results folder.

    Tables that were edited, or whose manifest belongs to another table, are among ``others``.
    Audits, comparisons and budgets are recognised by the names that commands give to their files.
    Stored failures and damaged runs count as stored runs.
    """
    ours: list[StoredTable] = []
    others: list[Path] = []
    for file in _regular(tables_in(folder)):
        with suppress(*UNREADABLE):
            manifest = read_manifest(file)
            if manifest.keys() >= MANIFEST and manifest["sha256"] == sha256_of(file):
                asked = manifest["config"]["runs"]
                runs = None if asked == "auto" else int(asked)
                ours.append(
                    StoredTable(file, {i: dict(x) for i, x in manifest["settings"].items()}, runs)
                )
                continue
        others.append(file)
    tables = {table.name for table in ours}
    pages = [file.stem for file in _regular(sorted(folder.glob("*.md")))]
    names = [x for x in pages if _compared(x) in tables - {x} or ANSWER.fullmatch(x)]
    answers = {name: _files_of(folder / name, (".md", ".tex", ".csv")) for name in names}
    of_answers = {file for files in answers.values() for file in files}
    stored = {}
    for file in _regular(sorted(folder.glob(f"{RUNS}/[0-9a-f][0-9a-f]/*"))):
        named = STORED.fullmatch(file.name)
        if named and named[1].startswith(file.parent.name) and not file.parent.is_symlink():
            stored[file] = named[1]
    return Contents(ours, [x for x in others if x not in of_answers], stored, answers)


def _size_and_age(files: Sequence[Path]) -> tuple[str, str]:
    """Return the total size of files in MB, and the age of the newest file in days, as text."""
    if not files:
        return "0", ""
    found = [file.stat() for file in files]
    days = (time.time() - max(x.st_mtime for x in found)) / UNITS["d"]
    return f"{sum(x.st_size for x in found) / 1e6:.3g}", f"{max(days, 0.0):.1f}"


def _remove(files: Sequence[Path], really: bool) -> None:
    """Print files and, if ``really`` is true, remove them."""
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    for file in files:
        if really:
            with locked(file.parent):
                remove_file(file)
    print(*shortened(files), sep="\n", end="\n" if files else "")
    what = f"{len(files):,} files, {megabytes:.3g} MB"
    print(f"{what} removed" if really else f"{what}; nothing was removed: --yes removes them")
