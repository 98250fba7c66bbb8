"""Privacy on one page: what each algorithm promises, and what was computed, replayed, audited."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from ..contracts.algorithm import find_file, load
from ..contracts.display import display_name
from ..errors import BadInput
from ..results.manifest import UNREADABLE
from ..settings.groups import names_in
from .sources import read_pipes

AUDITS = ["name", "ratio", "verdict", "aligned", "replays"]
LOSSES = AUDITS[:3]


def privacy_rows(results: Path | None, names: list[str]) -> list[dict[str, Any]]:
    """A row for each private algorithm or rule that was run, audited or computed.

    ``exact`` and ``audited`` are the largest ratio of the loss to the promised one over all
    budgets: computed exactly, and the lower confidence bound that was measured. ``aligned`` counts
    the replays of its alignment that held.
    """
    audited = _audits(results) if results else pd.DataFrame(columns=AUDITS)
    exact = _losses(results) if results else pd.DataFrame(columns=LOSSES)
    wanted = dict.fromkeys([*names, *audited["name"], *exact["name"]])
    rows = []
    for name in wanted:
        promised, alignment = _promise(name)
        own, losses = audited[audited["name"] == name], exact[exact["name"] == name]
        if promised is None or (promised == "not private" and own.empty):
            continue
        verdicts = [*dict.fromkeys([*own["verdict"], *losses["verdict"]])]
        rows.append({
            "algorithm": display_name(name),
            "promised": promised,
            "exact": _ratio(losses["ratio"]),
            "aligned": _aligned(own, alignment),
            "audited": _ratio(own["ratio"]),
            "verdict": "VIOLATED" if "VIOLATED" in verdicts else ", ".join(verdicts),
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


def _audits(results: Path) -> pd.DataFrame:
    """Findings: ``name, ratio, verdict`` and, from a table of findings, ``aligned, replays``."""
    with suppress(*UNREADABLE):
        found = pd.read_csv(results / "audit.csv")
        found["ratio"] = found["measured"] / found["promised"]
        return found.loc[found["kind"] != "mechanism"].reindex(columns=AUDITS)
    rows, held = [], _replays(results)
    for table in _pipes(results / "audit.md"):
        if {"audited", "promised", "measured, at least", "verdict"} <= set(table.columns):
            kind = table.columns[list(table.columns).index("audited") + 1]
            for row in table[table[kind] != "mechanism"].to_dict("records"):
                ratio = _last(row["measured, at least"]) / _last(row["promised"])
                replays = held.pop(row["audited"], (math.nan, math.nan))  # those of all budgets
                rows.append((row["audited"], ratio, row["verdict"], *replays))
    return pd.DataFrame(rows, columns=AUDITS)


def _replays(results: Path) -> dict[str, tuple[float, float]]:
    """Of each name in privacy.md how many replays held, and how many there were."""
    found: dict[str, tuple[float, float]] = {}
    for table in _pipes(results / "privacy.md"):
        if "aligned" in table.columns:
            for name, text in zip(table.iloc[:, 0], table["aligned"], strict=True):
                if match := re.fullmatch(r"(\d+) of (\d+)", text):
                    before = found.get(name, (0.0, 0.0))
                    found[name] = before[0] + float(match[1]), before[1] + float(match[2])
    return found


def _losses(results: Path) -> pd.DataFrame:
    """Exact losses: ``name, ratio, verdict``."""
    with suppress(*UNREADABLE):
        found = pd.read_csv(results / "exact.csv").rename(columns={"algo": "name"})
        found["ratio"] = found["high"] / found["promised"]
        return found.reindex(columns=LOSSES).fillna({"verdict": "undecided"})
    rows = [
        (row["audited"], _last(row["exact loss"]) / _last(row["promised"]), row["verdict"])
        for table in _pipes(results / "exact.md")
        if {"audited", "promised", "exact loss", "verdict"} <= set(table.columns)
        for row in table.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=LOSSES)


def _pipes(file: Path) -> list[pd.DataFrame]:
    with suppress(OSError, ValueError, BadInput):
        return read_pipes(file)
    return []


def _last(text: str) -> float:
    """The last number in a cell: of "rho 0.1: mu 0.4472" the loss, of an interval its end."""
    found = re.findall(r"\d[\d,]*\.?\d*(?:e[+-]?\d+)?", str(text))
    return float(found[-1].replace(",", "")) if found else math.nan


def _ratio(ratios: pd.Series) -> str:
    known = ratios.dropna().astype(float)
    return "" if known.empty else f"{known.max():.4g} × promised"


def _aligned(own: pd.DataFrame, alignment: str) -> str:
    replays = own["replays"].dropna().astype(float)
    if replays.sum() > 0:
        return f"{own['aligned'].astype(float).sum():.0f} of {replays.sum():.0f} replays"
    return "declared" if alignment else "none declared"
