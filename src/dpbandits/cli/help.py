"""dpbandits: list the commands, which it runs as ``dpbandits COMMAND``; and the help of each."""

from __future__ import annotations

import ast
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

from ..errors import BadInput, unknown
from ..files import PACKAGE, package_folder
from ..settings.groups import about, file_of, names_in, question_of
from .completion import COMMANDS
from .ending import run_command

USAGE = Path(__file__).parent / "usage"
Lists = Mapping[str, str]


def main() -> None:
    """Run ``dpbandits`` without the name of a command."""
    run_command("dpbandits", lambda: _answer(sys.argv[1:]))


def _answer(words: list[str]) -> int:
    if words == ["--version"]:
        print(version_line())
    elif not words or words[0] in ("--help", "-h"):
        width = max(map(len, COMMANDS))
        listed = "\n".join(f"  {name:{width}}  {_purpose(name)}" for name in COMMANDS)
        usage = (USAGE / "commands.txt").read_text()
        print(usage.format(commands=listed, version=version_line()), end="")
    else:
        raise unknown("command", words[0], COMMANDS)
    return 0


def _purpose(name: str) -> str:
    """Return the purpose of a command, from the first line of its module's docstring. The module is
    parsed and not imported.
    """
    module = ast.parse((PACKAGE / "cli" / f"{name}.py").read_text())
    return (ast.get_docstring(module) or "").partition("\n")[0].partition(": ")[2].rstrip(".")


def version_line() -> str:
    """Return the name and the version of the package, as every command prints them."""
    return f"dpbandits {version('dpbandits')}"


def help_text(
    name: str, topic: str, lists: Callable[[], Lists], folders: tuple[str, ...] = ()
) -> str:
    """Return the help of a command.

    Without a topic, the help is one screen of text. If the topic is the name of a list, the help is
    the list. If the topic is ``GROUP=NAME``, the help is the configuration file NAME, which may be
    in a user's ``folders``.

    Raises:
        BadInput: the command has no such list.
    """
    if not topic:
        return (USAGE / f"{name}.txt").read_text().format(version=version_line())
    topics = COMMANDS[name].get("help", ())
    group, equals, chosen = topic.partition("=")
    if group not in topics:
        has = f"--help {'|'.join(topics)}" if topics else "no lists"
        raise BadInput(f"--help {topic}: bandit-{name} has {has}")
    if not (package_folder("conf") / group).is_dir():
        return (_keys(name) if group == "keys" else lists()[group]) + "\n"
    if equals:
        return file_of(group, chosen, folders).read_text()
    ours = names_in(group)
    own = [x for x in names_in(group, folders) if x not in ours]
    if group == "experiment":
        command = f"bandit-{name}"
        ours = [x for x in ours if (found := question_of(x)) and found.command == command]
    listed = [entry(x, about(group, x)) for x in ours]
    listed += [entry(x, about(group, x, folders) or "your own") for x in own]
    return "\n".join(listed) + "\n"


def entry(name: str, about: str) -> str:
    """Return a name with its description, in lines that fit the terminal."""
    width = min(shutil.get_terminal_size().columns, 110)
    start, indent = f"  {name:<21} {about}", " " * 24
    return textwrap.fill(start, width, subsequent_indent=indent, break_on_hyphens=False)


def _keys(command: str) -> str:
    """Return the keys of a command with their defaults, as its file in conf describes them."""
    [file] = COMMANDS[command]["files"]
    lines = (package_folder("conf") / f"{file}.yaml").read_text().splitlines()
    words = (
        line.removeprefix("  - ").partition("  #") for line in lines if not line.startswith("#")
    )
    return "\n".join(entry(k.strip().replace(": ", "="), x.strip()) for k, _, x in words if x)
