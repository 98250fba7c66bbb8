"""The rows about privacy: from tables of audits, or from what remains of them in Markdown."""

import pandas as pd
import pytest

from dpbandits.audit.tables import render
from dpbandits.report.privacy import privacy_rows

ROW = {"kind": "algorithm", "name": "adap_ucb", "budget": "eps", "unit": "eps"}
ROW |= {"verdict": "consistent", "replays": 100}
FAILED = {"aligned": 99, "verdict": "MISALIGNED"}
AUDITS = [
    ROW | {"eps": 0.5, "promised": 0.5, "measured": 0.45, "aligned": 100},
    ROW | {"eps": 1.0, "promised": 1.0, "measured": 0.96} | FAILED,
    ROW
    | {
        "kind": "mechanism",
        "promised": 1.0,
        "measured": 7.0,
        "replays": 0,
    },  # no loss of the algorithm
]
EXPECTED = {
    "algorithm": "AdaP-UCB",
    "promised": "ε-global DP of all actions (Azize & Basu 2022, Theorem 6)",
    "exact": "1 × promised",
    "aligned": "199 of 200 replays",
    "audited": "0.96 × promised",
    "verdict": "MISALIGNED",
}
EXACT = "| audited | arms | rounds | promised | exact loss | verdict |\n|:--|--:|--:|--:|:--|:--|\n"


def write_audits(folder, text):
    usual = {"detectable": 1.1, "exact": float("nan"), "aligned": 0, "why": ""}
    usual |= {"reward_low": 0.0, "reward_high": 1.0}
    rows = [usual | r for r in AUDITS]
    if not text:
        pd.DataFrame(rows).to_csv(folder / "audit.csv", index=False)
        return
    (folder / "audit.md").write_text(render(rows, "pipe") + "\n")
    head = "|  | promised | aligned |\n|:--|--:|:--|\n"
    lines = [
        f"| {r['name']} | {r['promised']} | {r['aligned']} of {r['replays']} |" for r in AUDITS[:2]
    ]
    (folder / "privacy.md").write_text(head + "\n".join(lines) + "\n")


@pytest.mark.parametrize("text", [False, True])
def test_a_row_holds_what_is_known(tmp_path, text):
    write_audits(tmp_path, text)
    (tmp_path / "exact.md").write_text(
        EXACT + "| adap_ucb | 2 | 15 | 0.5 | [0.4999999, 0.5000000] | proved |\n"
    )
    rows = privacy_rows(tmp_path, ["ucb"])  # ucb promises nothing
    assert rows == [EXPECTED]


def test_a_violation_is_the_verdict(tmp_path):
    (tmp_path / "exact.md").write_text(
        EXACT
        + "| adap_ucb | 2 | 15 | 0.5 | 0.5 | proved |\n| adap_ucb | 2 | 15 | 1 | 1.2 | VIOLATED |\n"
    )
    (row,) = privacy_rows(tmp_path, [])
    assert (row["exact"], row["verdict"]) == ("1.2 × promised", "VIOLATED")


def test_without_a_folder_promises_remain(tmp_path):
    (row,) = privacy_rows(None, ["adap_ucb", "ucb", "mine"])
    assert row["aligned"] == "declared" and row["exact"] == row["audited"] == row["verdict"] == ""
