"""The manifest: a JSON file beside a table with all values that are needed to make the table again.

The package reads the manifest to decide whether the table is current, and whether another table may
replace it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from ..compiled import SOURCES
from ..errors import BadInput, either, unknown
from ..files import PACKAGE, read_text, remove_file, sha256_of, write_atomically
from ..settings.auto import Auto
from ..settings.groups import is_name, names_in
from ..settings.request import BESIDE_RECORDS, DECIDES_NO_ROW, Request
from ..settings.setting import Setting, digest, without_paths
from .formats import FORMATS, SUMMARY_CSV, beside, format_of
from .summary import rounds
from .varying import SETTING

# Errors that are raised by a manifest that is missing, damaged or not made by dpbandits.
UNREADABLE = OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
PATIENCE = 5  # seconds for git to answer
RECORDS_JSON = ".records.json"  # follows the name of a table in the second file of ``dp.save``


def read_manifest(table: Path) -> Any:
    """Read the manifest beside a table; raises one of UNREADABLE."""
    return json.loads(read_text(beside(table, ".json")))


def write_manifest(
    table: Path, checksum: str, request: Request, seconds: float, played_with: Iterable[str]
) -> None:
    """Write the manifest of a table, whose file has the SHA-256 ``checksum``.

    The manifest holds the configuration, the overrides that changed the configuration, the settings
    by their ids, the table's checksum and the time. The manifest also has the versions of the
    software that made the table, and of the libraries that played its runs. If no run was played
    now (``seconds`` is 0), the manifest keeps the time in an earlier manifest. The new manifest
    replaces an earlier manifest of the same name. If the earlier table has another format, its file
    is removed.
    """
    if beside(table, ".json").exists():
        for name in (name for name in FORMATS if name != format_of(table)):
            remove_file(beside(table, f".{name}"))
    if seconds == 0.0:
        with contextlib.suppress(*UNREADABLE):
            before = read_manifest(table)
            if differing(before["config"], request.config) <= DECIDES_NO_ROW:
                seconds = float(before["wall_time_seconds"])
    manifest = {
        "config": request.config,
        "changed": list(request.changed),
        "settings": request.records,
        "sha256": checksum,
        "sources": SOURCES,
        "versions": versions(),
        "played_with": sorted(played_with),
        "commit": commit(),
        "wall_time_seconds": round(seconds, 3),
    }
    pieces = json.JSONEncoder(indent=2, default=str).iterencode(manifest)
    write_atomically(beside(table, ".json"), map(str.encode, chain(pieces, "\n")))


def write_records(table: Path, checksum: str, records: Mapping[str, Any]) -> None:
    """Write the records of a table's settings, if there are any, beside the table, with its
    SHA-256 checksum.
    """
    if records:
        content = json.dumps({"settings": records, "sha256": checksum}, indent=2)
        write_atomically(table.with_name(table.name + RECORDS_JSON), f"{content}\n".encode())


def read_records(table: Path) -> Any:
    """Read the records that ``write_records`` wrote for this content of a table.

    If there are no such records, one of the errors UNREADABLE is raised.
    """
    found = json.loads(read_text(table.with_name(table.name + RECORDS_JSON)))
    if found["sha256"] != sha256_of(table):
        raise ValueError("the records belong to another table")
    return found["settings"]


def summary_endings(config: Mapping[str, Any]) -> list[str]:
    """Return the endings of the summaries beside a table.

    An experiment's summary is also written as CSV. The repository contains this CSV file even if
    the table is too large for the repository.
    """
    return [".md", ".tex", *([SUMMARY_CSV] if config.get("experiment") is not None else [])]


def is_current(table: Path, config: Mapping[str, Any], settings: Sequence[Setting]) -> bool:
    """Return whether a run of the settings would now give the same table and summaries."""
    with contextlib.suppress(*UNREADABLE):
        manifest = read_manifest(table)
        return (
            all(beside(table, suffix).stat().st_size for suffix in summary_endings(config))
            and manifest["sources"] == SOURCES
            and differing(manifest["config"], config) <= DECIDES_NO_ROW
            and list(manifest["settings"]) == [setting.id for setting in settings]
            and manifest["sha256"] == sha256_of(table)
        )
    return False


def differing(before: Mapping[str, Any], config: Mapping[str, Any]) -> set[str]:
    """Return the keys in which a manifest's configuration ``before`` differs from ``config``."""
    now = json.loads(json.dumps(config, default=str))
    return {key for key in before | now if before.get(key) != now.get(key)}


