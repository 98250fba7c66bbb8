"""``python -m dpbandits.contracts`` prints the page docs/guarantees.md from the guarantees."""

from __future__ import annotations

from pathlib import Path

from .algorithm import HOMES, Algorithm, load
from .guarantees import RDP, SKELLAM, ZCDP, LimitedProof

HEAD = Path(__file__).with_name("page.md")  # the text above the table, and its first two rows


def page() -> str:
    """Return the page as Markdown."""
    files = [file for home in HOMES.values() for file in sorted(home.glob("*.py"))]
    found = [load(file) for file in files if f"def {file.stem}(" in file.read_text()]
    head = HEAD.read_text().format(ZCDP=ZCDP, RDP=RDP, SKELLAM=SKELLAM)
    return head + "".join(f"| {' | '.join(row(algorithm))} |\n" for algorithm in found)


def row(algorithm: Algorithm) -> list[str]:
    """Return the cells of the table's row for an algorithm and its guarantee."""
    promised = algorithm.guarantee
    if promised is None or promised.notion == "none":
        return [f"`{algorithm.name}`", "none", "", "", "", "", "", ""]
    needs = algorithm.rewards.words if algorithm.rewards else "any rewards"
    loss = "the user's level" if promised.notion == "local" else ", ".join(promised.letters)
    for name, x, other in promised.unless:
        letters = ", ".join(other.letters) if other.gaussian else ""
        if other.notion == promised.notion:
            said = letters or other.loss
        else:
            said = f"{other.notion} ({letters})" if letters else other.notion
        said = "as far as proved" if isinstance(other.gaussian, LimitedProof) else said
        loss += f"; `{name}={[*algorithm.domains[name].names][int(x)]}`: {said}"  # type: ignore[union-attr]
    named = promised.mechanism or (promised.curator.__name__ if promised.curator else "")
    shift = promised.alignment
    technique = "a fit for each batch" if shift is None else "sparse vector"
    technique = "noisy vectors" if shift and shift.vectors else technique
    return [
        f"`{algorithm.name}`", promised.notion, loss, promised.hides, needs, promised.source,
        f"`{named}`" if named else technique, shift.says if shift else "",
    ]  # fmt: skip


if __name__ == "__main__":
    print(page(), end="")
