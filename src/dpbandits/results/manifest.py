"""The manifest beside a table: all that is needed to make the table again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

from ..compiled import SOURCES
from ..files import PACKAGE, opened, read_text, write_atomically
from ..settings.request import DECIDES_NO_ROW, Request
from ..settings.setting import Setting
from .formats import SUMMARY_CSV, beside

# Errors that are raised by a manifest that is missing, damaged or not made by dpbandits.
UNREADABLE = OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
PATIENCE = 5  # seconds for git to answer


def read_manifest(table: Path) -> Any:
    """Read the manifest beside a table; raises one of UNREADABLE."""
    return json.loads(read_text(beside(table, ".json")))


def write_manifest(
    table: Path, request: Request, seconds: float, played_with: Iterable[str]
) -> None:
    """Write the manifest of a table.

    The manifest holds the configuration, the overrides that changed it, the settings by their ids,
    the table's checksum, the time, and two kinds of versions: of the software that made the table,
    and of the libraries that played its runs. If all runs were finished before (``seconds`` is 0),
    the manifest keeps the time that an earlier manifest states.
    """
    if seconds == 0.0:
        with contextlib.suppress(*UNREADABLE):
            before = read_manifest(table)
            if differing(before["config"], request.config) <= DECIDES_NO_ROW:
                seconds = float(before["wall_time_seconds"])
    manifest = {
        "config": request.config,
        "changed": list(request.changed),
        "settings": request.records,
        "sha256": sha256(table),
        "sources": SOURCES,
        "seed": request.config["seed"],
        "versions": versions(),
        "played_with": sorted(played_with),
        "commit": commit(),
        "wall_time_seconds": round(seconds, 3),
    }
    pieces = json.JSONEncoder(indent=2, default=str).iterencode(manifest)
    write_atomically(beside(table, ".json"), map(str.encode, chain(pieces, "\n")))


def summary_endings(config: Mapping[str, Any]) -> list[str]:
    """Return the endings of the summaries beside a table.

    The summary of an experiment is also written as CSV, since the summary is kept even if the table
    is too large to be kept.
    """
    return [".md", ".tex", *([SUMMARY_CSV] if config.get("experiment") is not None else [])]


def is_current(table: Path, config: Mapping[str, Any], settings: Sequence[Setting]) -> bool:
    """Return whether a table and its summaries are those that these settings would give again."""
    with contextlib.suppress(*UNREADABLE):
        manifest = read_manifest(table)
        return (
            all(beside(table, suffix).stat().st_size for suffix in summary_endings(config))
            and manifest["sources"] == SOURCES
            and differing(manifest["config"], config) <= DECIDES_NO_ROW
            and list(manifest["settings"]) == [setting.id for setting in settings]
            and manifest["sha256"] == sha256(table)
        )
    return False


def differing(before: Mapping[str, Any], config: Mapping[str, Any]) -> set[str]:
    """Return the keys in which a manifest's configuration ``before`` differs from ``config``."""
    now = json.loads(json.dumps(config, default=str))
    return {key for key in before | now if before.get(key) != now.get(key)}


def sha256(file: Path) -> str:
    """Return the SHA-256 checksum of a file."""
    with opened(file) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


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
    """Return the commit of the package's sources, with ``-dirty`` if they were edited; None outside
    git.
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
