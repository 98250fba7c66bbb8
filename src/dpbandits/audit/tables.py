"""Findings of audits as a table, and in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tabulate import tabulate

from .verdicts import UNDECIDED

Row = Mapping[str, Any]
# The head of a column, the side to which its cells are aligned, and the text of a cell for a row
Column = tuple[str, str, Callable[[Row], Any]]


def text_of_findings(rows: Sequence[Row], style: str) -> str:
    """Return the table of findings as text, in a style of tabulate.

    The unit of a loss is the unit of the promised loss.
    """
    head, sides, texts = zip(*(EXACT if _is_exact(rows[0]) else SAMPLED), strict=True)
    cells = [[text(row) for text in texts] for row in rows]
    return tabulate(cells, head, tablefmt=style, colalign=sides, disable_numparse=True)


def promised(row: Row) -> str:
    """Return the promised loss as text, with the budget if loss and budget differ."""
    if row["unit"] == "eps":
        return f"{row['promised']:g}"
    return f"{row['budget']} {row[row['budget']]:g}: mu {row['promised']:.4g}"


def _detectable(row: Row) -> str:
    return "" if math.isinf(row["detectable"]) else f"{row['detectable']:.3g} {row['unit']}"


def _tried(row: Row) -> str:
    return f"{row['reward_low']:.4g} to {row['reward_high']:.4g}"


def _verdict(row: Row) -> str:
    """Return the verdict, with a short reason if it is undecided."""
    return f"{row['verdict']}: {row['why']}" if row["verdict"] == UNDECIDED else row["verdict"]


def _interval(row: Row) -> str:
    """Return a loss with ten digits. If the loss is known less precisely, return an interval around
    it.

    The ends of the interval are rounded outwards.
    """
    low, high = row["low"], row["high"]
    if high - low <= 1e-10 * high:
        return f"{(low + high) / 2:#.10g}"
    return f"[{math.floor(low * 1e7) / 1e7:.7f}, {math.ceil(high * 1e7) / 1e7:.7f}]"


SAMPLED: tuple[Column, ...] = (
    ("audited", "left", lambda row: row["name"]),
    ("kind", "left", lambda row: row["kind"]),
    ("promised", "right", promised),
    ("measured, at least", "right", lambda row: f"{row['measured']:.3g}"),
    ("would be seen from", "right", _detectable),
    ("exact, of the release beneath", "right",
     lambda row: "" if math.isnan(row["exact"]) else f"{row['exact']:.4g}"),
    ("rewards tried", "right", _tried),
    ("verdict", "left", _verdict),
)  # fmt: skip
EXACT: tuple[Column, ...] = (
    ("audited", "left", lambda row: row["algo"]),
    ("arms", "right", lambda row: row["arms"]),
    ("rounds", "right", lambda row: f"{row['horizon']:,}"),
    ("promised", "right", lambda row: f"{row['promised']:g}"),
    ("exact loss", "left", _interval),
    ("rewards", "right", _tried),
    ("verdict", "left", lambda row: row["verdict"]),
)


def in_words(row: Row) -> str:
    """Return the witness of a finding as text: the neighbours, and the event with its frequencies
    or its loss.
    """
    if _is_exact(row):
        return (
            f"{row['algo']} at eps {row['eps']:g}, {row['horizon']:,} rounds: attained by\n"
            f"  {row['event']}\n"
            f"  rewards    {row['rewards']}\n"
            f"  neighbours {row['neighbours']}"
        )
    n = row["runs"]
    if not n:
        return f"{_at(row)}: no run was sampled"
    first, second = (f"{100 * row[key] / n:.4g} %" for key in ("count_first", "count_second"))
    reward = f"reward {row['changed_round']}"
    if row["kind"] == "algorithm":
        reward = f"the reward of arm {row['changed_arm']} in round {row['changed_round']}"
    files = f": {', '.join(row['witness'])}" if row["witness"] else ""
    return (
        f"{_at(row)}: {'mu ' * (row['unit'] == 'mu')}{row['measured']:.3g} at least "
        f"(confidence {row['confidence']:g}), of rewards {_tried(row)}\n"
        f"  sequences  of {row['rewards']}, {reward} is {row['first']:g} or {row['second']:g}"
        f"{files}\n"
        f"  event      {row['event']}\n"
        f"  happens    in {first} and {second} of {n:,} runs each"
    )


def _is_exact(row: Row) -> bool:
    return "low" in row


def _at(row: Row) -> str:
    return f"{row['name']} at {row['budget']} {row[row['budget']]:g}"


def alignments_in_words(rows: Sequence[Row]) -> str:
    """Return the results of replays in words.

    If more than four targets were replayed, the text has only the counter-examples and the number
    of alignments that held.
    """
    said = {(row["name"], row["alignment"]): row for row in rows if row.get("tried")}
    failed = [row for row in rows if row.get("replays", 0) > row.get("aligned", 0)]
    shown = failed if len(said) > 4 else said.values()
    texts = [
        f"\n{_at(row)}: {row['alignment'] or row['kind']}\n  tried      {row['tried']}\n"
        for row in shown
    ]
    if len(said) > 4:
        replayed = sum(row["replays"] > 0 for row in rows)
        texts.append(f"\n{replayed - len(failed)} of {replayed} alignments held\n")
    return "".join(texts)
