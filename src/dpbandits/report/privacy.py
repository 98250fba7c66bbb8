"""Privacy on one page: what each algorithm promises, and what was computed, replayed, audited."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pandas as pd

from ..audit.verdicts import combined
from ..contracts.algorithm import find_file, load
from ..contracts.display import display_name
from ..results.manifest import UNREADABLE
from ..settings.groups import names_in

COLUMNS = {  # what is read of the tables of audits
    "audit": ["name", "kind", "promised", "measured", "verdict", "aligned", "replays"],
    "exact": ["name", "promised", "high", "verdict"],
}


def privacy_rows(results: Path | None, names: list[str]) -> list[list[str]]:
    """A row for each private algorithm or rule that was run, audited or computed: its name, what it
    promises, its exact loss, its alignment, its audited loss, and the verdict on all of it.

    Losses are the largest ratios to the promised one over all budgets: computed exactly, and the
    lower confidence bound that was measured. The alignment counts the replays that held.
    """
    audited, exact = _table(results, "audit"), _table(results, "exact")
    audited = audited[audited["kind"] != "mechanism"]
    rows = []
    for name in dict.fromkeys([*names, *audited["name"], *exact["name"]]):
        promised, alignment = _promise(name)
        own, losses = audited[audited["name"] == name], exact[exact["name"] == name]
        if promised is None or (promised == "not private" and own.empty):
            continue
        of = [
            promised, _ratio(losses["high"], losses["promised"]), _aligned(own, alignment),
            _ratio(own["measured"], own["promised"]), combined(*own["verdict"], *losses["verdict"]),
        ]  # fmt: skip
        rows.append([display_name(name), *of])
    return sorted(rows, key=lambda row: row[0].casefold())


def _promise(name: str) -> tuple[str | None, str]:
    """What an algorithm of the package promises, shortly, and its alignment in words."""
    for group in ("algo", "rule"):
        if name in names_in(group):
            algorithm = load(find_file(name, (), group))
            of = algorithm.guarantee
            if of is None or of.notion == "none":
                return "not private", ""
            letters = ", ".join(of.letters).replace("eps", "ε").replace("rho", "ρ")
            loss = f"({letters})" if len(of.letters) > 1 else letters
            words = f"{loss}-{of.notion}{'' if of.gaussian else ' DP'} of {of.hides} ({of.source})"
            return words, of.alignment.says if of.alignment else ""
    return None, ""


def _table(results: Path | None, stem: str) -> pd.DataFrame:
    """The table of audits or of exact losses in a folder; empty if there is none."""
    if results is not None:
        with suppress(*UNREADABLE):
            return pd.read_csv(results / f"{stem}.csv").rename(columns={"algo": "name"})[
                COLUMNS[stem]
            ]
    return pd.DataFrame(columns=COLUMNS[stem])


def _ratio(losses: pd.Series, promised: pd.Series) -> str:
    known = (losses / promised).dropna().astype(float)
    return "" if known.empty else f"{known.max():.4g} × promised"


def _aligned(own: pd.DataFrame, alignment: str) -> str:
    if own["replays"].sum() > 0:
        return f"{own['aligned'].sum():.0f} of {own['replays'].sum():.0f} replays"
    return "declared" if alignment else "none declared"
