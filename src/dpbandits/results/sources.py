"""The last line of a generated page: a hash of the sources that decide it, and the versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from ..contracts.algorithm import Algorithm
from ..contracts.versions import without_libraries
from ..files import PACKAGE
from ..fingerprint import fingerprint
from ..settings.setting import Setting, digest
from .manifest import versions

Source = str | Path | Algorithm | Setting  # of what decides a page; of a path the file's contents

SUMMARY = [PACKAGE / "results" / f"{name}.py" for name in ("summary", "intervals", "metrics")]
OUT_OF_DATE = "Out of date: sources of this page have changed since it was made."
MARK = re.compile(rf"\n*(?:\*\*|% ){re.escape(OUT_OF_DATE)}(?:\*\*)?\n*\Z")
LINE = re.compile(r"(?:\n<!--|(?<=\n)%) sources (\w{12}); made with [^\n]*\n\Z")


def sources_of(parts: Iterable[Source]) -> str:
    """Hash of what decides a page: the same on every machine and with all versions of libraries."""
    return digest(*map(_text, parts), length=12)


def of_summary(settings: Sequence[Setting], runs: int) -> list[Source]:
    """What decides the summary of some runs of each setting."""
    return [str(runs), *settings, *SUMMARY]


def signed(text: str, parts: Iterable[Source], suffix: str = ".md") -> str:
    """A page in Markdown or LaTeX with its last line, a comment."""
    made = ", ".join(f"{name} {found}" for name, found in versions().items())
    line = f"sources {sources_of(parts)}; made with {made}"
    return f"{text}\n<!-- {line} -->\n" if suffix == ".md" else f"{text}% {line}\n"


def unsigned(text: str) -> str:
    """A page without its last line, and without the sentence that it is out of date."""
    return MARK.sub("\n", LINE.sub("", text))


def signature(text: str) -> str | None:
    """The hash in the last line of a page; None if it has no such line."""
    found = LINE.search(text)
    return found[1] if found else None


def _text(part: Source) -> str:
    if isinstance(part, Path):
        return fingerprint(part)
    if isinstance(part, Algorithm):
        return f"{part.group}={part.name} {without_libraries(part.version)}"
    if isinstance(part, Setting):
        data = part.data or part.read()
        with np.errstate(over="ignore"):  # the last digits of float64 differ between processors
            arrays = [
                np.asarray(x, dtype=np.float32).tobytes().hex()
                for x in (*data.instance.content(), *data.population.users())
            ]
        played = [part.version, *(law.version for law in part.laws)]
        return digest(part.described, *map(without_libraries, played), *arrays, length=16)
    return part
