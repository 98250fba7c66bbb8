"""Check whether the code still prints the committed pages: python experiments/check.py FOLDER [NAME
...].

``make results-check`` makes the pages of ``results`` again in FOLDER, and then calls this script.
If a page differs from the committed (or staged) page, the first different line is printed.
Summaries of experiments contain ids of settings, which also change with the code of algorithms and
with data. With NAMEs, only these pages are compared. The documents in PRINTED are always compared.
"""

import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

from dpbandits.cli.ending import run_command
from dpbandits.contracts import __main__ as guarantees
from dpbandits.errors import BadInput
from dpbandits.files import package_folder
from dpbandits.theory import __main__ as bounds

TOP = package_folder("conf").parent
PRINTED = {"docs/guarantees.md": guarantees.page, "docs/bounds.md": bounds.page}
# Pages of measured seconds: another run prints other numbers. The pages of benchmarks also have
# such numbers, and docs/reliability.md, docs/scale.md and docs/speed.md quote them; these pages are
# not in results
MEASURED = {"times"}


def committed(top=TOP, kinds=("md", "tex")):
    """Return the committed files of results that have one of the given endings and can be made
    again.
    """
    command = ["git", "ls-files", *(f"results/*.{kind}" for kind in kinds)]
    listed = subprocess.run(command, cwd=top, capture_output=True, text=True, check=True)
    return [page for page in listed.stdout.split() if Path(page).stem not in MEASURED]


def difference(before, after):
    """Return a text about the first line in which two versions of a page differ, or None if they
    are equal.
    """
    lines = [text.split("\n") for text in (before, after)]
    for i, (old, new) in enumerate(zip_longest(*lines, fillvalue="(no line)"), 1):
        if old != new:
            return f"line {i}\n  committed: {old}\n  made anew: {new}"
    return None


def main(folder, names):
    pages = {page: folder / Path(page).name for page in committed(kinds=("md", "tex", "csv"))}
    unknown = {*names} - {path.stem for path in pages.values()}
    if unknown:
        raise BadInput(f"{', '.join(sorted(unknown))}: results has no such page")
    texts = dict(PRINTED)
    for page, file in pages.items():  # NAME.summary.csv belongs to NAME, too
        if not names or file.name.partition(".")[0] in names:
            texts[page] = file.read_text
    for page, text in texts.items():
        show = ["git", "show", f":{page}"]
        before = subprocess.run(show, cwd=TOP, capture_output=True, check=True).stdout.decode()
        if differs := difference(before, text()):
            print(f"{page}, {differs}")
            return 1
    print(f"{len(texts)} pages are as committed")
    return 0


if __name__ == "__main__":
    run_command("check", lambda: main(Path(sys.argv[1]), sys.argv[2:]))
