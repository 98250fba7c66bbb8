"""The page docs/guarantees.md, generated from the guarantees by ``python -m dpbandits.audit``."""

from __future__ import annotations

from pathlib import Path

from ..contracts.algorithm import HOMES, Algorithm, load
from ..contracts.guarantees import RDP, SKELLAM, ZCDP

HEAD = Path(__file__).with_name("page.md")  # what stands above the rows


def page() -> str:
    """The page as Markdown."""
    files = [file for home in HOMES.values() for file in sorted(home.glob("*.py"))]
    found = [load(file) for file in files if f"def {file.stem}(" in file.read_text()]
    head = HEAD.read_text().format(zcdp=ZCDP, rdp=RDP, skellam=SKELLAM)
    return head + "".join(f"| {' | '.join(row(algorithm))} |\n" for algorithm in found)


def row(algorithm: Algorithm) -> list[str]:
    """A guarantee as a row of the table."""
    promised = algorithm.guarantee
    if promised is None or promised.notion == "none":
        return [f"`{algorithm.name}`", "none", "", "", "", "", "", ""]
    needs = algorithm.rewards.words if algorithm.rewards else "any rewards"
    loss = "the user's level" if promised.notion == "local" else ", ".join(promised.letters)
    beneath = promised.mechanism or (promised.curator.__name__ if promised.curator else "")
    vectors = promised.alignment is not None and promised.alignment.vectors
    return [
        f"`{algorithm.name}`", promised.notion, loss, promised.hides, needs, promised.source,
        f"`{beneath}`" if beneath else "noisy vectors" if vectors else "sparse vector",
        promised.alignment.says if promised.alignment else "",
    ]  # fmt: skip


if __name__ == "__main__":
    print(page(), end="")
