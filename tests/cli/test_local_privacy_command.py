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
COLUMNS = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
OF_CROWDS = [*COLUMNS[:5], "population", "eps_min", *COLUMNS[5:]]


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
REFUSED = [
    (
        f"{FILE.replace('users.csv', '/dev/zero')} population.column=level",
        "path=/dev/zero:",
        "pipe",
    ),
    (f"{CROWD} eps_min=0", "eps_min=0:", "above 0"),
    (f"{CROWD} eps_min=-1", "eps_min=-1:", "above 0"),
    (f"{CROWD} eps_min=nan", "eps_min=nan:", "above 0"),
    (f"{CROWD} eps_min=inf", "eps_min=inf:", "finite"),
    (f"{CROWD} eps_min=text", "eps_min=text:", "above 0"),
    (f"{CROWD} eps_min=true", "eps_min=true:", "above 0"),
    (f"{CROWD} eps_min=[1]", "eps_min=[1]:", "above 0"),
    (f"{CROWD} eps_min=100.5", "eps_min=100.5:", "uniform_levels", "no user"),
    (f"{NORMAL.replace('=1', '=101')}", "eps_min=101:", "clipped_normal", "no user"),
    (f"{B} eps=2 eps_min=3", "eps_min=3:", "eps=2", "no user"),
    (f"{B} eps=2 eps_min=0", "eps_min=0:", "above 0"),
    (f"{B} eps=2 eps_min=-1", "eps_min=-1:", "above 0"),
    (f"{B} eps=2 +algo.eps_min=1", "algo.eps_min", "eps_min"),
    (f"{B} eps=2 algo.eps_min=1", "algo.eps_min", "eps_min"),
    (CROWD, "eps_min:", "uniform_levels", "auto"),
    (NORMAL.replace(" eps_min=1", ""), "eps_min:", "clipped_normal", "auto"),
    (f"{CROWD} eps_min=1 eps=1", "eps=1:", "uniform_levels", "levels of their own"),
    (f"{CROWD} eps_min=1 eps=inf", "eps=inf:", "uniform_levels"),
    (f"{B} eps=inf", "eps=inf:", "finite number above 0"),
    ("algo=heldp_ucb_l eps=inf", "eps=inf:", "finite number above 0"),
    (f"{B} eps=0", "eps=0:", "above 0"),
    (f"{B} eps=nan", "eps=nan:", "above 0"),
    ("algo=heldp_ucb_l eps=1e200", "eps=1e200:"),
    (f"{OWN} population.shares=[0.5,0.6]", "population.shares=[0.5,0.6]:", "sum to 1"),
    (f"{OWN} population.shares=[0.5,0.3,0.2]", "population.shares=[0.5,0.3,0.2]:", "2 shares"),
    (f"{OWN} population.shares=[1]", "population.shares=[1", "2 shares"),
    (f"{OWN} population.shares=[1.5,-0.5]", "population.shares=[1.5,-0.5]:", "at least 0"),
    (f"{OWN} population.shares=[a,b]", "population.shares=a:", "finite number"),
    (f"{OWN} population.shares=5", "population.shares=5:", "list of numbers"),
    (f"{OWN} population.levels=[-1,1]", "population.levels=-1", "from 0 to"),
    (f"{OWN} population.levels=[nan,1]", "population.levels=nan:", "finite number"),
    (f"{OWN} population.levels=[inf,1]", "population.levels=inf:", "finite number"),
    (f"{OWN} population.levels=[1e7,1]", "population.levels=1", "from 0 to"),
    (f"{OWN} population.levels=[]", "population.levels=[]:", "list of numbers"),
    (f"{OWN} population.levels=high", "population.levels=high:", "list of numbers"),
    (f"{OWN} population.levels=[0,0]", "eps_min=0.5:", "no user"),
    (f"{B} population=levels population.levels=[0] eps_min=auto", "population=levels", "above 0"),
    (f"{OWN} population.level=[1]", "'population.level'", "did you mean population.levels?"),
    (f"{OWN} population.kind=foo", "population.kind", "'foo'", "clipped_normal"),
    (f"{NORMAL} population.sd=0", "population.sd=0:", "above 0"),
    (f"{NORMAL} population.sd=wide", "population.sd=wide:", "finite number"),
    (f"{NORMAL} population.mean=nan", "population.mean=nan:", "finite number"),
    (f"{NORMAL} population.low=-1", "population.low=-1:", "from 0 to"),
    (f"{NORMAL} population.low=2 population.high=1", "population.low=2:", "population.high"),
    (f"{B} population=uniform_level", "population", "'uniform_level'", "mean uniform_levels?"),
    (f"{B} population=xyz", "population", "'xyz'", "clipped_normal, file, homogeneous"),
    (f"{B} population=3", "population", "3", "uniform_levels"),
    (f"{B} population=null", "population", "uniform_levels"),
    ("algo=adap_ucb population=uniform_levels", "population=uniform_levels:", "adap_ucb"),
    ("algo=ucb population=uniform_levels", "population=uniform_levels:", "ucb"),
    ("algo=adap_ucb eps_min=1", "eps_min=1:", "adap_ucb"),
    ("algo=ucb eps_min=auto", "eps_min=auto:", "ucb"),
    (f"{B} env=ren_gaussian", "env=ren_gaussian:", "heldp_ucb_b", "[0, 1]", "heldp_ucb_bs"),
    ("algo=heldp_ucb_l env=ren_gaussian", "env=ren_gaussian:", "heldp_ucb_l", "heldp_ucb_ls"),
    (FILE.replace("users", "missing"), "population.path=missing.csv:", "No such file"),
    (FILE.replace("users.csv", "."), "population.path=.:", "directory"),
    (f"{FILE} population.column=epsilon", "column", "users.csv", "'epsilon'", "eps"),
    (f"{FILE} population.column=[eps]", "column", "eps"),
    (f"{FILE} population.column=who", "who", "ann", "finite number"),
    (f"{FILE} population.column=some", "some", "x", "finite number"),
    (f"{FILE} population.column=gaps", "gaps", "nan", "finite number"),
    (f"{FILE} population.column=debts", "debts", "-1", "from 0 to"),
    (FILE.replace("users", "empty"), "population.path=empty.csv:", "CSV"),
    (FILE.replace("users", "header"), "population.path=header.csv:", "no rows"),
    ("'sweep={algo:[ucb,adap_ucb],population:[uniform_levels]}'", "sweep.population", "no algo"),
    ("'sweep={algo:[ucb,adap_ucb],eps_min:[1]}'", "sweep.eps_min", "no algorithm"),
    (f"{B} 'sweep={{population:[uniform_levl],eps_min:[1]}}'", "'uniform_levl'", "did you mean"),
    (f"{CROWD} 'sweep={{eps_min:[1,0]}}'", "eps_min=0:", "above 0"),
    (f"{CROWD} 'sweep={{eps_min:[1,101]}}'", "eps_min=101:", "no user"),
    (f"{CROWD} eps_min=2 'sweep={{eps_min:[1]}}'", "eps_min=2:", "varies eps_min"),
    (f"{CROWD} eps_min=1 'sweep={{eps:[1,2]}}'", "sweep.eps", "no algorithm"),
    (f"{CROWD} 'sweep={{population:[clipped_normal],eps_min:[1]}}'", "varies population"),
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in REFUSED], ids=[x[0] for x in REFUSED]
)
def test_bad_input_is_refused(refuse, line, parts):
    Path("users.csv").write_text("who,eps,some,gaps,debts\nann,1,x,1,-1\nbob,2,3,,2\n")
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("eps\n")
    message = refuse(line)
    assert all(part in message for part in parts), message


