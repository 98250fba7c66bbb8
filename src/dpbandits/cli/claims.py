"""bandit-claims: the claims of the papers, and whether they hold for the algorithms as printed."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from ..claims.claim import BASES, Claim, in_words, load_claims, verdict
from ..claims.samples import Sample, is_cheap, sample
from ..claims.statistics import OUTCOMES, Part
from ..contracts.question import REGRET
from ..errors import unknown
from ..files import check_writable, write_atomically
from ..fingerprint import closure
from ..results.formats import SUMMARY_CSV
from ..results.run_store import RunStore
from ..results.sources import SUMMARY, Source, signed
from ..results.tables import write_table
from ..running.failures import RunsFailed
from ..running.monte_carlo import run_settings
from ..settings.compose import request_from
from ..settings.groups import question_of
from ..settings.request import Request
from ..validation import whole
from .command import entry_point, names_and_keys, results_of

CHEAP_RUNS = 2000
CHECKPOINTS = 4  # of cheap runs: T/2 and T are among them
# The folders whose files measure a claim, if the file of its paper imports them
MEASURE = ("claims", "comparison", "theory")
HEAD = ["claim", "what it says", "source", "published", "measured [95 %]", "verdict", "why"]


def _lists() -> dict[str, str]:
    """The lists in the help."""
    lines = [f"  {c.name}  {c.says} ({c.source})" for c in load_claims().values()]
    return {"claims": "\n".join(lines)}


@entry_point("claims", lists=_lists)
def main(given: Namespace) -> int:
    known = load_claims()
    chosen, keys = names_and_keys("claims", given.words)
    names = chosen or list(known)
    for name in names:
        if name not in known:
            raise unknown("claim", name, known)
    runs = whole("runs", keys.pop("runs", CHEAP_RUNS), at_least=2, at_most=10_000_000)
    some = [] if set(names) == set(known) else names
    stem = "-".join(["claims", *some, *([f"seed{keys['seed']}"] if "seed" in keys else [])])
    return settle([known[name] for name in names], runs, keys, stem)


def settle(claims: Sequence[Claim], runs: int, keys: Mapping[str, str], stem: str) -> int:
    """Run what is missing for some claims, then print and write the ledger under a name."""
    results = results_of(keys)
    names = dict.fromkeys(name for c in claims for name in c.experiments)
    samples = {name: samples_of(name, runs, keys, results) for name in names}
    ledger, numbers = [], []
    for c in claims:
        distinct = {s.setting: s for name in c.experiments for s in samples[name]}
        found = c.measure(list(distinct.values()))
        words = verdict(found)
        ledger.append(row_of(c, found, words))
        numbers += [_row(c, part, words) for part in found]
    parts = sources(claims, runs, keys)
    for suffix, style in ((".md", "pipe"), (".tex", "latex_booktabs")):
        text = tabulate(ledger, HEAD, tablefmt=style, disable_numparse=True) + "\n"
        write_atomically(results / f"{stem}{suffix}", signed(text, parts, suffix).encode())
    write_table(results / f"{stem}.csv", pd.DataFrame(numbers))
    write_table(results / f"{stem}{SUMMARY_CSV}", pd.DataFrame(ledger, columns=HEAD))
    shown = [[r[0], r[3], r[4].replace("; ", "\n"), r[5]] for r in ledger]
    print(tabulate(shown, ["claim", *HEAD[3:6]], disable_numparse=True))
    print(results / f"{stem}.csv")
    return 0


def sources(claims: Sequence[Claim], runs: int, keys: Mapping[str, str]) -> list[Source]:
    """What decides the ledger of some claims."""
    names = dict.fromkeys(name for c in claims for name in c.experiments)
    requests = [request_of(name, keys) for name in names]
    found: list[Source] = [*map(repr, claims), str(runs)]
    for request in requests:
        found += [str(request.runs), *request.settings]
    files = closure({c.file for c in claims})
    found += sorted(file for file in files if file.parent.name in MEASURE)
    return [*found, Path(__file__), *SUMMARY]


def request_of(experiment: str, keys: Mapping[str, str]) -> Request:
    """The request of an experiment with some keys changed."""
    given = {**keys, "experiment": experiment}
    question = question_of(experiment) or REGRET
    if not question.plays_on:
        given.pop("horizon", None)
    return request_from(question, given, {})


def samples_of(experiment: str, runs: int, keys: Mapping[str, str], results: Path) -> list[Sample]:
    """The runs of an experiment; those that are missing are played."""
    request = request_of(experiment, {**keys, "results": str(results)})
    check_writable(results)
    store = RunStore(results)
    long = [s for s in request.settings if not is_cheap(s)]
    cheap = [replace(s, checkpoints=CHECKPOINTS) for s in request.settings if is_cheap(s)]
    found = []
    for settings, n in ((long, request.runs), (cheap, max(runs, request.runs))):
        print(f"{experiment}: {len(settings)} settings, {n} runs each", file=sys.stderr)
        _, failures = run_settings(settings, n, request.jobs, request.backend, store)
        if failures:
            raise RunsFailed(failures)
        found += [sample(store, setting, n) for setting in settings]
    return found


def row_of(c: Claim, found: Sequence[Part], words: str) -> list[str]:
    """The row of a claim in the ledger, from its parts and its verdict in words."""
    published = f"{c.published} ({BASES[c.basis]})"
    return [c.name, c.says, c.source, published, in_words(found), words, c.why]


def _row(claim: Claim, part: Part, words: str) -> dict[str, object]:
    return {
        "claim": claim.name, "verdict": words, "where": part.where, "value": part.value,
        "ci_low": part.low, "ci_high": part.high, "above": part.least, "below": part.most,
        "part": OUTCOMES[part.holds],
    }  # fmt: skip
