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
PUBLIC = "not private"


def privacy_of(results: Path | None, names: list[str]) -> pd.DataFrame:
    """A row for each private algorithm or rule that was run, audited or computed.

    Losses are the largest ratios to the promised one over all budgets: computed exactly, and the
    lower confidence bound that was measured. The alignment counts the replays that held.
    """
    audited, exact = _table(results, "audit"), _table(results, "exact")
    audited = audited[audited["kind"] != "mechanism"]
    rows = []
    for name in dict.fromkeys([*names, *audited["name"], *exact["name"]]):
        own, losses = audited[audited["name"] == name], exact[exact["name"] == name]
        promised, aligned = _promise(name)
        if not promised or (promised == PUBLIC and own.empty):
            continue
        if own["replays"].sum() > 0:
            aligned = f"{own['aligned'].sum():.0f} of {own['replays'].sum():.0f} replays"
        ratios = _ratio(losses, "high"), aligned, _ratio(own, "measured")
        verdict = combined(*own["verdict"], *losses["verdict"])
        rows.append([display_name(name), promised, *ratios, verdict])
    head = ["algorithm", "promised", "exact", "aligned", "audited", "verdict"]
    return pd.DataFrame(rows, columns=head).sort_values("algorithm", key=lambda x: x.str.casefold())


def _promise(name: str) -> tuple[str, str]:
    """What an algorithm of the package promises, shortly, and whether an alignment is declared."""
    for group in ("algo", "rule"):
        if name in names_in(group):
            of = load(find_file(name, (), group)).guarantee
            if of is None or of.notion == "none":
                return PUBLIC, ""
            loss = f"({', '.join(of.letters)})" if len(of.letters) > 1 else of.letters[0]
            kind = of.notion if of.gaussian else f"{of.notion} DP"
            declared = "declared" if of.alignment else "none declared"
            return f"{loss}-{kind} of {of.hides} ({of.source})", declared
    return "", ""


def _table(results: Path | None, stem: str) -> pd.DataFrame:
    """The table of audits or of exact losses in a folder; empty if there is none."""
    if results is not None:
        with suppress(*UNREADABLE):
            found = pd.read_csv(results / f"{stem}.csv").rename(columns={"algo": "name"})
            return found[COLUMNS[stem]]
    return pd.DataFrame(columns=COLUMNS[stem])


def _ratio(rows: pd.DataFrame, column: str) -> str:
    known = (rows[column] / rows["promised"]).dropna().astype(float)
    return "" if known.empty else f"{known.max():.4g} × promised"