def versions() -> dict[str, str | None]:
    """Return the versions of the software that computes runs and tables."""
    found = {name: _version(name) for name in ("dpbandits", "numpy", "numba")}
    return found | {"python": platform.python_version()}


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> str | None:
    """Return the git commit of the package's sources, with ``-dirty`` if they were edited since;
    None outside a git repository.
    """
    try:
        _git("ls-files", "--error-unmatch", "files.py")
        return _git("describe", "--always", "--abbrev=40", "--dirty") or None
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    """Return what git prints about the package's folder; raises SubprocessError if git fails."""
    command = ["git", "-C", str(PACKAGE), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return done.stdout.strip()


def table_of(name: str, results: Path, folders: Sequence[str] = ()) -> Path:
    """Return the path of the table of an experiment. The experiment is an experiment of the
    package, or a user's experiment that has been run.
    """
    of_name = (results / f"{name}.{known}" for known in FORMATS)
    file = next(filter(os.path.exists, of_name), results / f"{name}.csv")
    ours = names_in("experiment", folders)
    if name not in ours and not (is_name(name) and os.path.exists(file)):
        raise unknown("experiment", name, ours)
    if not os.path.exists(file):
        raise BadInput(f"no table {file}: run bandit-run experiment={name} first")
    return file


def table_path(request: Request) -> Path:
    """Return the path of a request's table.

    The file is named after the experiment. Without an experiment, the name consists of the settings
    and their hash.
    """
    described = (setting.described for setting in request.settings)
    name = digest(*described, str(request.auto or request.runs), length=8)
    experiment = request.config["experiment"]
    if experiment is not None:
        stem = str(experiment)
    elif len(request.settings) > 1:
        stem = f"sweep-{name}"
    else:
        stem = f"{_label(request.settings[0])}-{name}"
    return request.folder / f"{stem}.{request.format}"


def _label(setting: Setting) -> str:
    """Return a setting's part of the name of its table."""
    budget = f"{setting.budget_name}{setting.budget:g}"
    values = {"budget": budget, "horizon": rounds(setting.horizon), **dict(setting.goal)}
    parts = [pattern.format(values[key]) for key, pattern in setting.question.label]
    if math.isinf(setting.budget):
        parts = parts[1:]
    return f"{setting.algo}-{setting.env}{''.join(parts)}"


def refuse_to_replace(request: Request) -> None:
    """Refuse a request whose table would replace an experiment's table or pages but lack some of
    their rows.

    Two kinds of tables may replace an old table. The first kind has at least as many runs of the
    same settings, so it contains the old table. The second kind was requested with the same keys:
    then the old table is out of date, since the experiment's file or an algorithm has changed. A
    fresh checkout has pages but no table. In such a checkout, a request with changed keys may
    replace the pages only if the pages show the settings and the number of runs of the request.

    Raises:
        BadInput: the request would lose rows.
    """
    path, name = table_path(request), request.config["experiment"]
    if name is None:
        return
    given = " ".join(request.changed) or f"experiment={name}"
    with contextlib.suppress(*UNREADABLE):
        manifest = read_manifest(path)
        keys = [str(key) for key in manifest["changed"]]
        same = _content(manifest["settings"].values()) == _content(
            s.record for s in request.settings
        )
        more = _has_all_runs(request, manifest["config"])
        if not (same and more) and set(keys) != set(request.changed):
            made = f"with {' '.join(keys)}" if keys else "as it stands"
            raise BadInput(
                f"{given}: {path} is the table of the experiment {made}; "
                "results=DIR of another folder keeps both"
            )
        return
    page = beside(path, ".md")
    if request.changed and page.exists() and not _is_summary_of(request):
        raise BadInput(
            f"{given}: {page} was made with other keys; results=DIR of another folder keeps both"
        )


def _has_all_runs(request: Request, before: Mapping[str, Any]) -> bool:
    """Return whether each setting of a request has at least as many runs as the configuration
    ``before`` of a manifest requests.
    """
    if before["runs"] == "auto":
        longest = float(before["max_time"] or math.inf)
        was = Auto(float(before["precision"]), int(before["max_runs"]), longest)
        return request.auto is not None and request.auto.has_all_runs_of(was)
    return request.auto is None and float(before["runs"]) <= request.runs


def _is_summary_of(request: Request) -> bool:
    """Return whether the summary beside a request's table shows the settings and number of runs of
    the request.
    """
    with contextlib.suppress(*UNREADABLE):
        summary = pd.read_csv(beside(table_path(request), SUMMARY_CSV), dtype={SETTING: str})
        same = set(summary[SETTING]) == {setting.id for setting in request.settings}
        return same and set(summary["runs"]) == {request.runs}
    return False


def replaced_table(request: Request) -> str:
    """Return in words which other table a request replaces: a table with other settings, or a table
    made by other versions of algorithms or reward laws. If there is none, the text is empty.
    """
    with contextlib.suppress(*UNREADABLE):
        made = read_manifest(table_path(request))["settings"]
        before, now = [*made.values()], [setting.record for setting in request.settings]
        if _content(before) == _content(now):
            old, new = _versions(before), _versions(now)
            if names := [name for name, was in old.items() if new.get(name, was) != was]:
                return f"the table made by another version of {either(names)}"
        if made.keys() != {setting.id for setting in request.settings}:
            return "a table with other settings: a file, data or a variable has changed since"
    return ""


def _versions(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the versions of the algorithms and of the user's reward laws in some records."""
    return {
        name: version
        for words in records
        for name, version in {words["algo"]: words["version"], **words.get("laws", {})}.items()
    }


def _content(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the settings of a table as JSON text, without the versions of their algorithms and
    laws.
    """
    beside = ("version", "laws", *BESIDE_RECORDS)
    settings = [
        {k: without_paths(x) for k, x in words.items() if k not in beside} for words in records
    ]
    return json.dumps(settings, sort_keys=True)
