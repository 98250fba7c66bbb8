"""bandit-claims: what the papers claim, and whether it holds when algorithms run as printed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import yaml
from tabulate import tabulate

from ..claims import Claim, Part, Sample, claim, in_words, measure, sample, verdict
from ..environments.blocks import has_no_blocks
from ..errors import unknown
from ..files import check_writable, package_folder, write_atomically
from ..running.failures import report
from ..running.tasks import run_cells
from ..settings.setting import Cell
from ..validation import whole
from .config.compose import read_request
from .run import Parser, guarded

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
    parser = Parser("bandit-claims", add_help=False)
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--help", "-h", action="store_true")
    given = parser.parse_args(argv)
    known = load_claims(package_folder("conf") / "claim")
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
    overrides = [f"{k}={v}" for k, v in keys.items()]
    return settle([known[name] for name in names], runs, overrides, stem)


def load_claims(folder: Path) -> dict[str, Claim]:
    """The claims in a folder of files, by name."""
    files = sorted(folder.glob("*.yaml"))
    return {f.stem: claim(f.stem, yaml.safe_load(f.read_text())) for f in files}


def settle(claims: Sequence[Claim], runs: int, keys: list[str], stem: str) -> int:
    """Run what is missing for some claims, then print and write the ledger under a name."""
    experiments = dict.fromkeys(name for c in claims for name in c.experiments)
    results = Path("results")
    samples: dict[str, list[Sample]] = {}
    for name in experiments:
        request = read_request([f"experiment={name}", *keys], ())
        results = request.results
        check_writable(results)
        parts = [
            ([c for c in request.cells if not is_cheap(c)], request.runs),
            (
                [replace(c, checkpoints=CHECKPOINTS) for c in request.cells if is_cheap(c)],
                max(runs, request.runs),
            ),
        ]
        samples[name] = []
        for cells, n in parts:
            print(f"{name}: {len(cells)} settings, {n} runs each", file=sys.stderr)
            _, failures = run_cells(cells, n, request.jobs, request.backend, results)
            if failures:
                return report("bandit-claims", failures)
            samples[name] += [sample(results, cell, n) for cell in cells]
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
    csv = pd.DataFrame(table).to_csv(index=False, float_format="%.12g", lineterminator="\n")
    write_atomically(stem.with_name(f"{stem.name}.csv"), csv.encode())


def _row(claim: Claim, part: Part, words: str) -> dict[str, object]:
    holds = {True: "holds", False: "fails", None: "tie"}[part.holds]
    return {"claim": claim.name, "verdict": words, "where": part.where, "value": part.value} | {
        "ci_low": part.low, "ci_high": part.high, "above": part.least, "below": part.most,
        "part": holds,
    }  # fmt: skip


def is_cheap(cell: Cell) -> bool:
    """Whether a run of a cell costs the same whatever its horizon."""
    long = cell.algorithm.round_by_round or has_no_blocks(cell.instance.environment)
    return cell.algorithm.private and not long  # UCB's blocks become more as it goes


def distinct(samples: Sequence[Sample]) -> list[Sample]:
    """Each setting once: experiments share some."""
    return list({s.cell: s for s in samples}.values())
