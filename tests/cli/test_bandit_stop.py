"""bandit-stop: what it prints, writes and keeps, and that its tables are drawn."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dpbandits.cli.kinds import BANDITS, STOPPING
from dpbandits.results.outcomes import COLUMNS, clopper_pearson, summarize
from scipy.stats import binomtest

from dpbandits.cli import plot, run, stop
from dpbandits.cli.config.compose import read_request
from dpbandits.errors import BadInput
from dpbandits.files import package_folder

SMALL = "env.mean=0.5 runs=3 jobs=1"


@pytest.fixture
def bandit(tmp_path, monkeypatch, capsys):
    """A function that runs a command in the test's folder and returns what it prints."""
    monkeypatch.chdir(tmp_path)

    def command(line: str, module=stop, errors: str | None = "") -> list[str]:
        monkeypatch.setattr(sys, "argv", ["bandit", *shlex.split(line)])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        printed = capsys.readouterr()
        assert stopped.value.code == 0, printed.err
        told = [x for x in printed.err.splitlines() if not x.startswith("compiling")]
        assert errors is None or "\n".join(told) == errors
        return printed.out.splitlines()

    return command


def test_a_setting_prints_its_summary_and_last_the_path_of_its_table(bandit):
    printed = bandit(f"rule=dp_nas_exp eps=0.5 rel_error=0.5 {SMALL}")
    assert printed[0].split("  ")[0] == "rule" and "stopping time" in printed[0]
    assert printed[2].split()[:5] == ["dp_nas_exp", "sign", "0.5", "0.5", "0.5"]
    assert "100 %" in printed[2] and len(printed) == 5
    assert printed[3].startswith("dp_nas_exp: 0.5-global DP of stopping time and estimate")
    path = Path(printed[-1])
    assert path.parent == Path("results") and path.name.startswith("dp_nas_exp-sign-eps0.5-a0.5-")


def test_a_table_is_tidy(bandit):
    found = pd.read_csv(bandit(f"rule=dp_nas eps=0.5 beta=0.1 seed=3 cap=1e6 {SMALL}")[-1])
    assert list(found.columns) == COLUMNS
    setting = ["dp_nas", "sign", 0, 0.5, 0.5, 0.25, 0.1, 1, 1_000_000, 3]
    assert found.iloc[0, :10].tolist() == setting
    assert found["run"].tolist() == [0, 1, 2]
    assert found["halted"].tolist() == found["correct"].tolist() == [1, 1, 1]
    assert found["stopping_time"].between(1000, 100_000).all()
    assert (abs(found["estimate"] - 0.5) <= 0.125).all()


def test_a_rule_that_is_not_private_takes_no_budget(bandit):
    printed = bandit(f"rule=nas {SMALL}")
    assert "not private" in printed[2]
    assert np.isposinf(pd.read_csv(printed[-1])["eps"]).all()


def test_a_run_that_meets_its_cap_has_no_estimate(bandit):
    printed = bandit(f"'sweep={{cap:[50,1e6]}}' rule=nas {SMALL}")
    assert "at least 50" in printed[2] and "none halted" in printed[2]
    assert "at least" not in printed[3]
    found = pd.read_csv(printed[-1])
    capped = found[found["cap"] == 50]
    assert (capped["stopping_time"] == 50).all() and (capped["halted"] == 0).all()
    assert capped[["estimate", "correct"]].isna().all(axis=None)
    assert (found.loc[found["cap"] == 10**6, "halted"] == 1).all()


def test_a_mean_of_zero_is_told_and_runs_to_the_cap(bandit):
    told = (
        "env=sign: the mean of arm 0 is 0, which no estimate is within a share of; "
        "rules run to their cap"
    )
    printed = bandit("'sweep={rule:[nas,dp_nas,dp_nas_exp]}' env.mean=0 runs=3", errors=told)
    found = pd.read_csv(printed[-1])
    assert (found["stopping_time"] == 10**9).all() and found["correct"].isna().all()


@pytest.mark.parametrize(
    ("line", "mean"),
    [
        ("env=bernoulli env.means=[.9,.8] arm=1", 0.8),
        ("env=ren_mixed arm=5", 0.8),  # Beta(4, 1)
        ("env=sign env.mean=-4 env.scale=8 R=8", -4),
        ("env=twopoint_heavy R=1.2 arm=0", 0.9),
    ],
)
def test_any_arm_of_any_bounded_environment(bandit, line, mean):
    found = pd.read_csv(bandit(f"rule=dp_nas {line} rel_error=.5 runs=3")[-1])
    assert found["true_mean"].iloc[0] == pytest.approx(mean)
    assert (found["correct"] == 1).all()
    assert found["arm"].iloc[0] == (int(line.split("arm=")[1]) if "arm=" in line else 0)


