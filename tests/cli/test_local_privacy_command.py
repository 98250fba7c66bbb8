"""Local privacy on the command line: populations, eps_min, and what is refused."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import arguments, complaint

from dpbandits.cli import run
from dpbandits.environments.populations import build_population
from dpbandits.settings.groups import read_group
from dpbandits.theory.ren2020 import v_b, v_l

SMALL = "horizon=300 runs=2 jobs=1 checkpoints=3"
COLUMNS = ["algo", "env", "eps", "horizon", "seed", "population", "eps_min", "run", "t", "regret"]


@pytest.fixture
def bandit(tmp_path, monkeypatch, capsys):
    """A function that runs bandit-run in the test's folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def command(given):
        monkeypatch.setattr(sys, "argv", ["bandit-run", *given])
        with pytest.raises(SystemExit) as stopped:
            run.main()
        printed = capsys.readouterr()
        return stopped.value.code, printed.out, printed.err

    return command


@pytest.fixture
def refuse(bandit, tmp_path):
    """A function that runs a line which must be refused, and returns the complaint."""

    def command(line):
        before = sorted(tmp_path.rglob("*"))
        done = bandit(arguments(line))
        assert sorted(tmp_path.rglob("*")) == before
        return complaint("bandit-run", *done)

    return command


@pytest.fixture
def printed(bandit):
    """A function that runs a line which must succeed, and returns what it prints."""

    def command(line):
        code, out, err = bandit(shlex.split(f"{line} {SMALL}"))
        assert code == 0, err
        return out.splitlines()

    return command


@pytest.fixture
def results(printed):
    """A function that runs a line and returns its table."""
    return lambda line: pd.read_csv(printed(line)[-1])


B = "algo=heldp_ucb_b"
CROWD = f"{B} population=uniform_levels"
OWN = f"{B} population=levels eps_min=0.5"
NORMAL = f"{B} population=clipped_normal eps_min=1"
FILE = f"{B} population=file population.path=users.csv eps_min=1"
REFUSED = [  # what the command line adds; the values are in tests/settings/test_privacy_levels.py
    (CROWD, "eps_min:", "uniform_levels", "auto"),
    (f"{CROWD} eps_min=[1]", "eps_min=[1]:", "above 0"),
    (f"{B} eps=2 +algo.eps_min=1", "algo.eps_min", "eps_min"),
    (f"{B} eps=2 algo.eps_min=1", "algo.eps_min", "eps_min"),
    (f"{OWN} population.shares=[0.5,0.6]", "population.shares=[0.5,0.6]:", "sum to 1"),
    (f"{OWN} population.level=[1]", "'population.level'", "did you mean population.levels?"),
    (f"{NORMAL} population.sd=wide", "population.sd=wide:", "finite number"),
    (f"{B} population=uniform_level", "population", "'uniform_level'", "mean uniform_levels?"),
    (f"{B} population=xyz", "population", "'xyz'", "clipped_normal, file, homogeneous"),
    (f"{B} population=3", "population", "3", "uniform_levels"),
    (f"{B} population=null", "population", "uniform_levels"),
    (f"{FILE} population.column=debts", "debts", "-1", "from 0 to"),
    (f"{B} 'sweep={{population:[uniform_levl],eps_min:[1]}}'", "'uniform_levl'", "did you mean"),
    (f"{CROWD} eps_min=2 'sweep={{eps_min:[1]}}'", "eps_min=2:", "varies eps_min"),
    (f"{CROWD} 'sweep={{population:[clipped_normal],eps_min:[1]}}'", "varies population"),
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in REFUSED], ids=[x[0] for x in REFUSED]
)
def test_bad_input_is_refused(refuse, line, parts):
    Path("users.csv").write_text("who,eps,debts\nann,1,-1\nbob,2,2\n")
    message = refuse(line)
    assert all(part in message for part in parts), message


def settings(found, *columns):
    """The settings of a table, in order."""
    rows = found[list(columns)].drop_duplicates().astype(object)
    return [tuple(None if pd.isna(x) else x for x in row) for row in rows.to_numpy().tolist()]


def test_a_multirun_varies_populations(printed):
    lines = printed(f"-m {B} population=uniform_levels,clipped_normal eps_min=1")
    found = [pd.read_csv(line) for line in lines if line.endswith(".csv")]
    assert [set(t["population"]) for t in found] == [{"uniform_levels"}, {"clipped_normal"}]


def test_an_edited_file_of_users_is_run_again(results):
    Path("users.csv").write_text("who,level\nann,0.5\nbob,2\n")
    line = "algo=heldp_ucb_b population=file population.column=level eps_min=2"
    first = results(line)
    assert list(first.columns) == COLUMNS and set(first["population"]) == {"file"}
    Path("users.csv").write_text("who,level\nann,3\nbob,2\n")
    assert results(line)["regret"].tolist() != first["regret"].tolist()


@pytest.mark.parametrize(
    ("name", "population", "term", "best"),
    [
        ("heldp_ucb_l", "uniform_levels", v_l, 100),
        ("heldp_ucb_ls", "uniform_levels", v_l, 100),
        ("heldp_ucb_b", "uniform_levels", v_b, 2),
        ("heldp_ucb_bs", "uniform_levels", v_b, 2),
        ("heldp_ucb_l", "clipped_normal", v_l, 0.99),
        ("heldp_ucb_b", "clipped_normal", v_b, 0.95),
    ],
)
def test_auto_chooses_the_eps_min_of_the_smallest_leading_term(
    printed, name, population, term, best
):
    lines = printed(f"algo={name} population={population} eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    eps_min = float(chosen[0])
    assert [(population, eps_min)] == settings(pd.read_csv(lines[-1]), "population", "eps_min")
    assert eps_min == pytest.approx(best, rel=0.1)
    crowd = build_population(read_group("population", population))
    assert float(chosen[1]) == pytest.approx(term(crowd, eps_min), rel=1e-3)
    levels = [0.2, 1, 2, 100] if population == "uniform_levels" else np.linspace(0.1, 3, 300)
    assert term(crowd, eps_min) < 1.001 * min(term(crowd, x) for x in levels)
    shown = {float(x.split()[0]): float(x.split()[1]) for x in lines if x[:1].isdigit()}
    assert shown[eps_min] == min(shown.values()) and len(shown) > 1
    assert "V_L" in lines[0] if term is v_l else "V_B" in lines[0]
    crowds = len([line for line in lines if line.startswith("eps_min for")])
    assert crowds == 1


def test_auto_for_equal_levels_is_printed(printed):
    lines = printed(f"{B} eps=2 eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    assert float(chosen[0]) == 2
