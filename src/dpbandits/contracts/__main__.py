"""``python -m dpbandits.contracts`` prints the page docs/guarantees.md from the guarantees."""

from __future__ import annotations

from .algorithm import HOMES, Algorithm, load
from .guarantees import RDP, SKELLAM, ZCDP, LimitedProof

HEAD = f"""\
# Guarantees

The privacy guarantee of each algorithm and stopping rule, the assumption on the rewards that it
needs, and its source. A guarantee is data: `GUARANTEE` in the algorithm's file. They generate this
page: `python -m dpbandits.contracts > docs/guarantees.md`. Measured privacy losses are in
[results/audit.md](../results/audit.md), and [privacy.md](privacy.md) explains them.

An alignment is how the noise shifts when one reward changes, so that all decisions stay the same;
every audit replays it. Policies with an oracle have none: a fit hides a record by the noise in its
objective, or by the noise of its moments.

Global DP: the probability of every event about what an adversary observes changes by a factor of at
most e^loss between two sequences of rewards that differ in one reward. Local DP: the same holds for
the response of one user to any two rewards. Without noise (`eps=inf`) nothing is guaranteed.

Global zCDP: between two such sequences the Renyi divergence of order a is at most rho a, for every
a above 1. Global RDP: it is at most eps for one order. Both are given here by Gaussian noise, so
what an adversary observes is also mu-GDP, and an audit measures mu. Skellam noise of granularity s
gives a divergence of at most a rho for integer orders a, with the rho below; an audit measures mu
as if the noise were Gaussian. They convert to (eps', delta)-DP, for every delta in (0, 1):

| | eps' | mu | source |
|---|---|---|---|
| rho-zCDP | `{ZCDP.formula}` | `sqrt(2 rho)` | {ZCDP.source} |
| (order, eps)-RDP | `{RDP.formula}` | `sqrt(2 eps/order)` | {RDP.source} |
| (order, rho order)-RDP, Skellam noise | `{SKELLAM.formula}` | `sqrt(2 rho)` | {SKELLAM.source} |

| | notion | loss | an adversary observes | rewards | source | release | alignment: what shifts |
|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page as Markdown."""
    files = [file for home in HOMES.values() for file in sorted(home.glob("*.py"))]
    found = [load(file) for file in files if f"def {file.stem}(" in file.read_text()]
    return HEAD + "".join(f"| {' | '.join(row(algorithm))} |\n" for algorithm in found)


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
