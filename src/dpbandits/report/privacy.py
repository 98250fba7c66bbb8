"""Privacy on one page: what each algorithm promises, and what was computed, replayed, audited."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from ..audit.verdicts import combined
from ..contracts.algorithm import find_file, load
from ..contracts.display import display_name
from ..errors import BadInput
from ..results.manifest import UNREADABLE
from ..settings.groups import names_in
from .sources import read_pipes

# What is read of the tables of audits: the columns by their heads in Markdown
AUDITED = {
    "audited": "name", "": "kind", "promised": "promised", "measured, at least": "measured",
    "verdict": "verdict",
}  # fmt: skip
EXACT = {"audited": "name", "promised": "promised", "exact loss": "high", "verdict": "verdict"}
REPLAYED = {"": "name", "aligned": "aligned"}


def privacy_rows(results: Path | None, names: list[str]) -> list[dict[str, Any]]:
    """A row for each private algorithm or rule that was run, audited or computed.

    ``exact`` and ``audited`` are the largest ratio of the loss to the promised one over all
    budgets: computed exactly, and the lower confidence bound that was measured. ``aligned`` counts
    the replays of its alignment that held. ``verdict`` is that on all of it.
    """
    audited, exact = _table(results, "audit", AUDITED), _table(results, "exact", EXACT)
    audited = audited[audited["kind"] != "mechanism"]
    replayed = audited if "replays" in audited else _table(results, "privacy", REPLAYED)
    rows = []
    for name in dict.fromkeys([*names, *audited["name"], *exact["name"]]):
        promised, alignment = _promise(name)
        own, losses = audited[audited["name"] == name], exact[exact["name"] == name]
        if promised is None or (promised == "not private" and own.empty):
            continue
        rows.append({
            "algorithm": display_name(name),
            "promised": promised,
            "exact": _ratio(losses["high"], losses["promised"]),
            "aligned": _aligned(replayed[replayed["name"] == name], alignment),
            "audited": _ratio(own["measured"], own["promised"]),
            "verdict": combined(*own["verdict"], *losses["verdict"]),
        })  # fmt: skip
    return sorted(rows, key=lambda row: row["algorithm"].casefold())


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


def _table(results: Path | None, stem: str, heads: dict[str, str]) -> pd.DataFrame:
    """Columns of a table: of its CSV file, with those of replays, or else of its Markdown."""
    columns = [*heads.values()]
    found = [pd.DataFrame(columns=columns)]
    if results is None:
        return found[0]
    with suppress(*UNREADABLE):
        table = pd.read_csv(results / f"{stem}.csv").rename(columns={"algo": "name"})
        return table[[*columns, *({"aligned", "replays"} & {*table})]]
    with suppress(OSError, ValueError, BadInput):
        tables = [table.rename(columns=heads) for table in read_pipes(results / f"{stem}.md")]
        found += [table[columns] for table in tables if {*columns} <= {*table}]
    return pd.concat(found)


def _last(text: Any) -> float:
    """The last number in a cell: of "rho 0.1: mu 0.4472" the loss, of an interval its end."""
    found = re.findall(r"\d[\d,]*\.?\d*(?:e[+-]?\d+)?", str(text))
    return float(found[-1].replace(",", "")) if found else math.nan


def _ratio(losses: pd.Series, promised: pd.Series) -> str:
    known = (losses.map(_last) / promised.map(_last)).dropna().astype(float)
    return "" if known.empty else f"{known.max():.4g} × promised"


def _aligned(own: pd.DataFrame, alignment: str) -> str:
    if "replays" in own:
        held, replays = own["aligned"].sum(), own["replays"].sum()
    else:
        counts = own["aligned"].astype(str).str.extract(r"^(\d+) of (\d+)$").astype(float)
        held, replays = counts.sum()
    if replays > 0:
        return f"{held:.0f} of {replays:.0f} replays"
    return "declared" if alignment else "none declared"
