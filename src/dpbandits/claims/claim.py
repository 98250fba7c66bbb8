"""Claims of papers, as functions of runs, with their verdicts, and a list of all claims by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..results.intervals import TAIL
from .statistics import Measured, Parts, Runs

BASES = {  # how we know what a paper claims
    "printed": "printed",
    "figure": "read off a figure",
    "both": "printed; numbers or orders read off a figure",
    "ours": "not in the paper: ours",
    "unread": "from summaries of the paper",
}
VERDICTS = {"holds": "reproduced", "fails": "not reproduced"}  # if all parts agree
PartsOf = Callable[[Runs], Parts]  # the function of a claim


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    ``says`` is the claim in words, ``published`` is the paper's value, and ``basis`` says how we
    know what the paper claims (a key of ``BASES``). ``parts`` returns the comparisons of the claim,
    and ``why`` explains the verdict.
    """

    name: str
    source: str
    says: str
    published: str
    basis: str
    experiments: Sequence[str]
    why: str
    parts: PartsOf = field(repr=False)

    def measure(self, measured: Measured) -> pd.DataFrame:
        """Return the parts of the claim, a row for each.

        The intervals of all parts hold together with probability 95 %, since the error level is
        divided by the number of parts (Bonferroni). A part holds if its whole interval is between
        ``above`` and ``below``. A part fails if no value of its interval is between these limits,
        and otherwise it is undecided. If the part has no upper limit, its interval may be infinite
        above; if it has no lower limit, its interval may begin anywhere. The column ``part``
        contains this result.
        """
        number = len([*self.parts(Runs(self.name, measured))])
        found = pd.DataFrame(self.parts(Runs(self.name, measured, TAIL / number)))
        is_below = (found["ci_high"] < found["below"]) | np.isposinf(found["below"])
        is_above = (found["above"] < found["ci_low"]) | np.isneginf(found["above"])
        holds = is_above & is_below
        fails = (found["ci_high"] < found["above"]) | (found["ci_low"] > found["below"])
        return found.assign(part=np.select([holds, fails], ["holds", "fails"], "undecided"))


def claim(
    name: str, source: str, published: str, basis: str, *experiments: str
) -> Callable[[PartsOf], Claim]:
    """Declare a function of runs as a ``Claim``, which ``load_claims`` finds.

    The first paragraph of the function's docstring is the paper's claim in words. The second
    paragraph explains the verdict.
    """

    def decorate(parts: PartsOf) -> Claim:
        says, why = (" ".join(text.split()) for text in str(parts.__doc__).split("\n\n"))
        return Claim(name, source, says, published, basis, experiments, why, parts)

    return decorate


def load_claims() -> dict[str, Claim]:
    """Return the claims in the files of this package, by name."""
    files = pkgutil.iter_modules(importlib.import_module(str(__package__)).__path__)
    modules = [importlib.import_module(f"{__package__}.{file.name}") for file in files]
    found = [x for module in modules for x in vars(module).values() if isinstance(x, Claim)]
    return {x.name: x for x in sorted(found, key=lambda x: x.name)}


def verdict(parts: Sequence[str]) -> str:
    """Return the verdict on a claim, with the numbers of parts that hold, fail, and are undecided.

    A claim is reproduced if every part holds, not reproduced if every part fails, and otherwise
    partly reproduced. If undecided parts could change the verdict, the verdict is undecided between
    two verdicts.
    """

    def if_undecided(part: str) -> str:
        found = {part if x == "undecided" else x for x in parts}
        return "partly" if len(found) > 1 else VERDICTS[found.pop()]

    best, worst = if_undecided("holds"), if_undecided("fails")
    words = best if best == worst else f"undecided ({best} or {worst})"
    holds, undecided, fails = map([*parts].count, ("holds", "undecided", "fails"))
    return f"{words}: holds in {holds} of {len(parts)}, undecided in {undecided}, fails in {fails}"


def kind(verdict: str) -> str:
    """Return the first words of a verdict: reproduced, not reproduced, partly or undecided."""
    return verdict.partition(":")[0].partition(" (")[0]
