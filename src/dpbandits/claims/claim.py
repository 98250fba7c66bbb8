"""A claim of a paper as a function of runs, its verdict, and all claims by name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .samples import Runs, Sample
from .statistics import OUTCOMES, Part, Parts

VERDICTS = ("reproduced", "partly", "not reproduced")
BASES = {  # of what a claim says: how it was found
    "printed": "printed",
    "figure": "read off a figure",
    "both": "printed; numbers or orders read off a figure",
    "ours": "not in the paper: ours",
    "unread": "from summaries of the paper",
}
Basis = Literal["printed", "figure", "both", "ours", "unread"]
PartsOf = Callable[[Runs], Parts]  # the function of a claim


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    ``published`` is the paper's value, ``basis`` how it was found (see ``BASES``), ``parts`` what
    is compared, and ``why`` is a sentence on the verdict.
    """

    name: str
    source: str
    says: str
    published: str
    basis: Basis
    experiments: Sequence[str]
    why: str
    parts: PartsOf = field(repr=False)

    def measure(self, samples: Sequence[Sample]) -> list[Part]:
        """All numbers that the claim states, as the samples have them."""
        return list(self.parts(Runs(self.name, samples)))

    @property
    def file(self) -> Path:
        """The file of the paper."""
        return Path(inspect.getfile(self.parts))


def claim(
    name: str, source: str, published: str, basis: Basis, *experiments: str
) -> Callable[[PartsOf], Claim]:
    """Declare a function of runs as a claim, which ``load_claims`` finds; see ``Claim``.

    The first paragraph of the function's docstring is what the paper says, the second one why the
    verdict is what it is.
    """

    def decorate(parts: PartsOf) -> Claim:
        says, why = (" ".join(text.split()) for text in str(parts.__doc__).split("\n\n"))
        return Claim(name, source, says, published, basis, experiments, why, parts)

    return decorate


def load_claims() -> dict[str, Claim]:
    """The claims in the files of this package, by name."""
    files = pkgutil.iter_modules(importlib.import_module(str(__package__)).__path__)
    modules = [importlib.import_module(f"{__package__}.{file.name}") for file in files]
    found = [x for module in modules for x in vars(module).values() if isinstance(x, Claim)]
    return {x.name: x for x in sorted(found, key=lambda x: x.name)}


def verdict(parts: Sequence[Part]) -> str:
    """Reproduced if every part holds, not reproduced if none does, else partly. Where this depends
    on parts that are undecided, the verdict is undecided, between the two that are possible.
    """

    def if_undecided(holds: bool) -> str:
        held = [holds if part.holds is None else part.holds for part in parts]
        return VERDICTS[0] if all(held) else VERDICTS[1] if any(held) else VERDICTS[2]

    best, worst = if_undecided(True), if_undecided(False)
    return best if best == worst else f"undecided: {best} or {worst}"


def in_words(parts: Sequence[Part]) -> str:
    """The measured values: all if there are few, else how many hold and the worst of them."""
    if len(parts) == 1:
        return parts[0].in_words()
    if len(parts) <= 3:
        return "; ".join(f"{p.in_words()} ({p.where}): {OUTCOMES[p.holds]}" for p in parts)
    held, open_ = (sum(p.holds is x for p in parts) for x in (True, None))
    worst = min(parts, key=lambda p: p.margin)
    undecided = f", {open_} undecided" if open_ else ""
    far = f"{worst.in_words()} ({worst.where})"
    return f"{held} of {len(parts)} hold{undecided}; farthest off: {far}"
