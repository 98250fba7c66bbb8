"""Tab completion in bash, zsh and fish.

A shell's script passes the typed line to ``COMMAND --complete LINE``, which prints the words that
could follow. The command reads names in the configuration files and imports no slow package.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..files import PACKAGE, package_folder
from ..settings.yaml_files import keys_of

HERE = Path(__file__).parent
COMMANDS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "commands.toml").read_text())
LATEX = COMMANDS.pop("latex")  # keys of tables for LaTeX, which several commands take
OPTIONS = COMMANDS.pop("options")  # what argparse is given for each option
OWN_KEYS: dict[str, dict[str, list[str]]] = {
    name: command.get("keys", {}) | (LATEX if command.get("latex") else {})
    for name, command in COMMANDS.items()
}
VALUES: dict[str, tuple[str, ...]] = {  # of keys that are in a file
    "backend": ("auto", "threads", "processes"),
    "format": ("csv", "csv.gz", "parquet"),
    "shuffle_arms": ("true", "false"),
    "assume": ("true", "false"),
}
SHELLS = ("bash", "zsh", "fish")
FOLDERS = ("--config-dir", "-cd")  # options that are followed by a folder
HIDDEN = ("figure", "short", "law", "kind")  # keys that are not completed
ALGORITHMS = {"algo": "algorithms", "rule": "stopping"}  # the packages of two groups
NAMES_OF_ALGORITHMS = ("only", "order", "highlight", "baseline")  # keys of figures and comparisons
TAKES_TABLES = ("plot", "compare", "results")
OF_GROUPS = ("algo", "rule", "env", "population", "runner")  # whose parameters are keys


def script(shell: str) -> str:
    """Return the script that gives a shell the completion of all commands.

    Raises:
        BadInput: there is no script for the shell.
    """
    if shell not in SHELLS:
        raise BadInput(f"--completion {shell}: {', '.join(SHELLS)} is needed")
    names = " ".join(["dpbandits", *(f"bandit-{name}" for name in COMMANDS)])
    return (HERE / "shells" / f"completion.{shell}").read_text().replace("COMMANDS", names)


def completions(command: str, line: str) -> list[str]:
    """Return the words that the last word of a line can become.

    Args:
        command: one of ``COMMANDS``, or ``help`` for ``dpbandits``, whose first word is a command.
        line: the typed text up to the cursor.
    """
    *before, word = line.split(" ")
    if command == "help":
        if len(before) <= 1 or before[1] not in COMMANDS:
            words = [*COMMANDS, "--help", "--version", "--completion"] if len(before) <= 1 else []
            return [x for x in words if x.startswith(word)]
        command = before[1]
    folders = [package_folder("conf"), *_own_folders(before)]
    if before and before[-1] in FOLDERS:
        return []  # the shell completes the name of a folder
    if before and before[-1] in ("--help", "-h"):
        return [x for x in COMMANDS[command].get("help", ()) if x.startswith(word)]
    key, equals, value = word.partition("=")
    if equals:
        *start, last = value.split(",")
        head = "".join(f"{x}," for x in start)
        found = [x for x in _values(command, key, before, folders) if x not in start]
        return [f"{key}={head}{x}" for x in found if x.startswith(last)]
    candidates = list(dict.fromkeys(_words(command, word, before, folders)))
    return [x for x in candidates if x.startswith(word)]


def _own_folders(words: list[str]) -> Iterator[Path]:
    """Yield the user's configuration folder if a line names it."""
    for word, following in zip(words, [*words, ""][1:], strict=True):
        option, equals, value = word.partition("=")
        if option in FOLDERS:
            yield Path(value if equals else following).expanduser()


