"""Tidy tables of finished cells, and the manifest beside each table."""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..compiled.cache import SOURCES
from ..errors import BadInput, plain
from ..files import PACKAGE, write_atomically
from ..settings.setting import Cell, Unit, data_of
from ..validation import file_at
from .run_store import load_runs

# What a manifest that is missing, damaged or of another kind raises.
UNREADABLE = OSError, ValueError, KeyError, TypeError, AttributeError
INDIFFERENT = {"jobs", "backend", "results", "runner", "figure"}  # keys on which no table depends
LARGEST = 1e100  # of a number in a table: squares of larger ones are not finite
COLUMNS = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]


def tidy(results: Path, cells: Sequence[Cell], runs: int) -> pd.DataFrame:
    """The tidy table of finished cells, one row per run and checkpoint."""
    parts = []
    for cell in cells:
        kept = load_runs(results, cell)
        pulls = np.stack([kept[r] for r in range(runs)])
        regret = (pulls * data_of(cell).instance.gaps).sum(axis=2)
        rounds = cell.rounds()
        columns: dict[str, Any] = {
            "algo": cell.algo,
            "env": cell.env,
            "eps": cell.eps,
            "horizon": cell.horizon,
            "seed": cell.seed,
            **written(cell.columns),
            "run": np.repeat(np.arange(runs), len(rounds)),
            "t": np.tile(rounds, runs),
            "regret": regret.ravel(),
        }
        parts.append(pd.DataFrame(columns))
    table = pd.concat(parts, ignore_index=True)
    varied = [name for name in table.columns if name not in COLUMNS]
    return table[[*COLUMNS[:5], *varied, *COLUMNS[5:]]]


def written(columns: Mapping[str, Any]) -> dict[str, Any]:
    """What a sweep varies, as a table holds it: lists and mappings as they would be typed."""
    return {k: plain(v) if isinstance(v, list | dict) else v for k, v in columns.items()}


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV: the same bytes for the same runs."""
    text = table.to_csv(index=False, float_format="%.12g", lineterminator="\n")
    write_atomically(path, text.encode())


def read_table(path: Path) -> pd.DataFrame:
    """Read a tidy table of regrets.

    Raises:
        BadInput: the file is missing, is not a CSV, or lacks the columns of a tidy table.
    """
    positive = ("eps", "horizon", "t")
    table = read_columns(path, COLUMNS, words=("algo", "env"), positive=positive, endless=("eps",))
    if not (table["t"] == table["horizon"]).any():
        raise BadInput(f"{path}: no row has reached its horizon")
    return table


def read_columns(
    path: Path,
    columns: Sequence[str],
    words: Sequence[str],
    positive: Sequence[str],
    endless: Sequence[str] = (),
    blank: Sequence[str] = (),
) -> pd.DataFrame:
    """Read a CSV that has the given columns: finite numbers, but for ``words``, for ``endless``
    ones that may be infinite, and for ``blank`` ones that may hold blanks; above 0 if ``positive``.

    Raises:
        BadInput: the file is missing, is not a CSV, or its columns are not these.
    """
    try:
        table = pd.read_csv(file_at(path), low_memory=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise BadInput(f"{path}: not a readable CSV ({reason})") from None
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise BadInput(f"{path}: not a tidy CSV of dpbandits: no column {', '.join(missing)}")
    if table.empty:
        raise BadInput(f"{path}: the table has no rows")
    for name in columns:
        column = table[name].dropna() if name in blank else table[name]
        if name in words:
            if column.isna().any():
                raise BadInput(f"{path}: column {name} has blanks")
        elif not pd.api.types.is_numeric_dtype(column) or column.isna().any():
            raise BadInput(f"{path}: column {name} holds something that is not a number")
        elif name not in endless and not np.isfinite(column).all():
            raise BadInput(f"{path}: column {name} holds a number that is not finite")
        elif name in positive and not (column > 0).all():
            raise BadInput(f"{path}: column {name} holds {column.min():g}; it must be above 0")
        elif (sizes := column[np.isfinite(column)].abs()).max() > LARGEST:
            raise BadInput(
                f"{path}: column {name} holds {sizes.max():g}; at most {LARGEST:g} is needed"
            )
    return table


def write_manifest(
    path: Path, config: Mapping[str, Any], cells: Sequence[Unit], seconds: float
) -> None:
    """Write what is needed to make a table again: configuration, cells, the names of the files of
    their finished runs, the table's checksum, versions, time taken.

    A table made of finished runs alone keeps the time that they took.
    """
    if seconds == 0.0 and path.exists():
        with contextlib.suppress(*UNREADABLE):
            before = json.loads(file_at(path).read_text())
            if differing(before["config"], config) <= INDIFFERENT:
                seconds = float(before["wall_time_seconds"])
    manifest = {
        "config": config,
        "cells": [record(cell) for cell in cells],
        "finished": [cell.key for cell in cells],
        "sha256": sha256(path.with_suffix(".csv")),
        "sources": SOURCES,
        "seed": config["seed"],
        "versions": {name: _version(name) for name in ("dpbandits", "numpy", "numba")}
        | {"python": platform.python_version()},
        "commit": commit(),
        "wall_time_seconds": round(seconds, 3),
    }
    write_atomically(path, json.dumps(manifest, indent=2, default=str).encode() + b"\n")


def is_current(table: Path, config: Mapping[str, Any], cells: Sequence[Unit]) -> bool:
    """Whether a table, with all that lies beside it, is what these cells would give again."""
    with contextlib.suppress(*UNREADABLE):
        manifest = json.loads(file_at(table.with_suffix(".json")).read_text())
        return (
            all(table.with_suffix(suffix).stat().st_size for suffix in (".md", ".tex"))
            and manifest["sources"] == SOURCES
            and differing(manifest["config"], config) <= INDIFFERENT
            and manifest["finished"] == [cell.key for cell in cells]
            and manifest["sha256"] == sha256(table)
        )
    return False


def differing(before: Mapping[str, Any], config: Mapping[str, Any]) -> set[str]:
    """The keys in which the configuration of a manifest is another."""
    now = json.loads(json.dumps(config, default=str))
    return {key for key in before | now if before.get(key) != now.get(key)}


def sha256(file: Path) -> str:
    """Checksum of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def record(cell: Unit) -> dict[str, Any]:
    """All that a cell was run with, by name."""
    words = json.loads(cell.setting)
    words["parameters"] = dict(zip(cell.algorithm.domains, words.pop("arguments"), strict=True))
    for name in words.keys() & {"env_spec", "population"}:
        words[name] = json.loads(words[name]) if words[name] else None
    finite = np.isfinite(cell.eps)
    return words | {"version": cell.version} | ({} if finite else {"eps": None})


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> str | None:
    """Commit of the package's sources, with ``-dirty`` if they were edited; None outside git."""
    git = ["git", "-C", str(PACKAGE), "describe", "--always", "--abbrev=40", "--dirty"]
    try:
        tracked = subprocess.run(
            ["git", "-C", str(PACKAGE), "ls-files", "--error-unmatch", "files.py"],
            capture_output=True,
            check=False,
        )
        if tracked.returncode != 0:
            return None
        described = subprocess.run(git, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return described.stdout.strip() or None
