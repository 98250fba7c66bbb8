"""Compare promised, proved and measured privacy: python experiments/privacy_table.py [RESULTS].

The script needs the tables of ``bandit-audit`` and ``bandit-audit exact=true``. The script writes a
page, with a row for each algorithm and rule at each budget, to RESULTS/privacy.md.
"""

import sys
from pathlib import Path

from tabulate import tabulate

from dpbandits.audit.exact.loss import OutOfReach
from dpbandits.audit.exact.methods import method_of
from dpbandits.audit.tables import promised
from dpbandits.audit.verdicts import combined
from dpbandits.cli.ending import run_command
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.errors import BadInput
from dpbandits.files import write_atomically
from dpbandits.validation import read_csv

HEAD = ["", "promised", "exact loss of actions", "aligned", "measured of actions"]
HEAD += ["measured of a response", "audit"]
TEXT = """\
# What is promised, proved and measured

Losses are eps in nats, or mu where noise is Gaussian. *Exact*: the loss of the actions of two arms
at one horizon, proved (exact.md says at which, and why others are out of reach). *Aligned*: random
replays, shifted as the proof of the promise says, in which every decision stayed the same.
*Measured*: what the loss is at least, with the stated confidence; the responses of users are
measured besides. `make audit` makes this page; docs/privacy.md says what each column proves.

"""


def rows_of(audits, exact):
    """Return a row of texts for each algorithm and rule at each budget."""
    responses = audits[audits["kind"] == "response"]
    rows = []
    for row in audits[audits["kind"].isin(["algorithm", "rule"])].to_dict("records"):
        response = same(responses, row)
        losses = same(exact.rename(columns={"algo": "name"}), row)
        aligned = f"{row['aligned']} of {row['replays']}" if row["replays"] else "-"
        texts = [f"{(x['low'] + x['high']) / 2.0:.7g} (T = {x['horizon']:,})" for x in losses]
        measured = [f"{x['measured']:.3g}" for x in response]
        verdict = combined(*(x["verdict"] for x in (row, *response, *losses)))
        rows.append([
            row["name"], promised(row), *(texts or "-"), aligned, f"{row['measured']:.3g}",
            *(measured or "-"), verdict,
        ])  # fmt: skip
    return rows


def same(table, row):
    """Return a list with the first row of ``table`` that has the name and the promise of ``row``;
    empty if there is none.
    """
    found = table[table[["name", "promised"]].eq([row["name"], row["promised"]]).all(axis=1)]
    return found.head(1).to_dict("records")


def unexplained(audits, exact):
    """Return the algorithms that have no exact loss in the table although it can be computed."""
    names = audits.loc[audits["kind"] == "algorithm", "name"].unique()
    missing = []
    for name in set(names) - set(exact["algo"]):
        try:
            found = load(find_file(name, (), "algo"))
            method_of(found, found.guarantee)
            missing.append(name)
        except OutOfReach:
            pass
    return sorted(missing)


def main(results):
    audits, exact = (
        read_csv(f"{results / name}", results / name, "table that make audit writes")
        for name in ("audit.csv", "exact.csv")
    )
    if missing := unexplained(audits, exact):
        raise BadInput(f"{results / 'exact.csv'}: {', '.join(missing)} is missing; run make audit")
    table = tabulate(rows_of(audits, exact), HEAD, tablefmt="pipe", disable_numparse=True)
    print(table)
    write_atomically(results / "privacy.md", f"{TEXT}{table}\n".encode())
    return 0


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    run_command("privacy_table", lambda: main(folder))
