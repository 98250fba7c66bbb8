"""bandit-claims: what the papers claim, and whether it holds when algorithms run as printed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from ..claims import (
    Claim,
    Part,
    Sample,
    in_words,
    is_cheap,
    load_claims,
    measure,
    sample,
    verdict,
)
from ..contracts.question import REGRET
from ..errors import unknown
from ..files import check_writable, write_atomically
from ..results.run_store import RunStore
from ..results.tables import write_table
from ..running.failures import RunsFailed
from ..running.monte_carlo import run_settings
from ..settings.choices import request_from
from ..validation import whole
from .command import guarded, parser_of_words

USAGE = """\
usage: bandit-claims [CLAIM ...] [KEY=VALUE ...]

Measure what papers claim from their experiments, and write the ledger of verdicts.

  bandit-claims             every claim, at the papers' scale; what is finished is not run again
  bandit-claims A1 A2       some of them
  bandit-claims seed=1      with other random numbers

keys: runs=2000 (where a run is cheap; elsewhere the papers' numbers), horizon=, seed=0, jobs=-1,
results=results; the ledger is written to RESULTS/claims.md and .tex, its numbers to claims.csv;
that of some claims, or of another seed, to files with these in their names

{claims}
"""
KEYS = ("runs", "horizon", "seed", "jobs", "results")
CHEAP_RUNS = 2000
CHECKPOINTS = 4  # of cheap runs: T/2 and T are among them


def main() -> None:
    """Entry point of ``bandit-claims``."""
    guarded("bandit-claims", lambda: _main(sys.argv[1:]))


def _main(argv: list[str]) -> int:
    given = parser_of_words("bandit-claims").parse_args(argv)
    known = load_claims()
    if given.help:
        listing = "\n".join(f"  {c.name}  {c.says} ({c.source})" for c in known.values())
        print(USAGE.format(claims=f"claims:\n{listing}"), end="")
        return 0
    keys = dict(x.split("=", 1) for x in given.arguments if "=" in x)
    names = [x for x in given.arguments if "=" not in x] or list(known)
    for key in keys:
        if key not in KEYS:
            raise unknown("key", key, KEYS)
    for name in names:
        if name not in known:
            raise unknown("claim", name, known)
    runs = whole("runs", keys.pop("runs", CHEAP_RUNS), at_least=2, at_most=10_000_000)
    some = [] if set(names) == set(known) else names
    stem = "-".join(["claims", *some, *([f"seed{keys['seed']}"] if "seed" in keys else [])])
    return settle([known[name] for name in names], runs, keys, stem)


def settle(claims: Sequence[Claim], runs: int, keys: Mapping[str, str], stem: str) -> int:
    """Run what is missing for some claims, then print and write the ledger under a name."""
    samples: dict[str, list[Sample]] = {}
    results = Path(keys.get("results", "results"))
    for name in dict.fromkeys(name for c in claims for name in c.experiments):
        given = {"results": str(results), **keys, "experiment": name}
        request = request_from(REGRET, given, {})
        check_writable(results)
        store = RunStore(results)
        long = [s for s in request.settings if not is_cheap(s)]
        cheap = [replace(s, checkpoints=CHECKPOINTS) for s in request.settings if is_cheap(s)]
        samples[name] = []
        for settings, n in ((long, request.runs), (cheap, max(runs, request.runs))):
            print(f"{name}: {len(settings)} settings, {n} runs each", file=sys.stderr)
            _, failures = run_settings(settings, n, request.jobs, request.backend, store)
            if failures:
                raise RunsFailed(failures)
            samples[name] += [sample(store, setting, n) for setting in settings]
    rows, table = [], []
    for c in claims:
        found = measure(c, distinct([s for name in c.experiments for s in samples[name]]))
        words = verdict(found)
        rows.append([c.name, c.says, c.source, c.published, in_words(found), words, c.why])
        table += [_row(c, part, words) for part in found]
    write(results / stem, rows, table)
    shown = [[r[0], r[3], "\n".join(r[4].split("; ")), r[5]] for r in rows]
    print(tabulate(shown, ["claim", *HEAD[3:6]], disable_numparse=True))
    print(results / f"{stem}.csv")
    return 0


HEAD = [
    "claim",
    "what it says",
    "source",
    "published",
    "measured [95 %]",
    "verdict",
    "why",
]


def write(stem: Path, rows: list[list[str]], table: list[dict[str, object]]) -> None:
    """The ledger in Markdown and LaTeX, and each of its numbers as CSV."""
    for suffix, style in ((".md", "pipe"), (".tex", "latex_booktabs")):
        text = tabulate(rows, HEAD, tablefmt=style, disable_numparse=True) + "\n"
        write_atomically(stem.with_name(stem.name + suffix), text.encode())
    write_table(stem.with_name(f"{stem.name}.csv"), pd.DataFrame(table))


def _row(claim: Claim, part: Part, words: str) -> dict[str, object]:
    holds = {True: "holds", False: "fails", None: "tie"}[part.holds]
    return {"claim": claim.name, "verdict": words, "where": part.where, "value": part.value} | {
        "ci_low": part.low, "ci_high": part.high, "above": part.least, "below": part.most,
        "part": holds,
    }  # fmt: skip


def distinct(samples: Sequence[Sample]) -> list[Sample]:
    """Each setting once: experiments share some."""
    return list({s.setting: s for s in samples}.values())
