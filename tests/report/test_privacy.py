"""The rows about privacy, from tables of audits and of exact losses."""

import pandas as pd

from dpbandits.report.privacy import privacy_of
from dpbandits.report.study import html_of, with_violations

ROW = {"kind": "algorithm", "name": "adap_ucb", "verdict": "consistent", "replays": 100}
AUDITS = [
    ROW | {"promised": 0.5, "measured": 0.45, "aligned": 100},
    ROW | {"promised": 1.0, "measured": 0.96, "aligned": 99, "verdict": "MISALIGNED"},
    # no loss of the algorithm
    ROW | {"kind": "mechanism", "promised": 1.0, "measured": 7.0, "replays": 0, "aligned": 0},
]
PROMISE = "eps-global DP of all actions (Azize & Basu 2022, Theorem 6)"


def rows_of(results, names):
    return privacy_of(results, names).to_numpy().tolist()


def write_exact(folder, *losses):
    rows = [
        {"algo": "adap_ucb", "promised": promised, "high": high, "verdict": verdict}
        for promised, high, verdict in losses
    ]
    pd.DataFrame(rows).to_csv(folder / "exact.csv", index=False)


def test_a_row_holds_what_is_known(tmp_path):
    pd.DataFrame(AUDITS).to_csv(tmp_path / "audit.csv", index=False)
    write_exact(tmp_path, (0.5, 0.5, "proved"))
    rows = rows_of(tmp_path, ["ucb"])  # ucb promises nothing
    measured = ["1 × promised", "199 of 200 replays", "0.96 × promised"]
    assert rows == [["MISALIGNED", "AdaP-UCB", PROMISE, *measured]]


def test_a_violation_is_the_verdict(tmp_path):
    write_exact(tmp_path, (0.5, 0.5, "proved"), (1.0, 1.2, "VIOLATED"))
    (row,) = rows_of(tmp_path, [])
    assert row[0] == "VIOLATED" and row[3:] == ["1.2 × promised", "declared", ""]
    page = with_violations(html_of(privacy_of(tmp_path, [])))
    assert page.count('<td class="violated">VIOLATED</td>') == 1


def test_without_a_folder_promises_remain():
    (row,) = rows_of(None, ["adap_ucb", "ucb", "mine"])
    assert row == ["", "AdaP-UCB", PROMISE, "", "declared", ""]


def test_options_and_limits_of_runs_belong_to_the_promise():
    """The control is a run without privacy, to which no promise belongs."""
    quadratic, logistic = {"loss": 1.0}, {"loss": 0.0}
    run = {"algo": "square_cb", "notion": "joint DP", "eps": 1.0, "parameters": quadratic}
    limit = "privacy is not promised on labels: scale=standard"
    records = [run | {"limits": [limit]}, run, run | {"eps": None, "parameters": logistic}]
    (row,) = privacy_of(None, ["square_cb"], records).to_numpy().tolist()
    promise = "(eps, delta)-joint DP of the actions of all other rounds (Attias et al. 2026)"
    assert row[2] == f"{promise}; {limit}"
    own = [run | {"algo": "mine", "notion": None, "limits": [limit]}]  # without a promise
    (row,) = privacy_of(None, ["mine"], own).to_numpy().tolist()
    assert row[2] == limit


def test_algorithms_of_a_user_have_the_promises_that_runs_record(tmp_path):
    """The control is an algorithm of which nothing is recorded."""
    for name in ("mine", "other"):
        row = ROW | {"name": name, "promised": 1.0, "measured": 0.9, "aligned": 99}
        pd.DataFrame([row]).to_csv(tmp_path / f"audit-{name}-0.csv", index=False)
    records = [
        {"algo": "mine", "notion": "global", "eps": 1.0},
        {"algo": "mine", "notion": "global zCDP", "rho": 1.0},
        {"algo": "public", "notion": "none", "eps": None},
    ]
    found = privacy_of(tmp_path, ["mine", "public"], records).to_numpy().tolist()
    assert [row[1:3] for row in found] == [
        ["mine", "eps-global DP or rho-global zCDP (declared in its file)"],
        ["other", "recorded by its audit alone"],
    ]
    assert found[0][3:] == ["", "99 of 100 replays", "0.9 × promised"]
    assert found[0][0] == "consistent"
