"""A comparison as text: a table for the terminal, for Markdown or for LaTeX."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import Question
from ..errors import together
from ..results.summary import (
    FORMATS,
    HEADINGS,
    NAMES,
    columns_shown,
    describing,
    in_style,
    significant,
    value_text,
)
from ..results.varying import WITHOUT, without_privacy
from .samples import ITSELF, game_columns
from .table import contradicted, games

NOTE = (
    "{held}, with probability 95 %.\n"
    "Algorithms of a game share a letter if a permutation test of all pairs of the table (with an "
    "error of 5 % in all) does not tell their means apart.\n"
    "tied: shares a letter with the smallest mean. P(smaller): the probability that a run has a "
    "smaller value than a run of the best algorithm, or of the baseline."
)
APART = (
    "*: the test tells the means of {names} from the mean of the best algorithm, or of the "
    "baseline, though the interval of the ratio contains 1."
)
TOGETHER = (
    "*: the interval of the ratio of {names} excludes 1, though the test, which compares all "
    "pairs, does not tell the means apart."
)

NOTHING = "Each game has one algorithm: nothing is compared."


def text_of_comparison(
    comparison: pd.DataFrame, question: Question, style: str, baseline: str | None = None
) -> str:
    """Return a comparison as text, with the smallest mean of each game first.

    Args:
        comparison: the result of ``compare``.
        question: the question that the runs answer.
        style: ``simple`` or ``pipe`` of tabulate, or ``latex`` (booktabs).
        baseline: the argument ``baseline`` of ``compare``.
    """
    shown = columns_shown(comparison, question)
    formats = FORMATS | (NAMES if style == "latex" else {})
    to = {None: "the best", ITSELF: "no privacy"}.get(baseline, baseline)
    header = [HEADINGS.get(name, name) for name in shown]
    header += [question.statistic_name, f"ratio to {to}", "95 % of ratio", "ratio of medians"]
    header += ["95 % of medians", "P(smaller)", "95 % of P"]
    header += ["tied", "letters", "runs"]
    rows = []
    comparison = comparison.assign(contradicted=contradicted(comparison))
    for game in games(comparison, question):
        for row in game.sort_values("mean", kind="stable").to_dict("records"):
            about = ["" if pd.isna(row[n]) else formats.get(n, value_text)(row[n]) for n in shown]
            rows.append([*about, *_measured(row, alone=len(game) == 1)])
    align = ["left" if name in NAMES else "right" for name in shown]
    align += ["right"] * 7 + ["left", "left", "right"]
    return in_style(style, header, rows, align)


def note(comparison: pd.DataFrame, question: Question) -> str:
    """Return the note that explains the intervals, the ties and the letters of a comparison."""
    count = int(comparison["smaller"].notna().sum())
    if not count:
        return NOTHING
    several = f"All {count} intervals of a column hold at once"
    lines = [NOTE.format(held=several if count > 1 else "The interval of a column holds")]
    group = question.group
    odd = comparison[contradicted(comparison)]
    for line, rows in ((APART, odd[odd["differs"]]), (TOGETHER, odd[~odd["differs"]])):
        if len(rows):
            lines.append(line.format(names=", ".join(dict.fromkeys(map(str, rows[group])))))
    return "\n".join(lines)


def sentences(
    comparison: pd.DataFrame, question: Question, words: Mapping[str, str] | None = None
) -> list[str]:
    """Return a sentence about each game for the text of a paper.

    The sentence names the algorithms that the test does not distinguish from the best. For each
    other algorithm, the sentence says by which factor its mean exceeds the smallest mean. ``words``
    maps names of algorithms and environments to their labels in the sentence.
    """
    labels = words or {}
    found = []
    shown = columns_shown(comparison, question)
    of_game = game_columns(comparison[describing(comparison)], question)
    names = [n for n in shown if n not in of_game]
    for game in games(comparison, question):
        if len(game) < 2:
            continue
        rows = game.sort_values("mean", kind="stable").to_dict("records")
        where = place_of(game, [n for n in shown if n in of_game], labels)
        tied, letters = [row for row in rows if row["tied"]], set[str]()
        letters.update(*(row["letters"] for row in tied))
        best = [_named(row, names, labels) for row in tied]
        mean = f"mean {question.statistic_name.removeprefix('mean ')}"
        means = ", ".join(significant(row["mean"]) for row in tied)
        first = f"On {where}, {together(best)} "
        first += "are not told apart" if len(tied) > 1 else f"has the smallest {mean}"
        first += f" ({mean} {means})"
        others = [row for row in rows if not row["tied"]]
        apart = [_times(row, names, labels) for row in others if not letters & {*row["letters"]}]
        close = [_times(row, names, labels) for row in others if letters & {*row["letters"]}]
        if apart:
            each = "the mean of each is" if len(tied) > 1 else "this mean is"
            first += f"; {each} smaller than the mean of {together(apart)}"
        if close:
            first += f"; the mean of {best[0]} is smaller than the mean of {together(close)}"
        found.append(f"{first}.")
    return found


def place_of(game: pd.DataFrame, shown: Sequence[str], words: Mapping[str, str]) -> str:
    """Return the environment and the other values of a game for a sentence, such as "C2 at eps =
    1".

    Args:
        game: the rows of the game.
        shown: the columns whose values are named.
        words: labels of environments.
    """
    values = {n: game[n].iloc[0] for n in shown if pd.notna(game[n].iloc[0])}
    env = str(values.pop("env", game["env"].iloc[0]))
    free = f" {WITHOUT}" * bool(without_privacy(game).all())
    at = [f"{n} = {FORMATS.get(n, value_text)(x)}" for n, x in values.items() if not is_free(n, x)]
    return f"{words.get(env, env)}{free}{' at ' * bool(at)}{', '.join(at)}"


def _times(row: Mapping[Hashable, Any], names: Sequence[str], labels: Mapping[str, str]) -> str:
    """Return the name of an algorithm and the ratio of its mean to the smallest mean, for a
    sentence.
    """
    low, high = row["ratio_low"], row["ratio_high"]
    interval = f", {_beside(1.0, low)} to {_beside(1.0, high)}" if math.isfinite(high) else ""
    return f"{_named(row, names, labels)} ({row['ratio']:.3g} times{interval})"


def _named(row: Mapping[Hashable, Any], names: Sequence[str], labels: Mapping[str, str]) -> str:
    """Return the name of an algorithm for a sentence. If several settings have this name, the
    values in which they differ follow.
    """
    first, *others = (n for n in names if pd.notna(row[n]))
    shown = [n for n in others if not is_free(n, row[n])]
    values = [f"{n} = {FORMATS.get(n, value_text)(row[n])}" for n in shown]
    name = labels.get(str(row[first])) or NAMES.get(first, str)(row[first])
    return f"{name} ({', '.join(values)})" if values else name


def is_free(name: str, value: Any) -> bool:
    """Return whether ``name`` is a privacy budget and ``value`` is infinite (no privacy)."""
    return name in BUDGETS and math.isinf(value)


def _measured(row: Mapping[Hashable, Any], alone: bool) -> list[str]:
    ratio, interval = _located(row, "ratio")
    if row["contradicted"]:
        interval += " *"
    return [
        significant(row["mean"]), ratio, interval,
        *_located(row, "median_ratio"), *_located(row, "smaller"),
        "tied" if row["tied"] and not alone else "", "" if alone else row["letters"],
        str(row["runs"]),
    ]  # fmt: skip


def _located(row: Mapping[Hashable, Any], name: str) -> list[str]:
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if math.isnan(low):
        return ["", ""]
    if low == 0.0 and math.isinf(high):  # equal runs, or one run, have no interval
        return [f"{value:.3g}", ""]
    equal = 0.5 if name == "smaller" else 1.0  # the value of two algorithms that do not differ
    return [f"{value:.3g}", f"{_beside(equal, low)} to {_beside(equal, high)}"]


def _beside(equal: float, x: float) -> str:
    """Return an end of an interval with three digits. If rounding would give exactly ``equal``,
    more digits are shown.
    """
    texts = (f"{x:.{digits}g}" for digits in range(3, 17))
    return next((text for text in texts if float(text) != equal), f"{x:.3g}")
