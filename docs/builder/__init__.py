"""What the site has besides the Markdown files of the repository: generated pages.

They are written to ``docs/generated``, which git ignores, before Sphinx reads its sources.
"""

from pathlib import Path

from . import algorithms, authoring, commands, documents, environments, theory
from .documents import GENERATED


def pages() -> dict[str, str]:
    """The generated pages: Markdown by path, without its ending."""
    return {
        **algorithms.pages(),
        **environments.pages(),
        **authoring.pages(),
        **theory.pages(),
        **commands.pages(),
        **documents.pages(),
    }


def write(folder: Path = GENERATED) -> None:
    """Write the generated pages that have changed, and remove those that are no more."""
    made = {folder / f"{name}.md": text for name, text in pages().items()}
    for file in folder.rglob("*.md"):
        if file not in made:
            file.unlink()
    for file, text in made.items():
        if not file.is_file() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
