"""bandit-audit: measure a lower confidence bound on the privacy loss of an algorithm."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from ..audit.exact.loss import OutOfReach
from ..audit.figure import bars
from ..audit.findings import Audit, findings_of, text_of
from ..audit.requests import TARGET_KEYS, requested, seconds_of
from ..audit.tables import alignments_in_words, in_words, text_of_findings
from ..audit.targets.releases import MECHANISMS
from ..audit.verdicts import MEANING, OBJECTIONS, VIOLATED
from ..contracts.algorithm import find_file, load
from ..contracts.parameters import BUDGETS
from ..errors import BadInput, plain
from ..figures.style import save
from ..files import FIGURES, check_writable, write_atomically
from ..results.tables import write_table
from ..settings.composed import compose_files
from ..settings.groups import file_of, names_in
from ..settings.hints import unknown_key
from ..settings.setting import digest
from .command import entry_point, results_of
from .words import value_of

VALUES = (0.1, 0.5, 1.0, 2.0)  # audited values of each budget
GROUPS = ("algo", "rule")


def _lists() -> dict[str, str]:
    """Return the lists of mechanisms and of verdicts, which ``--help`` prints."""
    mechanisms = "\n".join(f"  {m.name:<21} {m.says}" for m in MECHANISMS.values())
    verdicts = "\n".join(f"  {word:<11} {says}" for word, says in MEANING.items())
    return {"mechanisms": mechanisms, "verdicts": verdicts}


@entry_point("audit", lists=_lists)
def main(given: Namespace) -> int:
    given_keys = {o.partition("=")[0] for o in given.words}
    chosen = bool(given_keys & set(TARGET_KEYS))
    audits: list[Audit] = []
    beyond: list[str] = []  # reasons why exact losses cannot be computed
    config: Mapping[str, Any] = {}
    for line in [given.words] if chosen else everything(given.words):
        for point in points_of(line):
            config, spec = configuration(point, given.folders)
            group = next((g for g in GROUPS if config[g] is not None), "")
            if config["exact"] is True and group != "algo" and not chosen:
                continue  # only algorithms have exact losses
            algorithm = load(find_file(str(config[group]), given.folders, group)) if group else None
            try:
                audits += requested(config, given_keys if chosen else None, algorithm, spec)
            except OutOfReach as reason:
                beyond.append(str(reason))
    results = results_of(config)
    check_writable(results)
    names = [audit.target.name for audit in audits]
    kind = "exact" if config["exact"] else "audit"
    stem = table_name(kind, given.words, names, chosen)
    return report_findings(audits, beyond, results, stem, seconds_of(config))


def configuration(
    given: Mapping[str, Any], folders: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all keys with their values, and the contents of the chosen file. The file may be in a
    user's folder.
    """
    chosen = {g: plain(given[g]) for g in GROUPS if given.get(g) is not None}
    for group, name in chosen.items():
        file_of(group, name, folders)
    found = compose_files("audit", chosen, folders)
    values = {key: value for key, value in given.items() if key not in GROUPS}
    for key, value in values.items():
        if not found.has(key):
            names = {g: chosen.get(g, "null") for g in GROUPS}
            own = {g: x for g, x in found.tree.items() if g in GROUPS}
            known = [*found.tree, *GROUPS, *(f"{g}.{name}" for g, x in own.items() for name in x)]
            raise unknown_key(key, value, known, names, folders)
    config = found.at(values)
    spec: dict[str, Any] = next((config[g] for g in GROUPS if g in config), {})
    return {**config, **{g: chosen.get(g) for g in GROUPS}}, spec


def points_of(words: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the values of a command line's keys, as key-value pairs."""
    given = {word.key: word for word in map(value_of, words)}
    for combination in product(*(x.value if x.many else [x.value] for x in given.values())):
        yield dict(zip(given, combination, strict=True))


def everything(overrides: Sequence[str]) -> Iterator[list[str]]:
    """Yield the overrides for an audit of each algorithm, rule and mechanism that promises privacy,
    at the given budgets.
    """
    subjects: list[tuple[str, str]] = []
    given = {name for name in BUDGETS if any(o.startswith(f"{name}=") for o in overrides)}
    for group in GROUPS:
        known = (load(find_file(name, (), group)) for name in names_in(group))
        subjects += [(f"{group}={x.name}", str(x.budget)) for x in known if x.private]
    subjects += [(f"mechanism={name}", found.budget) for name, found in MECHANISMS.items()]
    for word, budget in subjects:
        if budget in given:
            yield [*overrides, word]
        elif not given:
            yield [*overrides, word, f"{budget}={list(VALUES)}"]


def report_findings(
    audits: Sequence[Audit], beyond: Sequence[str], results: Path, stem: str, max_time: float
) -> int:
    """Do the audits whose findings are not stored yet. Then print all findings, and write the
    findings to files.

    ``stem`` is the name of the files, ``beyond`` the reasons why some exact losses cannot be
    computed, and ``max_time`` the seconds for all audits. Returns the exit code.

    Raises:
        OutOfReach: all audits are out of reach.
    """
    rows: list[dict[str, Any]] = []
    failed: dict[str, None] = {}
    bad: BadInput | None = None
    reasons = dict.fromkeys(beyond)
    for name, found in findings_of(audits, results / "audits", max_time):
        if isinstance(found, dict):
            rows.append(found)
        elif isinstance(found, OutOfReach):
            reasons[str(found)] = None
        else:
            failed[name] = None
            print(text_of(found), file=sys.stderr, end="")
            bad = found if isinstance(found, BadInput) else bad
    if bad and not rows and len(failed) == 1:
        raise bad
    if failed:
        print(f"bandit-audit: failed: {', '.join(failed)}; see above", file=sys.stderr)
    if not rows and reasons:
        raise OutOfReach("; ".join(reasons))
    if not rows:
        return 1
    table = pd.DataFrame(rows).drop(columns="witness", errors="ignore")
    words = {*table["verdict"]}
    outside = "".join(f"* {reason}\n" for reason in reasons)
    page = f"{text_of_findings(rows, 'pipe')}\n"
    page += f"\nOut of reach:\n\n{outside}" if outside else ""
    write_table(results / f"{stem}.csv", table)
    write_atomically(results / f"{stem}.md", page.encode())
    if "measured" in table:
        save(bars(table), results / FIGURES / stem)
    print(text_of_findings(rows, "simple"))
    print(*("\n" + f"{word}: {says}" for word, says in MEANING.items() if word in words), sep="")
    for row in rows:
        if row["verdict"] == VIOLATED or len(rows) == 1:
            print(f"\n{in_words(row)}")
    print(alignments_in_words(rows), end="")
    if outside:
        print(f"\nout of reach:\n{outside}", end="")
    print(f"\n{results / f'{stem}.csv'}")
    return 3 if words & {*OBJECTIONS} else 1 if failed else 0


def table_name(kind: str, overrides: Sequence[str], names: Sequence[str], chosen: bool) -> str:
    """Return the name of a table of audits.

    If all targets are audited with default keys, the name is ``kind``. If only some targets are
    audited, or keys are changed, the name also contains the audited names and a hash.
    """
    changed = [o for o in overrides if not o.startswith(("jobs=", "results=", "exact="))]
    if not chosen and not changed:
        return kind
    named = list(dict.fromkeys(names)) if chosen else ["everything"]
    return f"{kind}-{'-'.join(named[:3])}-{digest(*sorted(changed), length=8)}"