def settings(found, *columns):
    """The settings of a table, in order."""
    rows = found[list(columns)].drop_duplicates().astype(object)
    return [tuple(None if pd.isna(x) else x for x in row) for row in rows.to_numpy().tolist()]


def runs_of_each(found):
    """How many runs each setting of a table has."""
    last = found[found["t"] == found["horizon"]]
    names = [c for c in found.columns if c not in ("seed", "run", "t", "regret")]
    return set(last.groupby(names, dropna=False)["run"].count())


@pytest.mark.parametrize("name", ["heldp_ucb_b", "heldp_ucb_l"])
def test_equal_levels_need_eps_alone(results, name):
    found = results(f"algo={name} env=ren_mixed eps=2")
    assert list(found.columns) == COLUMNS
    assert set(found["eps"]) == {2} and set(found["env"]) == {"ren_mixed"}
    assert found["regret"].between(0, 0.4 * 300).all()


@pytest.mark.parametrize("name", ["heldp_ucb_bs", "heldp_ucb_ls"])
def test_unbounded_rewards_have_their_algorithms(results, name):
    assert results(f"algo={name} env=ren_gaussian eps=2")["regret"].max() > 0


def test_an_algorithm_for_bounded_rewards_sees_their_sigmoid(results):
    assert results("algo=ucb env=ren_gaussian env.sigmoid=true")["regret"].max() > 0


