"""dp.budget and bandit-budget: rows, sentences, a figure, bad input; and a grid of budgets."""

import re

import numpy as np
import pandas as pd
import pytest
from budgets import GOALS, crossing, search
from refusals import message_of

import dpbandits as dp
from dpbandits.authoring import pull, rounds_left
from dpbandits.cli import budget as command


def first(game, rng):
    """Always pull the first arm."""
    while rounds_left(game) > 0:
        pull(game, 0)


GAME = {"env": dp.bernoulli([0.9, 0.6]), "horizon": 1e4}
FEW = {"precision": 2.0, "runs": 128}


@pytest.mark.slow
def test_rows(tmp_path):
    found = dp.budget("dp_se", **GAME, regret=700, **FEW, results=tmp_path)
    assert list(found.columns[:5]) == ["algo", "budget", "low", "high", "reached"]
    (row,) = found.to_dict("records")
    assert row["reached"] and row["low"] <= row["budget"] <= row["high"]
    assert f"crosses 700 between eps={row['low']:g} and {row['high']:g}" in row["answer"]
    ends = (row["low"], row["high"])
    means = re.search(r"\(mean regret: (\S+) at (\S+), (\S+) at (\S+)\)", row["answer"]).groups()
    assert means[1::2] == tuple(f"{x:g}" for x in ends)
    assert float(means[0]) > 700 >= float(means[2])
    again = dp.budget("dp_se", **GAME, regret=700, **FEW, results=tmp_path)
    assert again.drop(columns="seconds").equals(found.drop(columns="seconds"))
    assert dp.plot(found).axes


@pytest.mark.slow
def test_one_algorithm_with_several_values():
    """Each has its row, its sentence and its line; the same twice is refused."""
    two = [dp.algorithm("adap_ucb", alpha=x) for x in (2.5, 6.0)]
    found = dp.budget([*two, "dp_se"], **GAME, regret=1200, **FEW)
    assert list(found.columns[:3]) == ["algo", "alpha", "budget"]
    assert list(found["alpha"].fillna(0)) == [2.5, 6.0, 0.0]
    assert [row.partition(" on ")[0] for row in found["answer"]] == [
        "adap_ucb with alpha=2.5", "adap_ucb with alpha=6", "dp_se",
    ]  # fmt: skip
    for table in (found, found[::-1]):  # in any order
        (ax,) = dp.plot(table).axes
        drawn = {bars.get_label(): bars[0].get_ydata().tolist() for bars in ax.containers}
        assert drawn == {
            name: [look["mean"] for look in found["tried"][row]]
            for row, name in enumerate(
                [r"AdaP-UCB, $\alpha$ = 2.5", r"AdaP-UCB, $\alpha$ = 6", "DP-SE"]
            )
        }
    assert "algo=adap_ucb: the algorithm is given twice" in message_of(
        dp.budget, [two[0], two[0]], **GAME, regret=1200, **FEW
    )


@pytest.mark.slow
def test_never_and_always():
    never = dp.budget("dp_se", **GAME, regret=1, least=0.1, most=10, **FEW).iloc[0]
    assert not never["reached"] and np.isnan(never["budget"])
    end = "regret is at most 1 at none of the budgets tried, from eps=0.1 to 10; there it is"
    assert end in never["answer"]
    always = dp.budget("dp_se", **GAME, regret=1e5, least=0.1, most=10, **FEW).iloc[0]
    assert always["reached"] and (always["low"], always["high"]) == (0.0, 0.1)
    assert "even at eps=0.1" in always["answer"]
    both = dp.budget("dp_se", **GAME, regret=1e5, least=0.1, most=10, **FEW)
    assert "0 to 0.100" in dp.latex(both, columns="algo,budget,interval,ci_low,ci_high")
    for name in ("mean", "std", "eps"):  # control: a word of no table has another message
        said = f"{name!r}: an answer has budget, with interval, ci_low and ci_high, and no {name}"
        assert said in message_of(dp.latex, both, columns=["algo", name])
    assert "unknown column 'words': choose" in message_of(dp.latex, both, columns="algo,words")


@pytest.mark.slow
def test_runs_that_are_equal_to_the_goal_never_decide():
    """Before the first epoch ends, DP-SE plays two arms equally often. The control: another goal,
    which more runs would decide.
    """
    same = "; all runs are equal to the goal, so that more runs do not help"
    for goal, end in (({"regret": 4}, same), ({"ratio": 1}, same), ({"regret": 4.1}, "needed")):
        given = {"env": dp.bernoulli([0.9, 0.1]), "horizon": 10, "runs": 32, **goal}
        answer = dp.budget("dp_se", most=10, least=1, **given).loc[0, "answer"]
        assert "undecided" in answer and answer.endswith(end)


