"""The scripts beside the experiments: what they print, and what experiments measure."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest
from commands import command
from helpers import CONF

import dpbandits as dp
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.environments.catalogue import build
from dpbandits.figures.draw import load_script
from dpbandits.figures.experiments import summary_beside
from dpbandits.results.table import Table
from dpbandits.settings.composed import read_group
from dpbandits.theory.azize2025 import bernoulli_lower

TOP = CONF.parent


def means_of(env):
    """The means of an environment of the package."""
    return build(read_group("env", env)).means


def script(name, *more):
    """What a script prints, or, if it fails, its only line of errors."""
    done = command(TOP / "experiments" / f"{name}.py", *more)
    if done.returncode == 0:
        return done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    return line


def rows_of(text):
    """The rows of Markdown tables but their headings, each a list of cells."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {i - shift for i, line in enumerate(lines) if line.startswith("|:") for shift in (0, 1)}
    rows = [line for i, line in enumerate(lines) if i not in heads]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


@pytest.mark.long
def test_ablations_in_small(tmp_path):
    """A ratio is that of the same runs, made separately."""
    text = script("ablations", "runs=4", "horizon=20000", f"results={tmp_path}")
    assert (tmp_path / "ablations.md").read_text() == text
    rows = rows_of(text)
    assert len(rows) == 16 and {row[1] for row in rows} == {"1", "2", "4", "8"}
    given = {"horizon": 20_000, "runs": 4, "checkpoints": 4}
    of = dp.run(dp.algorithm("adap_klucb", alpha=1), "bernoulli_c2", eps=1, **given)
    longer = dp.algorithm("dp_se_times", factor=2)
    folder = TOP / "experiments" / "ablation"
    over = dp.run(longer, "bernoulli_c2", eps=1, config_dir=folder, **given)
    ratio = dp.summary(over)["mean"][0] / dp.summary(of)["mean"][0]
    (found,) = [row for row in rows if row[:2] == ["alpha = 1", "2"]]
    assert float(found[3]) == pytest.approx(ratio, rel=5e-3)


@pytest.mark.long
def test_the_committed_ablations_are_measured_again(tmp_path):
    """Those of AdaP-KLUCB and DP-SE at full scale."""
    committed = (TOP / "results" / "ablations.md").read_text().split("\n\n")[0]
    assert script("ablations", f"results={tmp_path}").strip() == committed


