"""bandit-report and dp.report: the page, its size, its bytes, bad input."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from report_tables import regrets, stopping_times

import dpbandits as dp
from dpbandits.cli import report, run
from dpbandits.files import package_folder
from dpbandits.report.study import AT_END, OVER_TIME, TAILS

pytestmark = pytest.mark.extra("jinja2", "vl_convert")
MB = 1_000_000
RESULTS = package_folder("conf").parent / "results"


def charts_of(page):
    """The specifications of the charts in a page, by the names of the tables."""
    (text,) = re.findall(r'<script type="application/json" id="specs">(.*?)</script>', page, re.S)
    return {x.removeprefix("table-"): chart for x, chart in json.loads(text).items() if chart}


def points_of(view):
    """The data of a view of a chart."""
    return pd.read_csv(io.StringIO(view["data"]["values"]), keep_default_na=False)


@pytest.mark.long
def test_the_page_of_a_sweep(bandit):
    words = "'sweep={algo:[adap_ucb,dp_se],eps:[0.1,1]}' env=bernoulli_c1 horizon=1e4 runs=3 jobs=1"
    bandit(run, words)
    assert bandit(report, "") == ["report.html"]
    page = Path("report.html").read_text()
    name = next(Path("results").glob("*.csv")).stem
    assert "bandit-run &#39;sweep={algo:[adap_ucb,dp_se],eps:[0.1,1]}&#39;" in page
    assert f"numpy {np.__version__}" in page and "seed 0, " in page
    charts = charts_of(page)
    assert set(charts) == {"map", name}
    bounds = {x["title"]: set(points_of(x)["bound"]) - {""} for x in charts[name]["concat"]}
    assert list(bounds) == [OVER_TIME, AT_END, TAILS] and bounds[TAILS] == set()
    assert bounds[OVER_TIME] and bounds[AT_END]
    assert page.count('role="region"') == 4  # map, privacy, numbers, comparison
    assert "<td>AdaP-UCB</td>" in page and "eps-global DP of all actions" in page
    before = Path("report.html").read_bytes()
    bandit(report, "out=again.html")
    assert Path("again.html").read_bytes() == before


@pytest.mark.slow
def test_nothing_in_the_page_is_requested(tmp_path):
    """Addresses occur in the engine as names of XML and in messages, but in no tag of the page."""
    page = dp.report(regrets(), tmp_path / "page.html").read_text()
    for script in re.findall(r"<script>.*?</script>", page, re.S):
        page = page.replace(script, "")
    assert not re.search(r"""(?:src|href)=["'](?!#|data:,")""", page)
    assert not re.search(r"@import|url\((?!#)", page)


@pytest.mark.slow
def test_a_table_whose_law_is_not_known_here_is_shown_without_theorems(tmp_path):
    table = dp.run("dp_se", "bernoulli_c1", eps=[0.5, 1], horizon=300, runs=2, jobs=1)
    known = dp.report(table, tmp_path / "known.html").read_text()
    records = json.loads(table.attrs["settings"])
    for record in records.values():
        record["env_spec"]["law"] = "of_a_user"
    table.attrs["settings"] = json.dumps(records)
    unknown = dp.report(table, tmp_path / "unknown.html").read_text()
    shown = [("No theorems" in page, 'id="map"' in page) for page in (known, unknown)]
    assert shown == [(False, True), (True, False)] and "DP-SE" in unknown


@pytest.mark.slow
def test_words_of_users_are_text(tmp_path):
    odd = "</script><b>x"
    table = regrets((odd, "dp_se"))
    page = dp.report({"<i>t": table}, tmp_path / "page.html").read_text()
    assert charts_of(page)
    page = re.sub(r"<script type=.application/json.*?</script>", "", page, flags=re.S)
    assert "<b>x" not in page and "<i>t" not in page and "&lt;/script&gt;&lt;b&gt;x" in page


@pytest.mark.slow
def test_the_ratio_to_the_lower_bound_is_that_of_the_theorem(bandit):
    from dpbandits.environments.catalogue import build
    from dpbandits.theory.azize2025 import bernoulli_lower

    bandit(run, "algo=adap_ucb env=bernoulli_c2 eps=0.5 horizon=1e5 runs=3 jobs=1")
    bandit(report, "")
    (ratio,) = points_of(charts_of(Path("report.html").read_text())["map"]["concat"][0])["y"]
    table = dp.load(next(Path("results").glob("*.csv")))
    mean = dp.summary(table)["mean"][0]
    means = build({"law": "bernoulli_family", "family": "c2", "arms": 5}).means
    assert ratio == pytest.approx(mean / bernoulli_lower(means, 0.5, 1e5), rel=1e-3)


@pytest.mark.long
def test_all_committed_results_fit_into_three_megabytes(tmp_path, bandit):
    bandit(report, f"results={RESULTS} out={tmp_path / 'page.html'}")
    page = (tmp_path / "page.html").read_bytes()
    assert len(page) < 3 * MB
    text = page.decode()
    for name in dp.experiments().index:
        assert (f'id="table-{name}"' in text) == (RESULTS / f"{name}.summary.csv").exists()
    ledger = [x for x in (RESULTS / "claims.md").read_text().splitlines() if x.startswith("| ")]
    assert text.count('id="claim-') == len(ledger) - 1 > 30  # without its head
    for part in ("AdaP-UCB", "proved", "consistent"):
        assert part in text


@pytest.mark.long
def test_all_curves_of_the_suite_would_fit(tmp_path):
    """Forty tables as large as those of the suite."""
    table = regrets(
        ("adap_ucb", "dp_se", "dp_imed"), (0.1, 0.3, 1.0, 3.0), ("bernoulli_c1", "bernoulli_c2")
    )
    page = dp.report({f"t{i}": table for i in range(40)}, tmp_path / "page.html")
    assert page.stat().st_size < 3 * MB


@pytest.mark.slow
def test_stopping_times(tmp_path):
    page = dp.report(stopping_times(), tmp_path / "page.html").read_text()
    assert "samples until it stops" in page and '<th class="n">correct</th>' in page


@pytest.mark.slow
def test_a_table_that_cannot_be_shown_is_left_out_with_a_note(tmp_path):
    whole = regrets()
    cut = whole[(whole["algo"] == "dp_se") | (whole["t"] < 1000)]
    page = dp.report({"whole": whole, "cut": cut}, tmp_path / "page.html").read_text()
    assert "Left out: cut: run 0 of adap_ucb ends at t = " in page and "DP-SE" in page


def test_bad_tables(unchanged):
    assert "a tidy table is needed" in message_of(dp.report, [3])
    assert "a list of tables or a dictionary of tables is needed" in message_of(dp.report, [])
    assert "no column" in message_of(dp.report, pd.DataFrame({"algo": ["a"]}))
    assert "ends in .html" in message_of(dp.report, regrets(), out="page.txt")