def test_bad_values():
    for keys, says in [
        ({}, "either regret=R or ratio=R"),
        ({"regret": 1, "ratio": 2}, "regret and ratio: give only one of the two"),
        ({"rato": 2}, "unknown key or parameter 'rato': did you mean ratio?"),
        (
            {"ratio": 2, "precison": 2},
            "unknown key or parameter 'precison': did you mean precision",
        ),
        ({"ratio": 2, "checkpoints": 5}, "checkpoints=5: this function takes no checkpoints"),
        ({"ratio": 2, "run": 2}, "unknown key or parameter 'run': did you mean runs?"),
        ({"regret": 1, "baseline": "ucb"}, "baseline=ucb: only a goal ratio=R takes a baseline"),
        ({"ratio": 2, "baseline": "adap_ucb"}, "without privacy is needed"),
        ({"ratio": 2, "least": 2, "most": 1}, "above least=2"),
        ({"ratio": -1}, "above 0"),
        ({"ratio": 2, "precision": 1}, "at least 1.01"),
        ({"ratio": 2, "runs": 3}, "runs"),
    ]:
        assert says in message_of(dp.budget, "dp_se", **GAME, **keys)
    for algo in ("heldp_ucb_b", "ltc_ucb"):
        assert f"without privacy, but {algo} cannot be run" in message_of(
            dp.budget, algo, **GAME, ratio=2
        )
    for eps in (0.5, [0.5]):
        for goal in ({"regret": 30}, {"ratio": 2}):
            for found in (
                message_of(dp.budget, "dp_se", **GAME, **goal, eps=eps),
                message_of(dp.budget, dp.algorithm("dp_se", eps=eps), **GAME, **goal),
            ):
                assert "eps: the search finds the value of eps" in found
    assert "takes no budget" in message_of(dp.budget, "ucb", **GAME, ratio=2)


@pytest.mark.slow
def test_without_regret_there_is_no_ratio():
    """Catches the advice to add runs, which do not help; regret at eps is 0, or above 0."""
    equal = dp.budget("dp_klucb", dp.bernoulli([0.5, 0.5]), 100, ratio=2, runs=32)
    given = {"ratio": 2, "runs": 32, "least": 0.1, "most": 1, "shuffle_arms": False}
    found = dp.budget("dp_se", dp.bernoulli([1.0, 0.0]), 40, baseline=first, **given)
    for table, of in ((equal, "dp_klucb without privacy"), (found, "first")):
        end = f"the regret of {of} is 0 in all runs, so a goal regret=R is needed"
        assert table["answer"][0].endswith(end)


@pytest.mark.slow
def test_command(tmp_path, bandit):
    line = "algo=dp_se env=bernoulli env.means=[.9,.6] horizon=1e4 regret=700"
    printed = bandit(command, f"{line} precision=2 runs=128 results={tmp_path} out=answer")
    assert any("regret crosses 700 between eps=" in text for text in printed)
    assert {"answer.md", "answer.pdf", "answer.png"} <= {x.name for x in tmp_path.iterdir()}
    assert "seconds" not in (tmp_path / "answer.md").read_text()


@pytest.mark.long
@pytest.mark.parametrize("algo", GOALS)
def test_against_a_grid_of_budgets(algo):
    """The interval holds the budget that 40 budgets with 2,000 runs each give, at a tenth."""
    found = search(algo)
    assert found["runs"] <= 8000 and found["low"] > 0.0
    assert found["low"] <= crossing(algo, found) <= found["high"]


def test_joined_answers_about_several_games_are_told_apart_in_a_table():
    """Mutation that it catches: the columns of the game follow what is measured."""
    one = pd.DataFrame({
        "algo": ["dp_se"], "budget": [1.0], "low": [0.9], "high": [1.1], "reached": [True],
        "name": ["eps"], "env": ["bernoulli_c1"], "horizon": [10**4], "goal": [300.0],
        "baseline": [""], "runs": [64], "seconds": [1.0], "answer": ["about 1"], "tried": [[]],
    })  # fmt: skip
    for name, value in {"env": "bernoulli_c2", "horizon": 10**5, "goal": 500.0}.items():
        table = dp.latex(pd.concat([one, one.assign(**{name: value})]), best="tied")
        other = dp.latex(one)
        assert table.splitlines()[2].count("&") == other.splitlines()[2].count("&") + 1
