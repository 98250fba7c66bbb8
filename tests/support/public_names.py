"""What is public: names of commands, keys, the Python API, columns, as the code has them.

``python tests/support/public_names.py`` enters new names in docs/stability.md. It removes none: a
name that is gone from the code is taken out by hand, with the major version.
"""

import inspect
import re
from pathlib import Path

import dpbandits as dp
from dpbandits import authoring
from dpbandits.claims.claim import load_claims
from dpbandits.cli.completion import COMMANDS, OWN_KEYS
from dpbandits.contracts.question import QUESTIONS
from dpbandits.files import package_folder
from dpbandits.settings.groups import default_keys, file_of, names_in, read_file

PAGE = package_folder("conf").parent / "docs" / "stability.md"
SECTION = re.compile(r"^## (.+?)\n(.*?)^```text\n(.*?)^```$", flags=re.M | re.S)
GROUPS = ("algo", "rule", "env", "population", "runner", "experiment")
HIDDEN = ("law", "short")  # in files of environments, but no key of a command


def public():
    """Names by section of the page; each with what belongs to it: options, keys, arguments."""
    return {
        "Commands": {name: _of_command(name) for name in COMMANDS},
        "Choices": {f"{g}={name}": _parameters(g, name) for g in GROUPS for name in names_in(g)}
        | {f"claim={name}": set() for name in load_claims()},
        "Python": {name: _arguments(getattr(dp, name)) for name in dp.__all__},
        "Authors": {name: set() for name in authoring.__all__},
        "Columns": {q.name.replace(" ", "_"): _columns(q) for q in QUESTIONS},
    }


def _of_command(name):
    files, options = (COMMANDS[name].get(kind, ()) for kind in ("files", "options"))
    keys = {*OWN_KEYS[name]}.union(*map(default_keys, files)) - set(HIDDEN)
    return {f"{key}=" for key in keys} | {"--help", *options}


def _parameters(group, name):
    if group == "experiment":
        return set()  # its file sets keys of a run
    found = read_file(file_of(group, name))
    return {str(key) for key in found} - set(HIDDEN) - {"defaults"}


def _arguments(value):
    if not inspect.isfunction(value):
        return set()
    return {f"{p}=" for p in inspect.signature(value).parameters}


def _columns(question):
    return {*question.columns, *question.measured, "seed", "run"}


def listed(text=None):
    """The same as the page has it."""
    found = SECTION.findall(PAGE.read_text() if text is None else text)
    return {title: dict(map(_entry, _lines(block))) for title, _, block in found}


def _lines(block):
    """The entries of a block; those that are indented go on with the line before them."""
    return re.sub(r"\n +", " ", block).splitlines()


def _entry(line):
    name, _, members = line.partition(": ")
    return name, set(members.split())


def flat(names):
    """Every name with its section, and every member with its name."""
    tops = {(section, name) for section, entries in names.items() for name in entries}
    return tops | {
        (section, f"{name}: {member}")
        for section, entries in names.items()
        for name, members in entries.items()
        for member in members
    }


def written(name, members):
    """An entry of the page, in lines of at most 100 characters."""
    lines = [f"{name}:" if members else name]
    for member in sorted(members):
        if len(lines[-1]) + len(member) >= 100:
            lines.append("   ")
        lines[-1] += f" {member}"
    return "\n".join(lines)


def with_new_names(text):
    """The text of the page with the names that the code has and it lacks."""
    now, before = public(), listed(text)

    def block(found):
        title, intro, _ = found.groups()
        entries = before[title] | {
            name: members | before[title].get(name, set()) for name, members in now[title].items()
        }
        lines = "".join(f"{written(*entry)}\n" for entry in sorted(entries.items()))
        return f"## {title}\n{intro}```text\n{lines}```"

    return SECTION.sub(block, text)


if __name__ == "__main__":
    Path(PAGE).write_text(with_new_names(PAGE.read_text()))
