"""``python -m dpbandits.contracts`` prints the page docs/guarantees.md from the guarantees."""

from __future__ import annotations

from .algorithm import HOMES, Algorithm, load
from .guarantees import RDP, SKELLAM, ZCDP, LimitedProof

HEAD = f"""\
# Guarantees

This page lists the privacy guarantee of each algorithm and stopping rule, the assumption on the
rewards that the guarantee needs, and the source of the guarantee. A guarantee is data, the constant
`GUARANTEE` in the algorithm's file. This command makes the page from these constants:
`python -m dpbandits.contracts > docs/guarantees.md`. Measured privacy losses are in
[results/audit.md](../results/audit.md), and [privacy.md](privacy.md) explains them.

An alignment states how the noise must shift if one reward changes, so that all decisions stay the
same; every audit replays the alignment. Policies with an oracle have no alignment: noise in the
objective of a fit, or noise in its moments, hides a record.

**Global DP.** The probability of every event about what an adversary observes changes by a factor
of at most e^loss between two sequences of rewards that differ in one reward.

**Local DP.** The same bound holds for the response of one user to any two rewards.

**Joint DP.** The same bound holds for the actions of all other rounds if the features and the
reward of one round change.

**DP with a delta.** The probability of an event is at most e^eps times its probability under the
neighbour, plus delta. *Pure* means that delta is 0.

**Global zCDP.** Between two sequences of rewards that differ in one reward, the Renyi divergence of
order a is at most rho a, for every a above 1.

**Global RDP.** The Renyi divergence is at most eps for one order.

Algorithms with a guarantee of zCDP or RDP add Gaussian noise, so what an adversary observes is also
mu-GDP, and an audit measures mu. The exception is `dist_rdp_se`, which adds Skellam noise of
granularity s: the divergence is at most a rho for integer orders a, with the rho in the table
below, and an audit measures mu as if the noise were Gaussian.

Without noise (`eps=inf`) nothing is guaranteed.

Each guarantee in this table implies (eps', delta)-DP, for every delta in (0, 1):

| guarantee | eps' | mu | source |
|---|---|---|---|
| rho-zCDP | `{ZCDP.formula}` | `sqrt(2 rho)` | {ZCDP.source} |
| (order, eps)-RDP | `{RDP.formula}` | `sqrt(2 eps/order)` | {RDP.source} |
| (order, rho order)-RDP, Skellam noise | `{SKELLAM.formula}` | `sqrt(2 rho)` | {SKELLAM.source} |

| name | notion | loss | an adversary observes | rewards | source | release | alignment shifts |
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
