"""Which Markdown files are documents of the site, and what is added to them when they are read.

The files stay readable on their own. Sphinx reads them where they are, so that a link from one to
another holds; a link to a file that is no document leads to a generated page that shows it.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import dpbandits as dp
from dpbandits.contracts.question import REGRET
from dpbandits.settings.groups import question_of

from .markdown import code, listing, paragraphs, toctree

TOP = Path(__file__).parents[2]
GENERATED = TOP / "docs" / "generated"
LINK = re.compile(r"(?<!!)(\[[^\]]*\])\(([^)#\s]+)((?:#[^)\s]*)?)\)")
FIGURE = re.compile(r"^!\[(\w+)\]\(\S+\)$", flags=re.M)
LANGUAGES = {".py": "python", ".yaml": "yaml", ".cff": "yaml", ".toml": "toml"}


def written() -> list[Path]:
    """The Markdown files of the repository that were written for the site."""
    own = [*sorted((TOP / "docs").glob("*.md")), *sorted((TOP / "benchmarks").glob("*.md"))]
    tops = ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT")
    return [*own, *(TOP / f"{name}.md" for name in tops)]


@cache
def tables() -> tuple[Path, ...]:
    """The tables of ``results`` that these link to."""
    linked = {target for file in written() for _, target in links(file)}
    there = [f for f in linked if f.parent == TOP / "results" and f.suffix == ".md" and f.is_file()]
    return tuple(sorted(there))


def links(file: Path) -> Iterator[tuple[str, Path]]:
    """The links of a Markdown file to files of the repository: as written, and the path."""
    for found in LINK.finditer(file.read_text()):
        if "://" not in found[2]:
            yield found[2], (file.parent / found[2]).resolve()


def patterns() -> list[str]:
    """The paths of all documents, as Sphinx takes them."""
    files = [str(file.relative_to(TOP)) for file in (*written(), *tables())]
    return [*files, "docs/notebooks/*.ipynb", "docs/generated/**"]


@cache
def shown() -> dict[Path, str]:
    """Files and folders that documents link to and that are no documents: their generated pages."""
    linked = {target for file in written() for _, target in links(file)}
    others = [f for f in sorted(linked) if f.is_dir() or f.suffix in LANGUAGES]
    return {file: f"files/{str(file.relative_to(TOP)).replace('/', '-')}" for file in others}


def pages() -> dict[str, str]:
    """The page of all tables of numbers, and those that show a file or a folder."""
    found = {name: _file_page(file) for file, name in shown().items()}
    names = [str(file.relative_to(TOP).with_suffix("")) for file in tables()]
    intro = "These pages contain the numbers behind the figures of the [gallery](../gallery.md)."
    found["numbers"] = paragraphs("# Numbers", intro, toctree(names, "maxdepth: 1"))
    if shown():
        entries = [f"docs/generated/{name}" for name in shown().values()]
        found["files"] = paragraphs(
            "# Files",
            "Other pages of the site link to these files of the repository.",
            toctree(entries, "maxdepth: 1"),
        )
    return found


def _file_page(file: Path) -> str:
    path = str(file.relative_to(TOP))
    inside = sorted(f for f in file.iterdir() if f.suffix in LANGUAGES) if file.is_dir() else []
    if not inside:
        return paragraphs(f"# {path}", listing(path, LANGUAGES[file.suffix]))
    parts = [f"## {f.stem}\n\n{listing(f'{path}/{f.name}', LANGUAGES[f.suffix])}" for f in inside]
    return paragraphs(f"# {path}", *parts)


def complete(name: str, text: str) -> str:
    """A document as the site shows it.

    Args:
        name: its path from the top of the repository, without its ending.
        text: what its file holds.
    """
    file = TOP / f"{name}.md"
    if not file.is_file():  # a notebook
        return text
    if not re.search("^# ", text, flags=re.M):
        text = f"# {title(file)}\n\n{text}"
    if name == "README":
        text = re.sub("^# .*", "# README", text, count=1)  # the first page has the package's name
    if name == "docs/gallery":
        text = FIGURE.sub(lambda found: f"{found[0]}\n\n{how(found[1])}", text)
    return LINK.sub(lambda found: _leading(file, *found.groups()), text)


def title(file: Path) -> str:
    """The heading of a document that has none: a table."""
    about = dp.experiments()["about"]
    if file.parent.name == "results" and file.stem in about:
        return f"{file.stem}\n\n{about[file.stem]}"
    return file.stem.replace("_", " ").capitalize()


def how(experiment: str) -> str:
    """How a figure of the gallery is made, for readers of the site."""
    question = question_of(experiment) or REGRET
    command = "bandit-stop" if question.group == "rule" else "bandit-run"
    commands = f"{command} experiment={experiment}\nbandit-plot experiment={experiment}"
    return paragraphs(
        ":::::{dropdown} Code",
        code("sh", commands),
        code("python", f'import dpbandits as dp\n\ndp.reproduce("{experiment}")'),
        listing(f"conf/experiment/{experiment}.yaml", "yaml"),
        ":::::",
    )


def _leading(file: Path, words: str, target: str, anchor: str) -> str:
    """A link, to the gallery if it led to a figure, or to the page that shows a file."""
    path = (file.parent / target).resolve()
    if path.suffix in (".md", ".ipynb") and words.strip("[]").endswith(path.suffix):
        words = "[]"  # the title of the document in the place of its path
    up = "../" * (len(file.relative_to(TOP).parts) - 1)
    if path.parent.name == "figures" and path.stem in dp.experiments().index:
        return f"{words}({up}docs/gallery.md#{path.stem})"
    if path in shown():
        return f"{words}({up}docs/generated/{shown()[path]}.md)"
    return f"{words}({target}{anchor})"
