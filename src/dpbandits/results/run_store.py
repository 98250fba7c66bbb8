"""Finished runs, stored in memory or on disk. On disk, each setting has one file, and a checksum
detects damage.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import CannotRead, CannotWrite, in_a_line
from ..files import (
    RUNS,
    Implausible,
    locked,
    opened,
    read_text,
    remove_file,
    replace_file,
    set_aside,
)
from ..settings.request import MOST_RUNS
from ..settings.setting import Setting
from .possible import impossible

MAX_FILE_BYTES = 2**32  # of a file of runs
MOST_ARRAYS = 2**28  # bytes of arrays that a file of any size may hold
MEMBERS = "runs", "pulls", "answers", "seconds", "libraries", "checksum"
# The versions of the libraries with which this process plays
LIBRARIES = f"numpy {np.__version__}, numba {version('numba')}"
HEADER = struct.Struct("<26x2H")  # header of a zip member: lengths of its name and extra field
MEMBER_BYTES = 2**10  # the most that a member takes besides its data
MOST_WORDS = 2**8  # bytes for the names and versions of libraries
RUN_BYTES = 8 + 8 + 8 + MOST_WORDS  # bytes of a run besides its record
MOST_SECONDS = 1e10  # the longest time of a run: three centuries
REASON = 500  # characters of a stored reason of a failure
WORTH = 1.0  # runs that took more seconds must survive a power cut
BLOCK = 2**12  # bytes of a block of a disk; arrays of at most this size are not compressed
RATIO = 100  # larger arrays have at most this many times the size of their file


class Damaged(Exception):
    """The error for a file of runs whose content was changed or cut."""


class Run(NamedTuple):
    """A finished run."""

    # the record that the setting's question defines: int64 array (C, K), the pulls of each arm up
    # to each checkpoint, or float64 array (C, 1), the regret
    pulls: np.ndarray
    answer: float  # the answer that the run returned, NaN without one
    seconds: float  # its share of the time of a task that played several runs
    libraries: str = LIBRARIES  # the versions of libraries that played the run


Runs = dict[int, Run]  # finished runs of one setting, by number


class Memory:
    """Finished runs in memory."""

    deadline = math.inf  # see ``RunStore``

    def __init__(self) -> None:
        self.played_with: set[str] = set()
        self._runs: dict[Setting, Runs] = {}

    def finished(self, setting: Setting) -> frozenset[int]:
        """Return the numbers of the finished runs of a setting."""
        return frozenset(self.load(setting))

    def load(self, setting: Setting) -> Runs:
        """Return the finished runs of a setting."""
        return self._runs.get(setting, {})

    def save(self, setting: Setting, fresh: Runs) -> None:
        """Add finished runs of a setting to the stored runs."""
        self._runs[setting] = self.load(setting) | fresh

    def note_failure(self, setting: Setting, reason: str) -> None:
        """Do nothing: the raised error states the reason, so it need not be stored."""

    def forget_failure(self, setting: Setting) -> None:
        """Do nothing, see ``note_failure``."""


class RunStore:
    """Finished runs in a results folder, shared by all processes that use the folder.

    Attributes:
        results: the folder.
        deadline: a function that returns when to stop waiting for the locks of other processes, see
            ``locked``.
        played_with: the versions of the libraries with which the runs used so far were played.
    """

    def __init__(self, results: Path):
        self.results = results
        self.deadline = math.inf
        self.played_with: set[str] = set()
        self._seen: dict[Setting, tuple[tuple, frozenset[int]]] = {}

    def file(self, setting: Setting) -> Path:
        """Return the path of a setting's file of runs. The setting's hash determines in which of
        256 folders the file is.
        """
        return Path(f"{self.results}/{RUNS}/{setting.id[:2]}/{setting.key}.npz")

    def read(self, setting: Setting) -> Runs:
        """Read the finished runs of a setting; raises the errors of ``read_runs`` and
        ``check_runs``.
        """
        return check_runs(setting, read_runs(self.file(setting), record_bytes(setting)))

    def finished(self, setting: Setting) -> frozenset[int]:
        """Return the numbers of the finished runs of a setting. A file is read only if it has
        changed since the last call.

        Raises:
            Damaged: the file was cut, edited, or belongs to another setting.
            CannotRead: the system cannot read the file now.
        """
        file = self.file(setting)
        try:
            found = file.stat()
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise CannotRead(file, error) from error
        state = found.st_mtime_ns, found.st_size, found.st_ino
        if setting not in self._seen or self._seen[setting][0] != state:
            self._seen[setting] = state, frozenset(self.read(setting))
        return self._seen[setting][1]

    def load(self, setting: Setting) -> Runs:
        """Return the finished runs of a setting; the result is empty if its file is missing or
        damaged.
        """
        try:
            return self.read(setting)
        except Damaged:
            return {}

    def save(self, setting: Setting, fresh: Runs) -> None:
        """Add finished runs of a setting to its file. A damaged file gets another name and is kept.

        Raises:
            CannotWrite: the disk is full, or the folder may not be written.
            CannotRead: the file cannot be read now; it remains unchanged.
        """
        file = self.file(setting)
        with self._locked(file):
            try:
                runs = self.read(setting) | fresh
            except Damaged:
                set_aside(file)
                runs = fresh
            seconds = sum(run.seconds for run in runs.values())
            replace_file(file, packed(file.stem, runs), synced=seconds >= WORTH)

    @contextmanager
    def _locked(self, file: Path) -> Iterator[None]:
        """Lock the folder of a file of runs.

        Raises:
            CannotWrite: the folder cannot be locked, or it is a link, which could lead out of the
                results folder.
        """
        for folder in (file.parent.parent, file.parent):
            if folder.is_symlink():
                raise CannotWrite(
                    folder, OSError("the folder is a link; only results=DIR itself may be a link")
                )
        with locked(file.parent, lambda: self.deadline):
            yield

    def failure_file(self, setting: Setting) -> Path:
        """Return the path of the file that stores why a setting could not be finished."""
        return self.file(setting).with_suffix(".failed")

    def note_failure(self, setting: Setting, reason: str) -> None:
        """Store, in one line, why a setting could not be finished."""
        file = self.failure_file(setting)
        with self._locked(file):
            replace_file(file, f"{reason}\n".encode(), synced=False)

    def forget_failure(self, setting: Setting) -> None:
        """Remove the stored reason of a failure, since the setting is now finished."""
        file = self.failure_file(setting)
        if os.path.lexists(file):
            with self._locked(file):
                remove_file(file)

    def failure(self, setting: Setting) -> str | None:
        """Return why the last attempt to finish a setting failed, or None."""
        try:
            return in_a_line(read_text(self.failure_file(setting)), REASON)
        except (OSError, Implausible):
            return None


Store = Memory | RunStore


def read_runs(file: Path, record: float = math.inf) -> Runs:
    """Read the runs in a file; the result is empty if the file does not exist.

    ``record`` is the number of bytes of the record of one run.

    Raises:
        Damaged: the file was cut or edited, has runs of another setting, is not a regular file, or
            has an impossible size.
        CannotRead: the system cannot read the file now.
    """
    try:
        with opened(file, MAX_FILE_BYTES) as stored:
            members = _members(stored, record)
            stored.seek(0)
            content = stored.read()
    except FileNotFoundError:
        return {}
    except Implausible as error:
        raise Damaged(f"{file}: {error}") from error
    except OSError as error:
        raise CannotRead(file, error) from error
    try:
        *arrays, found = [array_of(_member(content, members[f"{name}.npy"])) for name in MEMBERS]
        intact = found.tobytes() == checksum(file.stem, *arrays)
    except Exception as error:  # a damaged file can fail in any way
        raise Damaged(f"{file}: {type(error).__name__}") from error
    if not intact:
        raise Damaged(f"{file}: the checksum does not match the runs in the file")
    if not _has_right_types(arrays):
        raise Damaged(f"{file}: the file holds no runs of this package")
    numbers, pulls, answers, seconds, libraries = arrays
    played_with = [x.decode(errors="replace") for x in libraries.tolist()]
    found_runs = map(Run, pulls, answers.tolist(), seconds.tolist(), played_with)
    return dict(zip(numbers.tolist(), found_runs, strict=True))


def _members(stored: BufferedReader, record: float) -> dict[str, zipfile.ZipInfo]:
    """Return the members of a zip archive by their names. Only the end of the file is read.

    ``record`` is the size of a run's record in bytes.

    Raises:
        Implausible: the file is not an archive, its members are too large for the number of runs,
            or the file is too large for its members.
    """
    file = os.fstat(stored.fileno()).st_size
    try:
        with zipfile.ZipFile(stored) as archive:
            members = {member.filename: member for member in archive.infolist()}
    except OSError:
        raise
    except Exception as error:  # a damaged file can fail in any way
        raise Implausible(type(error).__name__) from error
    runs = members["runs.npy"].file_size // 8 if "runs.npy" in members else 0
    most = runs * (record + RUN_BYTES) + len(MEMBERS) * MEMBER_BYTES
    held = sum(member.compress_size for member in members.values())
    size = sum(member.file_size for member in members.values())
    if (
        runs > MOST_RUNS + MEMBER_BYTES
        or size > most
        or file > held + len(MEMBERS) * MEMBER_BYTES
        or not is_plausible(size, file)
    ):
        raise Implausible("the file holds more bytes than its runs need")
    return members


def _has_right_types(arrays: Sequence[np.ndarray]) -> bool:
    """Return whether the arrays of MEMBERS have the types, dimensions and lengths that a file of
    runs needs.
    """
    numbers, pulls, answers, seconds, libraries = arrays
    shapes = [array.shape for array in (numbers, answers, seconds, libraries)]
    return (
        [array.dtype for array in (numbers, answers, seconds)] == [np.int64, float, float]
        and shapes == [(numbers.size,)] * 4
        and libraries.dtype.kind == "S"
        and pulls.dtype in (np.int64, np.float64)
        and pulls.ndim == 3
        and len(pulls) == len(numbers) == len({*numbers.tolist()})
        and libraries.dtype.itemsize <= MOST_WORDS
        and bool(((numbers >= 0) & (numbers < MOST_RUNS)).all())
        and bool(((seconds >= 0) & (seconds <= MOST_SECONDS)).all())  # false for NaN
    )


def check_runs(setting: Setting, runs: Runs) -> Runs:
    """Return the runs unchanged if they can belong to the setting.

    Raises:
        Damaged: no run of the setting can have these records or answers.
    """
    if runs:
        answers = np.array([run.answer for run in runs.values()])
        if found := impossible(setting, np.stack([run.pulls for run in runs.values()]), answers):
            raise Damaged(
                f"{setting.key}: the file holds runs that its setting cannot have: {found}"
            )
    return runs


def record_bytes(setting: Setting) -> int:
    """Return the number of bytes of the record of one run of a setting."""
    width = setting.question.record.width(len(setting.instance.means))
    return 8 * width * len(setting.rounds())


def _member(content: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return the content of a member of a zip archive; ``content`` has the bytes of the archive.

    The module zipfile would take three times as long. The member's CRC is not checked, since the
    checksum of the runs is checked anyway.
    """
    name, extra = HEADER.unpack_from(content, info.header_offset)
    start = info.header_offset + HEADER.size + name + extra
    packed = content[start : start + info.compress_size]
    if info.compress_type == zipfile.ZIP_STORED:
        return packed
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)