def test_populations_and_eps_min_become_columns(results):
    found = results(f"{B} 'sweep={{population:[uniform_levels,clipped_normal],eps_min:[0.5,1]}}'")
    assert list(found.columns) == OF_CROWDS
    assert settings(found, "population", "eps_min") == [
        ("uniform_levels", 0.5),
        ("uniform_levels", 1),
        ("clipped_normal", 0.5),
        ("clipped_normal", 1),
    ]
    assert runs_of_each(found) == {2}


def test_a_population_is_named_even_if_none_is_swept(results):
    found = results(f"{CROWD} eps_min=1")
    assert list(found.columns) == OF_CROWDS
    assert settings(found, "population", "eps_min") == [("uniform_levels", 1)]


@pytest.mark.parametrize("name", ["heldp_ucb_b", "heldp_ucb_l"])
def test_eps_min_becomes_a_column_for_equal_levels_too(results, name):
    """Two settings never share the rows of one."""
    found = results(f"algo={name} eps=2 'sweep={{eps_min:[1,2]}}'")
    assert runs_of_each(found) == {2}
    assert settings(found, "eps_min") == [(1,), (2,)]


def test_equal_levels_beside_a_population_keep_their_settings_apart(results):
    found = results(f"{B} 'sweep={{population:[homogeneous,uniform_levels],eps_min:[0.5,1]}}'")
    assert runs_of_each(found) == {2}
    assert len(settings(found, "eps", "population", "eps_min")) == 4


def test_algorithms_without_local_privacy_pass_by_populations(results):
    sweep = "{algo:[ucb,adap_ucb,heldp_ucb_b],population:[uniform_levels],eps_min:[1,2]}"
    found = results(f"'sweep={sweep}'")
    assert list(found.columns) == OF_CROWDS
    assert settings(found, "algo", "population", "eps_min") == [
        ("ucb", None, None),
        ("adap_ucb", None, None),
        ("heldp_ucb_b", "uniform_levels", 1),
        ("heldp_ucb_b", "uniform_levels", 2),
    ]
    assert runs_of_each(found) == {2}
    alone = results("algo=ucb")["regret"].tolist()
    assert found.loc[found["algo"] == "ucb", "regret"].tolist() == alone


def test_eps_beside_populations_is_that_of_equal_levels(results):
    sweep = "{population:[homogeneous,uniform_levels],eps_min:[0.5],eps:[1,2]}"
    found = results(f"{B} 'sweep={sweep}'")
    homogeneous = found[found["population"] != "uniform_levels"]
    assert set(homogeneous["eps"]) == {1, 2}
    assert runs_of_each(found) == {2}
    assert len(found) == 3 * 2 * found["t"].nunique()


def test_one_level_of_ones_own_is_the_same_as_eps(results):
    own = results(f"{B} population=levels population.levels=[2] eps_min=2")
    assert own["regret"].tolist() == results(f"{B} eps=2")["regret"].tolist()
    assert own["regret"].tolist() != results(f"{B} eps=1")["regret"].tolist()


def test_a_multirun_varies_populations(printed):
    lines = printed(f"-m {B} population=uniform_levels,clipped_normal eps_min=1")
    found = [pd.read_csv(line) for line in lines if line.endswith(".csv")]
    assert [set(t["population"]) for t in found] == [{"uniform_levels"}, {"clipped_normal"}]


def test_users_of_a_file(results):
    Path("users.csv").write_text("who,level\nann,0.5\nbob,2\n")
    line = "algo=heldp_ucb_b population=file population.column=level eps_min=2"
    first = results(line)
    same = results("algo=heldp_ucb_b population=levels population.levels=[0.5,2] eps_min=2")
    assert set(first["population"]) == {"file"}
    assert first["regret"].tolist() == same["regret"].tolist()
    Path("users.csv").write_text("who,level\nann,3\nbob,2\n")
    assert results(line)["regret"].tolist() != first["regret"].tolist()  # edited: run anew


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


def test_auto_for_equal_levels_is_their_level(printed):
    lines = printed(f"{B} eps=2 eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    assert float(chosen[0]) == 2
    regret = pd.read_csv(lines[-1])["regret"].tolist()
    assert regret == pd.read_csv(printed(f"{B} eps=2")[-1])["regret"].tolist()