def test_behind_a_sigmoid_the_mean_is_what_is_seen(bandit):
    found = pd.read_csv(bandit("env=ren_gaussian_sigmoid rel_error=.1 eps=10 runs=3")[-1])
    x = 1 / (1 + np.exp(-np.random.default_rng(0).normal(0.9, 1, 10**6)))
    assert found["true_mean"].iloc[0] == pytest.approx(x.mean(), abs=1e-3)
    assert (found["correct"] == 1).all()


def test_a_sweep_gives_each_setting_once_and_a_column(bandit):
    line = "'sweep={rule:[nas,dp_nas],eps:[.5,2],env.mean:[.5,-.7]}' runs=2"
    found = pd.read_csv(bandit(line)[-1])
    assert list(found.columns) == [*COLUMNS[:10], "env.mean", *COLUMNS[10:]]
    settings = found[["rule", "eps", "env.mean"]].drop_duplicates()
    assert len(settings) == 6 and len(found) == 12
    assert set(found.loc[found["rule"] == "nas", "eps"]) == {np.inf}
    assert (found["env.mean"] == found["true_mean"]).all()
    alone = pd.read_csv(bandit("rule=dp_nas eps=2 env.mean=-.7 runs=2")[-1])
    chosen = found[(found["eps"] == 2) & (found["env.mean"] == -0.7)]
    assert chosen["stopping_time"].tolist() == alone["stopping_time"].tolist()


def test_jobs_do_not_change_a_byte_and_seeds_do(bandit):
    line = "'sweep={rule:[nas,dp_nas,dp_nas_exp],env.mean:[.3,.6]}' runs=5"
    ways = ("jobs=1", "jobs=2", "jobs=2 backend=processes", "jobs=1 seed=1")
    first, *same, other = (
        Path(bandit(f"{line} {way} results=r{i}")[-1]).read_bytes() for i, way in enumerate(ways)
    )
    assert all(way == first for way in same) and other != first


def test_finished_runs_are_kept_and_more_leave_them_as_they_were(bandit):
    few = pd.read_csv(bandit(f"rule=dp_nas {SMALL}")[-1])
    kept = {f: f.stat().st_mtime_ns for f in Path("results/cells").glob("*/*.npz")}
    bandit(f"rule=dp_nas {SMALL}")
    assert {f: f.stat().st_mtime_ns for f in Path("results/cells").glob("*/*.npz")} == kept
    assert len(kept) == 1
    many = pd.read_csv(bandit("rule=dp_nas env.mean=0.5 runs=5")[-1])
    pd.testing.assert_frame_equal(many[many["run"] < 3], few, check_exact=True)
    assert len(list(Path("results/cells").glob("*/*.npz"))) == 1


def test_a_manifest_and_summaries_lie_beside_the_table(bandit):
    path = Path(bandit(f"rule=dp_nas {SMALL} eps=2")[-1])
    manifest = json.loads(path.with_suffix(".json").read_text())
    (cell,) = manifest["cells"]
    assert cell["parameters"] == {"eps": 2, "rel_error": 0.25, "beta": 0.05, "R": 1}
    assert cell["env_spec"] == {"law": "sign", "mean": 0.5, "scale": 1.0}
    assert cell["cap"] == 10**9 and manifest["config"]["rule"] == "dp_nas"
    assert path.with_suffix(".md").read_text().startswith("| rule")
    assert r"\begin{tabular}" in path.with_suffix(".tex").read_text()


def test_confidence_is_that_of_clopper_and_pearson():
    k, n = np.array([0, 3, 17, 20, 0]), np.array([20, 20, 20, 20, 0])
    low, high = clopper_pearson(k, n)
    for i in range(4):
        expected = binomtest(int(k[i]), int(n[i])).proportion_ci(0.95, method="exact")
        assert (low[i], high[i]) == pytest.approx((expected.low, expected.high))
    assert (low[4], high[4]) == (0, 1)


def test_a_summary_counts_what_is_right():
    setting = ["nas", "sign", 0, 0.5, np.inf, 0.25, 0.05, 1.0, 100, 0]
    ends = [(0, 10, 0.5, 1, 1), (1, 20, 0.9, 1, 0), (2, 100, np.nan, 0, np.nan), (3, 30, 0.4, 1, 1)]
    (row,) = summarize(pd.DataFrame([[*setting, *end] for end in ends], columns=COLUMNS)).to_dict(
        "records"
    )
    assert (row["mean"], row["runs"], row["halted"]) == (40, 4, 3)
    assert row["correct"] == pytest.approx(2 / 3)


