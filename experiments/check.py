"""Whether committed pages are what the code prints: python experiments/check.py FOLDER [NAME ...].

A committed page whose sources have changed says so below its table (OUT_OF_DATE) until it is made
anew: ``python experiments/check.py --mark`` writes that sentence where it is needed.

``make results-check`` makes the pages of ``results`` anew in FOLDER, and then calls this. The first
line of a committed (or staged) page that differs is printed; only the versions in its last line may
differ. With NAMEs only the pages of these names are compared, and always the documents of PRINTED.
"""

import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

import privacy_table
from pages import experiments

import dpbandits as dp
from dpbandits.cli import claims
from dpbandits.cli.command import guarded
from dpbandits.contracts import __main__ as guarantees
from dpbandits.errors import BadInput
from dpbandits.files import package_folder
from dpbandits.results.sources import OUT_OF_DATE, of_summary, signature, sources_of
from dpbandits.theory import __main__ as bounds

TOP = package_folder("conf").parent
PRINTED = {"docs/guarantees.md": guarantees.page, "docs/bounds.md": bounds.page}
# Pages of measured seconds and memory: another run prints other numbers. Those of benchmarks, and
# docs/reliability.md, docs/scale.md and docs/speed.md, which quote them, are not in results.
MEASURED = {"times"}
VERSIONS = re.compile(r"(?<= sources \w{12}; made with ).*")


def committed(top=TOP, kinds=("md", "tex")):
    """The paths of the pages of results that can be made anew, or of other kinds of files."""
    command = ["git", "ls-files", *(f"results/*.{kind}" for kind in kinds)]
    listed = subprocess.run(command, cwd=top, capture_output=True, text=True, check=True)
    return [page for page in listed.stdout.split() if Path(page).stem not in MEASURED]


@cache
def hash_now(name):
    """The hash of the sources of a page as they are now."""
    return sources_of(sources(name))


def sources(name):
    """What decides the page of a name."""
    if name in dp.experiments().index:
        *settings, runs = experiments(name)
        return of_summary(settings, runs)
    if name.partition("-")[0] == "claims":
        _, *chosen = name.split("-")
        seed = dict(re.findall(r"-(seed)(\d+)$", name))
        known = claims.load_claims()
        some = [known[word] for word in chosen if word in known] or list(known.values())
        return claims.sources(some, claims.CHEAP_RUNS, seed)
    if name in ("audit", "exact"):
        return privacy_table.of_audits(*["exact=true"] * (name == "exact"))
    script = privacy_table if name == "privacy" else import_module(name)
    return script.sources()


def outdated(pages, top=TOP):
    """The pages whose sources have changed since they were made, each with what is wrong."""
    found = {}
    for page in pages:
        was = signature((top / page).read_text())
        if was != (now := hash_now(Path(page).stem)):
            found[page] = f"sources {was}, now {now}" if was else "it has no line about its sources"
    return found


def mark(top=TOP):
    """Write OUT_OF_DATE above the last line of each page whose sources have changed."""
    for page in outdated(committed(top), top):
        text = (top / page).read_text()
        if OUT_OF_DATE not in text:
            head, line = text.rstrip("\n").rsplit("\n", 1)
            said = f"\n**{OUT_OF_DATE}**\n" if page.endswith(".md") else f"% {OUT_OF_DATE}"
            (top / page).write_text(f"{head}\n{said}\n{line}\n")
            print(page)
    return 0


def difference(before, after):
    """The first line in which two texts of a page differ, the versions in its last line aside."""
    lines = [text.split("\n") for text in (before, after)]
    for i, (old, new) in enumerate(zip_longest(*lines, fillvalue="(no line)"), 1):
        if VERSIONS.sub("", old) != VERSIONS.sub("", new):
            return f"line {i}\n  committed: {old}\n  made anew: {new}"
    return None


def main(folder, names):
    pages = {page: folder / Path(page).name for page in committed(kinds=("md", "tex", "csv"))}
    unknown = {*names} - {path.stem for path in pages.values()}
    if unknown:
        raise BadInput(f"{', '.join(sorted(unknown))}: results has no such page")
    texts = dict(PRINTED)
    for page, file in pages.items():  # NAME.summary.csv is of NAME, too
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
    words = sys.argv[1:]
    guarded("check", mark if words == ["--mark"] else lambda: main(Path(words[0]), words[1:]))
