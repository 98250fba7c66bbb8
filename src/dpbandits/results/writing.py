"""Writing a file piece by piece, atomically: it is complete or absent."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..errors import CannotWrite
from ..files import locked


def write_in_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Lock the folder of a file and write the file atomically; one piece is in memory at a time.

    Raises:
        CannotWrite: the file cannot be written; an older version is preserved.
    """
    part = path.with_name(f".{path.name}.part")
    with locked(path.parent):
        try:
            part.unlink(missing_ok=True)  # the remainder of a killed process
            with open(part, "xb") as file:  # x: a new file, so no link is followed
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as error:
            raise CannotWrite(path, error) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
