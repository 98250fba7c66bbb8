"""Names with characters that matplotlib interprets, and files beside tables that are not ours."""

import os
from pathlib import Path

import pytest

from dpbandits.cli import plot
from dpbandits.figures.draw import figure_of_table
from dpbandits.figures.labels import as_it_stands
from dpbandits.results.table import Table

HEADER = "algo,env,eps,horizon,seed,run,t,regret\n"
ROW = "ucb,bernoulli_c2,inf,100,0,0,100,5\n"
TIMES = "rule,env,arm,true_mean,eps,rel_error,beta,R,cap,seed,run,"
TIMES += "stopping_time,estimate,halted,correct"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$", "$x_{$", r"$\\foo$", r"\\$", "_", "{}$a$b$"])
def test_odd_names_are_drawn_as_they_stand(bandit, name):
    regrets = f"{HEADER.strip()},{name}\n" + "".join(
        f"{name},{name}2,{eps},100,0,0,100,5,{value}\n" for eps, value in ((1, name), (2, "$"))
    )
    times = f"{TIMES}\n{name},{name},0,.5,1,.1,.1,1,100,0,0,50,.5,1,1\n"
    for number, table in enumerate((regrets, times)):
        Path(f"{name}{number}.csv").write_text(table)
        assert f"{name}{number}.png" in bandit(plot, f"'{name}{number}.csv'")


def test_the_legend_has_the_names(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(HEADER + ROW.replace("ucb", "_mine") + ROW.replace("ucb", r"$\\x$"))
    (ax,) = figure_of_table(as_it_stands(Table.of_file(file)), "title").axes
    assert ax.get_legend_handles_labels()[1] == [" _mine", r"\$\\x\$"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rule.width", "env.shape", "seed"])
def test_stopping_times_that_a_column_tells_apart_have_lines_of_their_own(tmp_path, name):
    """Mutation that it catches: a line averages the settings that differ in this column alone."""
    file = tmp_path / "times.csv"
    columns = TIMES.replace("seed", "old") if name == "seed" else TIMES
    rows = "".join(f"nas,gaussian,0,.5,1,.1,.1,1,100,0,0,5{x},.5,1,1,{x}\n" for x in (1, 2))
    file.write_text(f"{columns},{name}\n{rows}")
    ax = figure_of_table(as_it_stands(Table.of_file(file)), "title").axes[0]
    _, lines = ax.get_legend_handles_labels()
    assert len(lines) == 2 and all(line.endswith(f"= {x}") for x, line in enumerate(lines, 1))


def test_a_pipe_is_no_manifest(refused):
    Path("table.csv").write_text(HEADER + ROW)
    os.mkfifo("table.json")
    assert "the .json file beside table.csv" in refused(plot, ["table.csv", "bounds=true"])
