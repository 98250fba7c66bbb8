"""The lists in the help of the commands, made of the files in conf."""

from __future__ import annotations

import shutil
import textwrap

from ..contracts.question import Question
from ..files import package_folder
from ..settings.groups import about, names_in, question_of


def entry(name: str, about: str) -> str:
    """A name with its description, wrapped to the terminal."""
    width = min(shutil.get_terminal_size().columns, 110)
    start, indent = f"  {name:<21} {about}", " " * 24
    return textwrap.fill(start, width, subsequent_indent=indent, break_on_hyphens=False)


def keys_listing(keys_file: str) -> str:
    """The keys of a command with their defaults, as its file in conf describes them."""
    lines = (package_folder("conf") / f"{keys_file}.yaml").read_text().splitlines()
    words = (line.partition("  #") for line in lines if line[:1].isalpha())
    return "\n".join(entry(k.strip().replace(": ", "="), x.strip()) for k, _, x in words if x)


def groups_listing(question: Question) -> str:
    """The algorithms, environments and so on, each with its description."""
    lines = []
    for group in (*question.groups, "runner", "experiment"):
        lines.append(f"{group}=")
        for name in names_in(group):
            if group != "experiment" or question_of(name) == question:
                lines.append(entry(name, about(group, name)))
    return "\n".join(lines)
