"""Functions for scripts that write a page with tables into a results folder."""

import sys
from pathlib import Path

from tabulate import tabulate

from dpbandits.cli.ending import run_command
from dpbandits.files import write_atomically


def table(rows, head):
    """Return rows as a table in Markdown."""
    return tabulate(rows, head, tablefmt="pipe", disable_numparse=True) + "\n"


def write(page, text):
    """Print the text of a page and write it to the file ``page``; return the exit code 0."""
    print(text, end="")
    write_atomically(page, text.encode())
    return 0


def page_of_folder(name, text_of):
    """Run a script NAME.py [RESULTS], which writes ``text_of(RESULTS)`` to RESULTS/NAME.md."""
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    run_command(name, lambda: write(results / f"{name}.md", text_of(results)))
