"""The disk cache of machine code: one folder for each state of the sources that all code shares.

Numba's own cache does not notice edits of imported files, and fails if one of its files is damaged.
Here a function has one file for each signature: a checksum, the state of its sources, and its code.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from ..errors import CannotWrite
from ..files import PACKAGE, Implausible, opened, set_aside, sources_hash
from .sources import hash_of, place_of, shared_state, state_of

SOURCES = sources_hash(*sorted(PACKAGE.rglob("*.py")))  # the state of the whole package

# Folders of other states are removed when one is created; a complete folder has about 20 MB
OLDEST = 30 * 86400.0  # seconds since a folder was last used
LARGEST = 500_000_000  # bytes of all folders together; those used last are preserved
NAME = "code-"  # followed by a hash
OUR_FOLDER = re.compile(NAME + "[0-9a-f]{12}")


def cache_folder() -> Path:
    """Create and return the cache folder of the present state of the shared sources."""
    name = NAME + shared_state()
    for home in _cache_homes():
        folder = home / name
        try:
            is_new = not folder.is_dir()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
            if folder.stat().st_uid != os.getuid():  # never load code written by another user
                continue
            os.utime(folder)  # it is in use
        except OSError:
            continue
        if is_new:
            prune(folder)
        return folder
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-"), name)
    folder.mkdir()
    return folder


def _cache_homes() -> Iterator[Path]:
    if home := os.environ.get("NUMBA_CACHE_DIR"):  # empty is the same as unset
        yield Path(home).absolute()
    if home := os.environ.get("XDG_CACHE_HOME"):
        yield Path(home).absolute() / "dpbandits"
    with contextlib.suppress(RuntimeError):  # the user may have no home folder
        yield Path.home() / ".cache" / "dpbandits"
    yield Path(tempfile.gettempdir()) / f"dpbandits-{os.getuid()}"


def prune(used: Path) -> None:
    """Remove the folders beside one in use that were not used for long, or are too large."""
    others = []
    for folder in used.parent.iterdir():
        with contextlib.suppress(OSError):
            state = folder.lstat()
            ours = OUR_FOLDER.fullmatch(folder.name) and state.st_uid == os.getuid()
            if ours and folder != used and folder.is_dir() and not folder.is_symlink():
                others.append((state.st_mtime, folder))
    total = _size(used)
    for last_used, folder in sorted(others, reverse=True):
        total += _size(folder)
        if total > LARGEST or last_used < time.time() - OLDEST:
            shutil.rmtree(folder, ignore_errors=True)


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # another process may remove it
            total += file.lstat().st_size
    return total


FOLDER = cache_folder()


def compiled_code() -> Path:
    """Return the folder of the cached machine code."""
    return FOLDER


CHECKSUM = 32  # bytes


def _checksum(state: bytes, code: bytes) -> bytes:
    return hashlib.sha256(state + b"\n" + code).digest()


class MachineCode(FunctionCache):
    """The machine code of a function on disk, which a dispatcher of Numba loads and saves.

    Args:
        function: the function that is compiled.
        name: what users call it.
        place: a hash that identifies it, the same for all states of its sources.
        state: a hash of the sources that are compiled into it, less those shared by all.
    """

    def __init__(self, function: Callable, name: str, place: str, state: str):
        self._py_func, self.name = function, name
        self._stem = re.sub(r"\W", "", name) + f"-{place}"
        self._state = state.encode()
        self.enable()

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(compiled_code())

    def flush(self) -> None:
        """Remove all code of the function."""
        for file in self._files():
            file.unlink(missing_ok=True)

    def is_there(self) -> bool:
        """Whether there is code of the present state."""
        return any(self._content(file) is not None for file in self._files())

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        key = self._index_key(sig, target_context.codegen())
        content = self._content(self._file(sig))
        if content is None:
            return None
        of, code = pickle.loads(content)
        return CompileResult._rebuild(target_context, *code) if of == key else None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or data.lifted or data.library.has_dynamic_globals:
            return
        key = self._index_key(sig, data.codegen)
        content = dumps((key, data._reduce()))
        with contextlib.suppress(OSError):  # a full disk, for instance: the code is in memory
            self._write(self._file(sig), _checksum(self._state, content) + self._state + content)

    def _files(self) -> Iterator[Path]:
        return compiled_code().glob(f"{self._stem}.*.nbc")

    def _file(self, sig: Any) -> Path:
        return compiled_code() / f"{self._stem}.{hash_of(str(sig))}.nbc"

    def _content(self, file: Path) -> bytes | None:
        """The code in a file if it is of the present state; a damaged file is set aside."""
        try:
            with opened(file) as stored:
                content = stored.read()
        except FileNotFoundError:
            return None
        except (OSError, Implausible):
            content = b""
        start = CHECKSUM + len(self._state)
        state, code = content[CHECKSUM:start], content[start:]
        if _checksum(state, code) != content[:CHECKSUM]:
            self._set_aside(file)
            return None
        return code if state == self._state else None

    def _set_aside(self, file: Path) -> None:
        try:
            set_aside(file)
        except CannotWrite:
            if not os.path.lexists(file):  # another process was faster
                return
        print(
            f"the cached machine code of {self.name} is damaged: compiling it again",
            file=sys.stderr,
            flush=True,
        )

    def _write(self, file: Path, content: bytes) -> None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, part = tempfile.mkstemp(dir=file.parent)
        try:
            with open(number, "wb") as made:
                made.write(content)
            os.replace(part, file)
        except BaseException:
            os.unlink(part)
            raise


def cache_on_disk(
    dispatcher: Any, name: str = "", place: str | None = None, state: str | None = None
) -> None:
    """Cache the machine code of a dispatcher on disk; see ``MachineCode``."""
    function = dispatcher.py_func
    place = place_of(function) if place is None else place
    state = state_of(function) if state is None else state
    dispatcher._cache = MachineCode(function, name or function.__name__, place, state)


def is_cached(dispatcher: Any) -> bool:
    """Whether the machine code of a kernel or loop is in the disk cache."""
    return has_disk_cache(dispatcher) and dispatcher._cache.is_there()


def has_disk_cache(dispatcher: Any) -> bool:
    """Whether the machine code of a kernel or loop is cached on disk: not that of a notebook's."""
    return isinstance(getattr(dispatcher, "_cache", None), MachineCode)


def is_in_a_file(function: Callable) -> bool:
    """Whether a function is defined in a module's file, not in a notebook or at a prompt."""
    if getattr(function, "__module__", None) in (None, "__main__"):
        return False
    return Path(function.__code__.co_filename).is_file()
