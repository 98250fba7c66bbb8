"""The command reference: the help of each command, and its keys with their defaults."""

import os
import re
import sys
import tomllib
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from unittest.mock import patch

from dpbandits.cli.completion import COMMANDS, OWN_KEYS

from .documents import TOP
from .markdown import code, paragraphs, table, toctree

KEY = re.compile(r"^(?:  - )?(\w+): +(\S.*?)(?: +# (.*))?$")
ABOUT = {
    "--cfg": "`--cfg job` prints every key as the file of an experiment, and runs nothing",
    "--config-name": "the file of your folder that has all keys, in the place of the package's",
    "--info": "`--info defaults` prints the chosen files, `--info searchpath` the folders of files",
    "--completion": "prints the script of a shell's tab completion",
    "--dry-run": "prints settings, rows, disk space and time, and runs nothing",
    "--config-dir": "a folder with algorithms, environments and experiments of your own",
    "--keep-tables": "keeps tables, their summaries, manifests and figures",
    "--multirun": "the same as `-m`",
    "--older": "an age, `30d`, `12h` or `2w`: only files that were written longer ago",
    "--show": "prints how the figure in a file was made: the command, the version, the settings",
    "--version": "the version of the package",
    "--yes": "removes the files that are printed; nothing is removed without it",
    "-m": "every combination of values that are separated by commas",
}


def names() -> list[str]:
    """The commands that the package installs, without ``bandit-``; ``dpbandits`` runs these."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    return [x.removeprefix("bandit-") for x in project["scripts"] if x.startswith("bandit-")]


def pages() -> dict[str, str]:
    """A page for each command, and one that lists them."""
    found = {f"commands/bandit-{name}": page(name) for name in names()}
    rows = [
        (f"[`bandit-{name}`](commands/bandit-{name}.md)", _module(name).__doc__.partition(": ")[2])
        for name in names()
    ]
    found["commands"] = paragraphs(
        "# Commands",
        "Every command takes `--help`. If an input is wrong, a command prints one line and ends "
        "with exit code 2.",
        "`dpbandits` lists all commands, and `dpbandits run` is the same as `bandit-run`.",
        table(("command", "what it is for"), rows),
        toctree([f"docs/generated/{name}" for name in found], "hidden:"),
    )
    return found


def _module(name: str):
    return import_module(f"dpbandits.cli.{name}")


def page(name: str) -> str:
    """The page of a command."""
    usage = help_of(name)
    parts = [f"# bandit-{name}", code("text", usage)]
    files = COMMANDS[name].get("files", ())
    for file in files:
        head = ("key", "default", "meaning")
        intro = f"Keys of `conf/{file}.yaml`" + (", of one setting:" if name == "bounds" else ":")
        parts += ["## Keys" if file == files[0] else "", intro, table(head, keys(file))]
    own = [(f"`{k}=`", ", ".join(f"`{v}`" for v in vs)) for k, vs in OWN_KEYS[name].items()]
    if own:
        parts += ["## Keys of its own", table(("key", "values"), own)]
    options = [(f"`{o}`", ABOUT[o]) for o in COMMANDS[name].get("options", ())]
    if options:
        parts += ["## Options", table(("option", "meaning"), options)]
    for topic in COMMANDS[name].get("help", ()):
        if topic != "keys":  # which is a table above
            listed = code("text", help_of(name, topic))
            parts += [f"::::{{dropdown}} bandit-{name} --help {topic}", listed, "::::"]
    return paragraphs(*parts)


def keys(file: str) -> list[tuple[str, str, str]]:
    """The keys of a command, from its file in ``conf``, with their defaults and meanings."""
    text = (TOP / "conf" / f"{file}.yaml").read_text()
    found = filter(None, map(KEY.match, text.splitlines()))
    return [(f"`{key[1]}=`", f"`{key[2]}`", key[3] or "") for key in found]


def help_of(name: str, *topic: str) -> str:
    """What a command prints with ``--help``, or with ``--help TOPIC``."""
    printed = StringIO()
    with (
        redirect_stdout(printed),
        patch.object(sys, "argv", [f"bandit-{name}", "--help", *topic]),
        patch.dict(os.environ, COLUMNS="96"),
        suppress(SystemExit),
    ):
        _module(name).main()
    return printed.getvalue()
