"""The page's table about privacy: the promise, exact loss, replays and audited loss of each
algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd

from ..audit.verdicts import combined
from ..contracts.algorithm import find_file, load
from ..contracts.display import display_name
from ..contracts.guarantees import Guarantee
from ..errors import plain
from ..results.manifest import UNREADABLE
from ..results.records import Record
from ..settings.groups import names_in
from ..settings.request import LIMITS
from ..theory.problem import budget_of

COLUMNS = {  # the columns that are read from the tables of audits
    "audit": ["name", "kind", "promised", "measured", "verdict", "aligned", "replays"],
    "exact": ["name", "promised", "high", "verdict"],
}
PUBLIC, UNKNOWN = "not private", "recorded by its audit alone"


def privacy_of(
    results: Path | None, names: Sequence[str], records: Iterable[Record] = ()
) -> pd.DataFrame:
    """Return a row for each private algorithm or rule that was run or audited, or whose exact loss
    was computed.

    There are two losses, the exact loss and the measured lower confidence bound. Each loss is
    divided by the promised loss, and the largest ratio over all budgets is shown. The column of the
    alignment has the number of successful replays. Options and limits of the promises come from the
    records of runs. The promises of users' algorithms also come from these records, and their
    files are not executed: otherwise a results folder could decide which files are executed.
    """
    private = [x for x in records if math.isfinite(budget_of(x)[1])]
    recorded = _recorded(private)
    audited, exact = _table(results, "audit"), _table(results, "exact")
    audited = audited[audited["kind"] != "mechanism"]
    rows = []
    for name in dict.fromkeys([*names, *audited["name"], *exact["name"]]):
        own, losses = audited[audited["name"] == name], exact[exact["name"] == name]
        of_runs = [x for x in private if x["algo"] == name]
        promised, aligned = _promise(name, of_runs) or (recorded.get(name, ""), "")
        limits = dict.fromkeys(plain(limit) for x in of_runs for limit in x.get(LIMITS, []))
        promised = "; ".join(filter(None, [promised, *limits]))
        if not promised and len(own) + len(losses):
            promised = UNKNOWN
        if not promised or (promised == PUBLIC and own.empty):
            continue
        if own["replays"].sum() > 0:
            aligned = f"{own['aligned'].sum():.0f} of {own['replays'].sum():.0f} replays"
        ratios = _ratio(losses, "high"), aligned, _ratio(own, "measured")
        verdict = combined(*own["verdict"], *losses["verdict"])
        rows.append([verdict, display_name(name), promised, *ratios])
    head = ["verdict", "algorithm", "promised", "exact", "aligned", "audited"]
    return pd.DataFrame(rows, columns=head).sort_values("algorithm", key=lambda x: x.str.casefold())


def _promise(name: str, records: Sequence[Record]) -> tuple[str, str] | None:
    """Return the privacy promise of an algorithm in short form, and whether it declares an
    alignment.

    The promise depends on the options in the records or, without records, on the default options.
    The result is None if the package has no algorithm or rule with this name.
    """
    for group in ("algo", "rule"):
        if name in names_in(group):
            usual = load(find_file(name, (), group)).guarantee
            if usual is None or usual.notion == "none":
                return PUBLIC, ""
            promised = [usual.at(x["parameters"]) for x in records] or [usual]
            declared = "declared" if all(x.alignment for x in promised) else "none declared"
            return " or ".join(dict.fromkeys(map(_in_short, promised))), declared
    return None


def _in_short(promised: Guarantee) -> str:
    """Return the text of a guarantee without the neighbouring relation and the assumptions."""
    if promised.notion == "none":
        return PUBLIC
    letters = promised.letters
    loss = f"({', '.join(letters)})" if len(letters) > 1 else letters[0]
    return f"{loss}-{_kind(promised.notion)} of {promised.hides} ({promised.source})"


def _recorded(records: Iterable[Record]) -> dict[str, str]:
    """Return the privacy promise of each algorithm that the records of its runs contain."""
    found: dict[str, dict[str, None]] = {}
    for record in records:
        if record.get("notion") not in (None, "none"):
            budget = "rho" if "rho" in record else "eps"
            found.setdefault(record["algo"], {})[f"{budget}-{_kind(record['notion'])}"] = None
    return {name: f"{' or '.join(own)} (declared in its file)" for name, own in found.items()}


def _kind(notion: str) -> str:
    return notion if notion.endswith("DP") else f"{notion} DP"


def _table(results: Path | None, stem: str) -> pd.DataFrame:
    """Return all tables of audits, or of exact losses, in a folder as one table. The table is empty
    if the folder has no such tables.
    """
    columns, found = COLUMNS[stem], []
    for file in sorted(results.glob(f"{stem}*.csv")) if results is not None else ():
        with suppress(*UNREADABLE):
            found.append(pd.read_csv(file).rename(columns={"algo": "name"})[columns])
    found = found or [pd.DataFrame(columns=columns)]
    return pd.concat(found, ignore_index=True).drop_duplicates()


def _ratio(rows: pd.DataFrame, column: str) -> str:
    known = (rows[column] / rows["promised"]).dropna().astype(float)
    return "" if known.empty else f"{known.max():.4g} × promised"
