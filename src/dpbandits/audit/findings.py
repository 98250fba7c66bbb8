"""Findings of audits as a table, in words, and as a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tabulate import tabulate

from ..contracts.display import display_name, symbol
from ..figures.style import PALETTE, Chart, finish, styled
from ..files import write_atomically
from ..results.tables import budgets_of
from .auditor import Finding

UNITS = {"eps": "privacy loss (nats)", "mu": r"privacy loss $\mu$ (Gaussian DP)"}
VERDICTS = {False: "consistent", True: "VIOLATED"}


def record(finding: Finding, seed: int) -> dict[str, Any]:
    """A finding as a row of the table."""
    x, y = finding.pair
    where = tuple(np.argwhere(x != y)[0])
    subject = finding.subject
    return {
        "kind": subject.kind, "name": subject.name, "budget": subject.budget_name,
        subject.budget_name: subject.budget, "unit": subject.unit, "promised": subject.promised,
        "measured": finding.measured, "detectable": finding.detectable,
        "exact": math.nan if finding.exact is None else finding.exact,
        "verdict": VERDICTS[finding.violated], "confidence": finding.confidence,
        "runs": finding.runs, "count_first": finding.counts[0], "count_second": finding.counts[1],
        "rewards": len(x), "arms": x.shape[1] if x.ndim > 1 else 1,
        "changed_round": int(where[0]) + 1, "changed_arm": int(where[1]) if x.ndim > 1 else 0,
        "first": float(x[where]), "second": float(y[where]),
        "event": finding.event.in_words(subject.columns(x)) or "nothing differs", "seed": seed,
    }  # fmt: skip


def render(rows: Sequence[Mapping[str, Any]], style: str) -> str:
    """The table as text, in a style of tabulate's; losses are eps, or mu where the promise is."""
    head = ["audited", "", "promised", "measured, at least"]
    head += ["would be seen from", "exact, of the release beneath", "verdict"]
    cells = [
        [row["name"], row["kind"], promised(row), f"{row['measured']:.3g}",
         "" if math.isinf(row["detectable"]) else f"{row['detectable']:.3g} {row['unit']}",
         "" if math.isnan(row["exact"]) else f"{row['exact']:.4g}", row["verdict"]]
        for row in rows
    ]  # fmt: skip
    align = ("left", "left", "right", "right", "right", "right", "left")
    return tabulate(cells, head, tablefmt=style, colalign=align, disable_numparse=True)


def promised(row: Mapping[str, Any]) -> str:
    """The loss that is promised; the budget it comes from, if it is not the budget itself."""
    if row["unit"] == "eps":
        return f"{row['promised']:g}"
    return f"{row['budget']} {row[row['budget']]:g}: mu {row['promised']:.4g}"


def in_words(row: Mapping[str, Any]) -> str:
    """The witness of a finding: the two sequences, the event, both frequencies."""
    n = row["runs"]
    first, second = (f"{100 * row[key] / n:.4g} %" for key in ("count_first", "count_second"))
    reward = f"reward {row['changed_round']}"
    if row["kind"] == "algorithm":
        reward = f"the reward of arm {row['changed_arm']} in round {row['changed_round']}"
    files = f": {', '.join(row['witness'])}" if row["witness"] else ""
    return (
        f"{row['name']} at {row['budget']} {row[row['budget']]:g}: "
        f"{'mu ' * (row['unit'] == 'mu')}{row['measured']:.3g} at least "
        f"(confidence {row['confidence']:g})\n"
        f"  sequences  of {row['rewards']}, {reward} is {row['first']:g} or {row['second']:g}"
        f"{files}\n"
        f"  event      {row['event']}\n"
        f"  happens    in {first} and {second} of {n:,} runs each"
    )


def write_witness(finding: Finding, stem: Path) -> list[str]:
    """The two sequences as CSV files, which ``env=table env.file=...`` reads; their paths."""
    paths = [stem.with_name(f"{stem.name}-{which}.csv") for which in ("first", "second")]
    for data, path in zip(finding.pair, paths, strict=True):
        table = pd.DataFrame(data.reshape(len(data), -1)).add_prefix("arm_")
        text = table.to_csv(index=False, float_format="%.17g", lineterminator="\n")
        write_atomically(path, text.encode())
    return [str(path) for path in paths]


@styled
def bars(table: pd.DataFrame) -> Figure:
    """Measured and exact against promised loss: a bar for each name, a panel for each value of the
    budget, and a row of panels for each unit.
    """
    value = table[budgets_of(table)].bfill(axis=1).iloc[:, 0]  # of the only budget of a row
    response = np.where(table["kind"] == "response", ", response", "")
    table = table.assign(name=table["name"].map(display_name).str.replace("_", " ") + response)
    units = {str(unit): rows for unit, rows in table.groupby("unit", sort=True)}
    heights = [0.2 * rows["name"].nunique() + 0.9 for rows in units.values()]
    values = sorted(value.unique())
    figure = Chart(figsize=(2.1 * len(values) + 2.2, sum(heights) + 1.1))
    panels = len(units), len(values)
    axes = figure.subplots(*panels, squeeze=False, sharey="row", height_ratios=heights)
    for (unit, found), across in zip(units.items(), axes, strict=True):
        names = list(dict.fromkeys(found["name"]))[::-1]
        for ax, x in zip(across, values, strict=True):
            rows = found[value[found.index] == x]
            if rows.empty:
                ax.set_axis_off()
                continue
            _bars(ax, rows, rows["name"].map(names.index))
            symbols = " or ".join(symbol(b) for b in budgets_of(rows) if rows[b].notna().any())
            ax.set_title(f"{symbols} = {x:g}")
            ax.set_yticks(range(len(names)), names)
            ax.set_xlabel(UNITS[unit])
    confidence = table["confidence"].iloc[0]
    note = (
        f"Bars: lower confidence bounds ({100 * confidence:g} % each); none proves privacy. "
        "No bar: the audit has seen nothing.\n"
        "Diamonds: exact loss of the release beneath; none where the audit knows no formula."
    )
    finish(figure, "Privacy loss, measured and promised", table.assign(run=0), note)
    return figure


def _bars(ax: Axes, rows: pd.DataFrame, at: pd.Series) -> None:
    """Draw the findings of one panel at their heights."""
    most = rows["promised"].max()
    shown = np.minimum(rows["measured"], 2 * most)
    broken = rows["verdict"] == VERDICTS[True]
    ax.barh(at[~broken], shown[~broken], 0.65, color=PALETTE["blue"], label="measured, at least")
    if broken.any():
        wrong = PALETTE["vermillion"]
        ax.barh(at[broken], shown[broken], 0.65, color=wrong, label="measured: violated")
    ax.plot(rows["exact"], at, "D", ms=3.5, mfc="white", color="black", ls="",
            label="exact")  # fmt: skip
    ax.vlines(rows["promised"], at - 0.5, at + 0.5, color="black", lw=1, label="promised")
    ax.set_xlim(0, max(1.12 * most, 1.05 * min(rows["measured"].max(), 2 * most)))
    ax.grid(axis="y", visible=False)