@pytest.mark.slow
def test_tails_in_small(tmp_path):
    """A median is that of the same runs, made separately, by the lower bound. The committed table
    has the same rows.
    """
    text = script("azize2025_tails", "runs=4", "horizon=20000", f"results={tmp_path}")
    assert (tmp_path / "azize2025_tails.md").read_text() == text
    rows = rows_of(text)
    assert len(rows) == 2 * 2 * (5 + 4)
    committed = rows_of((TOP / "results" / "azize2025_tails.md").read_text())
    assert [row[:3] for row in rows] == [row[:3] for row in committed]
    algo, instances = dp.algorithm("dp_imed", alpha=3), [f"bernoulli_c{i}" for i in (1, 2, 3, 4)]
    runs = dp.run(algo, instances, eps=1, horizon=20_000, runs=4, checkpoints=1)
    bounds = {env: bernoulli_lower(means_of(env), 1, 20_000) for env in instances}
    runs = runs[runs["t"] == 20_000]
    ratios = runs["regret"] / runs["env"].map(bounds)
    (found,) = [row for row in rows[20:] if row[:3] == ["dp_imed", "1", "3"]]
    measured = ratios.median(), ratios.mean(), ratios.quantile(0.99), ratios.max()
    assert [float(x) for x in found[3:7]] == pytest.approx(measured, rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ren2020_ratios", "practical_constants"])
def test_a_script_without_its_tables_ends_with_one_line(tmp_path, name):
    assert script(name, tmp_path).startswith(f"{name}: {tmp_path}/")


@pytest.mark.slow
def test_ratios_and_practical_constants_of_small_tables(tmp_path):
    for name in ("ren2020_fig1a", "ren2020_fig1b", "ren2020_fig1c", "ren2020_fig1d"):
        dp.save(dp.run(experiment=name, horizon=300, runs=2), tmp_path / f"{name}.csv")
    rows = rows_of(script("ren2020_ratios", tmp_path))
    assert [row[0] for row in rows] == ["R1", "R1", "R2", "R2", "R3", "R3"]
    assert [row[5] for row in rows] == ["1.72", "9", "101", "441", "25", "4.68"]
    calibration = dp.run(experiment="tao2022_calibration", horizon=300, runs=2)
    dp.save(calibration, tmp_path / "tao2022_calibration.csv")
    rows = rows_of(script("practical_constants", tmp_path))
    assert [row[0] for row in rows] == ["dpr_se", "dpr_ucb", "ldpr_se"]
    for row in rows:  # the practical constant has the smallest of the largest ratios
        ratios = [float(x) for x in row[1:-1]]
        assert min(ratios) >= 1
        assert ratios[sorted(set(calibration["c"])).index(float(row[-1]))] == min(ratios)


@pytest.mark.long
def test_times_are_those_of_the_manifests(tmp_path):
    dp.reproduce("azize2022_fig8", tmp_path, horizon=300, runs=2, jobs=1)
    dp.reproduce("sajed2019_stopping", tmp_path, cap=300, runs=1, jobs=1)
    rows = rows_of(script("times", tmp_path))
    assert [row[:4] for row in rows] == [
        ["azize2022_fig8", "4", "2", "300"], ["sajed2019_stopping", "84", "1", "300"]
    ]  # fmt: skip
    for row in rows:
        manifest = json.loads((tmp_path / f"{row[0]}.json").read_text())
        assert float(row[4]) == pytest.approx(manifest["wall_time_seconds"], abs=0.051)
    assert rows[0][5].endswith("%") and float(rows[0][6]) > 0.0 and rows[1][6] == ""


def test_practical_constants_are_the_measured_ones():
    rows = rows_of((TOP / "results" / "practical_constants.md").read_text())
    chosen = {row[0]: float(row[-1]) for row in rows}
    assert set(chosen) == {"dpr_ucb", "dpr_se", "ldpr_se"}
    for name, c in chosen.items():
        assert load(find_file(name)).domains["c"].names["practical"] == c


@pytest.mark.slow
def test_the_orders_of_theorem_4_are_measured():
    """Tao et al. 2022: regret like 1/eps, and like gap^(-1/v) for small gaps; heavier tails cost
    more. The first epochs of large gaps are the control: there the slope differs."""
    table = dp.run(experiment="tao2022_orders", runs=3)
    last = table[table["t"] == table["horizon"]]
    five, two = last[last["env.means"].isna()], last[last["env.means"].notna()]
    by_eps = five.groupby(["v", "eps"])["regret"].mean().unstack("eps")
    for _, row in by_eps.iterrows():
        slope = np.polyfit(np.log(row.index), np.log(row), 1)[0]
        assert slope == pytest.approx(-1, abs=0.01)
    assert (by_eps.diff().iloc[1:] < 0).all(axis=None)
    gaps = two["env.means"].map(lambda text: np.ptp(json.loads(text)))
    for v, rows in two.groupby("v"):
        means = rows.groupby(gaps)["regret"].mean()
        small, large = means.iloc[:3], means.iloc[-2:]
        slope = np.polyfit(np.log(small.index), np.log(small), 1)[0]
        assert slope == pytest.approx(-1 / v, rel=0.1)
        assert large.iloc[1] > large.iloc[0]


@pytest.mark.slow
def test_more_contamination_costs_more_regret():
    """PRAE-R: outliers just inside the truncation level cost regret."""
    envs = [dp.environment("wu_raw", alpha=alpha) for alpha in (0, 0.005, 0.02)]
    means = dp.summary(dp.run("prae_r", envs, eps=1.0, horizon=1e6, runs=10))["mean"]
    assert means.is_monotonic_increasing and means.iloc[-1] > 10 * means.iloc[0]


@pytest.mark.slow
def test_what_to_take_is_counted(tmp_path):
    """Two algorithms in one game, whom three runs do not tell apart; one has a run that fails."""
    about = {"env": "one_better", "eps": 1.0, "horizon": 10**6, "seed": 0}
    rows = [
        about | {"algo": algo, "env.gap": 0.1, "env.arms": 2, "run": run, "t": 10**6, "regret": x}
        for algo, regrets in {"dp_se": [100, 100, 100], "dp_imed": [50, 50, 5000]}.items()
        for run, x in enumerate(regrets)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "which_global.csv", index=False)
    text = script("which_global_page", tmp_path)
    assert text.startswith("T = 1e6, 1 games in which some algorithm learns:")
    assert rows_of(text) == [
        ["DP-SE", *["100 %", "0 %"] * 2, "100 %", "2.0", "1.0", "1.0", "0.0 %"],
        ["DP-IMED", *["100 %", "0 %"] * 2, "0 %", "1.0", "17.0", "17", "33.3 %"],
        ["1", "1", "1", "1"],  # eps, games, and in how many of them each may be the best by mean
    ]


@pytest.mark.long
@pytest.mark.extra("flint")
def test_the_table_of_privacy_holds_what_audits_and_proofs_found(tmp_path):
    """An exact loss that is in reach and was not computed is missed; so is a table."""
    line = script("privacy_table", tmp_path)
    assert line.startswith(f"privacy_table: {tmp_path / 'audit.csv'}: no such file")
    budgets = [0.5, 1.0]
    found = [dp.audit(algo, eps=budgets, runs=500) for algo in ("adap_ucb", "heldp_ucb_b")]
    pd.concat(found).to_csv(tmp_path / "audit.csv", index=False)
    exact = dp.audit("adap_ucb", eps=budgets, exact=True, horizon=8)
    exact.to_csv(tmp_path / "exact.csv", index=False)
    assert "heldp_ucb_b is missing" in script("privacy_table", tmp_path)
    bits = dp.audit("heldp_ucb_b", eps=budgets, exact=True, horizon=4)
    pd.concat([exact, bits]).to_csv(tmp_path / "exact.csv", index=False)
    page = script("privacy_table", tmp_path)
    assert (tmp_path / "privacy.md").read_text().endswith(page)
    rows = rows_of(page)
    assert [row[:2] for row in rows] == [
        [name, eps] for name in ("adap_ucb", "heldp_ucb_b") for eps in ("0.5", "1")
    ]
    assert [row[2].partition(" (T = ")[2] for row in rows] == ["8)", "8)", "4)", "4)"]
    for row, eps in zip(rows, budgets * 2, strict=True):
        assert float(row[2].split()[0]) == pytest.approx(eps, rel=1e-3)
        assert row[3] == "100 of 100" and 0.0 <= float(row[4]) <= eps
        assert (row[5] == "-") == (row[0] == "adap_ucb") and row[6] == "consistent"


def test_a_script_may_draw_the_means_of_the_page(tmp_path):
    """They may have more runs than the table. Control: without the file, the table's own means."""
    file, given = tmp_path / "t.csv", {"eps": 1, "horizon": 100, "checkpoints": 1}
    dp.save(dp.run("dp_se", "bernoulli_c2", runs=3, **given), file)
    table = Table.of_file(file)
    assert summary_beside(file, table)["runs"].tolist() == [3]
    more = dp.summary(dp.run("dp_se", "bernoulli_c2", runs=5, **given))
    more.to_csv(tmp_path / "t.summary.csv", index=False)
    found = summary_beside(file, table)
    assert found["runs"].tolist() == [5] and found["mean"].tolist() == more["mean"].tolist()
    assert "summary" in inspect.signature(load_script("attias2026").draw).parameters
