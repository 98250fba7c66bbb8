"""bandit-claims: the claims of the papers, and whether they hold for the algorithms as printed."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from ..claims.claim import BASES, Claim, load_claims, verdict
from ..claims.statistics import Measured
from ..contracts.question import REGRET
from ..errors import plain, unknown
from ..files import check_writable, write_atomically
from ..results.formats import SUMMARY_CSV
from ..results.summary import significant
from ..results.tables import MEASURED, load_finished, write_table
from ..running.auto import A_RUN, CHECKPOINTS, MINUTE, is_played_in_blocks
from ..running.monte_carlo import play_request
from ..settings.auto import MOST_RUNS
from ..settings.compose import request_from
from ..settings.groups import question_of
from ..settings.request import Request
from ..settings.setting import Setting
from ..validation import as_integer
from .command import entry_point, results_of

CHEAP_RUNS = 10_000, 5000, 2000  # of an experiment: the first that costs at most a minute, or 2,000
HEAD = ["claim", "what it says", "source", "published", "measured [95 %]", "verdict", "why"]


def _lists() -> dict[str, str]:
    """Return the list of all claims for ``--help claims``."""
    lines = [f"  {c.name}  {c.says} ({c.source})" for c in load_claims().values()]
    return {"claims": "\n".join(lines)}


@entry_point("claims", lists=_lists)
def main(given: Namespace) -> int:
    known = load_claims()
    keys, names = given.keys, [*dict.fromkeys(given.words)] or list(known)
    for name in names:
        if name not in known:
            raise unknown("claim", name, known)
    typed = keys.pop("runs", None)
    runs = None if typed is None else as_integer("runs", typed, at_least=2, at_most=MOST_RUNS)
    T = as_integer("horizon", keys["horizon"], at_least=1) if "horizon" in keys else None
    some = [] if set(names) == set(known) else names
    stem = stem_of(some, {"T": T, "seed": keys.get("seed"), "runs": runs})
    claims, results = [known[name] for name in names], results_of(keys)
    experiments = dict.fromkeys(name for c in claims for name in c.experiments)
    measured = {name: measure(name, runs, keys, results) for name in experiments}
    ledger, parts = [], {}
    for c in claims:
        found = c.measure({s: x for name in c.experiments for s, x in measured[name].items()})
        words = verdict([*found["part"]])
        ledger.append(row_of(c, in_words(found), words, T))
        parts[c.name, words] = found
    for suffix, style in ((".md", "pipe"), (".tex", "latex_booktabs")):
        text = tabulate(ledger, HEAD, tablefmt=style, disable_numparse=True) + "\n"
        write_atomically(results / f"{stem}{suffix}", text.encode())
    table = pd.concat(parts, names=["claim", "verdict"]).reset_index([0, 1])
    write_table(results / f"{stem}.csv", table)
    write_table(results / f"{stem}{SUMMARY_CSV}", pd.DataFrame(ledger, columns=HEAD))
    shown = [[r[0], r[3], r[4].replace("; ", "\n"), r[5]] for r in ledger]
    print(tabulate(shown, ["claim", *HEAD[3:6]], disable_numparse=True))
    print(results / f"{stem}.csv")
    return 0


def stem_of(names: Sequence[str], changed: Mapping[str, Any]) -> str:
    """Return the name of a ledger's files, without suffix.

    Args:
        names: the names of its claims; empty if the ledger has all claims.
        changed: the values of keys; None for a key that was not given.
    """
    values = [f"{key}{plain(x)}" for key, x in changed.items() if x is not None]
    return "-".join(["claims", *names, *values])


def request_of(experiment: str, keys: Mapping[str, str]) -> Request:
    """Return the request of an experiment with some keys changed."""
    given = {**keys, "experiment": experiment}
    question = question_of(experiment) or REGRET
    if not question.plays_on:
        given.pop("horizon", None)
    return request_from(question, given, {})


def measure(experiment: str, runs: int | None, keys: Mapping[str, str], results: Path) -> Measured:
    """Return the runs of an experiment that claims compare. Missing runs are played.

    Settings whose time does not grow with the horizon get at least ``runs`` runs. If ``runs`` is
    None, the number of runs is at least a number from CHEAP_RUNS.
    """
    request = request_of(experiment, {**keys, "results": str(results)})
    check_writable(results)
    long = [s for s in request.settings if not is_cheap(s)]
    cheap = [replace(s, checkpoints=CHECKPOINTS) for s in request.settings if is_cheap(s)]
    found = {}
    if runs is None:
        few = (n for n in CHEAP_RUNS if n * len(cheap) * A_RUN <= MINUTE)
        runs = next(few, min(CHEAP_RUNS))
    for settings, n in ((long, request.runs), (cheap, max(runs, request.runs))):
        print(f"{experiment}: {len(settings)} settings, {n} runs each", file=sys.stderr)
        some = replace(request, settings=settings, runs=n, auto=None, max_rows=np.inf)
        store = play_request(some).store
        for s in settings:
            statistic = MEASURED[s.question.statistic]
            found[s] = statistic(load_finished(store, s, n)).astype(float)
    return found


def is_cheap(setting: Setting) -> bool:
    """Return whether the running time of a setting's algorithm does not depend on the horizon."""
    return setting.question.plays_on and is_played_in_blocks(setting)


def row_of(c: Claim, measured: str, words: str, T: int | None = None) -> list[str]:
    """Return the row of a claim in the ledger, with the measured values and the verdict in words.
    ``T`` is a horizon that replaces the claim's horizon, or None. The verdict then names T and has
    no reason, since reasons are written for the claim's own horizon.
    """
    published = f"{c.published} ({BASES[c.basis]})"
    found = [words, c.why] if T is None else [f"at horizon={T:g}: {words}", ""]
    return [c.name, c.says, c.source, published, measured, *found]


def in_words(found: pd.DataFrame) -> str:
    """Return the parts of a claim as text: all parts if there are at most three, else the worst.

    The worst part is the part that exceeds its limit by most, on a logarithmic scale. If no part
    exceeds a limit, the worst part is the part nearest to its limit.
    """
    texts = []
    for numbers in found[["value", "ci_low", "ci_high"]].to_numpy():
        value, low, high = map(significant, numbers)
        texts.append("undefined (0 by 0)" if np.isnan(numbers[0]) else f"{value} [{low}, {high}]")
    if len(found) == 1:
        return texts[0]
    if len(found) <= 3:
        each = zip(texts, found["where"], found["part"], strict=True)
        return "; ".join(f"{text} ({where}): {part}" for text, where, part in each)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.maximum(found[["above", "value", "below"]].to_numpy(), 0.0))
        margins = np.nan_to_num(np.diff(logs, axis=1), nan=np.inf).min(axis=1)
    worst = int(margins.argmin())
    return f"farthest off: {texts[worst]} ({found['where'].iloc[worst]})"
