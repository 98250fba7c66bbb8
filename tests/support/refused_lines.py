"""Read and rewrite ``tests/refusals.txt``, which has command lines that are refused, and their
messages.

``python tests/support/refused_lines.py`` writes the current messages.
"""

import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from in_process import ended

PAGE = Path(__file__).parents[1] / "refusals.txt"
TITLE, INDENT = "## ", "    "
FILES = {
    "taken": "a file\n",
    "data.csv": "a,third\n1,3\n2,4\n",
    "users.csv": "who,eps,some,gaps,debts\nann,1,x,1,-1\nbob,2,3,,2\n",
    "nothing.csv": "",
    "tables/runs.csv": "algo,env,eps,alpha,horizon,seed,run,t,regret\n"
    + "".join(f"adap_ucb,bernoulli_c2,{e},{a},9,0,0,9,5\n" for e in (0.5, 1) for a in (1, 3)),
    "header.csv": "eps\n",
    "log.csv": "x,action,reward,prob\n" + "1,a,1,0.5\n2,b,0,0.2\n" * 300,
    "classes.py": "import a\n\nclass A:\n    f = [1, 2]\n",
    "quote.csv": 'a,b\n1,"2\n',
}


class Refusal(NamedTuple):
    """A command line that is refused."""

    title: str  # the title of its section of the page
    line: str
    message: str  # the message, in which ... stands for any text

    def matches(self, message: str) -> bool:
        return _matches(self.message, message)


def refusals(text: str) -> list[Refusal]:
    """Return all refused lines of the page."""
    title, lines, found = "", [], []
    for line in text.splitlines():
        if line.startswith(TITLE):
            title = line.removeprefix(TITLE)
        elif line.startswith(INDENT):
            assert lines, f"no command line has the message {line.strip()!r}"
            found += [Refusal(title, x, line.removeprefix(INDENT)) for x in lines]
            lines = []
        elif line and not line.startswith("#"):
            lines.append(line)
    assert not lines, f"{lines[0]!r} has no message"
    return found


def furnish(folder: Path) -> None:
    """Make the files that the lines name, in the folder in which they are typed."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "empty").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")


def typed(monkeypatch: pytest.MonkeyPatch, line: str) -> str:
    """Return the message of a command line, which must be refused."""
    words = shlex.split(line)
    done = ended(monkeypatch, *words)
    assert done.refused, f"{line!r} is not refused"
    name, _, message = done.err.removesuffix("\n").partition(": ")
    assert name == words[0]
    return message


def _matches(expected: str, message: str) -> bool:
    return re.fullmatch(re.escape(expected).replace(r"\.\.\.", ".*"), message) is not None


def rewritten(text: str, message_of=typed) -> str:
    """Return the page with the current messages of its lines."""

    def block(found: re.Match[str]) -> str:
        lines, before = found.groups()
        by_message: dict[str, list[str]] = {}
        for line in lines.splitlines():
            with pytest.MonkeyPatch.context() as patch:
                now = message_of(patch, line)
            by_message.setdefault(before if _matches(before, now) else now, []).append(line)
        return "\n".join("\n".join([*x, INDENT + now]) for now, x in by_message.items())

    return re.sub(rf"^((?:bandit-.+\n)+){INDENT}(.+)$", block, text, flags=re.MULTILINE)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        furnish(Path(name))
        os.chdir(name)
        PAGE.write_text(rewritten(PAGE.read_text()))
        os.chdir(PAGE.parent)
