"""Measure which tests of privacy detect which broken algorithms (called twins), and whether correct
variants pass the tests.

    python benchmarks/privacy.py > benchmarks/privacy.md

Each test in ``METHODS`` is a function of a twin and of a value of its budget. The function returns
whether the test finds a fault, or None if the test does not apply.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from joblib import Parallel, delayed
from tabulate import tabulate

from dpbandits.audit.alignment.align import align
from dpbandits.audit.exact.loss import WIDTH, OutOfReach, certified
from dpbandits.audit.exact.methods import episodic_candidates, exact_loss
from dpbandits.audit.sampling.auditor import audit
from dpbandits.audit.targets.decisions import RegretTarget, target_of
from dpbandits.audit.verdicts import VIOLATED, of_exact

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from twins import BROKEN, CORRECT, Twin

BUDGETS = (0.1, 1.0)  # eps, or rho
HORIZON = 8  # horizon of exact losses
Method = Callable[[Twin, float], bool | None]
WORDS = {True: "objects", False: "passes", None: "-"}
HEAD = """\
# Tests of privacy, tested

This page tests the methods of an audit. *Broken twins* are algorithms that promise privacy that
they do not have: at each budget, at least one method must object to a broken twin. *Correct
variants* are unusual, but private: no method may object to them. `python benchmarks/privacy.py >
benchmarks/privacy.md` makes this page; the algorithms are in `tests/twins`. The budget is eps, or
rho for Gaussian noise.

* *alignment*: the audit replays random runs on neighbouring rewards, with shifted noise.
* *exact*: the audit computes the exact loss of the actions of two arms in 8 rounds, if a closed
  form is known.
* *audit*: the audit samples actions and bets against the promise, with 99 % confidence.

docs/privacy_limits.md says what each method proves.
"""


def misaligned(twin: Twin, budget: float) -> bool:
    """Return whether the alignment that the twin declares fails in a replay."""
    return not align(target_of(twin.algorithm, budget, twin.values)).holds


def exceeds(twin: Twin, budget: float) -> bool | None:
    """Return whether the exact loss of the twin's actions exceeds its budget; None if the exact
    loss is not known.
    """
    game, curator = twin.game, twin.algorithm.guarantee.curator
    if game is None and curator is None:
        return None
    try:
        if game is not None:
            found = certified(lambda: episodic_candidates(game(budget), HORIZON), WIDTH * budget)
        else:
            found = exact_loss(target_of(twin.algorithm, budget, {}), HORIZON)
    except OutOfReach:
        return None
    return of_exact(found.low, found.high, budget) == VIOLATED


def violated(twin: Twin, budget: float) -> bool:
    """Return whether an audit by sampling finds a loss above the promised loss."""
    return audit(RegretTarget(twin.algorithm, budget, twin.values)).violated


METHODS: dict[str, Method] = {"alignment": misaligned, "exact": exceeds, "audit": violated}


def row(twin: Twin, methods: Sequence[Method] = tuple(METHODS.values())) -> list[str]:
    """Return the row of a twin: the result of each method at each budget."""
    return [twin.says, *(WORDS[test(twin, x)] for test in methods for x in BUDGETS)]


def page() -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    for title, twins in (("Broken twins", BROKEN), ("Correct variants", CORRECT)):
        head = ["", *(f"{name}, {x:g}" for name in METHODS for x in BUDGETS)]
        places = [(title == "Broken twins", i) for i in range(len(twins))]
        rows = Parallel(n_jobs=-1)(delayed(row_at)(*place) for place in places)
        parts += [f"## {title}\n", tabulate(rows, head, "pipe"), ""]
    return "\n".join(parts)


def row_at(broken: bool, i: int) -> list[str]:
    """Return the row of the i-th twin. A worker imports the twin, since functions of twins cannot
    be sent to other processes.
    """
    import twins

    return row((twins.BROKEN if broken else twins.CORRECT)[i])


if __name__ == "__main__":
    print(page(), end="")
