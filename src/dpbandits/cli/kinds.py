"""The two kinds of work that a command can ask for: bandits, and private stopping rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from ..results import outcomes, summary
from ..results import tables as store
from ..running.trial import Trial
from ..settings import resolve as settings
from ..settings import trial_settings
from ..settings.setting import Cell
from ..theory.ren2020 import candidates


@dataclass(frozen=True)
class Form:
    """What a command's configuration holds.

    Attributes:
        command: the command.
        top: its file in conf, which holds the keys.
        groups: keys that choose a file, what is run first.
        keys: all keys.
    """

    command: str
    top: str
    groups: tuple[str, ...]
    keys: Sequence[str]


@dataclass(frozen=True)
class Kind(Form):
    """A kind of work, and what is made of it.

    Attributes:
        cells: the units that a configuration asks for.
        tell: says what should be known before they are run.
        tidy: the table of what is finished.
        summarize: a summary of that table.
        render: the summary as text, in a style of tabulate's.
        label: the name of one unit's table, without its hash.
    """

    cells: Callable[..., list[Any]]
    tell: Callable[[list[Any]], None]
    tidy: Callable[[Path, list[Any], int], pd.DataFrame]
    summarize: Callable[[pd.DataFrame], pd.DataFrame]
    render: Callable[[pd.DataFrame, str], str]
    label: Callable[[Any], str]


def print_candidates(cells: list[Cell]) -> None:
    """Where eps_min was left to us, how it was chosen: the leading term at each candidate."""
    seen = {(c.population, c.eps, c.algorithm.leading_term): c for c in cells if c.auto}
    for cell in seen.values():
        term = cell.algorithm.leading_term or "V_L"
        chosen = dict(zip(cell.algorithm.domains, cell.arguments, strict=True))["eps_min"]
        terms = candidates(cell.crowd, term)
        best = sorted(sorted(terms, key=terms.__getitem__)[:10])
        rows = [[f"{e:g}", f"{terms[e]:.4g}", "chosen" if e == chosen else ""] for e in best]
        print(f"eps_min for {cell.algo}: {term} at the best {len(rows)} of {len(terms)} candidates")
        print(tabulate(rows, ["eps_min", term, ""], disable_numparse=True), end="\n\n")


def warn_of_zero(trials: list[Trial]) -> None:
    """No rule can come within a share of a mean of 0: it runs to its cap."""
    for env, arm in dict.fromkeys((t.env, t.arm) for t in trials if t.true_mean == 0):
        print(
            f"env={env}: the mean of arm {arm} is 0, which no estimate is within a share of; "
            "rules run to their cap",
            file=sys.stderr,
        )


def of_budget(eps: float) -> str:
    """The budget in the name of a table."""
    return "" if eps == float("inf") else f"-eps{eps:g}"


BANDITS = Kind(
    command="bandit-run",
    top="config",
    groups=settings.GROUPS,
    keys=settings.KEYS,
    cells=settings.cells,
    tell=print_candidates,
    tidy=store.tidy,
    summarize=summary.summarize,
    render=summary.render,
    label=lambda c: f"{c.algo}-{c.env}{of_budget(c.eps)}-T{summary.rounds(c.horizon)}",
)
STOPPING = Kind(
    command="bandit-stop",
    top="stop",
    groups=trial_settings.GROUPS,
    keys=trial_settings.KEYS,
    cells=trial_settings.trials,
    tell=warn_of_zero,
    tidy=outcomes.tidy,
    summarize=outcomes.summarize,
    render=outcomes.render,
    label=lambda t: f"{t.rule}-{t.env}{of_budget(t.eps)}-a{t.rel_error:g}",
)
KINDS = (BANDITS, STOPPING)