def _words(command: str, word: str, before: list[str], folders: list[Path]) -> Iterator[str]:
    """Yield the options, keys and names that a word can become."""
    if word.startswith("-"):
        yield from ["--help", *COMMANDS[command].get("options", ())]
        return
    if command == "claims":
        yield from _claims()
    if command in TAKES_TABLES:
        yield from _tables(command, before)
    group = word.partition(".")[0]
    files = [package_folder("conf") / f"{x}.yaml" for x in COMMANDS[command].get("files", ())]
    keys = [key for file in files for key in _keys(file)]
    if "." in word and group in OF_GROUPS and group in keys:
        for name in _parameters(group, before, folders):
            yield f"{group}.{name}="
        return
    for key in keys:
        yield f"{key}="
    for key in OWN_KEYS[command]:
        yield f"{key}="
    if word:
        yield from (f"{name}." for name in OF_GROUPS if name in keys)


def _values(command: str, key: str, before: list[str], folders: list[Path]) -> list[str]:
    """Return the named values that a key can have."""
    if key == "mechanism":
        return _mechanisms()
    if key in NAMES_OF_ALGORITHMS:
        return [name for group in ALGORITHMS for name in _names(group, folders)]
    if "." in key:
        group, _, name = key.partition(".")
        return _options(group, name, before, folders)
    known = OWN_KEYS[command].get(key) or VALUES.get(key, ())
    return list(known) or _names(key, folders)


def _names(group: str, folders: list[Path]) -> list[str]:
    """Return the names of the files of a group."""
    if not group.isidentifier():
        return []
    ends = "yaml", *(["py"] * (group in ALGORITHMS))
    files = (x for home in folders for end in ends for x in (home / group).glob(f"*.{end}"))
    return sorted({file.stem for file in files})


def _tables(command: str, before: list[str]) -> Iterator[str]:
    """Yield the tables of the results folder of a line.

    These are their paths, or for ``bandit-results`` the actions and, after an action, the names of
    tables.
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


def _claims() -> list[str]:
    """Return the names of the claims in the files of their papers."""
    texts = [file.read_text() for file in (PACKAGE / "claims").glob("*.py")]
    return sorted(re.findall(r'^@claim\("(\w+)"', "\n".join(texts), flags=re.MULTILINE))


def _keys(file: Path) -> list[str]:
    """Return the keys in a configuration file."""
    try:
        return [name for name in keys_of(file) if name not in HIDDEN]
    except BadInput:
        return []


def _chosen(group: str, before: list[str], folders: list[Path]) -> list[str]:
    """Return the names that a line chooses in a group, or all names of the group."""
    chosen = [w.partition("=")[2].split(",") for w in before if w.startswith(f"{group}=")]
    names = chosen[-1] if chosen else _names(group, folders)
    return [name for name in names if name.isidentifier()]


def _parameters(group: str, before: list[str], folders: list[Path]) -> list[str]:
    """Return the parameters in the files that a line chooses in a group."""
    names = _chosen(group, before, folders)
    files = [home / group / f"{name}.yaml" for home in folders for name in names]
    return list(dict.fromkeys(name for file in files for name in _keys(file)))


def _options(group: str, name: str, before: list[str], folders: list[Path]) -> list[str]:
    """Return the named values of an algorithm's parameter, from the annotation in its file."""
    found: dict[str, None] = {}
    for algorithm in _chosen(group, before, folders) if group in ALGORITHMS else ():
        homes = [PACKAGE / ALGORITHMS[group], *(folder / group for folder in folders)]
        for function in _functions(*(home / f"{algorithm}.py" for home in homes)):
            for parameter in function.args.args:
                note = parameter.annotation
                if parameter.arg == name and isinstance(note, ast.Subscript):
                    words = [x.value for x in ast.walk(note.slice) if isinstance(x, ast.Constant)]
                    found |= dict.fromkeys(map(str, words))
    return list(found)


def _mechanisms() -> list[str]:
    """Return the releases that can be audited: the functions with the decorator ``mechanism``."""
    return [
        function.name
        for function in _functions(PACKAGE / "audit" / "targets" / "releases.py")
        if any(ast.unparse(x).startswith("mechanism(") for x in function.decorator_list)
    ]


def _functions(*files: Path) -> list[ast.FunctionDef]:
    """Return the functions that some files define; missing files are ignored."""
    trees = [ast.parse(file.read_bytes()) for file in files if file.is_file()]
    return [x for tree in trees for x in tree.body if isinstance(x, ast.FunctionDef)]
