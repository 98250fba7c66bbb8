"""Tab completion in bash, zsh and fish.

The script of a shell runs ``COMMAND --complete LINE`` with the typed line, which prints the words
that could follow. For this, the command reads names from the configuration files and imports no
slow package.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import BadInput, either
from ..files import PACKAGE, package_folder
from ..settings.yaml_files import keys_of

HERE = Path(__file__).parent
COMMANDS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "commands.toml").read_text())
LATEX = COMMANDS.pop("latex")  # keys of tables for LaTeX, which several commands take
OPTIONS = COMMANDS.pop("options")  # the arguments that argparse gets for each option
VALUES = COMMANDS.pop("values")  # values of keys that all commands share
OWN_KEYS: dict[str, dict[str, list[str]]] = {
    name: {
        key: values or VALUES.get(key, [])
        for key, values in (about.get("keys", {}) | (LATEX if about.get("latex") else {})).items()
    }
    for name, about in COMMANDS.items()
}
SHELLS = ("bash", "zsh", "fish")
FOLDERS = ("--config-dir", "-cd")  # options that are followed by a folder
HIDDEN = ("figure", "short", "law", "kind")  # keys that are not completed
OF_ALGORITHMS = ("algo", "rule")  # groups whose files are YAML or Python
NAMES_OF_ALGORITHMS = ("only", "order", "highlight", "baseline")  # keys of figures and comparisons
OF_GROUPS = ("algo", "rule", "env", "population", "runner")  # parameters of their files are keys


def script(shell: str) -> str:
    """Return the script that enables the completion of all commands in a shell.

    Raises:
        BadInput: there is no script for the shell.
    """
    if shell not in SHELLS:
        raise BadInput(f"--completion {shell}: {either(SHELLS)} is needed")
    names = " ".join(["dpbandits", *(f"bandit-{name}" for name in COMMANDS)])
    return (HERE / "shells" / f"completion.{shell}").read_text().replace("COMMANDS", names)


def completions(command: str, line: str) -> list[str]:
    """Return the completions of the last word of a line.

    Args:
        command: one of ``COMMANDS``, or ``help`` for ``dpbandits``, which is followed by the name
            of a command.
        line: the typed text up to the cursor.
    """
    *before, word = line.split(" ")
    return [x for x in dict.fromkeys(_candidates(command, word, before)) if x.startswith(word)]


def _candidates(command: str, word: str, before: list[str]) -> Iterable[str]:
    """Return the options, keys, names or values that may follow. Completions are the candidates
    that begin with the typed word.
    """
    if command == "help":
        if len(before) <= 1:
            return [*COMMANDS, "--help", "--version", "--completion"]
        command = before[1]
        if command not in COMMANDS:
            return []
    if before and before[-1] in FOLDERS:
        return []  # the shell completes the name of a folder
    if before and before[-1] in ("--help", "-h"):
        return COMMANDS[command].get("help", ())
    folders = [package_folder("conf"), *_own_folders(before)]
    key, equals, value = word.partition("=")
    if equals:
        *chosen, _ = value.split(",")
        found = [x for x in _values(command, key, folders) if x not in chosen]
        return [f"{key}={','.join([*chosen, x])}" for x in found]
    if word.startswith("-"):
        return ["--help", *COMMANDS[command].get("options", ())]
    files = [package_folder("conf") / f"{x}.yaml" for x in COMMANDS[command].get("files", ())]
    keys = [key for file in files for key in _keys(file)]
    group, dot, _ = word.partition(".")
    if dot and group in OF_GROUPS and group in keys:
        return [f"{group}.{name}=" for name in _parameters(group, before, folders)]
    names = _tables(command, before) if COMMANDS[command].get("tables") else []
    if command == "claims":
        names = _declared(r'^@claim\(\s*"(\w+)"', *PACKAGE.glob("claims/*.py"))
    groups = [f"{name}." for name in OF_GROUPS if word and name in keys]
    return [*names, *(f"{key}=" for key in (*keys, *OWN_KEYS[command])), *groups]


def _own_folders(words: list[str]) -> Iterator[Path]:
    """Yield the user's configuration folder if a command line names such a folder."""
    for word, following in zip(words, [*words, ""][1:], strict=True):
        option, equals, value = word.partition("=")
        if option in FOLDERS:
            yield Path(value if equals else following).expanduser()


def _values(command: str, key: str, folders: list[Path]) -> list[str]:
    """Return the words that a key accepts."""
    if key == "mechanism":
        releases = PACKAGE / "audit" / "targets" / "releases.py"
        return _declared(r"^@mechanism\(.*?^def (\w+)", releases)
    known = OWN_KEYS[command].get(key) or VALUES.get(key, [])
    if key in NAMES_OF_ALGORITHMS:
        return [*known, *(name for group in OF_ALGORITHMS for name in _names(group, folders))]
    return known or _names(key, folders)


def _declared(pattern: str, *files: Path) -> list[str]:
    """Return the names that a pattern finds in the texts of files. The files are not imported."""
    texts = "\n".join(file.read_text() for file in files)
    return sorted(re.findall(pattern, texts, re.MULTILINE | re.DOTALL))


def _names(group: str, folders: list[Path]) -> list[str]:
    """Return the names of the files of a group."""
    if not group.isidentifier():
        return []
    ends = "yaml", *(["py"] * (group in OF_ALGORITHMS))
    files = (x for home in folders for end in ends for x in (home / group).glob(f"*.{end}"))
    return sorted({file.stem for file in files})


def _tables(command: str, before: list[str]) -> Iterator[str]:
    """Yield completions for tables in the results folder of a line.

    Completions are paths of tables. For ``bandit-results``, they are actions such as ``rm`` and,
    after an action, names of tables.
    """
    given = [x.partition("=")[2] for x in before if x.startswith("results=")]
    files = sorted(Path(given[-1] if given else "results").glob("*.csv"))
    files = [x for x in files if not x.name.endswith(".summary.csv")]
    if command != "results":
        yield from map(str, files)
    elif len(before) <= 1:
        yield from ("list", "show", "prune", "rm")
    else:
        yield from (x.stem for x in files)


def _keys(file: Path) -> list[str]:
    """Return the keys in a configuration file."""
    try:
        return [name for name in keys_of(file) if name not in HIDDEN]
    except BadInput:
        return []


def _parameters(group: str, before: list[str], folders: list[Path]) -> list[str]:
    """Return the parameters in the files that a line chooses in a group. If the line chooses no
    file, return the parameters in all files of the group.
    """
    chosen = [w.partition("=")[2].split(",") for w in before if w.startswith(f"{group}=")]
    names = filter(str.isidentifier, chosen[-1] if chosen else _names(group, folders))
    files = [home / group / f"{name}.yaml" for name in names for home in folders]
    return list(dict.fromkeys(name for file in files for name in _keys(file)))
