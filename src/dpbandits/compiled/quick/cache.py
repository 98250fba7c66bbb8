"""Machine code on disk: of each function and signature a checksum, a state, and the code."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
from pathlib import Path
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from ...errors import CannotWrite
from ...files import Implausible, opened, set_aside
from ..folder import Stored, folder_of, report_damage
from ..sources import hash_of

CHECKSUM = 32  # bytes


def _checksum(state: bytes, code: bytes) -> bytes:
    return hashlib.sha256(state + b"\n" + code).digest()


class MachineCode:
    """The machine code of a function on disk, which a dispatcher of Numba loads and saves."""

    def __init__(self, stored: Stored):
        self.name, self._stem, self._state = stored.name, stored.stem, stored.state.encode()

    def is_there(self) -> bool:
        """Whether there is code of the present state."""
        files = folder_of("quick").glob(f"{self._stem}.*.nbc")
        return any(self._content(file) is not None for file in files)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature, None if there is none of the present state."""
        target_context.refresh()
        content = self._content(self._file(sig))
        if content is None:
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code for a signature, unless it holds addresses of this process."""
        if data.lifted or data.library.has_dynamic_globals:
            return
        content = dumps(data._reduce())
        with contextlib.suppress(OSError):  # a full disk, for instance: the code is in memory
            self._write(self._file(sig), _checksum(self._state, content) + self._state + content)

    def _file(self, sig: Any) -> Path:
        return folder_of("quick") / f"{self._stem}.{hash_of(str(sig))}.nbc"

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
        report_damage(self.name)

    def _write(self, file: Path, content: bytes) -> None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            made = Path(folder, file.name)
            made.write_bytes(content)
            os.replace(made, file)