def test_tables_are_drawn(bandit):
    first = bandit(f"rule=dp_nas {SMALL}")[-1]
    second = bandit(f"rule=nas {SMALL} cap=50")[-1]
    drawn = [Path(x) for x in bandit(f"{first} {second}", plot)]
    assert all(x.stat().st_size > 5000 for x in drawn)
    Path("regrets.csv").write_text(
        "algo,env,eps,horizon,seed,run,t,regret\nucb,bernoulli_c2,inf,100,0,0,100,5\n"
    )
    with pytest.raises(BadInput, match="share no figure"):
        plot.together([Path(first), Path("regrets.csv")])
    with pytest.raises(BadInput, match="same settings twice"):
        plot.together([Path(first), Path(first)])


def test_the_experiment_is_the_one_that_is_specified():
    asked = read_request(["experiment=sajed2019_stopping"], ())
    assert asked.kind is STOPPING and asked.runs == 200
    assert len(asked.cells) == 4 * 3 * (1 + 3 + 3)
    assert {abs(t.true_mean) for t in asked.cells} == {0.05, 0.1, 0.2, 0.5}
    assert {t.eps for t in asked.cells} == {0.1, 0.5, 1.0, np.inf}
    assert {t.rel_error for t in asked.cells} == {0.1, 0.25, 0.5}
    assert {(t.env, t.beta, t.R) for t in asked.cells} == {("sign", 0.05, 1.0)}


def test_an_experiment_runs_under_either_command(bandit):
    line = "experiment=sajed2019_stopping runs=1 jobs=1 sweep.rel_error=[.5] sweep.env.mean=[.5]"
    first = Path(bandit(line)[-1])
    assert first == Path("results/sajed2019_stopping.csv")
    before = first.read_bytes()
    assert bandit(line, run)[-1] == str(first) and first.read_bytes() == before
    assert read_request(["experiment=azize2022_fig8"], (), STOPPING).kind is BANDITS


def test_a_multirun_makes_one_table_for_each_combination(tmp_path):
    program = Path(sys.executable).with_name("bandit-stop")
    words = f"-m rule=nas,dp_nas rel_error=.5,.9 {SMALL}".split()
    done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tables = [pd.read_csv(f) for f in sorted((tmp_path / "results").glob("*.csv"))]
    settings = [(t["rule"][0], t["rel_error"][0]) for t in tables]
    assert settings == [("dp_nas", 0.5), ("dp_nas", 0.9), ("nas", 0.5), ("nas", 0.9)]


def test_help_lists_rules_and_hydra_shows_the_configuration(bandit):
    words = " ".join(bandit("--help")).split()
    for name in ("nas", "dp_nas", "dp_nas_exp", "sign", "sajed2019_stopping"):
        assert name in words
    assert "azize2022_fig2" not in words
    assert "sajed2019_stopping" not in " ".join(bandit("--help", run)).split()
    program = Path(sys.executable).with_name("bandit-stop")
    done = subprocess.run([program, "--cfg", "job", "cap=7"], capture_output=True, text=True)
    assert "cap: 7" in done.stdout, done.stderr


def test_every_key_of_the_configuration_is_commented():
    for line in (package_folder("conf") / "stop.yaml").read_text().splitlines():
        if line and line[0].isalpha() and line.rstrip()[-1] != ":":
            assert "#" in line, line


MINE = '''
"""Stop after a number of samples."""

import numpy as np

from dpbandits.authoring import laplace, pull_sum, rounds_left


def fixed(game, rng, eps, R, n):
    """eps-DP."""
    if n > rounds_left(game):
        return np.nan
    return (pull_sum(game, 0, int(n)) + laplace(rng, 2 * R / eps)) / n
'''


def test_a_rule_of_your_own_runs_beside_ours(bandit):
    folder = Path("mine/rule")
    folder.mkdir(parents=True)
    (folder / "fixed.py").write_text(MINE)
    (folder / "fixed.yaml").write_text("# Mine.\nn: 100\n")
    line = f"--config-dir mine 'sweep={{rule:[fixed,dp_nas],n:[100,200]}}' {SMALL}"
    found = pd.read_csv(bandit(line)[-1])
    assert list(found.columns) == [*COLUMNS[:10], "n", *COLUMNS[10:]]
    mine = found[found["rule"] == "fixed"]
    assert mine["stopping_time"].tolist() == mine["n"].tolist() == [100] * 3 + [200] * 3
    assert found.loc[found["rule"] == "dp_nas", "n"].isna().all()
