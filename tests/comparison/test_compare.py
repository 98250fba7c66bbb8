"""dp.compare: rows, games, baselines, ties and letters."""

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from scipy.stats import beta
from scipy.stats import t as student

import dpbandits as dp
from dpbandits.cli import compare as command
from dpbandits.comparison.best import letters
from dpbandits.comparison.pairs import smaller
from dpbandits.comparison.samples import Samples
from dpbandits.comparison.table import ERROR, contradicted
from dpbandits.comparison.text import _located, note, text_of_comparison
from dpbandits.contracts.question import REGRET


def table(**means):
    """A hundred runs of each algorithm, spread by a hundredth about its mean, of one game."""
    spread = 1 + np.linspace(-0.01, 0.01, 100)
    rows = [
        {"algo": name, "env": "e", "eps": 1.0, "horizon": 10, "seed": 0, "run": i, "t": 10,
         "regret": mean * x}
        for name, mean in means.items() for i, x in enumerate(spread)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_best_is_compared_with():
    found = dp.compare(table(a=20, b=10, c=10)).set_index("algo")
    assert found["tied"].to_dict() == {"a": False, "b": True, "c": True}
    assert found["letters"].to_dict() == {"a": "b", "b": "a", "c": "a"}
    assert found.loc["a", "ratio"] == 2.0
    assert 1.9 < found.loc["a", "ratio_low"] < 2 < found.loc["a", "ratio_high"] < 2.1
    assert 9.8 < found.loc["a", "difference_low"] < 10 < found.loc["a", "difference_high"] < 10.2
    assert found.loc["b", "ratio_low"] == 1.0 < found.loc["b", "ratio_high"]
    assert found.loc["a", "smaller"] == 0.0


def test_only_one_can_be_best():
    found = dp.compare(table(a=20, b=10)).set_index("algo")
    columns = ["ratio", "ratio_low", "ratio_high", "difference"]
    assert found.loc["b", columns].tolist() == [1, 1, 1, 0]


def test_baseline():
    found = dp.compare(table(a=20, b=10), baseline="a").set_index("algo")
    assert found.loc["b", "ratio"] == 0.5
    assert found.loc["b", "ratio_high"] < 0.51
    assert found.loc["b", "tied"] and found.loc["b", "against"] == "a"
    assert found.loc["a", ["ratio", "ratio_low", "ratio_high"]].tolist() == [1, 1, 1]


def test_baseline_without_privacy_serves_each_budget():
    both = pd.concat([table(a=20), table(a=30).assign(eps=0.5), table(free=10).assign(eps=np.inf)])
    found = dp.compare(both, baseline="free")
    assert found["ratio"].tolist() == pytest.approx([2, 3, 1])
    own = pd.concat([table(a=20, b=8), table(a=10, b=4).assign(eps=np.inf)])
    assert dp.compare(own, baseline="inf")["ratio"].tolist() == pytest.approx([2, 2, 1, 1])


def test_more_games_widen_the_intervals():
    one = table(a=20, b=10)
    many = pd.concat([one.assign(horizon=T, t=T) for T in (10, 20, 30)])
    widths = [
        (found["ratio_high"] - found["ratio_low"]).iloc[0]
        for found in (dp.compare(one), dp.compare(many))
    ]
    assert widths[0] < widths[1]


def test_settings_of_one_algorithm_are_told_apart():
    two = pd.concat([table(a=20).assign(m=1), table(a=10).assign(m=2)])
    found = dp.compare(two)
    assert found["tied"].tolist() == [False, True]
    assert "one game has 2 settings of a" in message_of(dp.compare, two, baseline="a")


def test_regret_of_zero():
    found = dp.compare(table(a=0, b=1)).set_index("algo")
    assert found.loc["b", "ratio"] == np.inf
    assert found["tied"].tolist() == [True, False]
    assert dp.compare(table(a=0, b=0))["tied"].all()


def test_stopping_times():
    rows = table(a=20, b=10).rename(columns={"algo": "rule", "regret": "stopping_time"})
    given = {"arm": 0, "true_mean": 0.5, "rel_error": 0.1, "beta": 0.1, "R": 1.0, "cap": 1000}
    rules = rows.drop(columns=["t", "horizon"]).assign(**given, estimate=0.5, halted=1, correct=1)
    assert dp.compare(rules)["ratio"].tolist() == [2.0, 1.0]


def test_bad_baseline():
    assert "did you mean" in message_of(dp.compare, table(adap_ucb=1, b=2), baseline="adap_uc")
    assert "no setting can be compared" in message_of(dp.compare, table(a=1), baseline="inf")


def test_letters_of_a_chain():
    differ = np.zeros((3, 3), dtype=bool)
    differ[0, 2] = differ[2, 0] = True
    assert letters(differ, np.array([0, 1, 2])) == ["a", "ab", "b"]
    assert letters(differ, np.array([2, 1, 0])) == ["b", "ab", "a"]


@pytest.mark.parametrize("seed", range(5))
def test_letters_are_shared_by_what_does_not_differ(seed):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((9, 9)) < 0.5, 1)
    differ = half | half.T
    found = letters(differ, rng.permutation(9))
    for i in range(9):
        for j in range(9):
            assert bool(set(found[i]) & set(found[j])) == (i == j or not differ[i, j])