def array_of(content: bytes) -> np.ndarray:
    """Return the read-only array in the bytes of a file of NumPy's format, version 1.0.

    Parsed headers are cached: NumPy parses a header as Python source, which takes longer than the
    rest of this function.
    """
    end = 10 + int.from_bytes(content[8:10], "little")
    shape, by_columns, dtype = _header(content[:end])
    array = np.frombuffer(content, dtype, offset=end)
    return array.reshape(shape[::-1]).T if by_columns else array.reshape(shape)


@lru_cache(maxsize=256)
def _header(content: bytes) -> tuple[tuple[int, ...], bool, np.dtype]:
    header = io.BytesIO(content)
    if np.lib.format.read_magic(header) != (1, 0):
        raise ValueError("not version 1.0")
    return np.lib.format.read_array_header_1_0(header)


def is_plausible(arrays: int, file: int) -> bool:
    """Return whether arrays of ``arrays`` bytes can be the content of a file of runs of ``file``
    bytes.
    """
    return arrays <= max(MOST_ARRAYS, RATIO * file)


def checksum(key: str, *arrays: np.ndarray) -> bytes:
    """Return the SHA-256 checksum of a setting's key and runs."""
    digest = hashlib.sha256(key.encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


def packed(key: str, runs: Runs) -> bytes:
    """Return the content of the file that stores the given runs."""
    numbers = sorted(runs)
    arrays = {
        "runs": np.array(numbers),
        "pulls": np.stack([runs[r].pulls for r in numbers]),
        "answers": np.array([runs[r].answer for r in numbers]),
        "seconds": np.array([runs[r].seconds for r in numbers]),
        "libraries": np.array([runs[r].libraries.encode() for r in numbers]),
    }
    arrays["checksum"] = np.frombuffer(checksum(key, *arrays.values()), np.uint8)
    size = sum(array.nbytes for array in arrays.values())
    for write in (np.savez_compressed, np.savez)[size <= BLOCK :]:
        buffer = io.BytesIO()
        write(buffer, **arrays)  # type: ignore[arg-type]
        if is_plausible(size, buffer.tell()):  # otherwise the arrays are not compressed
            break
    return buffer.getvalue()
