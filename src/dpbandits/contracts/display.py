"""How algorithms and stopping rules are shown: what their source files declare for people."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from ..files import PACKAGE


def display_name(name: str) -> str:
    """The printed name of an algorithm or a stopping rule: AdaP-KLUCB for ``adap_klucb``.

    It is the constant ``NAME`` of the algorithm's file. Any other name, such as that of a user's
    algorithm, is returned unchanged.
    """
    return str(_declared(name).get("NAME", name))


def line_of(name: str) -> tuple[str, str] | None:
    """The names of the colour and the dash of an algorithm's lines, the same in all figures.

    They are the constant ``LINE`` of its file; None for an algorithm of a user.
    """
    return _declared(name).get("LINE")


@cache
def _declared(name: str) -> dict[str, Any]:
    """The constants of an algorithm's file, which is parsed and not imported: an import loads the
    compiler.
    """
    found: dict[str, Any] = {}
    for folder in ("algorithms", "stopping"):
        file = PACKAGE / folder / f"{name}.py"
        if not (name.isidentifier() and file.is_file()):
            continue
        for node in ast.parse(file.read_text()).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=("NAME" | "LINE") as constant)]):
                    found[constant] = ast.literal_eval(node.value)
    return found