def test_probability_of_the_smaller():
    rng = np.random.default_rng(0)
    held = [
        low <= 0.5 <= high
        for _, low, high in (
            smaller(rng.pareto(2, 30), rng.pareto(2, 40), 0.025) for _ in range(300)
        )
    ]
    assert 0.91 < np.mean(held) < 0.99
    p, low, high = smaller(np.arange(20.0), np.arange(20.0) + 100, 0.025)
    assert p == high == 1.0 and 0.8 < low < 1.0


def test_the_two_directions_of_equal_samples_are_complements():
    """Catches a half number of pairs that is rounded; control: an even number of pairs."""
    for n in (5, 6):
        p, low, high = smaller(np.zeros(n), np.zeros(n), 0.025)
        assert p == 0.5 and low + high == pytest.approx(1.0) and low < 0.5 < high
    assert smaller(np.zeros(6), np.zeros(6), 0.025).low == pytest.approx(beta.ppf(0.025, 3, 4))


def test_the_interval_of_the_probability_has_the_freedom_of_welch_and_satterthwaite():
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 3, 9), rng.normal(1, 1, 31)
    below = np.array([(b > x).mean() for x in a])
    above = np.array([(a < y).mean() for y in b])
    p, v, w = above.mean(), below.var(ddof=1) / 9, above.var(ddof=1) / 31
    freedom = (v + w) ** 2 / (v**2 / 8 + w**2 / 30)
    width = student.ppf(0.975, freedom) * np.sqrt(v + w) / (p * (1 - p))
    wanted = [1 / (1 + np.exp(-np.log(p / (1 - p)) - x)) for x in (0, -width, width)]
    assert smaller(a, b, 0.025) == pytest.approx(wanted)


def test_the_error_is_divided_by_the_comparisons(monkeypatch):
    tails = []
    located = Samples.located

    def watched(self, center, tail):
        tails.append(tail)
        return located(self, center, tail)

    monkeypatch.setattr(Samples, "located", watched)
    dp.compare(pd.concat([table(a=1, b=2, c=3, d=4), table(a=1, b=2).assign(env="f")]))
    assert {*tails} == {ERROR / 2 / 4}


def test_intervals_that_disagree_with_the_test_are_marked():
    """The test distinguishes 8 % at 20 runs of these, intervals at 100. The control is a clear
    difference.
    """
    rng = np.random.default_rng(3)
    runs = pd.concat([table(a=1), table(b=1)])
    runs["regret"] = np.concatenate([rng.normal(10, 1, 100), rng.normal(10.8, 1, 100)])
    few = runs[runs["run"] < 20]
    compared = dp.compare(few).set_index("algo", drop=False)
    assert compared["differs"].tolist() == [False, True] == contradicted(compared).tolist()
    assert compared.loc["b", "ratio_low"] == 1.0 and compared["letters"].tolist() == ["a", "b"]
    assert " *" in text_of_comparison(
        compared, REGRET, "pipe"
    ) and "*: the test tells the means of b from" in note(compared, REGRET)
    clear = dp.compare(runs)
    assert clear["differs"].tolist() == [False, True] and not contradicted(clear).any()
    assert "*" not in text_of_comparison(clear, REGRET, "pipe") + note(clear, REGRET)
    other = compared.assign(differs=False, ratio_low=1.1)
    assert "*: the interval of the ratio of a, b excludes 1" in note(other, REGRET)


