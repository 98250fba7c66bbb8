"""Algorithms over several environments: wins, shares, ranks and their critical difference."""

import itertools

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from scipy.stats import beta, chi2

import dpbandits as dp
from dpbandits.cli import compare as command

MEANS = {  # by budget and algorithm, one of each environment; free has no budget
    1.0: {"a": [10, 10, 10, 10, 10], "b": [20, 20, 10, 9, 10.001], "c": [30, 5, 30, 30, 30]},
    2.0: {"a": [30, 30, 30, 30, 30], "b": [20, 20, 20, 20, 20], "c": [15, 15, 15, 15, 16]},
    np.inf: {"free": [1, 1, 1, 40, 1]},
}
Q = {4: 2.569}  # Demsar 2006, Table 5 (a): Nemenyi at .05 for four algorithms


def table(means=MEANS, runs=40):
    spread = 1 + np.linspace(-0.01, 0.01, runs)
    rows = [
        {"algo": name, "env": f"e{place}", "eps": eps, "horizon": 10 + place, "seed": 0, "run": i,
         "t": 10 + place, "regret": mean * x}
        for eps, own in means.items() for name, of in own.items() for place, mean in enumerate(of)
        for i, x in enumerate(spread)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_wins_are_those_of_a_slow_count():
    """Mutations that it catches: a tie counted as a win, the share of the wins in place of the
    means below, ranks of the largest first, the free algorithm at one budget alone.
    """
    found = dp.compare(table(), sets=True)
    assert len(found) == 2 * 4 * 3 and set(found["sets"]) == {5}
    for eps in (1.0, 2.0):
        own = MEANS[eps] | MEANS[np.inf]
        rows = found[found["eps"] == eps].set_index(["algo", "other"])
        for (one, other), row in rows.iterrows():
            pairs = list(zip(own[one], own[other], strict=True))
            below = sum(x < y for x, y in pairs)
            wins = sum(x < y * 0.97 for x, y in pairs)
            losses = sum(y < x * 0.97 for x, y in pairs)
            assert (row["below"], row["wins"], row["losses"]) == (below, wins, losses)
            assert row["ties"] == 5 - wins - losses and row["share"] == below / 5
            low = beta.ppf(0.025, below, 6 - below) if below else 0.0
            high = beta.ppf(0.975, below + 1, 5 - below) if below < 5 else 1.0
            assert row[["share_low", "share_high"]].tolist() == pytest.approx([low, high])
        ranks = dict.fromkeys(own, 0.0)
        for place in range(5):
            for name in own:
                mine = own[name][place]
                smaller = sum(own[x][place] < mine for x in own)
                equal = sum(own[x][place] == mine for x in own)
                ranks[name] += (smaller + (1 + equal) / 2) / 5
        for name, rank in ranks.items():
            assert rows.loc[name, "rank"].iloc[0] == pytest.approx(rank)
        critical = rows["critical_difference"].iloc[0]
        assert critical == pytest.approx(Q[4] * np.sqrt(4 * 5 / (6 * 5)), rel=1e-3)


def test_the_test_of_equal_ranks_is_friedman_s():
    rows = dp.compare(table(), sets=True).query("eps == 2")
    ranks = rows.groupby("algo")["rank"].first()
    statistic = 12 * 5 / (4 * 5) * ((ranks - 2.5) ** 2).sum()  # without ties
    assert rows["p"].iloc[0] == pytest.approx(chi2.sf(statistic, 3))


def test_an_algorithm_without_a_budget_plays_each_horizon_once():
    """The comparison at a budget and a horizon has its runs at this horizon alone."""
    one = table().assign(horizon=50, t=50)
    both = pd.concat([one, one.assign(horizon=90, t=90, regret=one["regret"] ** 2)])
    found = dp.compare(both, sets=True)
    assert found.groupby(["eps", "horizon"]).size().tolist() == [4 * 3] * 4
    same = ["algo", "other", "below", "rank", "other_rank", "p"]
    wanted = dp.compare(one, sets=True)[same].to_numpy().tolist()
    assert found.loc[found["horizon"] == 50, same].to_numpy().tolist() == wanted


def test_a_table_needs_three_environments_and_algorithms():
    for some in (table().query("env < 'e2'"), table().query("algo in ['a', 'free']")):
        assert "three environments are needed" in message_of(dp.compare, some, sets=True)
    words = message_of(dp.compare, table(), "a", sets=True)
    assert words == "sets=True: all pairs are compared; leave baseline out"
    partly = table()[lambda x: (x["algo"] != "b") | (x["env"] != "e0")]
    assert "b" not in set(dp.compare(partly, sets=True)["algo"])


@pytest.mark.slow
def test_the_command_writes_the_counts_below_the_comparison(bandit, tmp_path):
    dp.save(table(), tmp_path / "sets.csv")
    lines = bandit(command, "sets.csv")
    said = [x for x in lines if x.startswith("Over 5 environments at eps = ")]
    assert len(said) == 2 and "mean ranks: free 1.6, " in said[0] and "(Nemenyi" in said[0]
    written = (tmp_path / "sets-compare.md").read_text()
    assert "| free" in written and written.count("Over 5 environments") == 2
    matrix = written.split("| below")[1]  # with the ends of Clopper and Pearson
    cells = [x.strip() for x in matrix.split("| free")[2].splitlines()[0].split("|")[1:-1]]
    assert cells == ["", "4 (4) [28-99 %]", "4 (4) [28-99 %]", "4 (4) [28-99 %]"]
    assert not any("Over" in x for x in bandit(command, "sets.csv baseline=free")[-3:])


def test_the_figure_shows_the_counts():
    """Mutation that it catches: rows and columns are exchanged."""
    figure = dp.plot(table(), kind="wins")
    for ax, eps in zip(figure.axes, (1.0, 2.0), strict=True):
        own = MEANS[eps] | MEANS[np.inf]
        names = [x.get_text() for x in ax.get_yticklabels()]
        assert names == [x.get_text() for x in ax.get_xticklabels()] == ["free", "c", "b", "a"]
        found = [x.get_text() for x in ax.texts]
        assert found == [
            "" if x == y else str(sum(a < b for a, b in zip(own[x], own[y], strict=True)))
            for x in names
            for y in names
        ]


def test_numbers_of_many_algorithms_do_not_touch():
    """Control: two panels beside each other, as for few algorithms."""
    means = {f"algorithm of number {i:02}": [10 + i] * 12 for i in range(13)}
    figure = dp.plot(table({1.0: means, 2.0: means}, runs=3), kind="wins")
    figure.draw_without_rendering()
    for ax in figure.axes:
        boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
        for one, other in itertools.pairwise(boxes):
            assert one.x1 < other.x0 or one.y0 != other.y0
