"""The page docs/bounds.md, generated from the theorems by ``python -m dpbandits.theory``."""

from __future__ import annotations

from pathlib import Path

from .bounds import Bound, every_bound

HEAD = Path(__file__).with_name("page.md")  # the text above the table


def page() -> str:
    """Return the page as Markdown."""
    header = ["bound", "side", "kind", "formula", "needs", "function"]
    rows = [header, ["---"] * len(header), *(row(bound) for bound in every_bound())]
    return HEAD.read_text() + "\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(bound: Bound) -> list[str]:
    """Return the cells of a theorem's row of the table."""
    module = bound.function.__module__.rpartition(".")[2]
    needs = "; ".join(condition.words for condition in bound.conditions)
    formula = f"`{bound.statement}`" + (f" ({bound.note})" if bound.note else "")
    name = f"`{module}.{bound.function.__name__}`"
    cells = [bound.source, bound.side, bound.status, formula, needs, name]
    return [cell.replace("|", r"\|") for cell in cells]


if __name__ == "__main__":
    print(page(), end="")
