"""dpbandits: list the commands, and run one of them."""

from __future__ import annotations

import ast

from ..errors import unknown
from ..files import PACKAGE
from .command import entry_point, version_line
from .completion import COMMANDS

USAGE = """\
usage: dpbandits COMMAND [KEY=VALUE ...]

Run, compare and trust differentially private multi-armed bandits. `dpbandits COMMAND` is the same
as `bandit-COMMAND`.

{commands}

  dpbandits run algo=adap_klucb env=bernoulli_c2 eps=0.5    one setting
  dpbandits COMMAND --help                                  what a command takes

options:
  --completion SHELL  print the script for tab completion in bash, zsh or fish
  --version, --help

{version}
"""


def about(name: str) -> str:
    """What a command is for: the first sentence of its module, which is not imported."""
    module = ast.parse((PACKAGE / "cli" / f"{name}.py").read_text())
    return (ast.get_docstring(module) or "").partition("\n")[0].partition(": ")[2].rstrip(".")


def usage() -> str:
    """The help of ``dpbandits``."""
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:{width}}  {about(name)}" for name in COMMANDS)
    return USAGE.format(commands=listed, version=version_line())


@entry_point("dpbandits")
def main(argv: list[str]) -> int:
    """Answer everything but the name of a command, which ``start`` answers."""
    if argv == ["--version"]:
        print(version_line())
    elif not argv or argv[0] in ("--help", "-h"):
        print(usage(), end="")
    else:
        raise unknown("command", argv[0], COMMANDS)
    return 0
