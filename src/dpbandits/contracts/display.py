"""Display names of algorithms and stopping rules, read from their source files."""

from __future__ import annotations

import ast
from functools import cache

from ..files import PACKAGE


@cache
def display_name(name: str) -> str:
    """The printed name of an algorithm or a stopping rule: AdaP-KLUCB for ``adap_klucb``.

    It is the constant ``NAME`` of the algorithm's file, which is parsed and not imported, since an
    import loads the compiler. Any other name, such as that of a user's algorithm, is returned
    unchanged.
    """
    for folder in ("algorithms", "stopping"):
        file = PACKAGE / folder / f"{name}.py"
        if not (name.isidentifier() and file.is_file()):
            continue
        for node in ast.parse(file.read_text()).body:
            match node:
                case ast.Assign(targets=[ast.Name(id="NAME")], value=ast.Constant(value=str(text))):
                    return text
    return name
