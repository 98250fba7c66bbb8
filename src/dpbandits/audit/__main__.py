"""Print the page on guarantees, made from the guarantees themselves: python -m dpbandits.audit."""

from __future__ import annotations

from ..contracts.algorithm import HOMES, Algorithm, load

HEAD = """\
# Guarantees

What each algorithm and stopping rule promises, under which assumption on the rewards, and who
proved it. A guarantee is data: `GUARANTEE` in the algorithm's own file. This page is made of these:
`python -m dpbandits.audit > docs/guarantees.md`; what was measured is in
[results/audit.md](../results/audit.md), what that means in [privacy.md](privacy.md).

Global DP: whoever sees all actions can tell two sequences of rewards that differ in one reward
apart by a factor e^loss at most. Local DP: the same of whoever sees one user's response and any two
rewards. With the noise off (`eps=inf`) nothing is promised.

| | notion | loss | what an adversary sees | rewards | source | beneath |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The page as Markdown."""
    files = [file for home in HOMES.values() for file in sorted(home.glob("*.py"))]
    found = [load(file) for file in files if f"def {file.stem}(" in file.read_text()]
    return HEAD + "".join(f"| {' | '.join(row(algorithm))} |\n" for algorithm in found)


def row(algorithm: Algorithm) -> list[str]:
    """A guarantee as a row of the table."""
    promised = algorithm.guarantee
    if promised is None or promised.notion == "none":
        return [f"`{algorithm.name}`", "none", "", "", "", "", ""]
    needs = algorithm.rewards.words if algorithm.rewards else "any rewards"
    loss = "the user's level" if promised.notion == "local" else "eps"
    name = promised.mechanism or (promised.curator.__name__ if promised.curator else "")
    beneath = f"`{name}`" if name else "sparse vector"
    what = promised.hides
    return [f"`{algorithm.name}`", promised.notion, loss, what, needs, promised.source, beneath]


if __name__ == "__main__":
    print(page(), end="")
