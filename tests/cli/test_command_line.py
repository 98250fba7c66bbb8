"""What bandit-run, bandit-plot and bandit-bounds print and write."""

import hashlib
import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
import yaml

from dpbandits.cli import bounds, plot, run
from dpbandits.contracts.algorithm import ALGORITHMS, load
from dpbandits.files import package_folder
from dpbandits.running.play import loop, play_games

COLUMNS = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
SMALL = "horizon=1000 runs=2 jobs=1 checkpoints=10"
QUICK_RUNS = "runs=2 jobs=1"


@pytest.fixture
def bandit(tmp_path, monkeypatch, capsys):
    """A function that runs a command in the test's folder and returns the lines it prints."""
    monkeypatch.chdir(tmp_path)

    def command(module, line: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["bandit", *shlex.split(line)])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        printed = capsys.readouterr()
        assert stopped.value.code == 0, printed.err
        return printed.out.splitlines()

    return command


@pytest.fixture
def table(bandit):
    """A function that runs settings and returns their table."""
    return lambda line: pd.read_csv(bandit(run, f"{SMALL} {line}")[-1])


def shell(command: str, folder: Path) -> list[str]:
    """The lines that a command prints when it runs in a process of its own."""
    name, *given = shlex.split(command)
    program = Path(sys.executable).with_name(name)
    done = subprocess.run(
        [program, *given], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def tables(printed: list[str]) -> list[Path]:
    return [Path(line) for line in printed if line.endswith(".csv")]


def names(group: str) -> list[str]:
    return [file.stem for file in (package_folder("conf") / group).glob("*.yaml")]


def test_a_setting_prints_its_summary_and_last_the_path_of_its_table(bandit):
    printed = bandit(run, f"algo=adap_ucb env=bernoulli_c1 eps=0.5 {SMALL}")
    assert "final regret" in printed[0] and "95 % interval" in printed[0]
    assert printed[2].split()[:4] == ["adap_ucb", "bernoulli_c1", "0.5", "1000"]
    assert printed[3].startswith("adap_ucb: 0.5-global DP of all actions")
    assert len(printed) == 5
    assert Path(printed[-1]).is_file() and Path(printed[-1]).parent == Path("results")


def test_a_table_is_tidy(table):
    found = table("algo=adap_ucb eps=0.5 seed=3 runs=3")
    assert list(found.columns) == COLUMNS
    assert set(found["algo"]) == {"adap_ucb"} and set(found["env"]) == {"bernoulli_c2"}
    assert set(found["eps"]) == {0.5} and set(found["seed"]) == {3}
    checkpoints = found.loc[found["run"] == 0, "t"].to_list()
    assert checkpoints == sorted(set(checkpoints)) and checkpoints[-1] == 1000
    assert found["run"].to_list() == [r for r in range(3) for _ in checkpoints]
    assert found["t"].to_list() == checkpoints * 3
    assert (found.groupby("run")["regret"].diff().dropna() >= 0).all()
    assert found["regret"].between(0, 500).all() and found["regret"].max() > 0


def test_a_horizon_can_be_written_with_an_exponent(bandit):
    path = Path(bandit(run, f"algo=adap_ucb {SMALL} horizon=1e4")[-1])
    assert "adap_ucb,bernoulli_c2,1,10000,0,0,10000," in path.read_text()


def test_the_budget_of_an_algorithm_that_is_not_private_is_infinite(bandit):
    printed = bandit(run, f"algo=ucb {SMALL}")
    assert "not private" in printed[2]
    assert np.isposinf(pd.read_csv(printed[-1])["eps"]).all()


def test_the_default_budget_is_one(table):
    assert set(table("algo=adap_ucb")["eps"]) == {1.0}


def test_a_manifest_and_summaries_lie_beside_the_table(bandit):
    path = Path(bandit(run, f"algo=adap_ucb algo.alpha=2 {SMALL} seed=5")[-1])
    manifest = json.loads(path.with_suffix(".json").read_text())
    keys = {"config", "cells", "finished", "sha256", "sources", "seed", "versions", "commit"}
    assert manifest.keys() == keys | {"wall_time_seconds"}
    assert all(list(Path("results/cells").rglob(f"{key}.npz")) for key in manifest["finished"])
    assert manifest["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert manifest["config"]["algo"] == "adap_ucb" and manifest["config"]["horizon"] == 1000
    (cell,) = manifest["cells"]
    assert cell["parameters"] == {"eps": 1, "alpha": 2}
    assert cell["env_spec"] == {"law": "bernoulli_family", "family": "c2", "arms": 5}
    assert manifest["seed"] == 5 and manifest["wall_time_seconds"] >= 0
    versions = {"numpy": np.__version__, "numba": numba.__version__}
    versions["python"] = platform.python_version()
    assert manifest["versions"].items() >= versions.items()
    markdown = path.with_suffix(".md").read_text().splitlines()
    assert all(line.startswith("|") and line.endswith("|") for line in markdown)
    assert "adap_ucb" in markdown[-1]
    assert r"\begin{tabular}" in path.with_suffix(".tex").read_text()


def test_a_manifest_speaks_of_the_table_beside_it(bandit):
    """Also when the table is made of finished runs alone; these keep the time that they took."""
    line = "experiment=azize2022_fig8 jobs=1"
    taken = []
    for scale in ("horizon=2000 runs=3", "horizon=3000 runs=2", "horizon=2000 runs=3"):
        path = Path(bandit(run, f"{line} {scale}")[-1])
        manifest = json.loads(path.with_suffix(".json").read_text())
        assert f"runs={manifest['config']['runs']}" == scale.split()[1]
        assert {cell["horizon"] for cell in manifest["cells"]} == {int(scale[8:12])}
        assert {cell["parameters"]["alpha"] for cell in manifest["cells"]} == {1.0, 3.1}
        taken.append(manifest["wall_time_seconds"])
    bandit(run, f"{line} {scale}")
    assert json.loads(path.with_suffix(".json").read_text())["wall_time_seconds"] == taken[-1]


def test_finished_runs_are_kept_and_used_again(bandit):
    path = Path(bandit(run, f"algo=adap_ucb {SMALL}")[-1])
    first = path.read_bytes()
    cells = {file: file.stat().st_mtime_ns for file in Path("results/cells").glob("*/*.npz")}
    path.unlink()
    assert bandit(run, f"algo=adap_ucb {SMALL}")[-1] == str(path)
    assert path.read_bytes() == first
    assert {
        file: file.stat().st_mtime_ns for file in Path("results/cells").glob("*/*.npz")
    } == cells
    assert len(cells) == 1


def test_more_runs_leave_the_earlier_ones_as_they_were(table):
    few, many = table("algo=adap_ucb runs=2"), table("algo=adap_ucb runs=5")
    assert many["run"].nunique() == 5
    pd.testing.assert_frame_equal(many[many["run"] < 2], few, check_exact=True)
    assert len(list(Path("results/cells").glob("*/*.npz"))) == 1


def test_jobs_and_backend_do_not_change_a_byte(bandit):
    first, *others = (
        Path(bandit(run, f"algo=adap_ucb {SMALL} {given} results={i}")[-1]).read_bytes()
        for i, given in enumerate(("jobs=1", "jobs=2", "jobs=-1", "backend=threads"))
    )
    assert all(other == first for other in others)


def test_shuffled_arms_and_seeds_give_other_runs(table):
    ways = ["", "shuffle_arms=true", "seed=1"]
    regrets = [tuple(table(f"algo=adap_ucb {way}")["regret"]) for way in ways]
    assert len(set(regrets)) == 3


def test_a_table_of_rewards_can_be_read_from_a_file(table):
    Path("rewards.csv").write_text("a,b\n" + "1,0\n" * 20)
    found = table("env=table env.file=rewards.csv horizon=20")
    assert found["regret"].max() <= 20


def test_a_sweep_gives_each_setting_once(table):
    found = table("'sweep={algo:[ucb,adap_ucb],eps:[0.5,1]}'")
    assert list(found.columns) == COLUMNS
    settings = found[["algo", "eps"]].drop_duplicates().to_records(index=False).tolist()
    assert settings == [("ucb", np.inf), ("adap_ucb", 0.5), ("adap_ucb", 1.0)]
    assert len(found) == 3 * 2 * found["t"].nunique()


def test_a_swept_parameter_becomes_a_column(table):
    found = table("'sweep={algo:[adap_ucb,dp_se],alpha:[1,3.1]}'")
    assert list(found.columns) == [*COLUMNS[:5], "alpha", *COLUMNS[5:]]
    assert found.loc[found["algo"] == "dp_se", "alpha"].isna().all()
    assert list(found.loc[found["algo"] == "adap_ucb", "alpha"].unique()) == [1, 3.1]
    assert found["algo"].value_counts()["adap_ucb"] == 2 * found["algo"].value_counts()["dp_se"]


def test_a_list_of_sweeps_runs_one_after_the_other(table):
    found = table("'sweep=[{algo:[ucb]},{algo:[adap_ucb],env:[bernoulli_c1,bernoulli_c3]}]'")
    settings = found[["algo", "env"]].drop_duplicates().to_records(index=False).tolist()
    assert settings == [
        ("ucb", "bernoulli_c2"),
        ("adap_ucb", "bernoulli_c1"),
        ("adap_ucb", "bernoulli_c3"),
    ]


def test_a_swept_setting_has_the_runs_that_it_has_alone(table):
    alone = table("algo=adap_ucb eps=0.5")
    swept = table("'sweep={algo:[ucb,adap_ucb],eps:[1,0.5]}'")
    swept = swept[(swept["algo"] == "adap_ucb") & (swept["eps"] == 0.5)].reset_index(drop=True)
    pd.testing.assert_frame_equal(swept, alone, check_exact=True)


def test_a_multirun_makes_one_table_for_each_combination(tmp_path):
    printed = shell(f"bandit-run -m algo=adap_ucb,adap_klucb eps=0.5,1 {SMALL}", tmp_path)
    found = [pd.read_csv(tmp_path / path) for path in tables(printed)]
    settings = [(t["algo"].unique().tolist(), t["eps"].unique().tolist()) for t in found]
    algos = ["adap_ucb", "adap_klucb"]
    assert settings == [([algo], [eps]) for algo in algos for eps in (0.5, 1.0)]
    assert printed[-1].endswith(".csv")
    assert sorted(tmp_path.rglob("*.csv")) == sorted(tmp_path / path for path in tables(printed))
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


@pytest.mark.parametrize(
    ("choices", "rows"),
    [
        ("runs=1,3", [1, 3]),
        ("env=bernoulli env.means=[0.9,0.8],[0.5,0.4,0.3]", [2, 2]),
    ],
)
def test_a_multirun_varies_any_key(tmp_path, choices, rows):
    printed = shell(f"bandit-run -m algo=adap_ucb {SMALL} {choices}", tmp_path)
    found = [pd.read_csv(tmp_path / path) for path in tables(printed)]
    assert [t["run"].nunique() for t in found] == rows
    assert len(set(tables(printed))) == 2


def test_hydras_options_print_the_configuration_and_run_nothing(tmp_path):
    printed = shell("bandit-run --cfg job algo=adap_ucb algo.alpha=2 horizon=500", tmp_path)
    config = yaml.safe_load("\n".join(printed))
    assert config["algo"] == {"alpha": 2} and config["horizon"] == 500
    assert list(tmp_path.iterdir()) == []


def test_help_lists_all_that_can_be_chosen(bandit):
    words = " ".join(bandit(run, "--help")).split()
    for group in ("algo", "env", "experiment"):
        assert names(group) and set(names(group)) - {"sajed2019_stopping"} <= set(words)
    assert bandit(run, "-h") == bandit(run, "--help")
    assert list(Path.cwd().iterdir()) == []


def test_the_version_is_that_of_the_package(bandit):
    [line] = bandit(run, "--version")
    name, version = line.split()
    assert name == "dpbandits" and version[0].isdigit()


def is_drawn(path: Path) -> bool:
    magic = {".pdf": b"%PDF", ".png": b"\x89PNG"}[path.suffix]
    return path.read_bytes().startswith(magic) and path.stat().st_size > 5_000


def test_tables_are_drawn_as_pdf_and_png(bandit):
    first, second = (bandit(run, f"algo={a} {SMALL}")[-1] for a in ("ucb", "adap_ucb"))
    one = [Path(line) for line in bandit(plot, first)]
    assert one == [Path(first).with_suffix(".pdf"), Path(first).with_suffix(".png")]
    assert all(map(is_drawn, one))
    before = one[1].read_bytes()
    assert [Path(line) for line in bandit(plot, f"{first} {second}")] == one
    assert all(map(is_drawn, one)) and one[1].read_bytes() != before


def test_an_experiment_is_run_and_drawn(bandit):
    line = "experiment=azize2022_fig8 horizon=2000 runs=2 jobs=1"
    assert bandit(run, line)[-1] == "results/azize2022_fig8.csv"
    found = pd.read_csv("results/azize2022_fig8.csv")
    settings = found[["algo", "alpha"]].drop_duplicates().to_records(index=False).tolist()
    algos = ["adap_ucb", "adap_klucb"]
    assert settings == [(algo, alpha) for algo in algos for alpha in (3.1, 1.0)]
    assert set(found["horizon"]) == {2000} and set(found["run"]) == {0, 1}
    drawn = [Path(path) for path in bandit(plot, "experiment=azize2022_fig8")]
    figures = Path("results/figures")
    assert drawn == [figures / "azize2022_fig8.pdf", figures / "azize2022_fig8.png"]
    assert all(map(is_drawn, drawn))
    first = [path.read_bytes() for path in drawn]
    bandit(plot, "experiment=azize2022_fig8")
    assert [path.read_bytes() for path in drawn] == first


def test_an_experiment_in_another_folder_is_drawn_there(bandit):
    bandit(run, "experiment=azize2022_fig8 horizon=500 runs=1 jobs=1 results=other")
    drawn = bandit(plot, "experiment=azize2022_fig8 results=other")
    assert drawn[0] == "other/figures/azize2022_fig8.pdf"
    assert [path.name for path in Path.cwd().iterdir()] == ["other"]


def test_help_of_bandit_plot_shows_both_ways(bandit):
    text = " ".join(bandit(plot, "--help"))
    assert "experiment=NAME" in text and "TABLE.csv" in text


def test_an_edited_data_file_is_run_again(bandit):
    regrets = []
    for rewards in ("1,0\n1,0\n", "0,1\n1,0\n"):
        Path("rewards.csv").write_text("a,b\n" + rewards)
        path = bandit(run, "algo=ucb env=table env.file=rewards.csv horizon=2 runs=1")[-1]
        regrets.append(pd.read_csv(path)["regret"].iloc[-1])
    assert regrets == [1.0, 0.0]


def test_the_kernel_that_is_compiled_is_the_one_that_is_played(bandit):
    for env in ("bernoulli_c2", "twopoint_heavy env.g=1 env.means=[.5,.4]"):
        bandit(run, f"algo=dp_ucb_bound env={env} {SMALL}")
    algorithm = load(ALGORITHMS / "dp_ucb_bound.py")
    assert len(loop(play_games, algorithm.function, algorithm.tag).signatures) == 1


def test_a_horizon_that_no_float_holds(bandit):
    path = bandit(run, "algo=adap_ucb horizon=9007199254740993 runs=1")[-1]
    assert pd.read_csv(path)["t"].iloc[-1] == 9007199254740993


def test_tables_that_share_no_panel_are_drawn(bandit):
    first = bandit(run, f"algo=adap_ucb eps=1 env=bernoulli_c1 {SMALL}")[-1]
    second = bandit(run, f"algo=dp_se eps=2 env=bernoulli_c2 {SMALL}")[-1]
    assert len(bandit(plot, f"{first} {second}")) == 2


def test_the_note_on_compiling_is_told_once(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = "from dpbandits.cli.run import main; main()"
    told = []
    (tmp_path / "pickle.py").write_text("print('imported')")  # the compiler's process needs one
    for _ in range(2):
        command = [sys.executable, "-P", "-c", code, "algo=dp_se", "horizon=100", "runs=1"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        told.append(done.stderr)
        assert "imported" not in done.stdout
    assert told == ["compiling dp_se, the first time only ...\n", ""]  # and no bar: no terminal


def test_a_multirun_of_an_experiment_overwrites_nothing(tmp_path):
    shell(f"bandit-run -m experiment=azize2022_fig8 horizon=100,200 {QUICK_RUNS}", tmp_path)
    tables = list(tmp_path.glob("results/azize2022_fig8-*.csv"))
    assert {pd.read_csv(table)["horizon"].iloc[0] for table in tables} == {100, 200}


def test_a_multirun_may_name_its_keys_before_its_options(tmp_path):
    shell(f"bandit-run horizon=200 algo=ucb,adap_ucb -m {QUICK_RUNS}", tmp_path)
    assert len(list(tmp_path.glob("results/*.csv"))) == 2


@pytest.mark.parametrize("change", ["horizon=2000", "algo.alpha=1", "seed=1"])
def test_tables_that_a_figure_cannot_tell_apart_are_refused(bandit, change, monkeypatch, capsys):
    tables = [bandit(run, f"{SMALL} algo=adap_ucb {more}")[-1] for more in ("", change)]
    monkeypatch.setattr(sys, "argv", ["bandit-plot", *tables])
    with pytest.raises(SystemExit) as stopped:
        plot.main()
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_bounds_of_a_setting_that_was_not_run(bandit):
    printed = bandit(bounds, "algo=adap_ucb env=bernoulli_gap eps=0.5 horizon=1e5")
    assert printed[0] == "adap_ucb on bernoulli_gap, eps 0.5, T = 1e5"
    assert printed[1] == "measured: nothing, there are no finished runs in results"
    rows = [line.split("  ") for line in printed[5 : printed.index("do not apply:") - 1]]
    rows = {row[0]: [x.strip() for x in row[1:] if x.strip()] for row in rows if row[0]}
    assert rows["Azize & Basu 2022, Theorem 7"][:3] == ["upper", "exact", "4,940"]
    assert rows["Azize & Basu 2022, Theorem 3"][:3] == ["lower", "asymptotic", "28.14"]
    assert rows["Azize & Basu 2022, Theorem 2"][:2] == ["lower", "worst case"]
    assert "  Azize & Basu 2022, Theorem 8: needs adap_klucb" in printed
    assert not Path("results").exists()


def test_bounds_stand_beside_what_was_measured(bandit):
    line = "algo=adap_ucb env=bernoulli_c2 eps=0.5 horizon=1e5"
    summary = bandit(run, f"{line} runs=3 jobs=1")[2]
    before = sorted(Path().rglob("*"))
    printed = bandit(bounds, f"{line} runs=7")
    mean = summary.split()[4]
    assert printed[1].startswith(f"measured: {mean} (95 % interval ")
    assert printed[1].endswith(", 3 runs)") and "of measured" in printed[3]
    assert sorted(Path().rglob("*")) == before
    for other in ("seed=1", "algo.alpha=4", "env=bernoulli_c1", "results=elsewhere"):
        assert bandit(bounds, f"{line} {other}")[1].startswith("measured: nothing")


def test_an_order_has_a_formula_and_no_number(bandit):
    printed = bandit(bounds, "algo=dp_se env=bernoulli_c2 eps=0.5 horizon=1e5")
    (row,) = [x for x in printed if x.startswith("Sajed & Sheffet 2019, Theorem 4.3")]
    formula = "sum ln T/gap + K ln T/eps (for sufficiently large T)"
    assert " ".join(row.split()) == f"Sajed & Sheffet 2019, Theorem 4.3 upper order {formula}"


def test_what_is_refuted_says_so(bandit):
    printed = bandit(bounds, "algo=ldpr_se env=twopoint_heavy algo.v=.9")
    (row,) = [x for x in printed if x.startswith("Tao et al. 2022, Theorem 7  ")]
    assert row.split()[6:8] == ["upper", "refuted"] and "Zhou & Zhang" in row


def test_conditions_that_fail_are_listed(bandit):
    printed = bandit(bounds, "algo=adap_ucb algo.alpha=1 eps=0.5")
    assert "  Azize & Basu 2022, Theorem 7: needs alpha > 3; alpha = 1" in printed
    nothing = bandit(bounds, "algo=dp_ucb env=ren_mixed horizon=3")
    assert "no theorem says anything of this setting" in nothing
    assert "  Azize & Basu 2022, Theorem 2: needs T >= K - 1; T = 3, K = 20" in nothing


def test_bounds_of_users_with_levels_of_their_own(bandit):
    printed = bandit(bounds, "algo=heldp_ucb_b population=uniform_levels eps_min=1 horizon=1e4")
    assert printed[0] == (
        "heldp_ucb_b on bernoulli_c2, users of uniform_levels, eps_min 1, T = 1e4"
    )
    assert any(line.startswith("Ren et al. 2020, Theorem 10 ") for line in printed)
    assert any(line.startswith("  Ren et al. 2020, Corollary 11: needs eps_t") for line in printed)


def test_the_help_of_bounds_lists_the_kinds(bandit):
    printed = "\n".join(bandit(bounds, "--help"))
    for word in ("exact", "asymptotic", "worst case", "order", "refuted", "results=DIR"):
        assert word in printed