def test_tied_algorithms_are_those_that_share_a_letter_with_the_best():
    """On samples of which some differ; the best and what is tied with it differ from others."""
    rng = np.random.default_rng(0)
    for _ in range(4):
        means = rng.choice([10.0, 10.3, 10.8, 11.5], 6)
        runs = table(**{f"a{i}": 1 for i in range(6)})
        runs["regret"] = np.repeat(means, 100) + rng.normal(size=600)
        found = dp.compare(runs)
        best = found.loc[found["mean"].idxmin()]
        shared = [bool({*best["letters"]} & {*x}) for x in found["letters"]]
        assert found["tied"].tolist() == shared == (~found["differs"]).tolist()


def test_a_table_shows_the_budget_and_leaves_it_blank_where_there_is_none():
    both = pd.concat(
        [table(a=20).assign(eps=0.7, rho=np.nan), table(b=30).assign(eps=np.nan, rho=0.25)]
    )
    lines = text_of_comparison(dp.compare(both), REGRET, "simple").splitlines()
    assert [["0.7" in x.split(), "0.25" in x.split()] for x in lines[2:4]] == [
        [True, False],
        [False, True],
    ]


def test_an_algorithm_alone_in_its_game_is_not_called_tied():
    """Where all are alone, nothing is compared, and that is said; the control has two in a game."""
    two, alone = table(a=20, b=10), table(a=20).assign(env="sign")
    for given, words in ((two, ["tied", "a"]), (alone, [])):
        compared = dp.compare(given)
        last = text_of_comparison(compared, REGRET, "pipe").splitlines()[2].split("|")[-4:-2]
        assert [x.strip() for x in last if x.strip()] == words
        assert ("nothing is compared" in note(compared, REGRET)) == (not words)
    both = dp.compare(pd.concat([two, alone]))
    assert text_of_comparison(both, REGRET, "pipe").count("tied") == 2  # the heading, and b
    several = dp.compare(table(a=20, b=10, c=5))
    assert note(several, REGRET).startswith("All 2 intervals of a column hold at once, with")


def test_command(tmp_path, bandit):
    path = dp.save(table(a=20, b=10), tmp_path / "t.csv")
    printed = "\n".join(bandit(command, f"{path} baseline=b"))
    assert "to b" in printed and "The interval of a column holds, with" in printed
    assert "too few" not in printed
    assert (tmp_path / "t-compare.md").exists()
    assert r"\toprule" in (tmp_path / "t-compare.tex").read_text()
    before = (tmp_path / "t-compare.md").read_text()
    dp.save(table(c=5), tmp_path / "u.csv")
    assert bandit(command, str(tmp_path))[-1] == str(tmp_path / "t-and-1-more-compare.md")
    assert (tmp_path / "t-compare.md").read_text() == before


def test_times_of_runs_that_met_their_cap_are_said_to_be_larger(tmp_path, bandit):
    given = {"rule": ["nas", "dp_nas"], "env": dp.bernoulli([0.5]), "rel_error": 0.5, "runs": 2}
    for cap, said in ((20, True), (10**6, False)):
        path = dp.save(dp.stop(**given, cap=cap, jobs=1), tmp_path / f"{cap}.csv")
        printed = "\n".join(bandit(command, str(path)))
        assert ("met their cap" in printed) == said
        assert ("2 runs are too few" in printed) != said  # equal times


@pytest.mark.parametrize(
    ("equal", "low", "shown"),
    [(1.0, 1.0004, "1.0004"), (1.0, 1.0, "1"), (0.5, 0.49999, "0.49999"), (1.0, 2.333, "2.33")],
)
def test_an_interval_without_equality_is_printed_without_it(equal, low, shown):
    """An algorithm that is not tied has a ratio above 1, in print, too."""
    row = {"ratio": low + 1, "ratio_low": low, "ratio_high": low + 2}
    row |= {"smaller": low, "smaller_low": low, "smaller_high": low + 2}
    name = "ratio" if equal == 1.0 else "smaller"
    assert _located(row, name)[1].startswith(f"{shown} to ")
