"""The origin of a figure, and the names of its files. The files state the origin: the command, the
version of the package, and the ids of the settings.

This module does not need matplotlib, which takes a second to import.
"""

from __future__ import annotations

import html
import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..errors import BadInput, plain, unknown

FORMATS = ("pdf", "png", "svg", "pgf")
# Where each format stores the text about how a file was made
PATTERNS = {
    ".pdf": re.compile(rb"/Subject \(((?:[^\\)]|\\.)*)\)", re.S),
    ".svg": re.compile(rb"<dc:description>(.*?)</dc:description>", re.S),
    ".pgf": re.compile(rb"% (\{.*)"),
}


def formats_of(given: str) -> list[str]:
    """Return the list of the formats in a text such as ``pdf,png``.

    Raises:
        BadInput: the package cannot write figures in one of these formats.
    """
    formats = given.strip("[]").split(",")
    for name in formats:
        if name not in FORMATS:
            raise unknown("format", name, FORMATS)
    return formats


def files_of(out: Path, formats: list[str] | None = None) -> tuple[Path, list[str]]:
    """Return the path of a figure's files without a suffix, and the list of their formats.

    ``out`` may end in a format, such as ``.pdf``. An ending that is not a word, as in ``eps0.5``,
    is part of the name.

    Raises:
        BadInput: the package cannot write figures in the format of ``out``, or ``formats`` names
            other formats.
    """
    suffix = out.suffix[1:].lower()
    if suffix not in FORMATS:
        if suffix.isalpha():
            raise BadInput(f"out={out}: figures are written as {', '.join(FORMATS)}")
        return out, formats or ["pdf", "png"]
    if formats not in (None, [suffix]):
        words = f"format={','.join(formats or [])}: the suffix of out={out} is another format"
        raise BadInput(f"{words}; write out={out.with_suffix('')}, or leave format out")
    return out.with_suffix(""), [suffix]


def origin_of(ids: list[str], command: str) -> dict[str, Any]:
    """Describe how a figure is made: the command, the version and the ids of the settings."""
    made = {"command": command} if command else {}
    return {**made, "version": f"dpbandits {version('dpbandits')}", "settings": ids}


def metadata(suffix: str, origin: dict[str, Any] | None) -> dict[str, Any]:
    """Return the metadata of a PDF, a PNG or an SVG.

    The metadata contain no date and no version of matplotlib, so that drawing a figure again gives
    the same bytes.
    """
    same = {"pdf": {"CreationDate": None}, "png": {"Software": None}, "svg": {"Date": None}}[suffix]
    key = "Subject" if suffix == "pdf" else "Description"
    return same if origin is None else {**same, key: json.dumps(origin)}


def comment(origin: dict[str, Any] | None) -> bytes:
    """Return the first line of a PGF file: a comment with the origin, or nothing if ``origin`` is
    None.
    """
    return b"" if origin is None else f"% {json.dumps(origin)}\n".encode()


def origin_in(file: Path) -> dict[str, Any]:
    """Read how the figure in a file was made, see ``origin_of``.

    Raises:
        BadInput: the file does not say how its figure was made.
    """
    found: str | bytes = ""
    try:
        if file.suffix == ".png":
            from PIL import Image

            with Image.open(file) as picture:
                found = str(picture.info.get("Description"))
        elif file.suffix in PATTERNS and (match := PATTERNS[file.suffix].search(file.read_bytes())):
            text, is_pdf = match[1], file.suffix == ".pdf"
            found = re.sub(rb"\\(.)", rb"\1", text) if is_pdf else html.unescape(text.decode())
        origin = json.loads(found)
    except FileNotFoundError:
        raise BadInput(f"{file}: no such file") from None
    except (OSError, ValueError):
        origin = None
    if not isinstance(origin, dict) or "version" not in origin:
        words = f"a figure that bandit-plot wrote ({', '.join(FORMATS)}) is needed"
        raise BadInput(f"{plain(str(file))}: {words}; this file does not say how it was made")
    return origin
