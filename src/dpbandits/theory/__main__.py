"""The page docs/bounds.md, generated from the theorems by ``python -m dpbandits.theory``."""

from __future__ import annotations

from .bounds import Bound, every_bound

HEAD = """\
# Bounds

Each theorem is a function in `src/dpbandits/theory`, with one file per paper. They generate this
page: `python -m dpbandits.theory > docs/bounds.md`.

```sh
bandit-bounds algo=adap_ucb env=bernoulli_c2 eps=0.5 horizon=1e6   # the bounds of one setting
bandit-run experiment=azize2022_fig8
bandit-plot experiment=azize2022_fig8 bounds=true                  # bounds and measured regret
```

| kind | meaning |
|---|---|
| exact | holds at every horizon; tested against measured regret or simulated stopping times |
| asymptotic | holds in the limit of long horizons; labelled as such in figures, not tested |
| worst case | holds for the worst of all instances, not for each; labelled as such, not tested |
| order | holds up to a constant that is not printed: a formula, and in figures a fitted slope |
| refuted | known to be wrong; printed with a mark and its refutation |

In Python every theorem is a function of plain numbers. It raises `ConditionFailed` if a condition
on its numbers fails. The other conditions are about the setting, and `bandit-bounds` checks all.

```python
from dpbandits.theory import azize2022

most = azize2022.adap_ucb(gaps=[0, 0.1, 0.2], eps=0.5, T=1e6, alpha=3.1)
arms = [[1, 0], [0, 1], [0.9, 0.3]]
least = azize2022.linear_lower(arms, theta=[1, 0], eps=0.1, T=1e6)
```

SciPy solves the convex programme of Theorem 5 of Azize & Basu 2022. The function returns the value
of a feasible point of the dual, which is a lower bound for any precision of the solver. Corrections
of printed formulas are listed in [errata.md](errata.md).

Letters: T horizon, K arms, gap = best mean - mean, kl of Bernoulli laws; for local privacy p_0 is
the share of users with eps >= eps_min; beta or delta failure probability; E|X|^(1+v) <= u or
E|X|^k <= 1, D bound on the absolute values of the means, alpha contamination and alpha1 its bound
(in theorems on AdaP, DP-KLUCB and DP-IMED alpha is the algorithm's parameter); d(x, y) divergence
of Bernoulli laws under eps-global DP; a, R, mu accuracy, range and mean of a stopping rule; d
dimension of a linear bandit.
"""


def page() -> str:
    """The page as Markdown."""
    header = ["bound", "side", "kind", "formula", "needs", "function"]
    rows = [header, ["---"] * len(header), *(row(bound) for bound in every_bound())]
    return HEAD + "\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(bound: Bound) -> list[str]:
    """A theorem as a row of the table."""
    module = bound.function.__module__.rpartition(".")[2]
    needs = "; ".join(condition.words for condition in bound.conditions)
    formula = f"`{bound.statement}`" + (f" ({bound.note})" if bound.note else "")
    name = f"`{module}.{bound.function.__name__}`"
    cells = [bound.source, bound.side, bound.status, formula, needs, name]
    return [cell.replace("|", r"\|") for cell in cells]


if __name__ == "__main__":
    print(page(), end="")
