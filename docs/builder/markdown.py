"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in its cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )


def code(language: str, text: str) -> str:
    """A code block."""
    return f"```{language}\n{text.strip()}\n```"


def toctree(entries: Iterable[str], *options: str) -> str:
    """A table of contents of documents, whose paths begin at the top of the repository."""
    lines = ["```{toctree}", *(f":{option}" for option in options), *(f"/{e}" for e in entries)]
    return "\n".join([*lines, "```"])


def listing(path: str, language: str) -> str:
    """The contents of a file, whose path begins at the top of the repository."""
    return f"```{{literalinclude}} /{path}\n:language: {language}\n```"


def paragraphs(*parts: str) -> str:
    """A page: its parts with blank lines between them."""
    return "\n\n".join(part for part in parts if part) + "\n"
