"""Make the pictures of docs/paper_figures.md: python docs/builder/pictures.py [FOLDER].

The table is that of the page's first command. Each picture is drawn with the words above it.
"""

import re
import shlex
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from dpbandits.cli import plot, run
from dpbandits.figures.options import KEYS  # noqa: F401 (what a test compares the page with)

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "paper_figures.md"
COMMAND = re.compile(r"```sh\n(bandit-run .*)\n")
PICTURES = re.compile(r"```text\n(.*)\n```\n\n!\[.*\]\(_static/paper/(\w+)\.svg\)")


def pictures():
    """The words of the command of each picture, by its name."""
    return {name: shlex.split(words) for words, name in PICTURES.findall(PAGE.read_text())}


def make(folder):
    """Draw all pictures in a folder."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chdir(place):
        run.main.__wrapped__(shlex.split(COMMAND.search(PAGE.read_text())[1])[1:])
        [table] = Path("results").glob("*.csv")
        table.rename("table.csv")
        for name, style in pictures().items():
            plot.main.__wrapped__(["table.csv", *style, f"out={name}.svg"])
            (folder / f"{name}.svg").write_bytes(Path(f"{name}.svg").read_bytes())


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "_static" / "paper")
