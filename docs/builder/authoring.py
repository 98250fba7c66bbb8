"""The reference of ``dpbandits.authoring``, grouped by purpose as the module groups its names."""

import inspect
import re
import typing
from functools import partial
from pathlib import Path

from dpbandits import authoring

from .markdown import paragraphs, table

INTRODUCTION = """\
This module exports the functions that many algorithms use: functions of the game, random numbers,
declarations, and parts of algorithms. If only one family of algorithms uses a part, import the part
from its file in `dpbandits.parts`. [own_algorithm.md](../own_algorithm.md) describes how to write
an algorithm. [A notebook](../notebooks/verify.ipynb) shows an example: it writes, runs and audits
an algorithm, and then audits a broken version."""


def pages() -> dict[str, str]:
    """The page."""
    parts = ["# dpbandits.authoring", INTRODUCTION]
    for purpose, names in groups():
        parts.append(f"## {purpose[0].upper()}{purpose[1:]}")
        values = []
        for name in names:
            value = getattr(authoring, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                kind = "function" if inspect.isfunction(value) else "class"
                parts.append(f"```{{eval-rst}}\n.. auto{kind}:: dpbandits.authoring.{name}\n```")
            else:
                values.append((f"`{name}`", described(value)))
        if values:
            parts.append(table(("name", "value"), values))
    return {"authoring": paragraphs(*parts)}


def groups() -> list[tuple[str, list[str]]]:
    """The names of the module by purpose: the comments above its imports."""
    text = Path(authoring.__file__).read_text().partition("import annotations\n")[2]
    found = []
    for group in re.split(r"\n\n(?=# )", text.strip()):
        lines = group.splitlines()
        purpose = [line[2:] for line in lines if line.startswith("# ")]
        found.append((" ".join(purpose), re.findall(r"\b(\w+) as \1\b", group)))
    return found


def described(value: object) -> str:
    """A value in words: what a type of parameters allows, or the value itself."""
    if isinstance(value, partial):
        given = ", ".join(f"{key}={argument!r}" for key, argument in value.keywords.items())
        return f"`{value.func.__name__}` with `{given}`"
    metadata = getattr(value, "__metadata__", ())
    if typing.get_origin(value) is typing.Annotated or metadata:
        return str(metadata[0].allowed)
    for name in ("allowed", "words", "shifts_what", "name"):
        words = getattr(value, name, None)
        if isinstance(words, str):
            return words
    return f"`{value!r}`"
