"""Machine code on disk: a file for each function and signature.

A file consists of a checksum, the hash of the sources, and the code.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
from pathlib import Path
from typing import Any
from uuid import uuid4

from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from ...errors import CannotWrite
from ...files import Implausible, opened, set_aside
from ..folder import Stored, Unsafe, check_own, found_folder, opened_folder, report_damage
from ..sources import hash_of

CHECKSUM = 32  # the length of a checksum in bytes
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def _checksum(state: bytes, code: bytes) -> bytes:
    return hashlib.sha256(state + b"\n" + code).digest()


class MachineCode:
    """The machine code of a function on disk, which a dispatcher of Numba loads and saves."""

    def __init__(self, stored: Stored):
        self.name, self._stem, self._state = stored.name, stored.stem, stored.state.encode()

    def is_there(self) -> bool:
        """Return whether code that was compiled from these sources is on disk."""
        folder = found_folder("quick").path
        files = folder.glob(f"{self._stem}.*.nbc") if folder else []
        return any(self._content(file) is not None for file in files)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if no code from these sources is on disk."""
        target_context.refresh()
        content = self._content(self._file(sig))
        if content is None:
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code for a signature to disk, unless it contains addresses of this process."""
        file = self._file(sig)
        if file is None or data.lifted or data.library.has_dynamic_globals:
            return
        content = dumps(data._reduce())
        with contextlib.suppress(OSError):
            # for instance, the disk is full; the code in memory can still be used
            self._write(file, _checksum(self._state, content) + self._state + content)

    def _file(self, sig: Any) -> Path | None:
        folder = found_folder("quick").path
        return folder and folder / f"{self._stem}.{hash_of(str(sig))}.nbc"

    def _content(self, file: Path | None) -> bytes | None:
        """Return the code in a file, or None if it was compiled from other sources.

        If a file is damaged, or another user may have written it, it is renamed.
        """
        if file is None:
            return None
        try:
            with opened_folder(file.parent) as folder:
                return self._code(file, folder)
        except OSError:  # the folder is gone, or has become unsafe
            return None

    def _code(self, file: Path, folder: int) -> bytes | None:
        try:
            with opened(file, folder=folder) as stored:
                check_own(os.fstat(stored.fileno()), file)
                content = stored.read()
        except FileNotFoundError:
            return None
        except Unsafe:
            self._set_aside(file, "may belong to another user")
            return None
        except (OSError, Implausible):
            content = b""
        start = CHECKSUM + len(self._state)
        state, code = content[CHECKSUM:start], content[start:]
        if _checksum(state, code) != content[:CHECKSUM]:
            self._set_aside(file, "is damaged")
            return None
        return code if state == self._state else None

    def _set_aside(self, file: Path, why: str) -> None:
        try:
            set_aside(file)
        except CannotWrite:
            if not os.path.lexists(file):  # another process has already moved the file
                return
        report_damage(self.name, why)

    def _write(self, file: Path, content: bytes) -> None:
        part = f".{uuid4().hex}.part"
        with opened_folder(file.parent) as folder:
            descriptor = os.open(part, NEW, 0o600, dir_fd=folder)
            try:
                with open(descriptor, "wb") as made:
                    made.write(content)
                os.replace(part, file.name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(part, dir_fd=folder)
                raise
