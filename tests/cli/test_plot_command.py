"""bandit-plot: the figures that it writes, and the tables that no figure can hold together."""

from pathlib import Path

import pandas as pd
import pytest
from refusals import message_of

from dpbandits.cli import plot, run, stop
from dpbandits.figures.experiments import together

SMALL = "horizon=1000 runs=2 jobs=1 checkpoints=10"
REGRETS = "algo,env,eps,horizon,seed,run,t,regret\nucb,bernoulli_c2,inf,100,0,0,100,5\n"


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


def test_tables_of_stopping_times_are_drawn(bandit):
    small = "env.mean=0.5 runs=3 jobs=1"
    first = bandit(stop, f"rule=dp_nas {small}")[-1]
    second = bandit(stop, f"rule=nas {small} cap=50")[-1]
    assert all(is_drawn(Path(x)) for x in bandit(plot, f"{first} {second}"))
    Path("regrets.csv").write_text(REGRETS)
    assert "share no figure" in message_of(together, [Path(first), Path("regrets.csv")])
    assert "same settings twice" in message_of(together, [Path(first), Path(first)])


def test_tables_that_share_no_panel_are_drawn(bandit):
    first = bandit(run, f"algo=adap_ucb eps=1 env=bernoulli_c1 {SMALL}")[-1]
    second = bandit(run, f"algo=dp_se eps=2 env=bernoulli_c2 {SMALL}")[-1]
    assert len(bandit(plot, f"{first} {second}")) == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("horizon=2000", "different horizons (1000, 2000)"),
        ("algo.alpha=1", "not a column"),
        ("seed=1", "same settings twice"),
    ],
)
def test_tables_that_a_figure_cannot_tell_apart_are_refused(bandit, change, reason):
    tables = [Path(bandit(run, f"{SMALL} algo=adap_ucb {more}")[-1]) for more in ("", change)]
    assert reason in message_of(together, tables)


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


def test_help_shows_both_ways(bandit):
    text = " ".join(bandit(plot, "--help"))
    assert "experiment=NAME" in text and "TABLE.csv" in text
