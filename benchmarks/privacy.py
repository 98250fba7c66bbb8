"""Which tests of privacy notice which broken twins, and whether correct variants pass them.

    python benchmarks/privacy.py > benchmarks/privacy.md

``METHODS`` holds the tests: each is a function of a twin and of a value of its budget, and returns
whether the test objects, or None if it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tabulate import tabulate
from twins import BROKEN, CORRECT, Twin

from dpbandits.audit.alignment import Coupling, align

BUDGETS = (0.1, 1.0)  # eps, or rho
Method = Callable[[Twin, float], bool | None]
WORDS = {True: "objects", False: "passes", None: "-"}
HEAD = """\
# Tests of privacy, tested

Broken twins promise privacy that they do not have; correct variants are unusual, but private. A
test must object to the former and pass the latter. `python benchmarks/privacy.py >
benchmarks/privacy.md` makes this page; the twins are in `benchmarks/twins`. The budget is eps, or
rho where noise is Gaussian.
"""


def alignment(twin: Twin, budget: float) -> bool:
    """Whether the alignment that the twin's author believes in fails in a replay."""
    return not align(Coupling(twin.algorithm, budget, twin.values)).holds


METHODS: dict[str, Method] = {"alignment": alignment}


def rows(twins: Sequence[Twin]) -> list[list[str]]:
    """A row for each twin: what each method says at each budget."""
    return [
        [twin.says, *(WORDS[test(twin, x)] for test in METHODS.values() for x in BUDGETS)]
        for twin in twins
    ]


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for title, twins in (("Broken twins", BROKEN), ("Correct variants", CORRECT)):
        head = ["", *(f"{name}, {x:g}" for name in METHODS for x in BUDGETS)]
        parts += [f"## {title}\n", tabulate(rows(twins), head, "pipe"), ""]
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
