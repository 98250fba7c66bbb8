"""bandit-audit: how much privacy an algorithm really spends, measured from outside."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from ..audit import requests
from ..audit.auditor import audit
from ..audit.findings import VERDICTS, bars, in_words, record, render, write_witness
from ..audit.releases import MECHANISMS
from ..audit.requests import SUBJECTS, requested
from ..audit.subjects import Subject
from ..contracts.algorithm import find_file, load
from ..figures.style import save
from ..files import PACKAGE, check_writable, package_folder, sources_hash, write_atomically
from ..results.tables import write_table
from ..settings.setting import digest
from .config.compose import compose_config, multirun_points
from .config.user_files import user_folders
from .kinds import Form
from .run import guarded, parser_of

USAGE = """\
usage: bandit-audit [KEY=VALUE ...] [--config-dir DIR]

Play an algorithm many times on neighbouring sequences of rewards, search for what tells them apart,
and say how much privacy it spends at least. Exit code 3 if that is more than it promises.

  bandit-audit algo=adap_ucb eps=0.5             an algorithm: an adversary sees its actions
  bandit-audit algo=heldp_ucb_b eps=0.5          local privacy: one user's response
  bandit-audit rule=dp_nas eps=1                 a stopping rule: its time and estimate
  bandit-audit mechanism=tree eps=0.1,1          a release on its own, at two budgets
  bandit-audit --config-dir mine algo=greedy     your own algorithm, from mine/algo/greedy.py
  bandit-audit                                   everything, at eps 0.1, 0.5, 1 and 2

keys (with their defaults; see conf/audit.yaml):
  eps=1 horizon=null runs=null confidence=0.99 seed=0 jobs=-1 results=results; algo.NAME=VALUE for
  an algorithm's parameters; rel_error=0.5 beta=0.5 R=1 for a stopping rule

mechanism=
{mechanisms}

What an audit proves and what it does not: docs/privacy.md.
"""
Audit = tuple[Mapping[str, Any], Subject]
AUDIT = Form("bandit-audit", "audit", ("algo", "rule"), requests.KEYS)
BUDGETS = (0.1, 0.5, 1.0, 2.0)
BAR = "{percentage:3.0f}%|{bar}| {elapsed} spent, {remaining} left, now {postfix}"


def main() -> None:
    """Entry point of ``bandit-audit``."""
    guarded("bandit-audit", lambda: _main(sys.argv[1:]))


def _main(argv: list[str]) -> int:
    given = parser_of("bandit-audit").parse_intermixed_args(argv)  # commas need no -m here
    if given.help:
        told = "\n".join(f"  {m.name:<21} {m.says}" for m in MECHANISMS.values())
        print(USAGE.format(mechanisms=told), end="")
        return 0
    folders = user_folders(given.config_dir)
    keys = {o.partition("=")[0] for o in given.overrides}
    chosen = keys & set(SUBJECTS)
    lines = [given.overrides] if chosen else list(everything(given.overrides))
    configs = [
        compose_config(tuple(point), folders, AUDIT)
        for line in lines
        for point in multirun_points(line, folders)
    ]
    audits = [(c, s) for c in configs for s in requested(c, keys, folders)]
    results = Path(str(configs[0]["results"]))
    check_writable(results)
    return settle(audits, results, table_name(given.overrides, audits, bool(chosen)))


def everything(overrides: Sequence[str]):
    """The overrides of an audit of all that promises privacy."""
    budgets = [] if any(o.startswith("eps=") for o in overrides) else [f"eps={list(BUDGETS)}"]
    for group in ("algo", "rule"):
        for file in sorted((package_folder("conf") / group).glob("*.yaml")):
            if load(find_file(file.stem, (), group)).private:
                yield [*overrides, f"{group}={file.stem}", *budgets]
    yield from ([*overrides, f"mechanism={name}", *budgets] for name in MECHANISMS)


def settle(audits: Sequence[Audit], results: Path, stem: str) -> int:
    """Audit what is not known yet, then print and write what was found under a name."""
    rows, failed = [], []
    with tqdm(total=len(audits), disable=None, bar_format=BAR) as bar:
        for config, what in audits:
            bar.set_postfix_str(f"{what.name} at eps {what.eps:g}")
            try:
                rows.append(found(config, what, results / "audits", bar))
            except Exception:
                failed.append(what.name)
                print(traceback.format_exc(), file=sys.stderr)
    if failed:
        names = ", ".join(dict.fromkeys(failed))
        print(f"bandit-audit: failed: {names}; see above", file=sys.stderr)
    if not rows:
        return 1
    table = pd.DataFrame(rows).drop(columns="witness")
    write_table(results / f"{stem}.csv", table)
    write_atomically(results / f"{stem}.md", f"{render(rows, 'pipe')}\n".encode())
    save(bars(table), results / "figures" / stem)
    print(render(rows, "simple"))
    broken = [row for row in rows if row["verdict"] == VERDICTS[True]]
    for row in broken if len(rows) > 1 else rows:
        print(f"\n{in_words(row, row['witness'])}")
    print(f"\n{results / f'{stem}.csv'}")
    return 3 if broken else 1 if failed else 0


def found(config: Mapping[str, Any], what: Subject, folder: Path, bar: Any) -> dict[str, Any]:
    """The row of an audit, from the file in which it is kept if it was done before."""
    runs = None if config["runs"] is None else int(float(config["runs"]))
    seed, confidence = int(config["seed"]), float(config["confidence"])
    sources = sources_hash(*sorted((PACKAGE / "audit").glob("*.py")))
    setting = (what, runs, confidence, seed, what.version, sources)
    file = folder / f"{what.name}-eps{what.eps:g}-{digest(*map(repr, setting), length=12)}.json"
    done = 0.0
    try:
        row = json.loads(file.read_text())
    except (OSError, ValueError):

        def progress(share: float) -> None:
            nonlocal done
            done += share
            bar.update(share)

        finding = audit(what, runs, confidence, seed, config["jobs"], progress)
        row = record(finding, seed) | {"witness": None}
        if finding.violated:
            row["witness"] = [str(f) for f in write_witness(finding, file.with_suffix(""))]
        write_atomically(file, json.dumps(row).encode())
    bar.update(1.0 - done)
    return row


def table_name(overrides: Sequence[str], audits: Sequence[Audit], chosen: bool) -> str:
    """Name of a table: ``audit`` for everything, else with what was audited and a hash."""
    said = [o for o in overrides if not o.startswith(("jobs=", "results="))]
    if not chosen and not said:
        return "audit"
    names = list(dict.fromkeys(s.name for _, s in audits)) if chosen else ["everything"]
    return f"audit-{'-'.join(names[:3])}-{digest(*sorted(said), length=8)}"
