"""dpbandits: list the commands, which it runs as ``dpbandits COMMAND``."""

from __future__ import annotations

import ast
import sys

from ..errors import unknown
from ..files import PACKAGE
from .command import USAGE, guarded, version_line
from .completion import COMMANDS


def main() -> None:
    """The entry point of ``dpbandits`` without the name of a command."""
    guarded("dpbandits", lambda: _answer(sys.argv[1:]))


def _answer(words: list[str]) -> int:
    if words == ["--version"]:
        print(version_line())
    elif not words or words[0] in ("--help", "-h"):
        width = max(map(len, COMMANDS))
        listed = "\n".join(f"  {name:{width}}  {about(name)}" for name in COMMANDS)
        usage = (USAGE / "commands.txt").read_text()
        print(usage.format(commands=listed, version=version_line()), end="")
    else:
        raise unknown("command", words[0], COMMANDS)
    return 0


def about(name: str) -> str:
    """What a command is for: the first sentence of its module, which is not imported."""
    module = ast.parse((PACKAGE / "cli" / f"{name}.py").read_text())
    return (ast.get_docstring(module) or "").partition("\n")[0].partition(": ")[2].rstrip(".")
