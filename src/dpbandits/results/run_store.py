"""Finished runs on disk: one file a cell, which knows when it was damaged."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..errors import CannotRead, CannotWrite
from ..files import locked, replace_file
from ..settings.setting import Unit

T = TypeVar("T")


class Damaged(Exception):
    """A cell's file is not as it was written."""


@dataclass
class Kept:
    """Runs by number: what ``play`` gave for each, and how long it took."""

    outcomes: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)

    def __or__(self, other: Kept) -> Kept:
        return Kept(self.outcomes | other.outcomes, self.seconds | other.seconds)


def cell_file(results: Path, cell: Unit) -> Path:
    """Where the finished runs of a cell are kept: in one of 256 folders, by its hash."""
    return file_of(results, cell.key)


def file_of(results: Path, key: str) -> Path:
    """Where the finished runs of the cell of a key are kept."""
    return results / "cells" / key.rpartition("-")[2][:2] / f"{key}.npz"


def read_kept(file: Path) -> Kept:
    """The runs in a cell's file; none if there is no file.

    Raises:
        Damaged: it was cut, edited, or is that of another cell.
        CannotRead: there is no telling, for the system did not give it.
    """
    content = asked(file, Path.read_bytes)
    if content is None:
        return Kept()
    try:
        with np.load(io.BytesIO(content)) as members:
            runs, outcomes, seconds = (members[x] for x in ("runs", "outcomes", "seconds"))
            intact = bytes(members["checksum"]) == checksum(file.stem, runs, outcomes, seconds)
    except Exception as error:  # a damaged file can fail in any way
        raise Damaged(f"{file}: {type(error).__name__}") from error
    if not intact:
        raise Damaged(f"{file}: its checksum is that of other runs")
    numbers = runs.tolist()
    return Kept(
        dict(zip(numbers, outcomes, strict=True)),
        dict(zip(numbers, seconds.tolist(), strict=True)),
    )


def asked(file: Path, what: Callable[[Path], T]) -> T | None:
    """What the system says of a file; None if there is no file."""
    try:
        return what(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotRead(file, error) from error


def checksum(key: str, *arrays: np.ndarray) -> bytes:
    """SHA-256 of a cell's runs, and of which cell's they are."""
    digest = hashlib.sha256(key.encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


def load_runs(results: Path, cell: Unit) -> dict[int, np.ndarray]:
    """The finished runs of a cell, by number; a file that is missing or damaged holds none."""
    try:
        return read_kept(cell_file(results, cell)).outcomes
    except Damaged:
        return {}


def save_runs(results: Path, cell: Unit, fresh: Kept) -> None:
    """Keep finished runs of a cell, beside those that it has, from whichever process.

    A damaged file is set aside, not written over.

    Raises:
        CannotWrite: the disk is full, or the folder may not be written.
        CannotRead: what it has cannot be read now, and is left as it is.
    """
    file = cell_file(results, cell)
    with locked(file.parent):
        try:
            kept = read_kept(file) | fresh
        except Damaged:
            set_aside(file)
            kept = fresh
        replace_file(file, packed(file.stem, kept))


def set_aside(file: Path) -> None:
    """Rename a damaged file, for whoever wants to know what happened to it."""
    try:
        file.replace(file.with_suffix(".damaged"))
    except OSError as error:
        raise CannotWrite(file, error) from error


class Shelf:
    """Which runs of cells are kept, read anew where a file has changed since."""

    def __init__(self, results: Path):
        self.results = results
        self._seen: dict[Unit, tuple[tuple, frozenset[int]]] = {}

    def runs(self, cell: Unit) -> frozenset[int]:
        """The numbers of a cell's kept runs; raises what ``read_kept`` raises."""
        file = cell_file(self.results, cell)
        found = asked(file, Path.stat)
        if found is None:
            return frozenset()
        state = found.st_mtime_ns, found.st_size, found.st_ino
        if cell not in self._seen or self._seen[cell][0] != state:
            self._seen[cell] = state, frozenset(read_kept(file).outcomes)
        return self._seen[cell][1]


def packed(key: str, kept: Kept) -> bytes:
    """A cell's file."""
    numbers = sorted(kept.outcomes)
    runs = np.array(numbers)
    outcomes = np.stack([kept.outcomes[r] for r in numbers])
    seconds = np.array([kept.seconds[r] for r in numbers])
    check = np.frombuffer(checksum(key, runs, outcomes, seconds), np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, runs=runs, outcomes=outcomes, seconds=seconds, checksum=check)
    return buffer.getvalue()


def failure_file(results: Path, cell: Unit) -> Path:
    """Where the reason is kept for which a cell could not be finished."""
    return cell_file(results, cell).with_suffix(".failed")


def note_failure(results: Path, cell: Unit, reason: str) -> None:
    """Keep why a cell could not be finished, in one line, beside its file."""
    file = failure_file(results, cell)
    with locked(file.parent):
        replace_file(file, f"{reason}\n".encode())


def forget_failure(results: Path, cell: Unit) -> None:
    """A cell is finished: it has failed no more."""
    failure_file(results, cell).unlink(missing_ok=True)


def failure_of(results: Path, cell: Unit) -> str | None:
    """Why a cell could not be finished when it was last tried, or None."""
    try:
        return failure_file(results, cell).read_text(errors="replace").strip()
    except OSError:
        return None
