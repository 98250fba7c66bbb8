"""bandit-audit exact=true: a table of exact privacy losses, printed and written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..audit.action_loss import OutOfReach
from ..audit.exact_requests import VIOLATED, Wanted, exact_in_words, render_exact
from ..files import write_atomically
from ..results.tables import write_table
from ..running.progress import progress_bar


def settle_exact(losses: Sequence[Wanted], beyond: Sequence[str], results: Path, stem: str) -> int:
    """Compute exact losses, print them, and write ``results/stem.csv`` and ``.md``; ``beyond`` are
    the reasons of what is out of reach.

    Raises:
        OutOfReach: all of it is out of reach.
    """
    rows: list[dict[str, Any]] = []
    reasons = list(beyond)
    with progress_bar(len(losses)) as bar:
        for wanted in losses:
            bar.set_postfix_str(f"{wanted.algorithm.name} at eps {wanted.eps:g}")
            try:
                rows.append(wanted.row())
            except OutOfReach as reason:
                reasons.append(str(reason))
            bar.update(1)
    reasons = list(dict.fromkeys(reasons))
    if not rows:
        raise OutOfReach("; ".join(reasons))
    write_table(results / f"{stem}.csv", pd.DataFrame(rows))
    outside = "".join(f"* {reason}\n" for reason in reasons)
    page = f"{render_exact(rows, 'pipe')}\n" + (f"\nOut of reach:\n\n{outside}" if outside else "")
    write_atomically(results / f"{stem}.md", page.encode())
    print(render_exact(rows, "simple"))
    broken = [row for row in rows if row["verdict"] == VIOLATED]
    for row in broken if len(rows) > 1 else rows:
        print(f"\n{exact_in_words(row)}")
    if outside:
        print(f"\nout of reach:\n{outside}", end="")
    print(f"\n{results / f'{stem}.csv'}")
    return 3 if broken else 0
